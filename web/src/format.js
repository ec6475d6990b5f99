// format.js - numbers and sampler names as text. Pure functions.

const THIN_SPACE = "\u202f";
const MINUS = "\u2212";
const SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹";

/** Shown where a value does not exist. */
export const NONE = "–";

/** @param {number} exponent */
function superscript(exponent) {
  const digits = String(Math.abs(exponent)).replace(/\d/g, (d) => SUPERSCRIPTS[Number(d)]);
  return exponent < 0 ? `⁻${digits}` : digits;
}

/**
 * A number with a fixed count of decimals.
 * @param {number | null} value
 * @param {number} decimals
 */
export function fixed(value, decimals) {
  if (value === null || !Number.isFinite(value)) return NONE;
  const text = value.toLocaleString("en", {
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimals,
  });
  return text.replace("-", MINUS);
}

/** A count with thousands separators, rounded. @param {number | null} value */
export function count(value) {
  return fixed(value === null ? null : Math.round(value), 0);
}

/**
 * A number with a count of significant digits: plain decimals in the everyday range, otherwise
 * digits times a power of ten. Nothing is ever shown as `1.7e-6`.
 * @param {number | null} value @param {number} digits
 */
export function significant(value, digits = 4) {
  if (value === null || !Number.isFinite(value)) return NONE;
  if (value === 0) return "0";
  const [mantissa, power] = value.toExponential(digits - 1).split("e");
  const exponent = Number(power);
  if (exponent >= -4 && exponent < 6) {
    const decimals = Math.max(0, digits - 1 - exponent);
    return fixed(value, Math.min(decimals, 20));
  }
  return `${mantissa.replace("-", MINUS)}${THIN_SPACE}×${THIN_SPACE}10${superscript(exponent)}`;
}

/** A share as a percentage with about three significant digits. @param {number | null} value */
export function percent(value) {
  if (value === null || !Number.isFinite(value)) return NONE;
  const scaled = 100 * value;
  const decimals = scaled >= 10 ? 1 : scaled >= 1 ? 2 : 3;
  return `${fixed(scaled, decimals)}${THIN_SPACE}%`;
}

/**
 * An axis label for a power-of-ten scale: 10⁻³; in-between ticks stay unlabeled.
 * @param {number} value
 */
export function powerTick(value) {
  const exponent = Math.log10(value);
  const whole = Math.round(exponent);
  if (Math.abs(exponent - whole) > 1e-9) return "";
  return whole === 0 ? "1" : whole === 1 ? "10" : `10${superscript(whole)}`;
}

/**
 * Axis labels for a linear scale: all with the same decimals, as few as the ticks need, and a power
 * of ten where the largest is very small or very large.
 * @param {number} value @param {number} [_index] @param {number[]} [ticks] all ticks of the axis
 */
export function plainTick(value, _index = 0, ticks = [value]) {
  if (value === 0) return "0";
  const largest = Math.max(...ticks.map(Math.abs));
  const exponent = Math.floor(Math.log10(largest) + 1e-12);
  const plain = exponent >= -4 && exponent < 6;
  const unit = plain ? 1 : 10 ** exponent;
  const decimals = Math.max(
    ...ticks.map((tick) => {
      const digits = String(Number((tick / unit).toPrecision(6)));
      return digits.includes(".") ? digits.length - digits.indexOf(".") - 1 : 0;
    }),
  );
  const text = fixed(value / unit, decimals);
  return plain ? text : `${text}${THIN_SPACE}×${THIN_SPACE}10${superscript(exponent)}`;
}

/** A count as an axis shows it: 500, 25k, 1.5M. @param {number} value */
export function shortCount(value) {
  const [unit, letter] = value >= 1e6 ? [1e6, "M"] : value >= 1e3 ? [1e3, "k"] : [1, ""];
  return `${String(Number((value / unit).toPrecision(4)))}${letter}`;
}

/** A number that says its sign: +3.2, −1.0. @param {number | null} value @param {number} decimals */
export function signed(value, decimals) {
  const text = fixed(value, decimals);
  return value !== null && value > 0 ? `+${text}` : text;
}

/** Seconds in words: 45 s, 12 min, 3.5 h. @param {number | null} seconds */
export function duration(seconds) {
  if (seconds === null || !Number.isFinite(seconds)) return NONE;
  if (seconds < 10) return `${fixed(seconds, 1)}${THIN_SPACE}s`;
  if (seconds < 120) return `${fixed(seconds, 0)}${THIN_SPACE}s`;
  if (seconds < 7200) return `${fixed(seconds / 60, 0)}${THIN_SPACE}min`;
  return `${fixed(seconds / 3600, 1)}${THIN_SPACE}h`;
}

/** @type {Record<string, {long: string, short: string}>} */
const SAMPLER_NAMES = {
  uniform: { long: "Uniform", short: "Uniform" },
  truncated_geometric: { long: "Truncated geometric", short: "TG" },
  reverse_truncated_geometric: { long: "Reverse truncated geometric", short: "Rev. TG" },
  linear: { long: "Linear", short: "Linear" },
  reverse_linear: { long: "Reverse linear", short: "Rev. linear" },
  gaussian: { long: "Gaussian", short: "Gaussian" },
  uniform_fifo: { long: "Uniform FIFO", short: "FIFO" },
  ere: { long: "ERE", short: "ERE" },
  per: { long: "PER", short: "PER" },
  stretched_exponential: { long: "Stretched exponential", short: "Str. exp." },
  mixture: { long: "Mixture", short: "Mixture" },
};

/** A sampler family in words. @param {string} name @param {"long" | "short"} form */
export function samplerName(name, form = "long") {
  const known = SAMPLER_NAMES[name];
  if (known) return known[form];
  return sentence(name.replaceAll("_", " "));
}

/** The first letter in upper case. @param {string} text */
export function sentence(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** `ere:eta=0.996,cycle=1000` becomes `eta 0.996, cycle 1000`. @param {string} spec */
export function samplerParameters(spec) {
  const colon = spec.indexOf(":");
  if (colon < 0) return "";
  return spec
    .slice(colon + 1)
    .split(",")
    .map((part) => part.replace("=", " "))
    .join(", ");
}

/**
 * Labels for points that share a plot, by spec: the family name, with its parameters added only
 * where two points of one family must be told apart.
 * @param {{sampler: string, name: string}[]} points @param {"long" | "short"} form
 */
export function pointLabels(points, form) {
  const seen = new Map();
  for (const { name } of points) seen.set(name, (seen.get(name) ?? 0) + 1);
  return points.map(({ sampler, name }) => {
    const parameters = seen.get(name) > 1 ? samplerParameters(sampler) : "";
    return [samplerName(name, form), parameters].filter(Boolean).join(" ");
  });
}
