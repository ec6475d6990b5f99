// view.js - a plot of curves with a position to read: by pointer, by arrow keys, by screen reader. Its data change under
// it; the plot element and its place in the tab order stay.

import * as Plot from "@observablehq/plot";
import { toCsv } from "../src/csv.js";
import { plainTick, powerTick, shortCount } from "../src/format.js";
import { nearestStop } from "../src/ui/chart.js";
import { el, svg } from "../src/ui/dom.js";
import { downloadButton } from "../src/ui/download.js";
import { svgFile } from "../src/ui/svg_file.js";
import { lineAt, pointsOf, rangeOf, stopsOf } from "./lines.js";

/** @typedef {import("./lines.js").Line} Line */
/**
 * @typedef {{form: "linear" | "log", label: string, domain?: [number, number], tick?: (value: any, i?: any, all?: any) => string}} Axis
 */
/**
 * @typedef {{lines: Line[], x: Axis, y: Axis, points?: {x: number, y: number, colour: string, letter: string, hollow?: boolean}[],
 *   background?: Line[], subtitle: string, ruleAt?: number,
 *   where: (x: number) => string, value: (y: number | null, line: Line) => string}} Picture
 *   background: curves that are drawn thin and can be read too
 */

const NARROW = 480;

/** Decade ticks of a log axis, as few as a width has room for. @param {[number, number]} range @param {number} most */
function decades([low, high], most) {
  const first = Math.ceil(Math.log10(low) - 1e-9);
  const last = Math.floor(Math.log10(high) + 1e-9);
  const every = Math.max(1, Math.ceil((last - first + 1) / most));
  const ticks = [];
  for (let power = first; power <= last; power += every) ticks.push(10 ** power);
  return ticks;
}

/** @param {Picture} picture @param {number} width @param {number} ratio height over width */
function draw(picture, width, ratio) {
  const { lines, background = [], points = [], x, y } = picture;
  const all = [...background, ...lines];
  const range = y.domain ?? rangeOf(all, y.form);
  const stops = stopsOf(all);
  const domain = x.domain ?? [stops[0] ?? 0, stops[stops.length - 1] ?? 1];
  const narrow = width < NARROW;
  const xTicks = x.form === "log" ? decades(domain, narrow ? 5 : 8) : narrow ? 4 : 6;
  const yTicks = y.form === "log" ? decades(range, 9) : 5;
  const mark = (/** @type {Line} */ line, /** @type {number} */ weight) =>
    Plot.line(pointsOf(line, y.form, range), {
      x: "x",
      y: "y",
      stroke: line.colour,
      strokeDasharray: line.dash || undefined,
      strokeWidth: weight,
      strokeOpacity: weight < 2 ? 0.75 : 1,
      clip: true,
    });
  return Plot.plot({
    width,
    height: Math.max(220, Math.round(ratio * width)),
    marginLeft: 58,
    marginRight: 16,
    marginTop: 32,
    marginBottom: 44,
    style: { fontFamily: "inherit", fontSize: "12px", background: "none", overflow: "visible" },
    x: { type: x.form, domain },
    y: { type: y.form, domain: range },
    marks: [
      Plot.gridY({ stroke: "var(--rule)", strokeOpacity: 1, ticks: yTicks }),
      Plot.axisX({
        label: x.label,
        labelAnchor: "center",
        labelArrow: "none",
        labelOffset: 38,
        ticks: xTicks,
        tickFormat: x.tick ?? (x.form === "log" ? powerTick : shortCount),
      }),
      Plot.axisY({
        label: y.label,
        labelAnchor: "top",
        labelArrow: "none",
        labelOffset: 56,
        ticks: yTicks,
        tickFormat: y.tick ?? (y.form === "log" ? powerTick : plainTick),
      }),
      Plot.ruleY([range[0]], { stroke: "var(--muted)" }),
      picture.ruleAt === undefined
        ? null
        : Plot.ruleY([picture.ruleAt], { stroke: "var(--muted)", strokeDasharray: "2 3" }),
      ...background.map((line) => mark(line, 1.5)),
      ...lines.map((line) => mark(line, 2.25)),
      Plot.dot(points, {
        x: "x",
        y: "y",
        r: 9,
        fill: (point) => (point.hollow ? "var(--paper)" : point.colour),
        stroke: (point) => point.colour,
        strokeWidth: 1.5,
      }),
      Plot.text(points, {
        x: "x",
        y: "y",
        text: "letter",
        fill: (point) => (point.hollow ? point.colour : "var(--paper)"),
        fontWeight: 700,
      }),
    ],
    color: { type: "identity" },
  });
}

/** A sampler's letter in its color. @param {string} letter @param {string} color */
export function badge(letter, color) {
  return el(
    "span",
    { class: "badge", style: `background:${color}`, "aria-hidden": "true" },
    letter,
  );
}

/** A piece of the line, with the letter. @param {Line} line */
function key(line) {
  const stroke = svg("line", {
    x1: 1,
    x2: 23,
    y1: 5,
    y2: 5,
    stroke: line.colour,
    "stroke-width": 2.5,
    "stroke-dasharray": line.dash || null,
  });
  return svg("svg", { class: "swatch", width: 24, height: 10, "aria-hidden": "true" }, stroke);
}

/**
 * @param {{id: string, title: string, label: string, start: number, ratio: number, controls?: HTMLElement[]}} options
 *   label: of the position, for a screen reader; start: which share of the stops is read at first
 */
