#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Pages of runs in a real browser, with a real mouse and real keys: prints tests
in the Test Anything Protocol.

  pages.py VIOLATION WIDE KEPT UNDECIDED STEPS INDEX

Says of further pages only what is wrong with them on a phone, a line each:

  pages.py phone PAGE...
"""
import os
import sys

sys.dont_write_bytecode = True
TESTS = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(TESTS, "..", "scripts"))
import browser  # noqa: E402

READABLE = open(os.path.join(TESTS, "readable.js"), encoding="utf-8").read()
# The words that a reader sees, but for the buttons, which only a script can use.
WORDS = """[...document.body.querySelectorAll("button.copy")].forEach(b => b.remove());
document.querySelectorAll("details").forEach(d => d.open = true);
document.body.innerText.replace(/\\s+/g, " ")"""
LIT = """[...document.querySelectorAll(".lit")].map(e => e.id).filter(i => i).sort().join(" ")"""
LOST = """[...document.querySelectorAll("a[href^='#']")]
.filter(a => !document.getElementById(a.getAttribute("href").slice(1)))
.map(a => a.getAttribute("href")).join(" ")"""
# Names all that sticks out of the window or, but for pictures, needs a scroll of its own;
# and words and numbers that are broken into two lines.
PHONE = """(() => {
const wrong = [];
document.querySelectorAll("details").forEach(d => d.open = true);
if (document.documentElement.scrollWidth > 390)
  wrong.push("the page has " + document.documentElement.scrollWidth + " pixels");
for (const e of document.querySelectorAll("body *"))
  if (e.getClientRects().length && !e.closest(".pic-wrap, pre") && e.clientWidth &&
      !e.closest("svg") && (e.scrollWidth > e.clientWidth + 1 || e.getBoundingClientRect().right > 391))
    wrong.push("too wide: " + e.tagName + " " + e.textContent.trim().slice(0, 40));
const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (texts.nextNode()) {
  const text = texts.currentNode, range = document.createRange();
  if (!text.parentElement.getClientRects().length || text.parentElement.closest("code, svg, small, .bar") || text.data.includes("://"))
    continue;
  for (const word of text.data.matchAll(/[A-Za-z]{2,24}|\\d[\\d.,]*/g)) {
    range.setStart(text, word.index);
    range.setEnd(text, word.index + word[0].length);
    if (new Set([...range.getClientRects()].filter(r => r.width).map(r => Math.round(r.top))).size > 1)
      wrong.push("broken: " + word[0]);
  }
}
return wrong.join("\\n");
})()"""
WIDTH = "document.documentElement.scrollWidth - document.documentElement.clientWidth"

count = 0


def report(good, name, detail=""):
    global count
    count += 1
    print("%sok %d - %s" % ("" if good else "not ", count, name))
    for line in "" if good else str(detail).splitlines():
        print("#   " + line)


def same(got, wanted, name):
    report(got == wanted, name, "got:    %s\nwanted: %s" % (got, wanted))


def read_by_anybody(b, name, page):
    """Small and wide windows, light and dark, with a script and without."""
    for scheme in ("light", "dark"):
        b.open(page, scheme=scheme)
        b.value(READABLE)
        found, least = b.value("document.title").split(" on ")[0], b.value("least")
        report(found == scheme and least >= 4.5,
               "every word of %s page stands out in the %s" % (name, scheme),
               "%s: %s" % (found, least))
    for width in (320, 390, 1280):
        b.open(page, width=width)
        same(b.value(WIDTH), 0, "%s page fits %d pixels" % (name, width))
    same(b.complaints(), [], "the browser has no complaint about %s page" % name)
    same(len(b.requests()), 1, "%s page asks for nothing else" % name)
    same(b.value(LOST), "", "each link within %s page leads somewhere" % name)
    with_script = b.value(WORDS)
    b.open(page, script=False)
    same(b.value("document.querySelectorAll('button.copy:not([hidden])').length"), 0,
         "without a script %s page shows no button" % name)
    same(b.value(WORDS), with_script, "%s page is complete without a script" % name)


def light_up(b, page):
    b.open(page)
    pair = "c1-arrow-1 c1-why-1"
    b.hover("#c1-why-1")
    same(b.value(LIT), pair, "the mouse on a sentence lights up its arrow")
    wide = "getComputedStyle(document.querySelector('#c1-arrow-1 .line')).strokeWidth"
    same(b.value(wide), "4.2px", "an arrow that is lit up is thicker")
    b.hover("h1")
    same(b.value(LIT), "", "the mouse elsewhere lights up nothing")
    b.hover("#c1-arrow-1 circle")
    same(b.value(LIT), pair, "the mouse on the number of an arrow lights up its sentence")
    b.hover("h1")
    reached = []
    while "c1-why-1" not in reached and len(reached) < 100:
        b.key("Tab")
        reached.append(b.value("document.activeElement.id"))
        if reached[-1] == "c1-arrow-1":
            same(b.value(LIT), pair, "the key Tab on an arrow lights up its sentence")
    same(b.value(LIT), pair, "the key Tab on a sentence lights up its arrow")
    seen = b.value("getComputedStyle(document.activeElement).outlineStyle")
    same(seen, "solid", "it is seen where the keyboard is")
    b.key("Tab")
    b.key("Enter", "\r")
    same(b.value("document.querySelector(':target').id"), "c1-arrow-1",
         "the key Enter on the number of a sentence leads to its arrow")
    b.open(page, script=False)
    b.click("#c1-why-1 .num")
    same(b.value(wide), "4.2px", "without a script a click on the number shows the arrow")


def picture(b, name, page):
    """Words of a picture can be read on a phone, where a wide one scrolls."""
    b.open(page, width=390)
    least = b.value("""Math.min(...[...document.querySelectorAll(".pic text")]
.map(t => parseFloat(getComputedStyle(t).fontSize) * t.getScreenCTM().a))""")
    report(least >= 9, "the words of %s are large enough on a phone" % name,
           "%s pixels" % least)


def numbers(b, page):
    """No number of a table is broken into two lines on a phone."""
    b.open(page, width=390)
    same(b.value(WIDTH), 0, "the page of all results fits 390 pixels")
    same(b.value("""[...document.querySelectorAll("td.n")].filter(cell => {
const range = document.createRange();
range.selectNodeContents(cell);
return new Set([...range.getClientRects()].map(r => r.top)).size > 1;
}).map(cell => cell.textContent).join(" ")"""), "",
         "each number of the page of all results stands in one line")


def copy(b, page):
    b.open(page)
    b.send("Browser.grantPermissions",
           permissions=["clipboardReadWrite", "clipboardSanitizedWrite"])
    b.value("""(button => { window.said = new Promise(done => new MutationObserver(
() => done(button.textContent)).observe(button, {childList: true})); })(
document.querySelector("#sure button.copy"))""")
    b.click("#sure button.copy")
    same(b.value("window.said"), "Copied", "a button says that it has copied")
    same(b.value("navigator.clipboard.readText()"),
         b.value("document.querySelector('#sure .cmd code').textContent"),
         "a button copies its command")


def fold(b, page):
    is_open = "document.querySelector('details').open"
    for script in (True, False):
        b.open(page, script=script)
        b.click("summary")
        same(b.value(is_open), True,
             "a fold opens by the mouse" + ("" if script else " without a script"))
        b.value("document.querySelector('summary').focus()")
        b.key("Enter", "\r")
        same(b.value(is_open), False,
             "a fold closes by the keyboard" + ("" if script else " without a script"))


def phone(*pages):
    with browser.Browser() as b:
        for page in pages:
            b.open(page, width=390)
            for line in b.value(PHONE).splitlines():
                print(page + ": " + line)


def main(violation, wide, kept, undecided, steps, index):
    with browser.Browser() as b:
        for name, page in (("a violation's", violation), ("a pass'", kept),
                           ("an undecided", undecided), ("a step script's", steps)):
            read_by_anybody(b, name, page)
        picture(b, "a picture", violation)
        picture(b, "a wide picture", wide)
        light_up(b, violation)
        numbers(b, index)
        copy(b, violation)
        fold(b, violation)
        b.open(violation)
        report(b.paper().startswith(b"%PDF"), "the page can be printed")
    print("1..%d" % count)


if __name__ == "__main__":
    if sys.argv[1] == "phone":
        phone(*sys.argv[2:])
    else:
        main(*sys.argv[1:])
