// SPDX-License-Identifier: GPL-3.0-or-later
// Says in the title of a page which colour scheme it is shown in, on which
// background, and how little any of its words stands out, as the browser has
// computed it (WCAG 2.1, 1.4.3).
const luminance = colour => colour.match(/[\d.]+/g).slice(0, 3)
  .map(part => part / 255)
  .map(part => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
  .reduce((sum, part, i) => sum + part * [0.2126, 0.7152, 0.0722][i], 0);

const opaque = colour => colour !== "none" && !colour.endsWith(", 0)");

// The shape that a word of a picture stands on, if there is one: the last one
// before it that lies around its middle.
function fill_behind(word) {
  const box = word.getBoundingClientRect();
  const x = box.x + box.width / 2, y = box.y + box.height / 2;
  return [...word.closest("svg").querySelectorAll("circle, rect")]
    .filter(shape => shape.compareDocumentPosition(word) & Node.DOCUMENT_POSITION_FOLLOWING)
    .filter(shape => {
      const around = shape.getBoundingClientRect();
      return around.left <= x && x <= around.right && around.top <= y && y <= around.bottom;
    })
    .map(shape => getComputedStyle(shape).fill).filter(opaque).pop();
}

function background(element) {
  const fill = element.closest("svg") && fill_behind(element);
  if (fill)
    return fill;
  for (; element; element = element.parentElement) {
    const colour = getComputedStyle(element).backgroundColor;
    if (opaque(colour))
      return colour;
  }
  return "rgb(255, 255, 255)";
}

function contrast(element) {
  const style = getComputedStyle(element);
  const words = luminance(element.closest("svg") ? style.fill : style.color);
  const behind = luminance(background(element));
  return (Math.max(words, behind) + 0.05) / (Math.min(words, behind) + 0.05);
}

let least = 21;
const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (texts.nextNode()) {
  const element = texts.currentNode.parentElement;
  if (texts.currentNode.data.trim() && element.getClientRects().length)
    least = Math.min(least, contrast(element));
}
document.title = (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light") +
  " on " + background(document.body) + "; " + least.toFixed(1) + " to 1 or more";
