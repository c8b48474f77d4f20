#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Drives a real browser by its DevTools protocol, over a pipe: it needs chromium
and nothing besides Python's own library.  Tests of pages import it; as a program
it makes a picture of a page:

  browser.py PAGE PICTURE [WIDTH [HEIGHT [light|dark]]]

PICTURE ends in .png, .jpeg, .webp or .pdf.  Without a HEIGHT the picture has the whole page.
The status is 77 if there is no chromium.
"""
import base64
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

OPTIONS = [
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic",
    "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage",
    "--hide-scrollbars", "--remote-debugging-pipe",
]


def path():
    """The browser's path, or None."""
    return shutil.which("chromium") or shutil.which("chromium-browser")


class Browser:
    """A browser with one page open.  Use it in a `with` statement."""

    def __init__(self):
        self.profile = tempfile.TemporaryDirectory(
            prefix="isostress-browser.", ignore_cleanup_errors=True)
        command_read, self.command = os.pipe()
        self.answer, answer_write = os.pipe()
        # The browser reads commands from descriptor 3 and answers on 4.
        shell = 'exec "$@" 3<&%d 4>&%d' % (command_read, answer_write)
        self.process = subprocess.Popen(
            ["bash", "-c", shell, "browser", path(), *OPTIONS,
             "--user-data-dir=" + self.profile.name],
            pass_fds=(command_read, answer_write),
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        os.close(command_read)
        os.close(answer_write)
        self.unread = b""
        self.number = 0
        self.session = None
        self.events = []
        target = self.send("Target.createTarget", url="about:blank")
        self.session = self.send("Target.attachToTarget", flatten=True,
                                 targetId=target["targetId"])["sessionId"]
        for domain in ("Page", "Runtime", "Log", "DOM", "Network"):
            self.send(domain + ".enable")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.session = None
        self.send("Browser.close")
        self.process.wait()
        os.close(self.command)
        os.close(self.answer)
        self.profile.cleanup()

    def receive(self):
        while b"\0" not in self.unread:
            more = os.read(self.answer, 1 << 16)
            if not more:
                raise RuntimeError("the browser has gone")
            self.unread += more
        message, self.unread = self.unread.split(b"\0", 1)
        return json.loads(message)

    def send(self, method, **parameters):
        """One command of the protocol; the result that it answers."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.command, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.receive()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(method + ": " + answer["error"]["message"])
                return answer["result"]
            self.events.append(answer)

    def wait_for(self, event):
        while not any(e.get("method") == event for e in self.events):
            self.events.append(self.receive())

    def open(self, page, width=1280, height=900, scheme="light", script=True):
        """Opens a file as a reader with that window and colour scheme does."""
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=1, mobile=False)
        self.send("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": scheme}])
        self.send("Emulation.setScriptExecutionDisabled", value=not script)
        self.events = []
        self.send("Page.navigate", url=pathlib.Path(page).resolve().as_uri())
        self.wait_for("Page.loadEventFired")

    def complaints(self):
        """All that the browser wrote on its console since the page was opened."""
        return [json.dumps(e["params"]) for e in self.events
                if e.get("method") in ("Log.entryAdded", "Runtime.consoleAPICalled",
                                       "Runtime.exceptionThrown")]

    def requests(self):
        """The addresses that the page asked for, its own among them."""
        return [e["params"]["request"]["url"] for e in self.events
                if e.get("method") == "Network.requestWillBeSent"]

    def value(self, expression):
        """What an expression of JavaScript comes to in the page."""
        answer = self.send("Runtime.evaluate", expression=expression,
                           returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(expression + ": " + json.dumps(answer["exceptionDetails"]))
        return answer["result"].get("value")

    def middle(self, selector):
        """Scrolls to an element; the middle of what is seen of it."""
        box = self.value(
            "(e => { e.scrollIntoView({block: 'center'});"
            " const b = e.getBoundingClientRect();"
            " return [b.x + b.width / 2, b.y + b.height / 2] })"
            "(document.querySelector(%s))" % json.dumps(selector))
        return box

    def mouse(self, kind, x, y, **more):
        self.send("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def hover(self, selector):
        self.mouse("mouseMoved", *self.middle(selector))

    def click(self, selector):
        x, y = self.middle(selector)
        for kind in ("mousePressed", "mouseReleased"):
            self.mouse(kind, x, y, button="left", clickCount=1)

    def key(self, key, text=None):
        more = {"text": text} if text else {}
        self.send("Input.dispatchKeyEvent", type="keyDown", key=key, code=key,
                  windowsVirtualKeyCode={"Tab": 9, "Enter": 13}[key], **more)
        self.send("Input.dispatchKeyEvent", type="keyUp", key=key, code=key)

    def picture(self, whole=True, kind="png", **more):
        """All of the page, or as much as the window shows."""
        shot = self.send("Page.captureScreenshot", captureBeyondViewport=whole,
                         format=kind, **more,
                         **({"clip": self.whole()} if whole else {}))
        return base64.b64decode(shot["data"])

    def whole(self):
        size = self.send("Page.getLayoutMetrics")["cssContentSize"]
        return {"x": 0, "y": 0, "width": size["width"],
                "height": size["height"], "scale": 1}

    def paper(self):
        """The page as it is printed, as PDF."""
        printed = self.send("Page.printToPDF", printBackground=True,
                            preferCSSPageSize=True)
        return base64.b64decode(printed["data"])


def main(page, picture, width="1280", height="0", scheme="light"):
    if not path():
        sys.exit(77)
    with Browser() as browser:
        browser.open(page, int(width), int(height) or 900, scheme)
        whole = not int(height)
        kind = picture.rsplit(".")[-1]
        made = (browser.paper() if kind == "pdf" else
                browser.picture(whole) if kind == "png" else
                browser.picture(whole, kind, quality=80))
    with open(picture, "wb") as file:
        file.write(made)


if __name__ == "__main__":
    main(*sys.argv[1:])
