# SPDX-License-Identifier: GPL-3.0-or-later
# The things that the picture of the first counterexample in a directory lacks of its
# transactions and operations; an SVG that is not well-formed is an error.
import json, sys, xml.etree.ElementTree as tree

directory = sys.argv[1]
example = json.load(open(directory + "/report.json"))["verdict"]["counterexample"]
picture = tree.parse(directory + "/counterexample-1.svg").getroot()
words = " ".join(text.text for text in picture.iter("{http://www.w3.org/2000/svg}text"))
for txn in example["transactions"]:
    for wanted in [txn["short"]] + [o["label"] for o in txn["operations"]]:
        if wanted not in words:
            print("the picture lacks", wanted)
