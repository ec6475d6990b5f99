// pages/report/bars_plot.js - estimates with intervals, gain against volume, time per phase.

import * as Plot from "@observablehq/plot";
import { percent, plainTick, shortCount, signed } from "../../format.js";
import { phaseColour } from "../../palette.js";
import { plotStyle } from "./curves_plot.js";

/** @typedef {import("../../types.js").LegendEntry} LegendEntry */
/** @typedef {import("../../types.js").Interval} Interval */

const NARROW = 560;
const ROW = 46;

/**
 * @typedef {{ id: string, label: string, note: string, method: string, x: Interval }} Row
 */

/**
 * @param {Row[]} rows @param {Map<string, LegendEntry>} entries
 * @param {{ width: number, middle: number, label: string, domain?: [number, number],
 *           tick?: (value: number) => string }} how middle: where there is no difference
 */
export function drawIntervals(rows, entries, { width, middle, label, domain, tick }) {
  const narrow = width < NARROW;
  const drawn = rows.filter((row) => row.x.estimate !== null);
  const ends = drawn.flatMap(({ x }) =>
    [x.estimate, x.low, x.high].filter((value) => value !== null),
  );
  const low = Math.min(middle, .../** @type {number[]} */ (ends));
  const high = Math.max(middle, .../** @type {number[]} */ (ends));
  const room = (high - low || 1) * 0.06;
  const colour = (/** @type {Row} */ row) => entries.get(row.method)?.colour;
  return Plot.plot({
    width,
    height: 46 + ROW * drawn.length,
    marginLeft: 8,
    marginRight: 16,
    marginTop: 8,
    marginBottom: 44,
    style: plotStyle(narrow),
    x: { domain: domain ?? [low - room, high + room] },
    y: { domain: drawn.map((row) => row.id), type: "band", axis: null },
    marks: [
      Plot.gridX({ stroke: "var(--rule)", strokeOpacity: 1, ticks: narrow ? 5 : 8 }),
      Plot.axisX({
        label,
        labelAnchor: "center",
        labelArrow: "none",
        labelOffset: 38,
        ticks: narrow ? 5 : 8,
        tickFormat: tick ?? plainTick,
      }),
      Plot.ruleX([middle], { stroke: "var(--muted)", strokeWidth: 1.2 }),
      Plot.ruleY(
        drawn.filter((row) => row.x.low !== null && row.x.high !== null),
        {
          y: "id",
          x1: (/** @type {Row} */ row) => row.x.low,
          x2: (/** @type {Row} */ row) => row.x.high,
          stroke: colour,
          strokeWidth: 3,
          strokeOpacity: 0.55,
          strokeLinecap: "round",
          dy: 9,
        },
      ),
      Plot.dot(drawn, {
        y: "id",
        x: (/** @type {Row} */ row) => row.x.estimate,
        r: 5,
        fill: colour,
        stroke: "var(--paper)",
        strokeWidth: 1.5,
        dy: 9,
      }),
      Plot.text(drawn, {
        y: "id",
        frameAnchor: "left",
        dx: 2,
        dy: -9,
        text: (/** @type {Row} */ row) => (row.note ? `${row.label} · ${row.note}` : row.label),
        fill: "currentColor",
        fontSize: narrow ? 11.5 : 13,
        stroke: "var(--paper)",
        strokeWidth: 4,
      }),
    ],
    color: { type: "identity" },
  });
}

/**
 * @typedef {{ group: string, volume: number | null, method: string, gain: Interval }} VolumeRow
 */

/**
 * Gain against replay volume on a logarithmic axis; side by side by name where the volume is the
 * same everywhere.
 * @param {VolumeRow[]} rows @param {Map<string, LegendEntry>} entries @param {number} width
 */
