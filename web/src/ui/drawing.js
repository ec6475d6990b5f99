// ui/drawing.js - a plot without a reading line, redrawn when its width changes.

import { el } from "./dom.js";

/**
 * @param {string} label what the plot shows, for a screen reader
 * @param {(width: number) => Element} draw
 */
export function drawing(label, draw) {
  let width = 0;
  /** @type {Element | null} */
  let plot = null;
  const node = el("div", { class: "plot still", role: "img", "aria-label": label });

  function redraw() {
    if (width <= 0) return;
    plot = draw(width);
    plot.setAttribute("aria-hidden", "true");
    node.replaceChildren(plot);
  }
  new ResizeObserver((entries) => {
    const next = Math.floor(entries[0].contentRect.width);
    if (next === width) return;
    width = next;
    redraw();
  }).observe(node);
  return { node, redraw, current: () => plot };
}
