// pages/densities/plot.js - one panel: expected replays per index and environment step against
// recency, on a linear or a log axis.

import * as Plot from "@observablehq/plot";
import { plainTick, powerTick } from "../../format.js";
import { drawable } from "./model.js";

const NARROW = 560;

/**
 * @param {import("../../types.js").DensityPanel} panel
 * @param {{ hidden: Set<string>, styles: Map<string, import("../../types.js").LineStyle>,
 *           scale: "linear" | "log", range: [number, number], width: number }} how
 */
export function drawPanel(panel, { hidden, styles, scale, range, width }) {
  const narrow = width < NARROW;
  const decades = Math.round(Math.log10(range[1] / range[0]));
  const ticks =
    scale === "log"
      ? Array.from({ length: decades + 1 }, (_, i) => range[0] * 10 ** i)
      : narrow
        ? 5
        : 6;
  const tickFormat = scale === "log" ? powerTick : plainTick;

  return Plot.plot({
    width,
    height: Math.round(narrow ? 0.85 * width : Math.min(440, 0.54 * width)),
    marginLeft: 60,
    marginRight: 14,
    marginTop: 34,
    marginBottom: 46,
    style: {
      fontFamily: "inherit",
      fontSize: narrow ? "11px" : "12.5px",
      background: "none",
      overflow: "visible",
    },
    x: { domain: [0, 1] },
    y: { type: scale, domain: range },
    marks: [
      Plot.gridY({ stroke: "var(--rule)", strokeOpacity: 1, ticks }),
      Plot.axisX({
        label: "Recency (0 oldest, 1 newest)",
        labelAnchor: "center",
        labelArrow: "none",
        labelOffset: 40,
        ticks: narrow ? 5 : 10,
        tickFormat: plainTick,
      }),
      Plot.axisY({
        label: "Expected replays per index per environment step",
        labelAnchor: "top",
        labelArrow: "none",
        labelOffset: 58,
        ticks,
        tickFormat,
      }),
      Plot.ruleY([range[0]], { stroke: "var(--muted)" }),
      ...panel.series
        .filter((series) => !hidden.has(series.sampler))
        .map((series) =>
          Plot.line(drawable(series.points, scale, range), {
            x: "recency",
            y: "replays_per_step",
            stroke: styles.get(series.sampler)?.colour,
            strokeDasharray: styles.get(series.sampler)?.dash || undefined,
            strokeWidth: 2.2,
            clip: true,
          }),
        ),
    ],
  });
}
