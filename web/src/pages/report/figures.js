// pages/report/figures.js - the figures of one group: learning curves, tasks, profiles, the
// recency-entropy plane, the timing split.

import { toCsv } from "../../csv.js";
import { count, fixed, sentence } from "../../format.js";
import { phaseColour } from "../../palette.js";
import { chart } from "../../ui/chart.js";
import { drawing } from "../../ui/drawing.js";
import { el } from "../../ui/dom.js";
import { downloadButton } from "../../ui/download.js";
import { figure } from "../../ui/figure.js";
import { legend, plainLegend } from "../../ui/legend.js";
import { table } from "../../ui/table.js";
import { drawTiming } from "./bars_plot.js";
import { drawGrid, drawLines, rangeOf } from "./curves_plot.js";
import {
  boundsText,
  curveRows,
  plainColumns,
  taskColumns,
  taskRows,
  timingRows,
  trusted,
} from "./model.js";
import { drawPlane } from "./plane_plot.js";

/** @typedef {import("../../types.js").ReportGroup} Group */
/** @typedef {import("../../types.js").LegendEntry} LegendEntry */
/** @typedef {import("./curves_plot.js").Line} Line */

/**
 * A heading, a table, its CSV file.
 * @param {string} title @param {string} about @param {string} file
 * @param {() => string} csv @param {HTMLElement} content
 */
export function dataSection(title, about, file, csv, content) {
  return el(
    "section",
    { class: "data" },
    el(
      "header",
      {},
      el("h2", {}, title),
      el("div", { class: "downloads" }, downloadButton("CSV", file, "text/csv", csv)),
    ),
    about && el("p", {}, about),
    content,
  );
}

/** @param {import("../../types.js").MethodCurve[]} curves @returns {Line[]} */
const linesOf = (curves) =>
  curves.map(({ method, points }) => ({
    method,
    spots: points.map(({ step, score, low, high }) => ({ x: step, y: score, low, high })),
  }));

/**
 * Lines with bands, a legend that reads them, and a position to read.
 * @param {{ id: string, title: string, subtitle: string, lines: Line[], entries: LegendEntry[],
 *           styles: Map<string, LegendEntry>, xLabel: string, yLabel: string, heading: string,
 *           position: (x: number) => string, domain: [number, number],
 *           range: [number, number], steps: boolean, csv: () => string }} what
 */
function linesFigure(what) {
  const { lines, entries, styles } = what;
  const stops = [...new Set(lines.flatMap((line) => line.spots.map((spot) => spot.x)))].sort(
    (a, b) => a - b,
  );
  const key = legend(entries, what.heading, () => drawn.redraw());
  const shown = () => lines.filter((line) => !key.hidden.has(line.method));
  const at = (/** @type {Line} */ line, /** @type {number} */ x) =>
    line.spots.find((spot) => spot.x === x);
  const drawn = chart({
    label: what.title,
    stops,
    start: stops.length - 1,
    draw: (width) => drawLines(shown(), styles, { width, ...what }),
    dots: (stop) =>
      shown().map((line) => ({
        y: at(line, stop)?.y ?? NaN,
        colour: styles.get(line.method)?.colour ?? "currentColor",
      })),
    describe: (stop) => {
      const values = shown().map(
        (line) =>
          `${styles.get(line.method)?.label ?? line.method} ${fixed(at(line, stop)?.y ?? null, 3)}`,
      );
      return `${what.position(stop)}. ${values.join(". ")}.`;
    },
    moved: (stop) =>
      key.show(
        what.position(stop),
        new Map(
          lines.map((line) => {
            const spot = at(line, stop);
            const bounds = spot
              ? boundsText({ estimate: spot.y, low: spot.low, high: spot.high }, 3)
              : "";
            return [line.method, { value: fixed(spot?.y ?? null, 3), note: bounds }];
          }),
        ),
      ),
  });
  return figure({
    id: what.id,
    title: what.title,
    subtitle: what.subtitle,
    controls: [],
    chart: drawn,
    side: [key.node],
    legend: () => entries.filter((entry) => !key.hidden.has(entry.id)),
    csv: what.csv,
  });
}

