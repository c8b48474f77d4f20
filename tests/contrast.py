#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Says what is hard to read on a page: text that stands out from any background
of the stylesheet by less than 4.5 to 1 (WCAG 2.1, 1.4.3), lines by less than 3 to
1 (1.4.11), in light, in dark and in print; and colours that are not among the
stylesheet's variables, of which nobody could say.

  contrast.py PAGE
"""
import re
import sys

# Each ground with the colours that may be written or drawn on it.
GROUNDS = {"page", "panel", "box"}
WASHES = {"bad", "warn", "good", "open"}
TEXTS = {"ink", "soft", "bad", "warn", "good", "open", "link", "a", "b", "c"}
LINES = {"cyc", "sup"}
SOLID = {"link", "good", "warn", "open"}  # bars, on which nothing is written
BETWEEN = {"line"}  # rules between rows: nothing is lost without them
ALL = GROUNDS | {w + "-wash" for w in WASHES} | TEXTS | LINES | BETWEEN


def luminance(colour):
    digits = colour[1:]
    if len(digits) == 3:
        digits = "".join(2 * d for d in digits)
    parts = [int(digits[i:i + 2], 16) / 255 for i in (0, 2, 4)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


page = open(sys.argv[1], encoding="utf-8").read()
style = re.search(r"<style>(.*?)</style>", page, re.S).group(1)
rest = page.replace(style, "")

themes = [dict(re.findall(r"--([\w-]+):(#[0-9a-f]+)", block))
          for block in re.findall(r":root\{(.*?)\}", style, re.S)]
if len(themes) != 3:
    print("expected light, dark and print, found", len(themes))
for name, theme in zip(("light", "dark", "print"), themes):
    if set(theme) != ALL:
        print(name, "has other variables:", " ".join(sorted(set(theme) ^ ALL)))
        continue
    pairs = [(t, g, 4.5) for t in TEXTS for g in GROUNDS]
    pairs += [(w, w + "-wash", 4.5) for w in WASHES] + [("ink", w + "-wash", 4.5) for w in WASHES]
    pairs += [("page", "cyc", 4.5)]  # numbers in discs
    pairs += [(line, g, 3) for line in LINES for g in GROUNDS]
    for one, other, least in sorted(pairs):
        ratio = contrast(theme[one], theme[other])
        if ratio < least:
            print(f"{name}: {one} on {other} is only {ratio:.2f} to 1")

# Nothing but the variables is used.
for kind, allowed in (("color", TEXTS | {"page"}),
                      ("background", GROUNDS | LINES | SOLID | {w + "-wash" for w in WASHES})):
    for value in re.findall(r"[;{\"]\s*%s:([^;}\"]+)" % kind, style + rest):
        variable = re.fullmatch(r"var\(--([\w-]+)(,#\w+)?\)", value)
        if value != "inherit" and not (variable and variable.group(1) in allowed):
            print(f"{kind}: {value}")
for value in re.findall(r"opacity:([^;}\"]+)", style + rest):
    print("opacity:", value)

# The colours that a picture draws.
for kind, value in set(re.findall(r"(fill|stroke)=\"([^\"]+)\"", rest) +
                       re.findall(r"(fill|stroke):([^;}\"]+)", style + rest)):
    if value in ("none", "transparent", "currentColor"):
        continue
    variable = re.fullmatch(r"var\(--([\w-]+)(,#\w+)?\)", value)
    if variable and variable.group(1) in ALL:
        continue
    if re.fullmatch(r"#[0-9a-f]{6}", value):
        for name, theme in zip(("light", "dark", "print"), themes):
            ratio = contrast(value, theme["page"])
            if ratio < 3:
                print(f"{name}: a {kind} of {value} is only {ratio:.2f} to 1")
        continue
    print(f"{kind}: {value}")
