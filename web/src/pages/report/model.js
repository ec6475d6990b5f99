// pages/report/model.js - names, colors, rows and columns of the report page. Pure.

import {
  NONE,
  count,
  duration,
  fixed,
  percent,
  samplerName,
  samplerParameters,
  signed,
} from "../../format.js";
import { SAMPLER_COLOURS, samplerColour } from "../../palette.js";

/** @typedef {import("../../types.js").ReportData} Data */
/** @typedef {import("../../types.js").ReportGroup} Group */
/** @typedef {import("../../types.js").Interval} Interval */
/** @typedef {import("../../types.js").LegendEntry} LegendEntry */

const DASHES = ["", "7 4", "2 3", "10 3 2 3"];

/** @param {string} spec */
const family = (spec) => spec.split(":")[0];

/**
 * One line style and label per method, the same in every group. The first method of a sampler family
 * has the family's color; later ones take colors that no other method has, and a dash pattern.
 * @param {Group[]} groups
 * @returns {Map<string, LegendEntry>}
 */
export function methodEntries(groups) {
  /** @type {Map<string, string>} */
  const samplers = new Map();
  for (const group of groups)
    for (const { name, sampler } of group.methods)
      if (!samplers.has(name)) samplers.set(name, sampler || name);
  const families = [...samplers.values()].map(family);
  const spare = Object.keys(SAMPLER_COLOURS).filter((name) => !families.includes(name));
  const seen = new Map();
  const entries = new Map();
  for (const [name, sampler] of samplers) {
    const kind = family(sampler);
    const nth = seen.get(kind) ?? 0;
    seen.set(kind, nth + 1);
    const colour = nth === 0 ? kind : (spare.shift() ?? kind);
    entries.set(name, {
      id: name,
      label: methodLabel(
        name,
        sampler,
        families.filter((one) => one === kind).length > 1 || kind !== "uniform",
      ),
      colour: samplerColour(colour),
      dash: DASHES[nth % DASHES.length],
    });
  }
  return entries;
}

/**
 * The label of a method: its sampler in words, or its own name where the study gives one.
 * @param {string} name @param {string} sampler @param {boolean} parameters
 */
export function methodLabel(name, sampler, parameters) {
  if (name !== sampler) return name;
  const more = parameters ? samplerParameters(sampler) : "";
  return [samplerName(family(sampler)), more].filter(Boolean).join(", ");
}

/** `[2.1, 5.0]`; a dash where there is no interval. @param {Interval} x @param {number} decimals */
export function boundsText(x, decimals, plus = false) {
  if (x.low === null && x.high === null) return NONE;
  const end = (/** @type {number | null} */ value) =>
    value === null ? "?" : plus ? signed(value, decimals) : fixed(value, decimals);
  return `[${end(x.low)}, ${end(x.high)}]`;
}

/**
 * The comparison with the resampling that fits the runs.
 * @template T
 * @param {import("../../types.js").ByResampling<T>} both @param {Group} group
 * @returns {T}
 */
export function trusted(both, group) {
  return group.resampling === "run_cluster" && both.run_cluster
    ? both.run_cluster
    : both.stratified;
}

/**
 * One row per group and method: scores, and gains over the baseline where it is not the baseline.
 * @param {Group[]} groups
 */
export function gainRows(groups) {
  return groups.flatMap((group) =>
    group.methods.map((method) => {
      const stats = group.stats;
      const found = stats?.methods.find((one) => one.name === method.name);
      const comparison = stats?.comparisons.find((one) => one.method === method.name);
      const by = comparison ? trusted(comparison, group) : null;
      const final = group.finals.find((one) => one.method === method.name);
      const paired = group.paired.find((one) => one.method === method.name);
      return {
        group: group.label,
        replay_volume: group.replay_volume,
        method: method.name,
        baseline: stats?.baseline === method.name,
        runs: method.runs,
        counted: method.counted,
        auc: found ? trusted(found.aggregates, group).mean : null,
        final: final?.mean ?? null,
        gain: by?.gain ?? null,
        paired: paired?.gain ?? null,
        final_gain: final?.comparison?.gain ?? null,
        probability: by?.probability_of_improvement ?? null,
        speed_up: comparison ? trusted(comparison.speed_up, group).at_final : null,
        coverage: by?.gain?.true_coverage ?? null,
      };
    }),
  );
}