export function view({ id, title, label, start, ratio, controls = [] }) {
  /** @type {Picture | null} */
  let picture = null;
  /** @type {number[]} */
  let stops = [];
  /** @type {number | null} */
  let reading = null; // x; null: not moved yet
  let at = 0;
  let width = 0;
  /** @type {ReturnType<typeof draw> | null} */
  let plot = null;

  const node = el("div", {
    class: "plot",
    tabindex: 0,
    role: "slider",
    "aria-label": `${title}. ${label}: position to read; use the arrow keys`,
    "aria-valuemin": 0,
    "aria-valuemax": 1,
    "aria-valuenow": 0,
  });
  const subtitle = el("p", {});
  const position = el("p", { class: "position" });
  const values = el("ul", { class: "values" });

  function drawReader() {
    if (!plot || !picture || stops.length === 0) return;
    plot.querySelector(".reader")?.remove();
    const x = /** @type {any} */ (plot.scale("x"));
    const y = /** @type {any} */ (plot.scale("y"));
    const [bottom, top] = y.range;
    const px = x.apply(stops[at]);
    if (!Number.isFinite(px)) return;
    const dots = [...(picture.background ?? []), ...picture.lines].flatMap((line) => {
      const value = lineAt(line, stops[at]);
      const py = value === null ? NaN : y.apply(value);
      if (!(py >= top - 0.5 && py <= bottom + 0.5)) return [];
      return [
        svg("circle", {
          cx: px,
          cy: py,
          r: 3.5,
          fill: line.colour,
          stroke: "var(--paper)",
          "stroke-width": 1.5,
        }),
      ];
    });
    plot.append(
      svg("g", { class: "reader" }, svg("line", { x1: px, x2: px, y1: top, y2: bottom }), ...dots),
    );
  }

  function report() {
    if (!picture || stops.length === 0) return;
    const { where, value } = picture;
    const read = [...(picture.background ?? []), ...picture.lines].map((line) => ({
      line,
      text: value(lineAt(line, stops[at]), line),
    }));
    position.textContent = where(stops[at]);
    values.replaceChildren(
      ...read.map(({ line, text }) =>
        el(
          "li",
          {},
          el(
            "span",
            { class: "name" },
            line.letter ? badge(line.letter, line.colour) : null,
            key(line),
            el("span", { class: line.letter ? "hidden" : null }, line.label),
          ),
          el("span", { class: "value" }, text),
        ),
      ),
    );
    node.setAttribute("aria-valuemin", String(stops[0]));
    node.setAttribute("aria-valuemax", String(stops[stops.length - 1]));
    node.setAttribute("aria-valuenow", String(stops[at]));
    node.setAttribute(
      "aria-valuetext",
      `${where(stops[at])}. ${read.map(({ line, text }) => `${line.letter} ${line.label}: ${text}`).join(". ")}.`,
    );
    drawReader();
  }

  function redraw() {
    if (width <= 0 || !picture) return;
    plot = draw(picture, width, ratio);
    plot.setAttribute("aria-hidden", "true");
    node.replaceChildren(plot);
    report();
  }

  /** @param {Picture} next */
  function show(next) {
    picture = next;
    stops = stopsOf([...(next.background ?? []), ...next.lines]);
    const low = next.x.domain?.[0] ?? -Infinity;
    const high = next.x.domain?.[1] ?? Infinity;
    stops = stops.filter((x) => x >= low && x <= high && (next.x.form === "linear" || x > 0));
    at = reading === null ? Math.round(start * (stops.length - 1)) : nearestStop(stops, reading);
    subtitle.textContent = next.subtitle;
    redraw();
  }

  /** @param {number} index */
  function moveTo(index) {
    at = Math.max(0, Math.min(stops.length - 1, index));
    reading = stops[at];
    report();
  }

  node.addEventListener("pointermove", (event) => {
    if (!plot || stops.length === 0) return;
    const px = event.clientX - plot.getBoundingClientRect().left;
    moveTo(nearestStop(stops, /** @type {any} */ (plot.scale("x")).invert(px)));
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

  function picturesFile() {
    if (!plot || !picture) return "";
    const copy = /** @type {Element} */ (plot.cloneNode(true));
    copy.querySelector(".reader")?.remove();
    return svgFile({
      title,
      subtitle: picture.subtitle,
      body: new XMLSerializer().serializeToString(copy),
      width: Number(plot.getAttribute("width")),
      height: Number(plot.getAttribute("height")),
      legend: [...(picture.background ?? []), ...picture.lines].map((line) => ({
        id: line.letter,
        label: `${line.letter} ${line.label}`.trim(),
        colour: line.colour,
        dash: line.dash,
      })),
    });
  }
  function csv() {
    const lines = picture ? [...(picture.background ?? []), ...picture.lines] : [];
    const rows = lines.flatMap((line) =>
      line.x.map((x, i) => ({ curve: `${line.letter} ${line.label}`.trim(), x, y: line.y[i] })),
    );
    return toCsv(
      [
        { key: "curve", head: "curve", value: (row) => row.curve },
        { key: "x", head: "x", value: (row) => row.x },
        { key: "y", head: "y", value: (row) => row.y },
      ],
      rows,
    );
  }

  const section = el(
    "section",
    { class: "figure", id },
    el(
      "header",
      {},
      el("div", {}, el("h2", {}, title), subtitle),
      el(
        "div",
        { class: "controls" },
        ...controls,
        el(
          "div",
          { class: "downloads", role: "group", "aria-label": `Download ${title}` },
          downloadButton("SVG", `${id}.svg`, "image/svg+xml", picturesFile),
          downloadButton("CSV", `${id}.csv`, "text/csv", csv),
        ),
      ),
    ),
    node,
    el("div", { class: "read" }, position, values),
  );
  return { node: section, show };
}
