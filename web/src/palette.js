// palette.js - one color per sampler, the same on every page, for the light and the dark theme.
//
// The hues are those of Okabe and Ito, which color-blind readers can distinguish, darkened (light
// theme) or lightened (dark theme) until a thin line on the page background has a contrast of 3:1 or
// more. Color is never the only mark: mirrored families are dashed, and variants of one family have
// further dash patterns. Plots refer to colors by CSS variable, so a theme change needs no redraw.

/** @type {Record<string, {light: string, dark: string}>} */
export const SAMPLER_COLOURS = {
  uniform: { light: "#6b6f76", dark: "#a3a8b0" },
  truncated_geometric: { light: "#0068a8", dark: "#4fb0ee" },
  reverse_truncated_geometric: { light: "#6a4fb3", dark: "#ab98ee" },
  linear: { light: "#b07800", dark: "#eab13a" },
  reverse_linear: { light: "#8a5a2b", dark: "#c99a6b" },
  gaussian: { light: "#b5508c", dark: "#e793c0" },
  uniform_fifo: { light: "#00845f", dark: "#2ec79b" },
  ere: { light: "#cc4b00", dark: "#ff8a4c" },
  stretched_exponential: { light: "#1f8fa8", dark: "#5cc8de" },
  mixture: { light: "#6f7d00", dark: "#bccb3a" },
  per: { light: "#a3232f", dark: "#f2747e" },
};

// Phases of a run, in the order of every bar.
/** @type {Record<string, {light: string, dark: string}>} */
export const PHASE_COLOURS = {
  environment: { light: "#2f7d5b", dark: "#56c596" },
  acting: { light: "#8fb339", dark: "#b5d957" },
  storing: { light: "#c9a227", dark: "#e6c55a" },
  sampling: { light: "#0068a8", dark: "#4fb0ee" },
  sample: { light: "#0068a8", dark: "#4fb0ee" },
  gather: { light: "#5b8fc7", dark: "#8fc1f2" },
  update: { light: "#a3232f", dark: "#f2747e" },
  feedback: { light: "#cc4b00", dark: "#ff8a4c" },
  evaluation: { light: "#6a4fb3", dark: "#ab98ee" },
  checkpoint: { light: "#b5508c", dark: "#e793c0" },
  other: { light: "#8a8f96", dark: "#7c828a" },
};

/** The CSS variable that holds a phase's color. @param {string} name */
export function phaseColour(name) {
  return `var(--phase-${name in PHASE_COLOURS ? name : "other"})`;
}

// For samplers that are not in the list: neutral, distinguished by dash pattern.
const SPARE = { light: "#44484f", dark: "#c3c7cd" };

/** @type {Record<string, {light: string, dark: string}>} */
export const INK = {
  ink: { light: "#1d2126", dark: "#e7e6e1" },
  muted: { light: "#5a616a", dark: "#a2a8b0" },
  rule: { light: "#d9dadb", dark: "#363b42" },
  paper: { light: "#fcfcfa", dark: "#15181c" },
  panel: { light: "#f3f3ef", dark: "#1d2126" },
  accent: { light: "#0068a8", dark: "#4fb0ee" },
};

const DASHES = ["", "7 4", "2 3", "10 3 2 3"];

/** The CSS variable that holds a sampler's color. @param {string} name */
export function samplerColour(name) {
  return name in SAMPLER_COLOURS ? `var(--sampler-${name})` : "var(--sampler-other)";
}

/**
 * Line styles for a list of sampler specs, by spec. The first of a family is solid (dashed when the
 * family is a mirror image), later ones of the same family take the next dash pattern.
 * @param {{sampler: string, name: string}[]} samplers
 * @returns {Map<string, import("./types.js").LineStyle>}
 */
export function lineStyles(samplers) {
  const used = new Map();
  const styles = new Map();
  for (const { sampler, name } of samplers) {
    if (styles.has(sampler)) continue;
    const nth = used.get(name) ?? (name.startsWith("reverse_") ? 1 : 0);
    used.set(name, nth + 1);
    styles.set(sampler, { colour: samplerColour(name), dash: DASHES[nth % DASHES.length] });
  }
  return styles;
}

function variables(/** @type {"light" | "dark"} */ theme) {
  const samplers = Object.entries({ ...SAMPLER_COLOURS, other: SPARE });
  return [
    ...samplers.map(([name, colour]) => [`--sampler-${name}`, colour[theme]]),
    ...Object.entries(PHASE_COLOURS).map(([name, colour]) => [`--phase-${name}`, colour[theme]]),
    ...Object.entries(INK).map(([name, colour]) => [`--${name}`, colour[theme]]),
  ];
}

/** The variables as CSS, for both themes; paper is always light. */
export function paletteCss() {
  const rule = (/** @type {"light" | "dark"} */ theme) =>
    `:root{${variables(theme)
      .map(([name, value]) => `${name}:${value}`)
      .join(";")}}`;
  return `${rule("light")}@media screen and (prefers-color-scheme:dark){${rule("dark")}}`;
}

/** Replaces every var(--...) in a piece of SVG by its light-theme value. @param {string} text */
export function resolveColours(text) {
  const light = new Map(/** @type {[string, string][]} */ (variables("light")));
  return text.replace(
    /var\((--[\w-]+)(?:,\s*([^()]*))?\)/g,
    (whole, name, fallback) => light.get(name) ?? fallback ?? whole,
  );
}
