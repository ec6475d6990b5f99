// ui/chart.js - a plot with a reading line: redrawn when its width changes; a vertical line follows
// the pointer or the arrow keys and reports its position.
//
// The plot itself comes from `draw(width)`. The reading line moves between fixed `stops`, the
// positions at which the data has values, so that what is read is data and not interpolation.

import { el, svg } from "./dom.js";

/**
 * @typedef {{
 *   label: string,
 *   stops: number[],
 *   start: number,
 *   draw: (width: number) => (SVGSVGElement | HTMLElement) & import("@observablehq/plot").Plot,
 *   dots: (stop: number) => {y: number, colour: string}[],
 *   describe: (stop: number) => string,
 *   moved: (stop: number) => void,
 *   pointed?: (x: number, y: number, plot: import("@observablehq/plot").Plot) => void,
 * }} ChartOptions stops ascending; start: index of the first stop read; dots: where the reading line
 *   meets the curves; describe: the values as one sentence for a screen reader
 */

/** Index of the stop nearest to x. @param {number[]} stops ascending @param {number} x */
export function nearestStop(stops, x) {
  let low = 0;
  let high = stops.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (stops[middle] < x) low = middle + 1;
    else high = middle;
  }
  return low > 0 && x - stops[low - 1] <= stops[low] - x ? low - 1 : low;
}

/** @param {ChartOptions} options */
export function chart(options) {
  const { stops } = options;
  let at = options.start;
  let width = 0;
  /** @type {ReturnType<ChartOptions["draw"]> | null} */
  let plot = null;

  const node = el("div", {
    class: "plot",
    tabindex: 0,
    role: "slider",
    "aria-label": `${options.label}: position to read; use the arrow keys`,
    "aria-valuemin": stops[0],
    "aria-valuemax": stops[stops.length - 1],
  });

  // draws the reading line and its dots over the plot
  function drawReader() {
    if (!plot) return;
    plot.querySelector(".reader")?.remove();
    const x = /** @type {any} */ (plot.scale("x"));
    const y = /** @type {any} */ (plot.scale("y"));
    const [bottom, top] = y.range;
    const px = x.apply(stops[at]);
    const inside = (/** @type {number} */ py) => py >= top - 0.5 && py <= bottom + 0.5;
    const dots = options
      .dots(stops[at])
      .map((dot) => ({ py: y.apply(dot.y), colour: dot.colour }))
      .filter((dot) => Number.isFinite(dot.py) && inside(dot.py))
      .map((dot) =>
        svg("circle", {
          cx: px,
          cy: dot.py,
          r: 4,
          fill: dot.colour,
          stroke: "var(--paper)",
          "stroke-width": 1.5,
        }),
      );
    const reader = svg(
      "g",
      { class: "reader" },
      svg("line", { x1: px, x2: px, y1: top, y2: bottom }),
      ...dots,
    );
    plot.insertBefore(reader, plot.querySelector(".names")); // under the names, else on top
  }

  function report() {
    node.setAttribute("aria-valuenow", String(stops[at]));
    node.setAttribute("aria-valuetext", options.describe(stops[at]));
    options.moved(stops[at]);
    drawReader();
  }

  /** @param {number} index */
  function moveTo(index) {
    const next = Math.max(0, Math.min(stops.length - 1, index));
    if (next === at) return;
    at = next;
    report();
  }

  function redraw() {
    if (width <= 0) return;
    plot = options.draw(width);
    plot.setAttribute("aria-hidden", "true");
    node.replaceChildren(plot);
    report();
  }

  node.addEventListener("pointermove", (event) => {
    if (!plot) return;
    const frame = plot.getBoundingClientRect();
    const px = event.clientX - frame.left;
    moveTo(nearestStop(stops, /** @type {any} */ (plot.scale("x")).invert(px)));
    options.pointed?.(px, event.clientY - frame.top, plot);
  });
  node.addEventListener("keydown", (event) => {
    const page = Math.max(1, Math.round(stops.length / 20));
    const steps = {
      ArrowRight: 1,
      ArrowUp: 1,
      ArrowLeft: -1,
      ArrowDown: -1,
      PageUp: page,
      PageDown: -page,
      Home: -Infinity,
      End: Infinity,
    };
    const step = steps[/** @type {keyof typeof steps} */ (event.key)];
    if (step === undefined) return;
    event.preventDefault();
    moveTo(at + step);
  });
  new ResizeObserver((entries) => {
    const next = Math.floor(entries[0].contentRect.width);
    if (next === width) return;
    width = next;
    redraw();
  }).observe(node);

  return { node, redraw, current: () => plot };
}
