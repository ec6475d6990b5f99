// ui/table.js - a table from columns and rows. It scrolls sideways inside its own frame, with the
// first column held in place, so that a narrow screen never scrolls the page itself.

import { el } from "./dom.js";

/**
 * @template Row
 * @param {string} caption
 * @param {import("../types.js").Column<Row>[]} columns
 * @param {Row[]} rows
 */
export function table(caption, columns, rows) {
  const side = (/** @type {import("../types.js").Column<Row>} */ column) =>
    column.text ? "text" : null;
  const head = columns.map((column) =>
    el("th", { scope: "col", class: side(column) }, column.head),
  );
  const body = rows.map((row) =>
    el(
      "tr",
      {},
      ...columns.map((column, i) => {
        const value = column.value(row);
        const shown = column.show ? column.show(value) : String(value ?? "");
        return i === 0
          ? el("th", { scope: "row", class: side(column) }, shown)
          : el("td", { class: side(column) }, shown);
      }),
    ),
  );
  return el(
    "div",
    { class: "table", tabindex: 0, role: "region", "aria-label": caption },
    el(
      "table",
      {},
      el("caption", {}, caption),
      el("thead", {}, el("tr", {}, ...head)),
      el("tbody", {}, ...body),
    ),
  );
}
