# SPDX-License-Identifier: GPL-3.0-or-later
# What the pictures of the first counterexample in a directory lack of its
# transactions and operations; an SVG that is not well-formed is an error.
import json, sys, xml.etree.ElementTree as tree

directory = sys.argv[1]
example = json.load(open(directory + "/report.json"))["verdict"]["counterexample"]
for picture in "counterexample-1.svg", "counterexample-1-timeline.svg":
    text = " ".join(tree.parse(directory + "/" + picture).getroot().itertext())
    for txn in example["transactions"]:
        for wanted in [txn["short"]] + [o["label"] for o in txn["operations"]]:
            if wanted not in text:
                print(picture, "lacks", wanted)
