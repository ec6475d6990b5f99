// state.js - everything the explorer shows, and the same as the part of its address behind the #. Pure functions.

/**
 * @typedef {{capacity: number, stored: number | null, streams: number, updates: number, batch: number,
 *   steps: number, samplers: string[], ageAxis: "linear" | "log", densityAxis: "linear" | "log",
 *   filling: "recency" | "odds"}} State
 *   stored null: as many as fit
 */

export const MOST_SAMPLERS = 4;
export const LETTERS = "ABCD";

/** @type {Readonly<State>} */
export const DEFAULTS = {
  capacity: 1_000_000,
  stored: null,
  streams: 1,
  updates: 1,
  batch: 256,
  steps: 2_000_000,
  samplers: ["truncated_geometric:alpha=10", "uniform", "ere"],
  ageAxis: "linear",
  densityAxis: "linear",
  filling: "recency",
};

/** The numbers of a setting: how they are called in the address, on the page and in the tool. */
export const FIELDS = /** @type {const} */ ([
  {
    key: "capacity",
    label: "Capacity",
    help: "places in the buffer, per stream",
    option: "--capacity",
    whole: true,
    least: 2,
  },
  {
    key: "stored",
    label: "Stored",
    help: "transitions stored now; empty: as many as fit",
    option: "--size",
    whole: true,
    least: 1,
  },
  {
    key: "streams",
    label: "Streams",
    help: "parallel environments or tasks, a ring each",
    option: "--streams",
    whole: true,
    least: 1,
  },
  {
    key: "updates",
    label: "Updates per step",
    help: "gradient updates per step of all streams (UTD); 1/8 is allowed",
    option: "--updates-per-step",
    whole: false,
    least: 0,
  },
  {
    key: "batch",
    label: "Batch",
    help: "transitions per update, over all streams",
    option: "--batch",
    whole: true,
    least: 1,
  },
  {
    key: "steps",
    label: "Steps",
    help: "steps of the run, that is transitions per stream",
    option: "--steps",
    whole: true,
    least: 1,
  },
]);

const UNITS = { k: 1e3, M: 1e6, G: 1e9 };

/**
 * A count or ratio as the tool takes it: 1000000, 1e6, 1M, 51.2k, 1,000,000, 1/64. NaN for anything else.
 * @param {string} text
 */
export function parseQuantity(text) {
  const plain = text.trim().replaceAll(",", "");
  const [over, under, ...rest] = plain.split("/");
  if (rest.length > 0) return NaN;
  const number = (/** @type {string} */ part) => {
    const found = /^(\d+\.?\d*(?:e\+?\d+)?|\d*\.\d+(?:e-?\d+)?|\d+e-\d+)([kMG]?)$/i.exec(
      part.trim(),
    );
    if (!found) return NaN;
    const unit = found[2] === "" ? 1 : (UNITS[/** @type {keyof typeof UNITS} */ (found[2])] ?? NaN);
    return Number(found[1]) * unit;
  };
  return under === undefined ? number(over) : number(over) / number(under);
}

/** What is wrong with the value of a field, or "". @param {string} key @param {number} value */
export function complaint(key, value) {
  const field = FIELDS.find((one) => one.key === key);
  if (!field) return "";
  if (!Number.isFinite(value)) return `${field.label} must be a number such as 1M, 51.2k or 1/8`;
  if (field.whole && (!Number.isInteger(value) || value < field.least))
    return `${field.label} must be a whole number of at least ${field.least}`;
  if (!field.whole && value <= 0) return `${field.label} must be above 0`;
  if (value > 2 ** 50) return `${field.label} must be at most 2^50`;
  return "";
}

/** Draws per stored transition over its life. @param {State} state */
export function replayVolume({ updates, batch, streams }) {
  return (updates * batch) / streams;
}

/** Transitions stored now, per stream. @param {State} state */
export function storedNow({ stored, capacity }) {
  return stored === null ? capacity : Math.min(stored, capacity);
}

/** @template T @param {readonly T[]} allowed @param {any} value @param {T} fallback @returns {T} */
function oneOf(allowed, value, fallback) {
  return allowed.includes(value) ? value : fallback;
}

/** The state that an address says, over that of `base`. What cannot be read keeps its value. @param {string} hash @param {State} base */
export function fromHash(hash, base) {
  const given = new URLSearchParams(hash.replace(/^#/, ""));
  /** @type {State} */
  const state = { ...base, samplers: [...base.samplers] };
  for (const { key } of FIELDS) {
    const text = given.get(key);
    if (text === null) continue;
    const value = parseQuantity(text);
    if (key === "stored" && text === "") state.stored = null;
    else if (complaint(key, value) === "") state[key] = value;
  }
  const samplers = given.getAll("sampler").slice(0, MOST_SAMPLERS);
  if (samplers.length > 0) state.samplers = samplers;
  state.ageAxis = oneOf(["linear", "log"], given.get("age"), state.ageAxis);
  state.densityAxis = oneOf(["linear", "log"], given.get("density"), state.densityAxis);
  state.filling = oneOf(["recency", "odds"], given.get("filling"), state.filling);
  return state;
}

/** The whole state as the part of an address behind the #. @param {State} state */
export function toHash(state) {
  const parts = FIELDS.filter(({ key }) => state[key] !== null).map(
    ({ key }) => `${key}=${state[key]}`,
  );
  // readable: of what a spec holds only % & # + and blanks need an escape
  const escaped = (/** @type {string} */ spec) =>
    spec.replace(/[%&#+\s<>"]/g, (letter) => encodeURIComponent(letter));
  parts.push(...state.samplers.map((spec) => `sampler=${escaped(spec)}`));
  parts.push(`age=${state.ageAxis}`, `density=${state.densityAxis}`, `filling=${state.filling}`);
  return `#${parts.join("&")}`;
}
