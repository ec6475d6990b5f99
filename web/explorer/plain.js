// plain.js - numbers without digits that say nothing: 256 and not 256.0. Pure functions.

import { count, significant } from "../src/format.js";

/** @param {number | null} value @param {number} digits */
export function plainNumber(value, digits = 4) {
  const whole = value !== null && Number.isInteger(value) && Math.abs(value) < 1e9;
  if (whole) return count(value);
  const text = significant(value, digits);
  return /^[^×]*\.\d*0+$/.test(text) ? text.replace(/\.?0+$/, "") : text;
}
