// pages/report/curves_plot.js - lines with bands: learning curves, the grid of tasks, profiles.

import * as Plot from "@observablehq/plot";
import { plainTick, shortCount } from "../../format.js";
import { svg } from "../../ui/dom.js";

/** @typedef {import("../../types.js").LegendEntry} LegendEntry */
/** @typedef {{x: number, y: number, low: number | null, high: number | null}} Spot */
/** @typedef {{method: string, spots: Spot[]}} Line */

const NARROW = 560;

/** @param {boolean} narrow */
export const plotStyle = (narrow) => ({
  fontFamily: "inherit",
  fontSize: narrow ? "11px" : "12.5px",
  background: "none",
  overflow: "visible",
});

/**
 * Range of values with their intervals: from 0 where that is near, with some room above.
 * @param {Line[]} lines
 * @returns {[number, number]}
 */
export function rangeOf(lines) {
  const values = lines.flatMap((line) =>
    line.spots.flatMap(({ y, low, high }) => [y, low ?? y, high ?? y]),
  );
  const high = Math.max(...values);
  const low = Math.min(...values);
  const room = (high - low || Math.abs(high) || 1) * 0.05;
  return [low >= 0 && low < 0.6 * high ? 0 : low - room, high + room];
}

/** Bands and lines. @param {Line[]} lines @param {Map<string, LegendEntry>} entries */
function marks(lines, entries, thick = 2.2) {
  return [
    ...lines.map((line) =>
      Plot.areaY(
        line.spots.filter((spot) => spot.low !== null && spot.high !== null),
        {
          x: "x",
          y1: "low",
          y2: "high",
          fill: entries.get(line.method)?.colour,
          fillOpacity: 0.16,
          clip: true,
        },
      ),
    ),
    ...lines.map((line) =>
      Plot.line(line.spots, {
        x: "x",
        y: "y",
        stroke: entries.get(line.method)?.colour,
        strokeDasharray: entries.get(line.method)?.dash || undefined,
        strokeWidth: thick,
        marker: line.spots.length === 1 ? "dot" : undefined,
        clip: true,
      }),
    ),
  ];
}

/**
 * @param {Line[]} lines those shown @param {Map<string, LegendEntry>} entries
 * @param {{ width: number, range: [number, number], domain: [number, number], xLabel: string,
 *           yLabel: string, steps: boolean }} how steps: the horizontal axis counts
 */
export function drawLines(lines, entries, { width, range, domain, xLabel, yLabel, steps }) {
  const narrow = width < NARROW;
  return Plot.plot({
    width,
    height: Math.round(narrow ? 0.85 * width : Math.min(440, 0.54 * width)),
    marginLeft: 52,
    marginRight: 16,
    marginTop: 34,
    marginBottom: 46,
    style: plotStyle(narrow),
    x: { domain },
    y: { domain: range },
    marks: [
      Plot.gridY({ stroke: "var(--rule)", strokeOpacity: 1, ticks: narrow ? 5 : 6 }),
      Plot.axisX({
        label: xLabel,
        labelAnchor: "center",
        labelArrow: "none",
        labelOffset: 40,
        ticks: narrow ? 4 : 8,
        tickFormat: steps ? shortCount : plainTick,
      }),
      Plot.axisY({
        label: yLabel,
        labelAnchor: "top",
        labelArrow: "none",
        labelOffset: 46,
        ticks: narrow ? 5 : 6,
        tickFormat: plainTick,
      }),
      Plot.ruleY([range[0]], { stroke: "var(--muted)" }),
      ...marks(lines, entries),
    ],
  });
}

/**
 * One small plot per task, side by side as the width allows, in one picture.
 * @param {{task: string, lines: Line[]}[]} tasks @param {Map<string, LegendEntry>} entries
 * @param {number} width
 */
export function drawGrid(tasks, entries, width) {
  const gap = 16;
  const columns = Math.max(1, Math.min(tasks.length, Math.floor((width + gap) / (220 + gap))));
  const wide = Math.floor((width - (columns - 1) * gap) / columns);
  const high = Math.round(Math.max(150, Math.min(220, 0.66 * wide)));
  const rows = Math.ceil(tasks.length / columns);
  const small = tasks.map(({ task, lines }, i) => {
    const x = lines.flatMap((line) => line.spots.map((spot) => spot.x));
    const range = rangeOf(lines);
    const plot = Plot.plot({
      width: wide,
      height: high,
      marginLeft: 36,
      marginRight: 10,
      marginTop: 28,
      marginBottom: 26,
      style: plotStyle(true),
      x: { domain: [0, Math.max(...x)] },
      y: { domain: range },
      marks: [
        Plot.gridY({ stroke: "var(--rule)", strokeOpacity: 1, ticks: 4 }),
        Plot.axisX({ label: null, ticks: 3, tickFormat: shortCount }),
        Plot.axisY({ label: null, ticks: 4, tickFormat: plainTick }),
        Plot.ruleY([range[0]], { stroke: "var(--muted)" }),
        ...marks(lines, entries, 1.8),
        Plot.text([task], {
          frameAnchor: "top-left",
          dy: -20,
          dx: -28,
          fontSize: 12.5,
          fontWeight: 600,
          fill: "currentColor",
        }),
      ],
    });
    plot.setAttribute("x", String((i % columns) * (wide + gap)));
    plot.setAttribute("y", String(Math.floor(i / columns) * (high + gap)));
    return plot;
  });
  const total = rows * high + (rows - 1) * gap;
  return svg(
    "svg",
    {
      class: "grid",
      width,
      height: total,
      viewBox: `0 0 ${width} ${total}`,
      fill: "currentColor",
    },
    ...small,
  );
}
