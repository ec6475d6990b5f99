// pictures.js - from answers of the core to the curves, axes and sentences of every plot. Pure functions.

import { count, fixed, percent, shortCount, significant } from "../src/format.js";
import { plainNumber } from "./plain.js";
import { samplerColour } from "../src/palette.js";
import {
  INSERTED,
  delayJob,
  densityJob,
  exposureJob,
  fillingJob,
  frontierJob,
  inspectJob,
} from "./jobs.js";
import { LETTERS, replayVolume, storedNow } from "./state.js";

/** @typedef {import("./state.js").State} State */
/** @typedef {import("./lines.js").Line} Line */
/** @typedef {import("./view.js").Picture} Picture */
/** @typedef {(job: import("./engine.js").Job) => any} Answers undefined: not computed yet */
/** @typedef {import("../src/types.js").LineStyle} LineStyle */

const wholePercent = (/** @type {number} */ share) => `${plainNumber(100 * share)} %`;

/**
 * The curve of every sampler whose answer is there and not an error.
 * @param {State} state @param {Answers} answers @param {LineStyle[]} styles
 * @param {(state: State, spec: string) => import("./engine.js").Job} make
 * @param {(answer: any) => {x: number[], y: (number | null)[]}} read
 */
function curves(state, answers, styles, make, read) {
  return state.samplers.flatMap((spec, i) => {
    const answer = answers(make(state, spec));
    if (!answer || answer.error) return [];
    return [{ letter: LETTERS[i], label: spec, ...styles[i], ...read(answer) }];
  });
}

/** @param {State} state @param {Answers} answers @param {LineStyle[]} styles @returns {Picture} */
export function densityPicture(state, answers, styles) {
  const first = state.ageAxis === "log" ? 1 : 0; // a log axis has no 0: the newest is place 1
  const lines = curves(state, answers, styles, densityJob, (answer) => ({
    x: answer.age.map((/** @type {number} */ age) => age + first),
    y: answer.replays_per_step,
  }));
  const size = storedNow(state);
  const full = size === state.capacity;
  return {
    lines,
    subtitle:
      `Expected draws of one transition per step, at a replay volume of ${plainNumber(replayVolume(state))}, ` +
      (full
        ? `in a full buffer of ${count(size)}.`
        : `with ${count(size)} of ${count(state.capacity)} stored.`),
    x: {
      form: state.ageAxis,
      label: first ? "Place from the newest (1 = newest)" : "Age (0 = newest)",
      domain: [first, Math.max(size - 1 + first, first + 1)],
    },
    y: { form: state.densityAxis, label: "Replays per transition and step" },
    where: (x) =>
      `Age ${count(x - first)}, recency ${fixed(1 - (x - first) / Math.max(size - 1, 1), 4)}`,
    value: (y) => significant(y, 4),
  };
}

/** @param {State} state @param {Answers} answers @param {LineStyle[]} styles @returns {Picture} */
export function frontierPicture(state, answers, styles) {
  const rows = answers(frontierJob(state));
  const known = Array.isArray(rows) ? rows : [];
  const background = (
    /** @type {string} */ key,
    /** @type {string} */ label,
    /** @type {string} */ colour,
    dash = "",
  ) => ({
    letter: "",
    label,
    colour,
    dash,
    x: known.map((row) => row.expected_recency),
    y: known.map((row) => row[key]),
  });
  const top = background(
    "truncated_geometric",
    "truncated geometric (the maximum)",
    samplerColour("truncated_geometric"),
  );
  // Below one half the most is the mirror image.
  const mirrored = {
    ...top,
    x: [...top.x.map((x) => 1 - x).reverse(), ...top.x],
    y: [...[...top.y].reverse(), ...top.y],
  };
  const points = state.samplers.flatMap((spec, i) => {
    const answer = answers(inspectJob(state, spec));
    if (!answer || answer.error) return [];
    const at = { x: answer.expected_recency, colour: styles[i].colour, letter: LETTERS[i] };
    const both = [{ ...at, y: answer.sampling_entropy, hollow: false }];
    const inside = answer.conditional_entropy;
    if (inside !== null && Math.abs(inside - answer.sampling_entropy) > 1e-9)
      both.push({ ...at, y: inside, hollow: true });
    return both;
  });
  const low = Math.min(0.45, ...points.map((point) => point.x - 0.05));
  const entropies = [
    ...mirrored.y.filter((y, i) => mirrored.x[i] >= low),
    ...points.map((p) => p.y),
  ]
    .filter((y) => y !== null && Number.isFinite(y))
    .map(Number);
  const bottom = entropies.length > 0 ? Math.min(...entropies) - 0.3 : 0;
  return {
    lines: [],
    background: [
      mirrored,
      background("ere", "ERE over its cycle", samplerColour("ere")),
      background("ere_conditional", "ERE within a batch", samplerColour("ere"), "7 4"),
      background("uniform_fifo", "uniform FIFO window", samplerColour("uniform_fifo")),
    ],
    points,
    subtitle:
      "Curves: full buffer. Letters: the samplers above as stored now; hollow, the entropy within one batch.",
    x: {
      form: "linear",
      label: "Expected recency (½ = uniform)",
      domain: [Math.max(0, low), 1],
      tick: (value) => fixed(value, 1),
    },
    y: {
      form: "linear",
      label: "Sampling entropy, nats",
      domain: [Math.max(0, bottom), Math.log(state.capacity) + 0.4],
    },
    where: (x) => `Expected recency ${fixed(x, 3)}`,
    value: (y) => (y === null ? "not reachable" : `${fixed(y, 4)} nats`),
  };
}