/** @typedef {ReturnType<typeof gainRows>[number]} GainRow */

/**
 * Three columns for an interval in a CSV file, one in a table.
 * @param {string} key @param {string} head @param {keyof GainRow} field
 * @param {number} decimals @param {boolean} plus
 */
function intervalColumns(key, head, field, decimals, plus) {
  const of = (/** @type {GainRow} */ row) => /** @type {Interval | null} */ (row[field]);
  return {
    shown: {
      key,
      head,
      value: (/** @type {GainRow} */ row) => {
        const x = of(row);
        if (!x || x.estimate === null) return NONE;
        return plus ? signed(x.estimate, decimals) : fixed(x.estimate, decimals);
      },
      detail: (/** @type {GainRow} */ row) => {
        const x = of(row);
        const bounds = !x || x.estimate === null ? NONE : boundsText(x, decimals, plus);
        return bounds === NONE ? "" : bounds;
      },
    },
    saved: [
      { key, head, value: (/** @type {GainRow} */ row) => of(row)?.estimate ?? null },
      { key: `${key}_low`, head, value: (/** @type {GainRow} */ row) => of(row)?.low ?? null },
      { key: `${key}_high`, head, value: (/** @type {GainRow} */ row) => of(row)?.high ?? null },
    ],
  };
}

const INTERVALS = [
  intervalColumns("auc", "Mean score", "auc", 3, false),
  intervalColumns("gain", "Gain, %", "gain", 1, true),
  intervalColumns("paired_gain", "Paired gain, %", "paired", 1, true),
  intervalColumns("final", "Final score", "final", 3, false),
  intervalColumns("final_gain", "Gain at the end, %", "final_gain", 1, true),
  intervalColumns(
    "probability_of_improvement",
    "Probability of improvement",
    "probability",
    2,
    false,
  ),
  intervalColumns("speed_up", "Speed-up", "speed_up", 2, false),
];

/** @param {Map<string, LegendEntry>} entries */
export function gainColumns(entries) {
  /** @type {import("../../types.js").Column<GainRow>[]} */
  const first = [
    {
      key: "method",
      head: "Method",
      value: (row) =>
        [entries.get(row.method)?.label ?? row.method, row.group].filter(Boolean).join(" · "),
      text: true,
    },
    {
      key: "runs",
      head: "Runs",
      value: (row) => (row.counted === row.runs ? row.runs : `${row.counted} of ${row.runs}`),
    },
  ];
  // The answer first: gains, then what they were made of.
  const order = ["gain", "paired_gain", "auc", "final", "final_gain"];
  const rank = (/** @type {string} */ key) => (order.includes(key) ? order.indexOf(key) : 99);
  const shown = INTERVALS.map((one) => one.shown).sort((a, b) => rank(a.key) - rank(b.key));
  return [...first, ...shown];
}

/** @type {import("../../types.js").Column<GainRow>[]} */
export const GAIN_CSV = [
  { key: "group", head: "", value: (row) => row.group },
  { key: "replay_volume", head: "", value: (row) => row.replay_volume },
  { key: "method", head: "", value: (row) => row.method },
  { key: "runs", head: "", value: (row) => row.counted },
  ...INTERVALS.flatMap((one) => one.saved),
];

/**
 * One row per task and method.
 * @param {Group} group
 */
export function taskRows(group) {
  return group.tasks.flatMap((task) =>
    (group.stats?.methods ?? []).map((method) => {
      const runs = method.tasks.find((one) => one.task === task.task)?.runs ?? [];
      const mean = runs.reduce((sum, run) => sum + run.auc, 0) / (runs.length || 1);
      const gain = task.gains.find((one) => one.method === method.name);
      return {
        task: task.task,
        method: method.name,
        runs: runs.length,
        auc: mean,
        gain: gain?.gain ?? null,
        probability: gain?.probability_of_improvement ?? null,
      };
    }),
  );
}

/** @typedef {ReturnType<typeof taskRows>[number]} TaskRow */

