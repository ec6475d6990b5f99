// ui/legend.js - legend and read-out: one row per curve with a button that hides or shows it and the
// value at the reading line.

import { el, svg } from "./dom.js";

/** A short piece of the line as it is drawn. @param {import("../types.js").LineStyle} style */
export function swatch({ colour, dash }) {
  return svg(
    "svg",
    { class: "swatch", width: 28, height: 10, "aria-hidden": "true" },
    svg("line", {
      x1: 1,
      x2: 27,
      y1: 5,
      y2: 5,
      stroke: colour,
      "stroke-width": 2.5,
      "stroke-dasharray": dash || null,
    }),
  );
}

/** A marker as it is drawn. @param {string} colour */
export function dot(colour) {
  return svg(
    "svg",
    { class: "swatch", width: 12, height: 10, "aria-hidden": "true" },
    svg("circle", { cx: 5, cy: 5, r: 5, fill: colour }),
  );
}

/**
 * A sampler in a table: its line or marker, its name in words, its spec.
 * @param {string} label @param {string} spec @param {Element | null} mark
 */
export function samplerCell(label, spec, mark) {
  return el("span", { class: "named" }, mark, el("span", {}, label, el("code", {}, spec)));
}

/**
 * A legend without values and buttons.
 * @param {import("../types.js").LegendEntry[]} entries
 */
export function plainLegend(entries) {
  return el(
    "ul",
    { class: "key" },
    ...entries.map((entry) => el("li", {}, swatch(entry), el("span", {}, entry.label))),
  );
}

/**
 * @param {import("../types.js").LegendEntry[]} entries
 * @param {string} heading the name of the values, in words
 * @param {(hidden: Set<string>) => void} changed called after a curve was hidden or shown
 */
export function legend(entries, heading, changed) {
  /** @type {Set<string>} */
  const hidden = new Set();
  /** @type {Map<string, {value: HTMLElement, note: HTMLElement}>} */
  const cells = new Map();

  const rows = entries.map((entry) => {
    const value = el("span", { class: "value" });
    const note = el("span", { class: "note" });
    cells.set(entry.id, { value, note });
    const toggle = () => {
      if (!hidden.delete(entry.id)) hidden.add(entry.id);
      button.setAttribute("aria-pressed", String(!hidden.has(entry.id)));
      changed(hidden);
    };
    const button = el(
      "button",
      {
        type: "button",
        class: "series",
        "aria-pressed": "true",
        title: "Hide or show this curve",
        onclick: toggle,
      },
      swatch(entry),
      el("span", {}, entry.label),
    );
    return el("li", {}, button, value, note);
  });

  const position = el("p", { class: "position" });
  const node = el(
    "div",
    { class: "legend" },
    position,
    el("p", { class: "heading" }, heading),
    el("ul", {}, ...rows),
  );

  /**
   * Shows the values at one position.
   * @param {string} where @param {Map<string, {value: string, note?: string}>} values by entry id
   */
  function show(where, values) {
    position.textContent = where;
    for (const [id, cell] of cells) {
      cell.value.textContent = values.get(id)?.value ?? "";
      cell.note.textContent = values.get(id)?.note ?? "";
    }
  }
  return { node, show, hidden };
}
