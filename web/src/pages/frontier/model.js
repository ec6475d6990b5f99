// pages/frontier/model.js - curves, columns and sentences of the frontier page. Pure functions of the
// data.

import { count, fixed, percent, samplerParameters, significant } from "../../format.js";
import { samplerColour } from "../../palette.js";

/** @typedef {import("../../types.js").FrontierRow} Row */
/** @typedef {import("../../types.js").FrontierData} Data */

/**
 * @typedef {import("../../types.js").LegendEntry & {
 *   value: (row: Row) => number | null,
 *   parameter: (row: Row) => string,
 * }} Curve value: entropy in nats; parameter: the setting that reaches this recency, in words
 */

/** @type {Curve[]} */
export const CURVES = [
  {
    id: "truncated_geometric",
    label: "Truncated geometric: the maximum",
    colour: samplerColour("truncated_geometric"),
    dash: "",
    value: (row) => row.truncated_geometric.sampling_entropy,
    parameter: (row) => `alpha ${significant(row.alpha, 5)}`,
  },
  {
    id: "ere",
    label: "ERE, mixture over its cycle",
    colour: samplerColour("ere"),
    dash: "",
    value: (row) => row.ere?.sampling_entropy ?? null,
    parameter: (row) =>
      row.eta === null ? "no eta reaches this recency" : `eta ${fixed(row.eta, 6)}`,
  },
  {
    id: "uniform_fifo",
    label: "Uniform FIFO window",
    colour: samplerColour("uniform_fifo"),
    dash: "",
    value: (row) => row.uniform_fifo.sampling_entropy,
    parameter: (row) => `window ${count(row.window)}`,
  },
  {
    id: "ere_conditional",
    label: "ERE, mean of single windows (conditional)",
    colour: samplerColour("ere"),
    dash: "7 4",
    value: (row) => row.ere?.conditional_entropy ?? null,
    parameter: (row) =>
      row.ere === null
        ? "no eta reaches this recency"
        : `smallest window ${count(row.ere.smallest_window)}`,
  },
];

/**
 * Share of the capacity that a uniform draw of this entropy would cover.
 * @param {number} entropy
 * @param {number} capacity
 */
export function shareOfCapacity(entropy, capacity) {
  return Math.exp(entropy) / capacity;
}

/** "perplexity 389,136 (38.9 % of capacity)". @param {number} entropy @param {number} capacity */
export function perplexityText(entropy, capacity) {
  const share = percent(shareOfCapacity(entropy, capacity));
  return `perplexity ${count(Math.exp(entropy))} (${share} of capacity)`;
}

/**
 * Entropies of round shares of the capacity (100 %, 50 %, 20 %, ...) inside a range, largest first.
 * @param {number} capacity @param {[number, number]} range
 */
export function shareTicks(capacity, [low, high]) {
  const ticks = [];
  for (let power = 0; power < 16; ++power) {
    for (const digit of [10, 5, 2]) {
      const share = digit / 10 ** (power + 1);
      const entropy = Math.log(capacity * share);
      if (entropy >= low && entropy <= high + 1e-9) ticks.push({ share, entropy });
    }
  }
  return ticks;
}

/**
 * Expected recency at which one curve falls below another, between two rows by straight line; null
 * where it never does.
 * @param {Row[]} rows ascending in recency
 * @param {(row: Row) => number | null} upper @param {(row: Row) => number | null} lower
 */
export function crossing(rows, upper, lower) {
  /** @type {{x: number, gap: number} | null} */
  let previous = null;
  for (const row of rows) {
    const [a, b] = [upper(row), lower(row)];
    if (a === null || b === null) continue;
    const here = { x: row.expected_recency, gap: a - b };
    if (previous && previous.gap > 0 && here.gap <= 0) {
      return previous.x + ((here.x - previous.x) * previous.gap) / (previous.gap - here.gap);
    }
    previous = here;
  }
  return null;
}

