// engine.js - what is to be computed, in order of importance, one call at a time; answers are kept.
//
// A new plan replaces the old one: of a slider's many positions only the last is computed to the end.

import { loadCore } from "./core.js";

/** @typedef {{key: string, name: string, args: (string | number)[]}} Job */
/** @typedef {(name: string, args: (string | number)[]) => Promise<any>} Call */

const MOST_ANSWERS = 4000;

/** @param {string} name @param {(string | number)[]} args @returns {Job} */
export function job(name, args) {
  return { key: JSON.stringify([name, ...args]), name, args };
}

export class Engine {
  /** @type {Map<string, any>} */
  #answers = new Map();
  /** @type {Job[]} */
  #waiting = [];
  #busy = false;

  /** @param {Call} call @param {() => void} changed called after every answer */
  constructor(call, changed) {
    this.call = call;
    this.changed = changed;
  }

  /** The answer to a job, if it has been computed. @param {Job} wanted */
  answer(wanted) {
    return this.#answers.get(wanted.key);
  }

  /** Whether everything that was asked for is there. */
  idle() {
    return !this.#busy && this.#waiting.length === 0;
  }

  /** Replaces what is waiting by the jobs of this list that have no answer yet. @param {Job[]} jobs */
  plan(jobs) {
    this.#waiting = jobs.filter((one) => !this.#answers.has(one.key));
    this.#next();
  }

  async #next() {
    if (this.#busy) return;
    this.#busy = true;
    for (let one = this.#waiting.shift(); one; one = this.#waiting.shift()) {
      const answer = await this.call(one.name, one.args);
      this.#answers.set(one.key, answer);
      if (this.#answers.size > MOST_ANSWERS)
        this.#answers.delete(/** @type {string} */ (this.#answers.keys().next().value));
      this.changed();
    }
    this.#busy = false;
    this.changed();
  }
}

/**
 * The core in a worker, or in the page itself where workers cannot be started from a file.
 * @param {Uint8Array<ArrayBuffer>} bytes @param {string} workerText
 * @returns {Promise<Call>}
 */
export async function connect(bytes, workerText) {
  try {
    const url = URL.createObjectURL(new Blob([workerText], { type: "text/javascript" }));
    const worker = new Worker(url);
    await new Promise((resolve, reject) => {
      worker.onmessage = resolve;
      worker.onerror = () => reject(new Error("no worker"));
      worker.postMessage({ bytes });
      worker.postMessage({ id: 0, name: "samplers", args: [] });
    });
    /** @type {Map<number, (answer: any) => void>} */
    const open = new Map();
    let last = 0;
    worker.onmessage = ({ data }) => {
      open.get(data.id)?.(data.answer);
      open.delete(data.id);
    };
    return (name, args) =>
      new Promise((resolve) => {
        open.set(++last, resolve);
        worker.postMessage({ id: last, name, args });
      });
  } catch {
    const core = await loadCore(bytes);
    return async (name, args) => {
      await new Promise((resolve) => setTimeout(resolve)); // lets the page draw between two calls
      return core.call(name, args);
    };
  }
}
