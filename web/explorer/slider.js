// slider.js - where a value stands on its slider. Pure functions.
//
// Ranges of the registry reach from what is allowed to what is sensible: alpha from 0 to 1000 with 10 in use, windows over
// 27 decades. A slider covers what is in use; the number field beside it takes all that is allowed.

/** @typedef {{toValue: (position: number) => number, toPosition: (value: number) => number}} Scale */

// Ranges in use where the default alone does not tell; a sampler without an entry gets a range around its default.
/** @type {Record<string, [number, number, "linear" | "log" | "newest"]>} */
const IN_USE = {
  "truncated_geometric.alpha": [0, 40, "linear"],
  "reverse_truncated_geometric.alpha": [0, 40, "linear"],
  "uniform_fifo.window": [1e-3, 1, "log"],
  "ere.eta": [0.9, 1, "newest"],
  "ere.cycle": [1, 10_000, "log"],
  "ere.span": [0, 4000, "linear"],
  "ere.minimum": [1e-4, 1, "log"],
  "stretched_exponential.scale": [1e-3, 1, "log"],
  "stretched_exponential.shape": [0.2, 8, "log"],
};

/** @param {number} low @param {number} high @returns {Scale} */
function linear(low, high) {
  return {
    toValue: (position) => low + position * (high - low),
    toPosition: (value) => (value - low) / (high - low),
  };
}

/** @param {number} low above 0 @param {number} high @returns {Scale} */
function logarithmic(low, high) {
  const span = Math.log(high / low);
  return {
    toValue: (position) => low * Math.exp(position * span),
    toPosition: (value) => Math.log(Math.max(value, low) / low) / span,
  };
}

/** Dense towards `high`: the distance to it shrinks as a power. @param {number} low @param {number} high @returns {Scale} */
function newest(low, high) {
  return {
    toValue: (position) => high - (high - low) * (1 - position) ** 3,
    toPosition: (value) => 1 - Math.cbrt((high - value) / (high - low)),
  };
}

/** @param {string} sampler @param {import("./spec.js").Param} param @returns {Scale} */
export function scaleOf(sampler, param) {
  const lowest = param.lowest ?? 0;
  const highest = param.highest ?? 1;
  const known = IN_USE[`${sampler}.${param.name}`];
  const [low, high, form] = known ?? around(lowest, highest, Number(param.default));
  const inside = /** @type {const} */ ([Math.max(low, lowest), Math.min(high, highest)]);
  const scale = { linear, log: logarithmic, newest }[form](...inside);
  return {
    toValue: scale.toValue,
    toPosition: (value) => Math.max(0, Math.min(1, scale.toPosition(value))),
  };
}

/**
 * What is in use, guessed: all of a small range, three decades either side of the default of a large one.
 * @param {number} lowest @param {number} highest @param {number} fallback
 * @returns {[number, number, "linear" | "log"]}
 */
function around(lowest, highest, fallback) {
  if (lowest > 0 && highest / lowest > 1e3)
    return [Math.max(lowest, fallback / 1e3), Math.min(highest, fallback * 1e3), "log"];
  return [lowest, fallback > 0 ? Math.min(highest, 10 * fallback) : highest, "linear"];
}

/** A slider's value with no more digits than its steps can tell apart. @param {number} value @param {boolean} whole */
export function rounded(value, whole) {
  if (whole) return Math.round(value);
  // near 1 the digits after the nines are those that matter
  const digits = value > 0.9 && value < 1 ? 3 + Math.ceil(-Math.log10(1 - value)) : 3;
  return Number(value.toPrecision(Math.min(digits, 15)));
}
