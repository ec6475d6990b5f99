// lines.js - curves of the explorer as plots draw them: values, ranges, positions to read. Pure functions.

/** @typedef {import("../src/types.js").LineStyle} LineStyle */
/** @typedef {LineStyle & {letter: string, label: string, x: number[], y: (number | null)[]}} Line x ascending */

const DEEPEST = 1e-8; // a log axis shows at most this share of the largest value

/** The value of a line at x: linear between its points, null outside or where it has none. @param {Line} line @param {number} x */
export function lineAt(line, x) {
  let low = 0;
  let high = line.x.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (line.x[middle] <= x) low = middle + 1;
    else high = middle;
  }
  if (low === 0) return null;
  const before = line.y[low - 1];
  if (line.x[low - 1] === x || low === line.x.length) return line.x[low - 1] === x ? before : null;
  const after = line.y[low];
  if (before === null || after === null) return null;
  const t = (x - line.x[low - 1]) / (line.x[low] - line.x[low - 1]);
  return before + t * (after - before);
}

/** Every x at which some line has a value, ascending, each once. @param {Line[]} lines */
export function stopsOf(lines) {
  return [...new Set(lines.flatMap((line) => line.x))].sort((a, b) => a - b);
}

/**
 * Range of a vertical axis: from 0 with headroom, or whole powers of ten, at most eight.
 * @param {Line[]} lines @param {"linear" | "log"} form @returns {[number, number]}
 */
export function rangeOf(lines, form) {
  const values = lines
    .flatMap((line) => line.y)
    .flatMap((value) => (value !== null && Number.isFinite(value) ? [value] : []));
  const largest = values.reduce((a, b) => Math.max(a, b), 0);
  if (form === "linear") return [0, largest > 0 ? 1.04 * largest : 1];
  const positive = values.filter((value) => value > 0);
  if (positive.length === 0) return [0.1, 1];
  const floor = Math.max(
    positive.reduce((a, b) => Math.min(a, b)),
    DEEPEST * largest,
  );
  const low = 10 ** Math.floor(Math.log10(floor) + 1e-9);
  const high = 10 ** Math.ceil(Math.log10(largest) - 1e-9);
  return low < high ? [low, high] : [low, 10 * low];
}

/**
 * Points of a line ready to draw: on a log axis a zero stands below the bottom, where it is clipped, so that the edge of a
 * window shows as a drop.
 * @param {Line} line @param {"linear" | "log"} form @param {[number, number]} range
 */
export function pointsOf(line, form, range) {
  return line.x.map((x, i) => {
    const y = line.y[i];
    return { x, y: y !== null && form === "log" ? Math.max(y, range[0] / 1e3) : y };
  });
}
