// jobs.js - what has to be computed for a state, in order of importance. Pure functions.

import { job } from "./engine.js";
import { parseSpec } from "./spec.js";
import { replayVolume, storedNow } from "./state.js";

/** @typedef {import("./state.js").State} State */

const EXPOSURE_POINTS = 24;

/** Shares of the run at which exposure is computed: closer together at the beginning, where it changes quickly. */
export const INSERTED = Array.from(
  { length: EXPOSURE_POINTS },
  (_, k) => Math.round(1e4 * ((k + 0.5) / EXPOSURE_POINTS) ** 1.5) / 1e4,
);

// Coarse first: every fourth point, then the ones between.
const ORDER = [0, 2, 1, 3].flatMap((from) => INSERTED.filter((_, k) => k % 4 === from));

/** @param {State} state @param {string} spec */
export function inspectJob(state, spec) {
  const { capacity, streams, updates, batch } = state;
  return job("inspect", [spec, storedNow(state), capacity, streams, updates, batch, 0, 0]);
}

/** @param {State} state @param {string} spec */
export function densityJob(state, spec) {
  return job("density", [spec, storedNow(state), state.capacity, 0, replayVolume(state), 161]);
}

/** @param {State} state @param {string} spec */
export function delayJob(state, spec) {
  return job("delay", [spec, state.capacity, replayVolume(state), 140]);
}

/** @param {State} state @param {string} spec */
export function fillingJob(state, spec) {
  return job("filling", [spec, state.capacity, state.steps, 80]);
}

/** @param {State} state @param {string} spec @param {number} inserted */
export function exposureJob(state, spec, inserted) {
  return job("exposure", [spec, state.capacity, state.steps, inserted]);
}

/** Cycle, span and minimum of an ERE spec, or of the default. @param {string} spec */
export function ereSetting(spec) {
  const { name, values } = parseSpec(spec);
  const of = (/** @type {string} */ key, /** @type {number} */ fallback) => {
    const value = name === "ere" ? Number(values[key] ?? fallback) : fallback;
    return Number.isFinite(value) ? value : fallback;
  };
  return [of("cycle", 1000), of("span", 1000), of("minimum", 0.005)];
}

/** The frontier with the setting of the first ERE on the page. @param {State} state */
export function frontierJob(state) {
  const ere = state.samplers.find((spec) => parseSpec(spec).name === "ere") ?? "";
  return job("frontier", [state.capacity, ...ereSetting(ere)]);
}

/** @param {State} state */
export function adviseJob({ streams, updates, batch, capacity, steps }) {
  return job("advise", [streams, updates, batch, capacity, steps]);
}

/** @param {State} state */
export function plan(state) {
  const each = (/** @type {(state: State, spec: string) => import("./engine.js").Job} */ make) =>
    state.samplers.map((spec) => make(state, spec));
  return [
    ...each(inspectJob),
    ...each(densityJob),
    adviseJob(state),
    frontierJob(state),
    ...each(delayJob),
    ...each(fillingJob),
    ...ORDER.flatMap((inserted) => each((now, spec) => exposureJob(now, spec, inserted))),
  ];
}
