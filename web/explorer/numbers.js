// numbers.js - the table of exact numbers, one column per sampler. Every cell has all digits in its data element.

import { count, fixed, percent, significant } from "../src/format.js";
import { plainNumber } from "./plain.js";
import { el } from "../src/ui/dom.js";
import { inspectJob } from "./jobs.js";
import { LETTERS } from "./state.js";
import { badge } from "./view.js";

/**
 * @typedef {{key: string, head: string, note: string, value: (answer: any) => number | null, show: (value: number | null) => string}} Row
 *   key: the path of the number in `mneme inspect --json`
 */

/** @param {string} key @param {string} head @param {string} note @param {Row["show"]} show @returns {Row} */
function plain(key, head, note, show) {
  return { key, head, note, value: (answer) => answer[key], show };
}

const nats = (/** @type {number | null} */ value) => fixed(value, 4);
const steps = (/** @type {number | null} */ value) => plainNumber(value, 5);

/** @type {Row[]} */
export const ROWS = [
  plain("expected_recency", "Expected recency", "0 oldest, ½ uniform, 1 newest", (v) =>
    fixed(v, 5),
  ),
  plain("reference_recency", "Reference recency", "against the capacity", (v) => fixed(v, 5)),
  plain("sampling_entropy", "Sampling entropy", "nats, over the sampler’s cycle", nats),
  plain("conditional_entropy", "Conditional entropy", "nats, within one batch", nats),
  plain("perplexity", "Perplexity", "like drawing uniformly from this many", count),
  plain("collision_entropy", "Collision entropy", "nats", nats),
  plain("newest_probability", "Newest probability", "of the newest transition", significant),
  plain("oldest_probability", "Oldest probability", "of the oldest transition", significant),
  ...[0, 1, 2, 3].map((k) => ({
    key: `newest_mass.${k}.mass`,
    head: `Draws from the newest ${[1, 10, 25, 50][k]} %`,
    note: "",
    value: (/** @type {any} */ answer) => answer.newest_mass[k].mass,
    show: percent,
  })),
  ...[0, 1, 2, 3, 4, 5].map((k) => ({
    key: `expected_replays.${k}.replays_per_step`,
    head: `Replays per step at recency ${[0, 0.25, 0.5, 0.75, 0.9, 1][k]}`,
    note: "",
    value: (/** @type {any} */ answer) => answer.expected_replays[k].replays_per_step,
    show: significant,
  })),
  plain("replay_volume", "Replay volume", "draws per stored transition", plainNumber),
  plain("updates_per_transition", "Updates per transition", "", plainNumber),
  plain("first_replay_median", "First replay, median", "steps, in a full buffer", steps),
  plain("first_replay_mean", "First replay, mean", "steps, in a full buffer", steps),
  plain("never_replayed_probability", "Never replayed", "share of transitions", significant),
];

/**
 * @param {import("./state.js").State} state @param {import("./pictures.js").Answers} answers
 * @param {import("../src/types.js").LineStyle[]} styles
 */
export function numbersTable(state, answers, styles) {
  const columns = state.samplers.map((spec) => answers(inspectJob(state, spec)));
  const cell = (/** @type {Row} */ row, /** @type {any} */ answer) => {
    if (!answer) return el("td", {}, "…");
    if (answer.error) return el("td", {}, "–");
    const value = row.value(answer);
    return el(
      "td",
      {},
      value === null
        ? "–"
        : el("data", { value: String(value), "data-key": row.key }, row.show(value)),
    );
  };
  return el(
    "table",
    {},
    el("caption", {}, "Exact numbers of every sampler, as mneme inspect prints them"),
    el(
      "thead",
      {},
      el(
        "tr",
        {},
        el("th", { scope: "col", class: "text" }, "Quantity"),
        ...state.samplers.map((spec, i) =>
          el(
            "th",
            { scope: "col" },
            badge(LETTERS[i], styles[i].colour),
            el("span", { class: "hidden" }, `${LETTERS[i]} `),
            el("code", {}, spec),
          ),
        ),
      ),
    ),
    el(
      "tbody",
      {},
      ...ROWS.map((row) =>
        el(
          "tr",
          {},
          el(
            "th",
            { scope: "row", class: "text" },
            row.head,
            row.note ? el("span", { class: "note" }, row.note) : null,
          ),
          ...columns.map((answer) => cell(row, answer)),
        ),
      ),
    ),
  );
}

/** The same as rows of a CSV file, all digits. @param {import("./state.js").State} state @param {import("./pictures.js").Answers} answers */
export function numbersCsv(state, answers) {
  const columns = state.samplers.map((spec) => answers(inspectJob(state, spec)));
  return {
    columns: [
      { key: "quantity", head: "quantity", value: (/** @type {Row} */ row) => row.key },
      ...state.samplers.map((spec, i) => ({
        key: spec,
        head: spec,
        value: (/** @type {Row} */ row) =>
          columns[i] && !columns[i].error ? row.value(columns[i]) : null,
      })),
    ],
    rows: ROWS,
  };
}
