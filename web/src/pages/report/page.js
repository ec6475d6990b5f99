// pages/report/page.js - the page of a study: summary, gains, plots, and how to reproduce it. The
// sections of one group are in figures.js.

import { toCsv } from "../../csv.js";
import { duration } from "../../format.js";
import { drawing } from "../../ui/drawing.js";
import { el } from "../../ui/dom.js";
import { downloadButton } from "../../ui/download.js";
import { figure } from "../../ui/figure.js";
import { plainLegend } from "../../ui/legend.js";
import { table } from "../../ui/table.js";
import { drawIntervals, drawVolume } from "./bars_plot.js";
import { dataSection, groupSections } from "./figures.js";
import {
  GAIN_CSV,
  RUN_COLUMNS,
  gainColumns,
  gainRows,
  intervalSentence,
  methodEntries,
} from "./model.js";

/** @typedef {import("../../types.js").ReportData} Data */
/** @typedef {import("../../types.js").ReportGroup} Group */
/** @typedef {import("../../types.js").LegendEntry} LegendEntry */

/** @param {Data} data */
function summary(data) {
  const whole = (data.study.states.done ?? 0) === data.study.runs;
  return el(
    "section",
    { class: "summary" },
    data.setup && el("p", { class: "setup" }, data.setup.text),
    ...data.summary.map((line, i) => el("p", { class: i === 0 ? "lead" : null }, line)),
    el(
      "p",
      { class: whole ? "state" : "state unfinished" },
      `${data.study.completeness}. ${duration(data.study.seconds)} of computation.`,
      whole ? "" : " Only finished runs are compared below.",
    ),
  );
}

/** @param {Data} data @param {Map<string, LegendEntry>} entries */
function gainSections(data, entries) {
  const rows = gainRows(data.groups);
  const compared = rows.filter((row) => row.gain && row.gain.estimate !== null);
  const csv = () => toCsv(GAIN_CSV, rows);
  const baselines = [...new Set(data.groups.map((group) => group.stats?.baseline).filter(Boolean))];
  const baseline = baselines.map((name) => entries.get(String(name))?.label ?? name).join(", ");
  const sentences = [...new Set(data.groups.map(intervalSentence).filter(Boolean))];
  const bars = (
    /** @type {"gain" | "probability"} */ field,
    /** @type {{middle: number, label: string, domain?: [number, number]}} */ how,
  ) =>
    drawing(how.label, (width) =>
      drawIntervals(
        compared.map((row) => ({
          id: `${row.group} ${row.method}`,
          label: entries.get(row.method)?.label ?? row.method,
          note: row.group,
          method: row.method,
          x: /** @type {import("../../types.js").Interval} */ (row[field]),
        })),
        entries,
        { width, ...how },
      ),
    );
  const volumes = compared.map((row) => ({
    group: row.group,
    volume: row.replay_volume,
    method: row.method,
    gain: /** @type {import("../../types.js").Interval} */ (row.gain),
  }));
  const shown = [...new Set(compared.map((row) => row.method))].flatMap(
    (name) => entries.get(name) ?? [],
  );
  return [
    dataSection(
      "Scores and gains",
      `Mean score: mean over training without step 0. ${sentences.join(" ")}`,
      "gains.csv",
      csv,
      table("Scores and gains of every method", gainColumns(entries), rows, { cards: true }),
    ),
    compared.length > 0 &&
      figure({
        id: "gains",
        title: `Gain over ${baseline}`,
        subtitle: "Mean score over training, relative to the baseline. Bar: confidence interval.",
        controls: [],
        chart: bars("gain", { middle: 0, label: "Gain, %" }),
        side: [],
        legend: () => [],
        csv,
      }),
    new Set(compared.map((row) => row.group)).size > 1 &&
      figure({
        id: "volume",
        title: "Gain against replay volume",
        subtitle:
          "Replay volume: draws per stored transition (updates per step x batch size / environments).",
        controls: [],
        chart: drawing("Gain against replay volume", (width) =>
          drawVolume(volumes, entries, width),
        ),
        side: [plainLegend(shown)],
        legend: () => shown,
        csv,
      }),
    compared.length > 0 &&
      figure({
        id: "probability",
        title: "Probability of improvement",
        subtitle: `Probability that a run of the method scores higher than one of ${baseline} on the same task; 0.5 = no difference.`,
        controls: [],
        chart: bars("probability", {
          middle: 0.5,
          label: "Probability of improvement",
          domain: [0, 1],
        }),
        side: [],
        legend: () => [],
        csv,
      }),
  ].filter((section) => section !== false);
}

/** All groups when pictures are wanted, else one at a time. @param {Data} data */
function groupsOf(data, /** @type {Map<string, LegendEntry>} */ entries) {
  const many = data.groups.length > 1;
  if (!many || location.hash === "#pictures")
    return data.groups.flatMap((group) => groupSections(group, entries, many));
  const place = el("div", { class: "group" });
  const show = (/** @type {number} */ at) =>
    place.replaceChildren(...groupSections(data.groups[at], entries, true));
  const choice = el(
    "select",
    { id: "group", onchange: () => show(choice.selectedIndex) },
    ...data.groups.map((group) => el("option", {}, group.label)),
  );
  show(0);
  return [
    el(
      "section",
      { class: "chooser" },
      el("h2", {}, "One group in detail"),
      el("p", {}, el("label", { for: "group" }, "Group: "), choice),
    ),
    place,
  ];
}

/** @param {Data} data */
function runsSection(data) {
  const left = data.runs.filter((run) => run.left_out);
  const parts = [];
  if (left.length > 0)
    parts.push(
      dataSection(
        "Runs not counted",
        "Failed, unfinished or missing runs, with the reason.",
        "missing.csv",
        () => toCsv(RUN_COLUMNS, left),
        table(
          "Runs not counted",
          RUN_COLUMNS.filter((column) => ["key", "state", "step", "left_out"].includes(column.key)),
          left,
        ),
      ),
    );
  parts.push(
    el(
      "section",
      { class: "data again" },
      el("header", {}, el("h2", {}, "Reproduce this study")),
      el("p", {}, "Save the study below as a file and run it:"),
      el("pre", {}, el("code", {}, `mneme study ${data.study.name}.toml\n${data.command}`)),
      el(
        "details",
        {},
        el("summary", {}, `${data.study.name}.toml`),
        el("pre", {}, el("code", {}, data.study.text)),
      ),
      el(
        "details",
        {},
        el(
          "summary",
          {},
          data.runs_listed === "all"
            ? `All ${data.runs.length} runs, with the command of each`
            : `${data.runs.length} of ${data.study.runs} runs; mneme report --csv lists all`,
        ),
        el(
          "div",
          { class: "downloads" },
          downloadButton("CSV", "runs.csv", "text/csv", () => toCsv(RUN_COLUMNS, data.runs)),
        ),
        table(
          "All runs",
          RUN_COLUMNS.filter((column) => column.key !== "left_out"),
          data.runs,
        ),
      ),
      el(
        "p",
        {},
        data.study.builds.length > 0 ? `Built as ${data.study.builds.join("; ")}. ` : "",
        data.study.machines.length > 0 ? `Run on ${data.study.machines.join("; ")}. ` : "",
        `Ledger: ${data.study.ledger}.`,
      ),
    ),
  );
  return parts;
}

/** @param {Data} data */
export function render(data) {
  const entries = methodEntries(data.groups);
  return [
    summary(data),
    ...gainSections(data, entries),
    ...groupsOf(data, entries),
    ...runsSection(data),
  ];
}