/** What this data says about the order of ERE and FIFO, in one sentence. @param {Row[]} rows */
export function orderSentence(rows) {
  const [, mixture, fifo, conditional] = CURVES.map((curve) => curve.value);
  const solved = rows.filter((row) => row.ere !== null);
  if (solved.length === 0) return "";
  const at = crossing(solved, mixture, fifo);
  const below = solved.every((row) => (conditional(row) ?? 0) < (fifo(row) ?? 0));
  const side = (mixture(solved[0]) ?? 0) > (fifo(solved[0]) ?? 0) ? "above" : "below";
  const first =
    at === null
      ? `Here the mixture of ERE stays ${side} FIFO throughout`
      : "Here the mixture of ERE stays above FIFO up to an expected recency of about " +
        `${fixed(at, 3)} and falls below it beyond`;
  return below
    ? `${first}, while the mean of its single windows is below FIFO everywhere.`
    : `${first}.`;
}

/** @type {import("../../types.js").Column<Row>[]} */
export const ROW_COLUMNS = [
  {
    key: "expected_recency",
    head: "Expected recency",
    value: (r) => r.expected_recency,
    show: (v) => fixed(v, 4),
  },
  { key: "alpha", head: "alpha", value: (r) => r.alpha, show: (v) => significant(v, 5) },
  {
    key: "truncated_geometric_sampling_entropy",
    head: "Truncated geometric, nats",
    value: CURVES[0].value,
    show: (v) => fixed(v, 4),
  },
  { key: "window", head: "FIFO window", value: (r) => r.window, show: count },
  {
    key: "uniform_fifo_sampling_entropy",
    head: "Uniform FIFO, nats",
    value: CURVES[2].value,
    show: (v) => fixed(v, 4),
  },
  { key: "eta", head: "eta", value: (r) => r.eta, show: (v) => fixed(v, 6) },
  {
    key: "ere_sampling_entropy",
    head: "ERE mixture, nats",
    value: CURVES[1].value,
    show: (v) => fixed(v, 4),
  },
  {
    key: "ere_conditional_entropy",
    head: "ERE conditional, nats",
    value: CURVES[3].value,
    show: (v) => fixed(v, 4),
  },
  {
    key: "ere_smallest_window",
    head: "ERE smallest window",
    value: (r) => r.ere?.smallest_window ?? null,
    show: count,
  },
];

/**
 * @param {number} capacity
 * @returns {import("../../types.js").Column<import("../../types.js").FrontierPoint>[]}
 */
export function pointColumns(capacity) {
  return [
    { key: "sampler", head: "Sampler", value: (p) => p.sampler, text: true },
    {
      key: "expected_recency",
      head: "Expected recency",
      value: (p) => p.expected_recency,
      show: (v) => fixed(v, 4),
    },
    {
      key: "sampling_entropy",
      head: "Sampling entropy, nats",
      value: (p) => p.sampling_entropy,
      show: (v) => fixed(v, 4),
    },
    {
      key: "conditional_entropy",
      head: "Conditional entropy, nats",
      value: (p) => p.conditional_entropy,
      show: (v) => fixed(v, 4),
    },
    {
      key: "perplexity",
      head: "Perplexity",
      value: (p) => Math.exp(p.sampling_entropy),
      show: count,
    },
    {
      key: "share_of_capacity",
      head: "Share of capacity",
      value: (p) => shareOfCapacity(p.sampling_entropy, capacity),
      show: percent,
    },
  ];
}

/** "cycle 1,000, minimum 5,000". @param {Data["settings"]} settings */
export function settingsText(settings) {
  return Object.entries(settings)
    .map(
      ([name, value]) =>
        `${name.replaceAll("_", " ")} ${typeof value === "number" ? value.toLocaleString("en") : value}`,
    )
    .join(", ");
}

/**
 * "linear" with "ratio 1024" in brackets where there are parameters.
 * @param {string} label
 * @param {string} spec
 */
export function pointTitle(label, spec) {
  const parameters = samplerParameters(spec);
  return parameters && !label.includes(parameters) ? `${label} (${parameters})` : label;
}
