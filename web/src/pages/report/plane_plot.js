// pages/report/plane_plot.js - the recency-entropy plane: measured draws of each method over
// training, below the largest possible entropy.

import * as Plot from "@observablehq/plot";
import { plainTick } from "../../format.js";
import { plotStyle } from "./curves_plot.js";

const NARROW = 560;

/**
 * @param {import("../../types.js").ReportGroup["recency"]} recency
 * @param {Map<string, import("../../types.js").LegendEntry>} entries @param {number} width
 */
export function drawPlane(recency, entries, width) {
  const narrow = width < NARROW;
  const places = recency.methods.flatMap((one) => [...one.path, ...(one.exact ? [one.exact] : [])]);
  const ends = recency.methods.flatMap((one) => {
    const last = one.path[one.path.length - 1];
    return last ? [{ ...last, method: one.method }] : [];
  });
  const exact = recency.methods.flatMap((one) =>
    one.exact ? [{ ...one.exact, method: one.method }] : [],
  );
  const xs = places.map((one) => one.expected_recency);
  const ys = places.map((one) => one.sampling_entropy);
  const xLow = Math.min(0.45, ...xs) - 0.02;
  const xHigh = Math.min(1, Math.max(0.75, ...xs) + 0.03);
  const inside = recency.frontier.filter((one) => one.expected_recency <= xHigh);
  const top = Math.max(...ys, ...inside.map((one) => one.sampling_entropy));
  const low = Math.min(...ys);
  const room = (top - low || 1) * 0.06;
  const colour = (/** @type {{method: string}} */ row) => entries.get(row.method)?.colour;
  return Plot.plot({
    width,
    height: Math.round(narrow ? 0.9 * width : Math.min(460, 0.56 * width)),
    marginLeft: 48,
    marginRight: 16,
    marginTop: 34,
    marginBottom: 46,
    style: plotStyle(narrow),
    x: { domain: [Math.max(0, xLow), xHigh] },
    y: { domain: [low - room, top + room] },
    marks: [
      Plot.gridY({ stroke: "var(--rule)", strokeOpacity: 1, ticks: 6 }),
      Plot.axisX({
        label: "Expected recency (0 oldest, 1 newest)",
        labelAnchor: "center",
        labelArrow: "none",
        labelOffset: 40,
        ticks: narrow ? 5 : 8,
        tickFormat: plainTick,
      }),
      Plot.axisY({
        label: "Sampling entropy (nats)",
        labelAnchor: "top",
        labelArrow: "none",
        labelOffset: 42,
        ticks: 6,
        tickFormat: plainTick,
      }),
      Plot.line(inside, {
        x: "expected_recency",
        y: "sampling_entropy",
        stroke: "var(--muted)",
        strokeWidth: 1.4,
        strokeDasharray: "4 4",
        clip: true,
      }),
      ...recency.methods.map((one) =>
        Plot.line(one.path, {
          x: "expected_recency",
          y: "sampling_entropy",
          stroke: entries.get(one.method)?.colour,
          strokeWidth: 1.8,
          strokeOpacity: 0.75,
        }),
      ),
      Plot.dot(exact, {
        x: "expected_recency",
        y: "sampling_entropy",
        r: 7,
        stroke: colour,
        strokeWidth: 1.6,
        fill: "none",
      }),
      Plot.dot(ends, {
        x: "expected_recency",
        y: "sampling_entropy",
        r: 4.5,
        fill: colour,
        stroke: "var(--paper)",
        strokeWidth: 1.2,
      }),
    ],
    color: { type: "identity" },
  });
}
