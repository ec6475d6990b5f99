// ui/svg_file.js - a plot as a stand-alone SVG file: title above, legend below, light colors.

import { INK, resolveColours } from "../palette.js";

const FONT = "'Helvetica Neue', Helvetica, Arial, 'Liberation Sans', sans-serif";
const LEGEND_ROW = 20;
const SWATCH = 34;
const MARGIN = 16;

/** @param {string} text */
function escape(text) {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}

/**
 * Width of text in pixels, estimated from above: there is no font to measure in a file.
 * @param {string} text
 * @param {number} size
 */
export function textWidth(text, size) {
  return text.length * size * 0.56;
}

/**
 * Places legend entries left to right, starting a new row where the width is used up.
 * @param {import("../types.js").LegendEntry[]} entries @param {number} width
 */
export function flowLegend(entries, width) {
  let x = 0;
  let row = 0;
  const places = entries.map((entry) => {
    const needs = SWATCH + textWidth(entry.label, 12) + 18;
    if (x > 0 && x + needs > width) {
      x = 0;
      row += 1;
    }
    const place = { entry, x, y: row * LEGEND_ROW };
    x += needs;
    return place;
  });
  return { places, height: entries.length ? (row + 1) * LEGEND_ROW : 0 };
}

/**
 * @param {{ title: string, subtitle: string, body: string, width: number, height: number,
 *           legend: import("../types.js").LegendEntry[] }} picture body: the plot's own <svg> as text
 */
export function svgFile({ title, subtitle, body, width, height, legend }) {
  const outer = width + 2 * MARGIN;
  const top = 56;
  const { places, height: legendHeight } = flowLegend(legend, width);
  const total = top + height + legendHeight + 2 * MARGIN;
  const entries = places.map(
    ({ entry, x, y }) =>
      `<g transform="translate(${x},${y})">` +
      `<line x1="0" x2="26" y1="8" y2="8" stroke="${entry.colour}" stroke-width="2.5"` +
      `${entry.dash ? ` stroke-dasharray="${entry.dash}"` : ""}/>` +
      `<text x="${SWATCH}" y="12" font-size="12" fill="currentColor">${escape(entry.label)}</text></g>`,
  );

  return resolveColours(
    `<?xml version="1.0" encoding="UTF-8"?>\n` +
      `<svg xmlns="http://www.w3.org/2000/svg" width="${outer}" height="${total}" viewBox="0 0 ${outer} ${total}"` +
      ` font-family="${FONT}" color="${INK.ink.light}">\n` +
      `<rect width="100%" height="100%" fill="#ffffff"/>\n` +
      `<text x="${MARGIN}" y="28" font-size="16" font-weight="600" fill="currentColor">${escape(title)}</text>\n` +
      `<text x="${MARGIN}" y="46" font-size="12" fill="var(--muted)">${escape(subtitle)}</text>\n` +
      `<g transform="translate(${MARGIN},${top})">${body}</g>\n` +
      `<g transform="translate(${MARGIN},${top + height + MARGIN})">${entries.join("")}</g>\n` +
      `</svg>\n`,
  );
}

/**
 * One line per picture: name, width, height, the file as base64. Pictures that are not drawn are
 * left out.
 * @param {{id: string, make: () => string}[]} pictures
 */
export function pictureLines(pictures) {
  return pictures
    .map(({ id, make }) => {
      const text = make();
      const size = /width="(\d+)" height="(\d+)"/.exec(text);
      if (!size) return "";
      const bytes = new TextEncoder().encode(text);
      const code = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
      return `${id} ${size[1]} ${size[2]} ${code}\n`;
    })
    .join("");
}
