// pages/densities/model.js - positions, values, ranges and columns of the densities page. Pure.

import { fixed, significant } from "../../format.js";

/** @typedef {import("../../types.js").DensityPoint} Point */
/** @typedef {import("../../types.js").DensityPanel} Panel */

const DEEPEST = 1e-8; // a log axis shows at most this share of the largest value

/** Every recency at which some series has a value, ascending, each once. @param {Panel} panel */
export function stopsOf(panel) {
  const all = panel.series.flatMap((series) => series.points.map((point) => point.recency));
  return [...new Set(all)].sort((a, b) => a - b);
}

/**
 * Value of a series at a recency: its own point where it has one (the last of several: the newer
 * side of a jump), linear interpolation otherwise.
 * @param {Point[]} points ascending in recency @param {number} recency
 */
export function valueAt(points, recency) {
  let low = 0;
  let high = points.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (points[middle].recency <= recency) low = middle + 1;
    else high = middle;
  }
  if (low === 0) return null;
  const before = points[low - 1];
  if (before.recency === recency) return before.replays_per_step;
  if (low === points.length) return null;
  const after = points[low];
  const t = (recency - before.recency) / (after.recency - before.recency);
  return before.replays_per_step + t * (after.replays_per_step - before.replays_per_step);
}

/**
 * Range of the vertical axis for some panels. Linear: from 0, with headroom. Log: whole powers of ten
 * around the positive values, never deeper than eight decades below the largest.
 * @param {Panel[]} panels @param {"linear" | "log"} scale
 * @returns {[number, number]}
 */
export function rangeOf(panels, scale) {
  let largest = 0;
  let smallest = Infinity;
  for (const panel of panels) {
    for (const series of panel.series) {
      for (const { replays_per_step: value } of series.points) {
        largest = Math.max(largest, value);
        if (value > 0) smallest = Math.min(smallest, value);
      }
    }
  }
  if (largest === 0) return scale === "log" ? [0.1, 1] : [0, 1];
  if (scale === "linear") return [0, 1.04 * largest];
  const floor = Math.max(smallest, DEEPEST * largest);
  const low = 10 ** Math.floor(Math.log10(floor) + 1e-9);
  const high = 10 ** Math.ceil(Math.log10(largest) - 1e-9);
  return low < high ? [low, high] : [low, 10 * low];
}

/**
 * Points ready to draw. On a log axis a value of 0 is placed under the bottom, where it is clipped,
 * so that a window's edge shows as a drop instead of a gap.
 * @param {Point[]} points @param {"linear" | "log"} scale @param {[number, number]} range
 */
export function drawable(points, scale, range) {
  if (scale === "linear") return points;
  const bottom = range[0] / 1e3;
  return points.map((point) => ({
    ...point,
    replays_per_step: Math.max(point.replays_per_step, bottom),
  }));
}

/**
 * @typedef {{panel: string, replay_volume: number, sampler: string, label: string, recency: number,
 * replays_per_step: number}} Flat
 */

/** One line per point, for the CSV file. @param {Panel} panel @returns {Flat[]} */
export function flatten(panel) {
  return panel.series.flatMap((series) =>
    series.points.map((point) => ({
      panel: panel.id,
      replay_volume: panel.replay_volume,
      sampler: series.sampler,
      label: series.label,
      recency: point.recency,
      replays_per_step: point.replays_per_step,
    })),
  );
}

const FLAT_KEYS = /** @type {const} */ ([
  "panel",
  "replay_volume",
  "sampler",
  "label",
  "recency",
  "replays_per_step",
]);

/** @type {import("../../types.js").Column<Flat>[]} */
export const POINT_COLUMNS = FLAT_KEYS.map((key) => ({ key, head: key, value: (row) => row[key] }));

/** @type {import("../../types.js").Column<import("../../types.js").SamplerDiagnostics>[]} */
export const SAMPLER_COLUMNS = [
  { key: "label", head: "Sampler", value: (s) => s.label, text: true },
  { key: "sampler", head: "Sampler", value: (s) => s.sampler, text: true },
  {
    key: "expected_recency",
    head: "Expected recency",
    value: (s) => s.expected_recency,
    show: (v) => fixed(v, 4),
  },
  {
    key: "reference_recency",
    head: "Reference recency",
    value: (s) => s.reference_recency,
    show: (v) => fixed(v, 4),
  },
  {
    key: "sampling_entropy",
    head: "Sampling entropy, nats",
    value: (s) => s.sampling_entropy,
    show: (v) => fixed(v, 4),
  },
  {
    key: "conditional_entropy",
    head: "Conditional entropy, nats",
    value: (s) => s.conditional_entropy,
    show: (v) => fixed(v, 4),
  },
  {
    key: "newest_probability",
    head: "Newest probability",
    value: (s) => s.newest_probability,
    show: (v) => significant(v, 4),
  },
  {
    key: "oldest_probability",
    head: "Oldest probability",
    value: (s) => s.oldest_probability,
    show: (v) => significant(v, 4),
  },
];
