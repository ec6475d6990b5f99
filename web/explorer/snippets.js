// snippets.js - one sampler as a spec, as Python and as a command line. Pure functions.

import { numberText } from "./spec.js";
import { FIELDS, replayVolume } from "./state.js";

/** @typedef {import("./state.js").State} State */

/** @param {string} spec */
function quoted(spec) {
  return /^[\w:=.,-]+$/.test(spec) ? spec : `'${spec}'`;
}

/** The command that prints the numbers of this page for one sampler. @param {State} state @param {string} spec */
export function commandLine(state, spec) {
  const options = FIELDS.filter(({ key }) => state[key] !== null).map(
    ({ key, option }) => `${option} ${numberText(/** @type {number} */ (state[key]))}`,
  );
  return `mneme inspect --sampler ${quoted(spec)} ${options.join(" ")}`;
}

/** @param {State} state @param {string} spec */
export function python(state, spec) {
  const streams = state.streams > 1 ? `, streams=${state.streams}` : "";
  return [
    "import mneme",
    "",
    "buffer = mneme.ReplayBuffer(observation=(17,), action=(6,),",
    `                            capacity=${numberText(state.capacity)}${streams},`,
    `                            sampler="${spec}", seed=0)`,
    `# ${numberText(state.updates)} updates of ${numberText(state.batch)} per step: ` +
      `every transition is drawn ${numberText(Number(replayVolume(state).toPrecision(6)))} times`,
  ].join("\n");
}