const CURVE_COLUMNS = plainColumns(["group", "task", "method", "step", "score", "low", "high"]);

/** @param {Group} group @param {LegendEntry[]} entries @param {Map<string, LegendEntry>} styles */
function curvesFigure(group, entries, styles, /** @type {string} */ suffix) {
  const lines = linesOf(group.curves);
  const last = Math.max(...lines.flatMap((line) => line.spots.map((spot) => spot.x)));
  const tasks = group.tasks.length;
  return linesFigure({
    id: `curves${suffix}`,
    title: "Learning curves",
    subtitle:
      `${tasks === 1 ? group.tasks[0].task : `Mean over ${tasks} tasks`}. ` +
      "Band: confidence interval at each evaluation; whole runs are resampled.",
    lines,
    entries,
    styles,
    xLabel: "Steps (decisions per environment)",
    yLabel: "Score",
    heading: "Score",
    position: (x) => `Step ${count(x)}`,
    domain: [0, last],
    range: rangeOf(lines),
    steps: true,
    csv: () => toCsv(CURVE_COLUMNS, curveRows(group, group.curves)),
  });
}

/** @param {Group} group @param {LegendEntry[]} entries @param {Map<string, LegendEntry>} styles */
function profilesFigure(group, entries, styles, /** @type {string} */ suffix) {
  const methods = group.stats?.methods ?? [];
  const lines = methods.map(({ name, score_profile }) => ({
    method: name,
    spots: score_profile.map(({ tau, estimate, low, high }) => ({
      x: tau,
      y: estimate,
      low,
      high,
    })),
  }));
  const last = Math.max(...lines.flatMap((line) => line.spots.map((spot) => spot.x)));
  return linesFigure({
    id: `profiles${suffix}`,
    title: "Performance profiles",
    subtitle: "Share of runs and tasks whose mean score over training is above a threshold.",
    lines,
    entries,
    styles,
    xLabel: "Threshold",
    yLabel: "Share of runs above the threshold",
    heading: "Share above",
    position: (x) => `Threshold ${fixed(x, 3)}`,
    domain: [0, last],
    range: [0, 1.02],
    steps: false,
    csv: () =>
      toCsv(
        plainColumns(["group", "method", "tau", "estimate", "low", "high"]),
        methods.flatMap(({ name, score_profile }) =>
          score_profile.map((row) => ({ group: group.label, method: name, ...row })),
        ),
      ),
  });
}

/** @param {Group} group @param {LegendEntry[]} entries @param {Map<string, LegendEntry>} styles */
function gridFigure(group, entries, styles, /** @type {string} */ suffix) {
  const tasks = group.tasks.map(({ task, curves }) => ({ task, lines: linesOf(curves) }));
  return figure({
    id: `tasks${suffix}`,
    title: "Learning curves by task",
    subtitle: "Score against steps; each task has its own vertical scale.",
    controls: [],
    chart: drawing("Learning curves of every task", (width) => drawGrid(tasks, styles, width)),
    side: [plainLegend(entries)],
    legend: () => entries,
    csv: () =>
      toCsv(
        CURVE_COLUMNS,
        group.tasks.flatMap(({ task, curves }) => curveRows(group, curves, task)),
      ),
  });
}

