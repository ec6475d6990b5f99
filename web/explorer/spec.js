// spec.js - sampler specs as the tool writes them, `name:key=value,key=(name:key=value)`. Pure functions.

/** @typedef {{name: string, values: Record<string, string>}} Spec */
/**
 * @typedef {{name: string, kind: "number" | "whole" | "choice" | "sampler", default: any,
 *   lowest?: number, highest?: number, choices?: string[], help: string}} Param
 */
/** @typedef {{name: string, summary: string, parameters: Param[], examples: string[]}} Sampler */
/** @typedef {{samplers: Sampler[], common_parameters: Param[]}} Registry */

/** Splits at commas outside parentheses. @param {string} list */
function splitValues(list) {
  const parts = [""];
  let depth = 0;
  for (const letter of list) {
    if (letter === "(") depth += 1;
    if (letter === ")") depth -= 1;
    if (letter === "," && depth === 0) parts.push("");
    else parts[parts.length - 1] += letter;
  }
  return parts;
}

/** Takes a spec apart; what is malformed is left to the core to complain about. @param {string} text */
export function parseSpec(text) {
  const colon = text.indexOf(":");
  /** @type {Spec} */
  const spec = { name: (colon < 0 ? text : text.slice(0, colon)).trim(), values: {} };
  if (colon < 0) return spec;
  for (const part of splitValues(text.slice(colon + 1))) {
    const equals = part.indexOf("=");
    if (equals < 0) continue;
    const value = part.slice(equals + 1).trim();
    const inner = value.startsWith("(") && value.endsWith(")");
    spec.values[part.slice(0, equals).trim()] = inner ? value.slice(1, -1).trim() : value;
  }
  return spec;
}

/** @param {Spec} spec */
export function formatSpec({ name, values }) {
  const parts = Object.entries(values).map(([key, value]) =>
    /[:=,(]/.test(value) ? `${key}=(${value})` : `${key}=${value}`,
  );
  return parts.length > 0 ? `${name}:${parts.join(",")}` : name;
}

/** A number as a spec takes it: the shortest decimal that reads back as the same double. @param {number} value */
export function numberText(value) {
  return String(value).replace("e+", "e");
}

/** @param {Param} param */
export function defaultText(param) {
  return typeof param.default === "number" ? numberText(param.default) : param.default;
}

/** The value of a parameter in a spec, its default where the spec does not set it. @param {Spec} spec @param {Param} param */
export function valueOf(spec, param) {
  return spec.values[param.name] ?? defaultText(param);
}

/**
 * The spec with one value changed; a value equal to its default is left out, so that specs stay short.
 * @param {Spec} spec @param {Param} param @param {string} text @returns {Spec}
 */
export function withValue(spec, param, text) {
  const values = { ...spec.values };
  if (text === defaultText(param)) delete values[param.name];
  else values[param.name] = text;
  return { name: spec.name, values };
}