/** @param {State} state @param {Answers} answers @param {LineStyle[]} styles @returns {Picture} */
export function delayPicture(state, answers, styles) {
  const lines = curves(state, answers, styles, delayJob, (answer) => ({
    x: answer.steps,
    y: answer.unseen,
  }));
  return {
    lines,
    subtitle: "Share of new transitions that no batch has drawn yet, in a full buffer.",
    x: { form: "log", label: "Steps since it was stored", domain: [1, state.capacity] },
    y: { form: "linear", label: "Not drawn yet", domain: [0, 1], tick: wholePercent },
    ruleAt: 0.5,
    where: (x) => `${count(x)} steps after it was stored`,
    value: (y) => (y === null ? "–" : y < 1e-4 ? significant(y, 3) : percent(y)),
  };
}

/** @param {State} state @param {Answers} answers @param {LineStyle[]} styles @returns {Picture} */
export function exposurePicture(state, answers, styles) {
  const lines = state.samplers.flatMap((spec, i) => {
    const found = INSERTED.flatMap((inserted) => {
      const answer = answers(exposureJob(state, spec, inserted));
      return answer && !answer.error ? [answer] : [];
    });
    if (found.length === 0) return [];
    return [
      {
        letter: LETTERS[i],
        label: spec,
        ...styles[i],
        x: found.map((answer) => answer.inserted),
        y: found.map((answer) => answer.exposure),
      },
    ];
  });
  return {
    lines,
    subtitle: `Draws of a transition over its life in a run of ${shortCount(state.steps)} steps, over the replay volume; 1 in a full buffer.`,
    x: {
      form: "linear",
      label: "Inserted at this share of the run",
      domain: [0, 1],
      tick: wholePercent,
    },
    y: { form: "linear", label: "Lifetime draws / replay volume" },
    ruleAt: 1,
    where: (x) => `Inserted at ${percent(x)} of the run, step ${count(x * state.steps)}`,
    value: (y) => (y === null ? "–" : `${significant(y, 4)} × volume`),
  };
}

/** @param {State} state @param {Answers} answers @param {LineStyle[]} styles @returns {Picture} */
export function fillingPicture(state, answers, styles) {
  const odds = state.filling === "odds";
  const lines = curves(state, answers, styles, fillingJob, (answer) => ({
    x: answer.progress.map((/** @type {number} */ share) => share * state.steps),
    y: odds ? answer.log2_odds : answer.expected_recency,
  }));
  /** @type {Picture["y"]} */
  const y = odds
    ? { form: "linear", label: "log₂ odds, newest over oldest" }
    : {
        form: "linear",
        label: "Expected recency",
        domain: [Math.min(0.4, ...lines.flatMap((l) => l.y.map(Number))), 1],
      };
  if (odds) {
    const all = lines
      .flatMap((line) => line.y)
      .filter((v) => v !== null)
      .map(Number);
    y.domain = [Math.min(0, ...all) * 1.04, Math.max(1, ...all) * 1.04];
  }
  const fill = Math.min(1, state.steps / state.capacity);
  return {
    lines,
    subtitle: odds
      ? "How much likelier the newest stored transition is than the oldest, in powers of two. Windows have no such odds."
      : `Of what is stored at that step. The buffer ends ${percent(fill)} full.`,
    x: { form: "linear", label: "Step of the run", domain: [0, state.steps] },
    y,
    where: (x) => `Step ${count(x)}, ${count(Math.min(x, state.capacity))} stored`,
    value: (value) =>
      value === null ? "the oldest is never drawn" : odds ? fixed(value, 3) : fixed(value, 4),
  };
}