/** @param {Map<string, LegendEntry>} entries */
export function taskColumns(entries) {
  const gainText = (/** @type {TaskRow} */ row) =>
    row.gain?.estimate === null || !row.gain
      ? NONE
      : `${signed(row.gain.estimate, 1)} ${boundsText(row.gain, 1, true)}`;
  /** @type {import("../../types.js").Column<TaskRow>[]} */
  const columns = [
    { key: "task", head: "Task", value: (row) => row.task, text: true },
    {
      key: "method",
      head: "Method",
      value: (row) => entries.get(row.method)?.label ?? row.method,
      text: true,
    },
    { key: "runs", head: "Runs", value: (row) => row.runs },
    {
      key: "auc",
      head: "Mean score over training",
      value: (row) => row.auc,
      show: (v) => fixed(v, 3),
    },
    { key: "gain", head: "Gain, %", value: gainText },
    {
      key: "probability_of_improvement",
      head: "Probability of improvement",
      value: (row) => row.probability?.estimate ?? null,
      show: (v) => fixed(v, 2),
    },
  ];
  return columns;
}

/** @type {import("../../types.js").Column<import("../../types.js").ReportRun>[]} */
export const RUN_COLUMNS = [
  { key: "key", head: "Run", value: (run) => run.key, text: true },
  { key: "state", head: "State", value: (run) => run.state, text: true },
  { key: "step", head: "Steps done", value: (run) => run.step, show: (v) => count(v) },
  {
    key: "score",
    head: "Last score",
    value: (run) => run.score,
    show: (v) => fixed(v, 3),
  },
  { key: "seconds", head: "Time", value: (run) => run.seconds, show: (v) => duration(v) },
  { key: "attempts", head: "Attempts", value: (run) => run.attempts },
  { key: "left_out", head: "Reason", value: (run) => run.left_out, text: true },
  { key: "command", head: "Command", value: (run) => run.command, text: true },
];

/**
 * Flat rows of curves, for the CSV file.
 * @param {Group} group @param {import("../../types.js").MethodCurve[]} curves @param {string} task
 */
export function curveRows(group, curves, task = "") {
  return curves.flatMap((curve) =>
    curve.points.map((point) => ({
      group: group.label,
      task,
      method: curve.method,
      ...point,
    })),
  );
}

/**
 * Columns for rows that are plain objects.
 * @template {Record<string, any>} Row
 * @param {string[]} keys
 * @returns {import("../../types.js").Column<Row>[]}
 */
export function plainColumns(keys) {
  return keys.map((key) => ({ key, head: key, value: (row) => row[key] }));
}

/**
 * Bars of the timing split: shares of the run's time; time outside all phases is "other".
 * @param {Group} group
 */
export function timingRows(group) {
  return group.timing.flatMap(({ method, total, phases }) => {
    const sum = phases.reduce((all, one) => all + one.seconds, 0);
    const whole = Math.max(total ?? 0, sum) || 1;
    const rest = whole - sum;
    const all = rest > 0.001 * whole ? [...phases, { phase: "other", seconds: rest }] : phases;
    let from = 0;
    return all.map(({ phase, seconds }) => {
      const row = {
        group: group.label,
        method,
        phase,
        seconds,
        share: seconds / whole,
        from: from / whole,
        to: (from + seconds) / whole,
      };
      from += seconds;
      return row;
    });
  });
}

/**
 * A sentence about the intervals of this group.
 * @param {Group} group
 */
export function intervalSentence(group) {
  const stats = group.stats;
  if (!stats) return "";
  const drawn =
    group.resampling === "run_cluster"
      ? "One run trains all tasks, so whole runs are drawn (run-cluster bootstrap)"
      : "Runs are drawn for each task separately (stratified bootstrap)";
  const cover = stats.comparisons
    .map((one) => trusted(one, group).gain?.true_coverage)
    .find((value) => value !== null && value !== undefined);
  const nominal = percent(stats.bootstrap.confidence);
  const honest =
    cover === undefined
      ? ""
      : ` With few seeds they are too narrow: a nominal ${nominal} interval contains the true value` +
        ` about ${percent(cover)} of the time${stats.bootstrap.correct_small_sample ? ", before the requested correction" : ""}.`;
  return `${drawn}, ${stats.bootstrap.reps.toLocaleString("en")} times; intervals contain the middle ${nominal}.${honest}`;
}