export function drawVolume(rows, entries, width) {
  const narrow = width < NARROW;
  const known = rows.filter((row) => row.gain.estimate !== null);
  const volumes = new Set(known.map((row) => row.volume));
  const byVolume = volumes.size > 1 && [...volumes].every((v) => v !== null && v > 0);
  const methods = [...new Set(known.map((row) => row.method))];
  const groups = [...new Set(known.map((row) => row.group))];
  // a little apart, so that intervals of several methods do not cover each other
  const shift = (/** @type {VolumeRow} */ row) =>
    methods.indexOf(row.method) - (methods.length - 1) / 2;
  const spots = known.map((row) => ({
    ...row,
    x: byVolume
      ? /** @type {number} */ (row.volume) * 1.035 ** shift(row)
      : groups.indexOf(row.group) + 0.06 * shift(row),
    y: /** @type {number} */ (row.gain.estimate),
    low: row.gain.low,
    high: row.gain.high,
  }));
  const ends = [0, ...spots.flatMap(({ y, low, high }) => [y, low ?? y, high ?? y])];
  const [low, high] = [Math.min(...ends), Math.max(...ends)];
  const room = (high - low || 1) * 0.07;
  const sorted = [.../** @type {Set<number>} */ (volumes)].sort((a, b) => a - b);
  const colour = (/** @type {{method: string}} */ row) => entries.get(row.method)?.colour;
  // lines only where each volume belongs to one setting
  const single = byVolume && volumes.size === groups.length;
  return Plot.plot({
    width,
    height: Math.round(narrow ? 0.85 * width : Math.min(420, 0.5 * width)),
    marginLeft: 52,
    marginRight: 20,
    marginTop: 34,
    marginBottom: 46,
    style: plotStyle(narrow),
    x: byVolume
      ? { type: "log", base: 2, domain: [sorted[0] / 1.3, sorted[sorted.length - 1] * 1.3] }
      : { domain: [-0.5, groups.length - 0.5] },
    y: { domain: [low - room, high + room] },
    marks: [
      Plot.gridY({ stroke: "var(--rule)", strokeOpacity: 1, ticks: 6 }),
      Plot.axisX({
        label: byVolume
          ? "Replay volume (draws per stored transition)"
          : "Setting (all have the same replay volume)",
        labelAnchor: "center",
        labelArrow: "none",
        labelOffset: 40,
        ticks: byVolume ? sorted : groups.map((_, i) => i),
        tickFormat: byVolume
          ? (/** @type {number} */ v) => shortCount(v)
          : (/** @type {number} */ i) => groups[i] ?? "",
      }),
      Plot.axisY({
        label: "Gain in mean score over training, %",
        labelAnchor: "top",
        labelArrow: "none",
        labelOffset: 46,
        ticks: 6,
        tickFormat: plainTick,
      }),
      Plot.ruleY([0], { stroke: "var(--muted)", strokeWidth: 1.2 }),
      ...(single
        ? methods.map((method) =>
            Plot.line(
              spots.filter((spot) => spot.method === method).sort((a, b) => a.x - b.x),
              {
                x: "x",
                y: "y",
                stroke: entries.get(method)?.colour,
                strokeDasharray: entries.get(method)?.dash || undefined,
                strokeWidth: 1.6,
                strokeOpacity: 0.8,
              },
            ),
          )
        : []),
      Plot.ruleX(
        spots.filter((spot) => spot.low !== null && spot.high !== null),
        {
          x: "x",
          y1: "low",
          y2: "high",
          stroke: colour,
          strokeWidth: 3,
          strokeOpacity: 0.5,
          strokeLinecap: "round",
        },
      ),
      Plot.dot(spots, {
        x: "x",
        y: "y",
        r: 5,
        fill: colour,
        stroke: "var(--paper)",
        strokeWidth: 1.5,
        title: (spot) => `${spot.group}: ${signed(spot.y, 1)} %`,
      }),
    ],
    color: { type: "identity" },
  });
}

/**
 * @param {ReturnType<typeof import("./model.js").timingRows>} rows
 * @param {Map<string, LegendEntry>} entries @param {number} width
 */
export function drawTiming(rows, entries, width) {
  const narrow = width < NARROW;
  const methods = [...new Set(rows.map((row) => row.method))];
  return Plot.plot({
    width,
    height: 46 + ROW * methods.length,
    marginLeft: 8,
    marginRight: 20,
    marginTop: 8,
    marginBottom: 44,
    style: plotStyle(narrow),
    x: { domain: [0, 1] },
    y: { domain: methods, type: "band", padding: 0, axis: null },
    marks: [
      Plot.axisX({
        label: "Share of the run's time",
        labelAnchor: "center",
        labelArrow: "none",
        labelOffset: 38,
        ticks: 5,
        tickFormat: (/** @type {number} */ value) => `${Math.round(100 * value)}\u202f%`,
      }),
      Plot.barX(rows, {
        y: "method",
        x1: "from",
        x2: "to",
        fill: (row) => phaseColour(row.phase),
        insetTop: 22,
        insetBottom: 6,
        insetRight: 1,
        title: (row) => `${row.phase}: ${percent(row.share)}`,
      }),
      Plot.text(methods, {
        y: (method) => method,
        frameAnchor: "left",
        dx: 2,
        dy: -12,
        text: (method) => entries.get(method)?.label ?? method,
        fill: "currentColor",
        fontSize: narrow ? 11.5 : 13,
      }),
    ],
    color: { type: "identity" },
  });
}
