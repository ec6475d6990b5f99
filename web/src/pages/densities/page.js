// pages/densities/page.js - the densities page: one figure per panel, explanation, diagnostics.

import { toCsv } from "../../csv.js";
import { count, fixed, sentence, significant } from "../../format.js";
import { lineStyles } from "../../palette.js";
import { chart } from "../../ui/chart.js";
import { el } from "../../ui/dom.js";
import { downloadButton } from "../../ui/download.js";
import { figure } from "../../ui/figure.js";
import { legend, samplerCell, swatch } from "../../ui/legend.js";
import { choice } from "../../ui/switch.js";
import { table } from "../../ui/table.js";
import { POINT_COLUMNS, SAMPLER_COLUMNS, flatten, rangeOf, stopsOf, valueAt } from "./model.js";
import { drawPanel } from "./plot.js";

/** @typedef {import("../../types.js").DensitiesData} Data */
/** @typedef {import("../../types.js").DensityPanel} Panel */
/** @typedef {import("../../types.js").LineStyle} LineStyle */

/**
 * Series with their points in order; a page must not depend on the order in the file.
 * @param {Panel} panel
 * @returns {Panel}
 */
function ordered(panel) {
  const series = panel.series.map((one) => ({
    ...one,
    points: [...one.points].sort((a, b) => a.recency - b.recency),
  }));
  return { ...panel, series };
}

/**
 * @param {Panel} panel @param {Map<string, LineStyle>} styles
 * @param {(scale: "linear" | "log") => [number, number]} range shared or its own
 * @param {number} capacity
 */
function panelFigure(panel, styles, range, capacity) {
  /** @type {"linear" | "log"} */
  let scale = "linear";
  const stops = stopsOf(panel);
  const entries = panel.series.map((series) => ({
    id: series.sampler,
    label: series.label,
    ...(styles.get(series.sampler) ?? { colour: "currentColor", dash: "" }),
  }));
  const key = legend(entries, "Expected replays per step", () => drawing.redraw());
  const shown = () => panel.series.filter((series) => !key.hidden.has(series.sampler));
  const indexText = (/** @type {number} */ stop) => `index ${count(stop * (capacity - 1))}`;

  const drawing = chart({
    label: `${panel.title}, recency`,
    stops,
    start: stops.length - 1,
    draw: (width) =>
      drawPanel(panel, { hidden: key.hidden, styles, scale, range: range(scale), width }),
    dots: (stop) =>
      shown().map((series) => ({
        y: valueAt(series.points, stop) ?? NaN,
        colour: styles.get(series.sampler)?.colour ?? "currentColor",
      })),
    describe: (stop) => {
      const values = shown().map(
        (series) => `${series.label} ${significant(valueAt(series.points, stop), 4)}`,
      );
      return `Recency ${fixed(stop, 4)}, ${indexText(stop)}. ${values.join(". ")}.`;
    },
    moved: (stop) =>
      key.show(
        `Recency ${fixed(stop, 4)}, ${indexText(stop)}`,
        new Map(
          panel.series.map((series) => [
            series.sampler,
            { value: significant(valueAt(series.points, stop), 4) },
          ]),
        ),
      ),
  });
  const axis = choice(
    "Vertical axis",
    [
      { value: "linear", label: "Linear" },
      { value: "log", label: "Log" },
    ],
    (value) => {
      scale = value === "log" ? "log" : "linear";
      drawing.redraw();
    },
  );

  const node = figure({
    id: `densities-${panel.id}`,
    title: sentence(panel.title),
    subtitle:
      `${count(panel.replay_volume)} draws per environment step ` +
      `from a full buffer of ${count(capacity)} transitions.`,
    controls: [axis],
    chart: drawing,
    side: [key.node],
    legend: () => entries.filter((entry) => !key.hidden.has(entry.id)),
    csv: () => toCsv(POINT_COLUMNS, flatten(panel)),
  });
  return { node, redraw: drawing.redraw };
}

function howToRead() {
  return el(
    "section",
    { class: "prose" },
    el("h2", {}, "How to read this"),
    el(
      "p",
      {},
      "Each curve shows how often a stored transition is expected to be replayed during one ",
      "environment step, by its place in the buffer: oldest left, newest right. It is the replay ",
      "volume (draws per environment step) times the probability of the index. The area under a ",
      "curve is therefore the same for every sampler of a panel: a sampler moves replays and ",
      "adds none.",
    ),
    el(
      "p",
      {},
      "A larger volume raises every curve by the same factor. At a high volume uniform sampling ",
      "also replays the newest transitions often, so the sampler is expected to matter most at ",
      "low volume. The log axis shows the old end, where samplers differ by orders of magnitude; ",
      "a curve that leaves the plot at the bottom is zero beyond.",
    ),
  );
}

/** @param {Data} data */
export function render(data) {
  const panels = data.panels.map(ordered);
  // One style per sampler for the whole page, in the order in which the panels introduce them.
  const styles = lineStyles(panels.flatMap((panel) => panel.series));
  let together = false;
  const figures = panels.map((panel) =>
    panelFigure(
      panel,
      styles,
      (scale) => rangeOf(together ? panels : [panel], scale),
      data.capacity,
    ),
  );

  const shared = el("input", {
    type: "checkbox",
    onchange: () => {
      together = shared.checked;
      for (const one of figures) one.redraw();
    },
  });
  const mark = (/** @type {string} */ spec) => {
    const style = styles.get(spec);
    return style ? swatch(style) : null;
  };
  const named = new Map(data.samplers.map((one) => [one.sampler, one.label]));
  /** @type {typeof SAMPLER_COLUMNS} */
  const columns = SAMPLER_COLUMNS.filter((column) => column.key !== "label").map((column) =>
    column.key !== "sampler"
      ? column
      : { ...column, show: (spec) => samplerCell(named.get(spec) ?? spec, spec, mark(spec)) },
  );
  return [
    howToRead(),
    panels.length > 1
      ? el(
          "p",
          { class: "page-controls" },
          el("label", {}, shared, " Same vertical scale in every panel"),
        )
      : el("span"),
    ...figures.map((one) => one.node),
    el(
      "section",
      { class: "data" },
      el(
        "header",
        {},
        el("h2", {}, "Diagnostics"),
        el(
          "div",
          { class: "downloads" },
          downloadButton("CSV", "samplers.csv", "text/csv", () =>
            toCsv(SAMPLER_COLUMNS, data.samplers),
          ),
        ),
      ),
      el(
        "p",
        {},
        "Expected recency is measured in the sampler's own buffer, reference recency against ",
        "the full capacity; they differ for a sampler that keeps a shorter window. Sampling ",
        "entropy is that of the mixture over a cycle, conditional entropy the mean over single ",
        "draws of the cycle; they differ only for samplers with a cycle.",
      ),
      table("Diagnostics of each sampler", columns, data.samplers),
    ),
  ];
}