/** @param {Group} group @param {LegendEntry[]} all @param {Map<string, LegendEntry>} styles */
function planeFigure(group, all, styles, /** @type {string} */ suffix) {
  const { recency } = group;
  const drawn = recency.methods.filter((one) => one.path.length > 0 || one.exact);
  if (drawn.length === 0) return null;
  const entries = all.filter((entry) => drawn.some((one) => one.method === entry.id));
  const frontier = {
    id: "frontier",
    label: "Largest possible entropy, at the end",
    colour: "var(--muted)",
    dash: "4 4",
  };
  const rows = drawn.flatMap((one) => [
    ...one.path.map((at) => ({
      group: group.label,
      method: one.method,
      source: "measured",
      ...at,
    })),
    ...(one.exact
      ? [{ group: group.label, method: one.method, source: "closed form", ...one.exact }]
      : []),
  ]);
  return figure({
    id: `recency${suffix}`,
    title: "Recency and entropy of the draws",
    subtitle:
      "Line: measured over all draws so far; dot: at the end of training; ring: from the " +
      "sampler's formula, for the buffer at the end.",
    controls: [],
    chart: drawing("Recency and entropy of the draws", (width) =>
      drawPlane(recency, styles, width),
    ),
    side: [plainLegend([...entries, frontier])],
    legend: () => [...entries, frontier],
    csv: () =>
      toCsv(
        plainColumns(["group", "method", "source", "step", "expected_recency", "sampling_entropy"]),
        rows,
      ),
  });
}

/** @param {Group} group @param {Map<string, LegendEntry>} styles */
function timingFigure(group, styles, /** @type {string} */ suffix) {
  const rows = timingRows(group);
  if (rows.length === 0) return null;
  const phases = [...new Set(rows.map((row) => row.phase))].map((phase) => ({
    id: phase,
    label: sentence(phase),
    colour: phaseColour(phase),
    dash: "",
  }));
  return figure({
    id: `timing${suffix}`,
    title: "Time per phase",
    subtitle: "Mean over the finished runs of a method.",
    controls: [],
    chart: drawing("Share of a run's time by phase", (width) => drawTiming(rows, styles, width)),
    side: [plainLegend(phases)],
    legend: () => phases,
    csv: () => toCsv(plainColumns(["group", "method", "phase", "seconds", "share"]), rows),
  });
}

/** @param {Group} group @param {Map<string, LegendEntry>} styles */
function shapleySection(group, styles) {
  const shapley = group.stats?.shapley;
  if (!shapley) return null;
  const shares = trusted(shapley, group);
  const rows = ["critic", "actor", "both"].map((part) => ({ part, share: shares[part] }));
  return dataSection(
    "Actor and critic",
    "The gain with the sampler in both, split between critic and actor (Shapley values, % of the baseline's score).",
    "shapley.csv",
    () =>
      toCsv(
        plainColumns(["part", "estimate", "low", "high"]),
        rows.map(({ part, share }) => ({ part, ...share })),
      ),
    table(
      "Shapley shares",
      [
        { key: "part", head: "Part", value: (row) => sentence(row.part), text: true },
        {
          key: "share",
          head: "Share of the gain, %",
          value: (row) => fixed(row.share.estimate, 2),
        },
        { key: "interval", head: "Interval", value: (row) => boundsText(row.share, 2, true) },
      ],
      rows,
    ),
  );
}

/**
 * @param {Group} group @param {Map<string, LegendEntry>} styles
 * @param {boolean} many whether ids need the group's name
 */
export function groupSections(group, styles, many) {
  const suffix = many ? `-${group.id}` : "";
  const entries = (group.stats?.methods ?? []).flatMap(({ name }) => styles.get(name) ?? []);
  const planned = group.methods.flatMap(({ name }) => styles.get(name) ?? []);
  const notes =
    group.notes.length > 0
      ? el("ul", { class: "notes" }, ...group.notes.map((note) => el("li", {}, sentence(note))))
      : null;
  const rows = taskRows(group);
  const columns = taskColumns(styles);
  return [
    notes,
    group.curves.length > 0 && curvesFigure(group, entries, styles, suffix),
    group.tasks.length > 1 && gridFigure(group, entries, styles, suffix),
    rows.length > 0 &&
      dataSection(
        "Scores by task",
        "",
        `by-task${suffix}.csv`,
        () => toCsv(columns, rows),
        table("Scores by task", columns, rows),
      ),
    group.stats && profilesFigure(group, entries, styles, suffix),
    shapleySection(group, styles),
    planeFigure(group, planned, styles, suffix),
    timingFigure(group, styles, suffix),
  ].filter((section) => section !== null && section !== false);
}
