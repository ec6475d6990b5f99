// contract.js - rules for the form of data; each names every place that violates it.
//
// A rule takes a value and its path and returns a list of complaints. Fields that a rule does not
// mention are allowed: a newer tool may send more than this page draws.

/** @typedef {(value: unknown, path: string) => string[]} Rule */

/** @param {unknown} value */
function describe(value) {
  if (value === undefined) return "nothing";
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (value !== null && typeof value === "object") return "an object";
  const text = JSON.stringify(value);
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}

/** @param {string} wanted @param {(value: any) => boolean} accepts @returns {Rule} */
function rule(wanted, accepts) {
  return (value, path) =>
    accepts(value) ? [] : [`${path}: expected ${wanted}, found ${describe(value)}`];
}

export const text = rule("text", (value) => typeof value === "string");
export const number = rule("a number", Number.isFinite);
export const positive = rule("a number above 0", (value) => Number.isFinite(value) && value > 0);
export const notNegative = rule(
  "a number, 0 or above",
  (value) => Number.isFinite(value) && value >= 0,
);
export const share = rule(
  "a number from 0 to 1",
  (value) => Number.isFinite(value) && value >= 0 && value <= 1,
);
const anyObject = rule(
  "an object",
  (value) => value !== null && typeof value === "object" && !Array.isArray(value),
);

/** @param {Record<string, Rule>} fields @returns {Rule} */
export function object(fields) {
  return (value, path) => {
    const wrong = anyObject(value, path);
    if (wrong.length) return wrong;
    const record = /** @type {Record<string, unknown>} */ (value);
    return Object.entries(fields).flatMap(([key, inner]) =>
      inner(record[key], path ? `${path}.${key}` : key),
    );
  };
}

/** A list of at least `least` items. @param {Rule} item @param {number} least @returns {Rule} */
export function list(item, least = 0) {
  const wanted = least > 0 ? `a list of at least ${least}` : "a list";
  const shape = rule(wanted, (value) => Array.isArray(value) && value.length >= least);
  return (value, path) => {
    const wrong = shape(value, path);
    if (wrong.length) return wrong;
    return /** @type {unknown[]} */ (value).flatMap((entry, i) => item(entry, `${path}[${i}]`));
  };
}

/** @param {Rule} inner @returns {Rule} */
export function orNull(inner) {
  return (value, path) => (value === null ? [] : inner(value, path));
}

/** What every page carries, whatever its kind. */
export const COMMON = { kind: text, title: text, command: text, version: text };
