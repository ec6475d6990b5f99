// csv.js - tables as CSV text: RFC 4180 quoting, all digits, an empty cell for a missing value.

/** @param {unknown} value */
function cell(value) {
  if (value === null || value === undefined) return "";
  const text = String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/**
 * @template Row
 * @param {import("./types.js").Column<Row>[]} columns
 * @param {Row[]} rows
 */
export function toCsv(columns, rows) {
  const lines = [columns.map((column) => cell(column.key))];
  for (const row of rows) lines.push(columns.map((column) => cell(column.value(row))));
  return lines.map((line) => line.join(",")).join("\r\n") + "\r\n";
}
