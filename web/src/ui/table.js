// ui/table.js - a table from columns and rows. It scrolls sideways in its own frame with the first
// column fixed, so that the page itself never scrolls sideways.

import { el } from "./dom.js";

/**
 * @template Row
 * @param {string} caption
 * @param {import("../types.js").Column<Row>[]} columns
 * @param {Row[]} rows
 * @param {{cards?: boolean}} [how] cards: on phones a card per row instead of scrolling sideways
 */
export function table(caption, columns, rows, { cards = false } = {}) {
  const side = (/** @type {import("../types.js").Column<Row>} */ column) =>
    column.text ? "text" : null;
  const head = columns.map((column) =>
    el("th", { scope: "col", class: side(column) }, column.head),
  );
  const cell = (
    /** @type {import("../types.js").Column<Row>} */ column,
    /** @type {Row} */ row,
  ) => {
    const value = column.value(row);
    const detail = column.detail?.(row);
    return [
      column.show ? column.show(value) : String(value ?? ""),
      detail ? el("small", {}, detail) : null,
    ];
  };
  const body = rows.map((row) =>
    el(
      "tr",
      {},
      ...columns.map((column, i) =>
        i === 0
          ? el("th", { scope: "row", class: side(column) }, ...cell(column, row))
          : el(
              "td",
              { class: side(column), "data-head": column.head },
              el("span", {}, ...cell(column, row)),
            ),
      ),
    ),
  );
  return el(
    "div",
    { class: cards ? "table cards" : "table", tabindex: 0, role: "region", "aria-label": caption },
    el(
      "table",
      {},
      el("caption", {}, caption),
      el("thead", {}, el("tr", {}, ...head)),
      el("tbody", {}, ...body),
    ),
  );
}
