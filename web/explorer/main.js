// main.js - start here: reads the data element and the address, starts the core, draws controls and plots, and keeps
// state, address and page in step.

import { count, significant } from "../src/format.js";
import { toCsv } from "../src/csv.js";
import { lineStyles } from "../src/palette.js";
import { el } from "../src/ui/dom.js";
import { downloadButton } from "../src/ui/download.js";
import { choice } from "../src/ui/switch.js";
import { samplerCard, settingFields } from "./cards.js";
import { copyButton } from "./copy.js";
import { Engine, connect } from "./engine.js";
import { adviseJob, ereSetting, inspectJob, plan } from "./jobs.js";
import { numbersCsv, numbersTable } from "./numbers.js";
import {
  delayPicture,
  densityPicture,
  exposurePicture,
  fillingPicture,
  frontierPicture,
} from "./pictures.js";
import { plainNumber } from "./plain.js";
import { formatSpec, parseSpec } from "./spec.js";
import {
  DEFAULTS,
  FIELDS,
  LETTERS,
  MOST_SAMPLERS,
  complaint,
  fromHash,
  replayVolume,
  toHash,
} from "./state.js";
import { view } from "./view.js";

/** @typedef {import("./state.js").State} State */

const text = (/** @type {string} */ id) => document.getElementById(id)?.textContent ?? "";

/** The state that the tool wrote into the page. @param {any} given */
function initialState(given) {
  /** @type {State} */
  const state = { ...DEFAULTS, samplers: [...DEFAULTS.samplers] };
  for (const { key } of FIELDS) {
    const value = given?.[key];
    if (typeof value === "number" && complaint(key, value) === "") state[key] = value;
  }
  if (Array.isArray(given?.samplers) && given.samplers.length > 0)
    state.samplers = given.samplers.slice(0, MOST_SAMPLERS).map(String);
  return state;
}

/**
 * @param {{kind: string, version: string, command: string, state?: any} | null} data
 * @param {import("./spec.js").Registry} registry @param {import("./engine.js").Call} call
 */
function explorer(data, registry, call) {
  const base = initialState(data?.state);
  let state = fromHash(location.hash, base);
  const engine = new Engine(call, () => schedule());
  const answers = (/** @type {import("./engine.js").Job} */ wanted) => engine.answer(wanted);

  // ---- what can be done ---------------------------------------------------------------------------

  const spoken = el("p", { class: "spoken", role: "status", "aria-live": "polite" });
  const say = (/** @type {string} */ message) => {
    spoken.textContent = message;
  };

  /** @param {Partial<State>} change */
  function set(change) {
    state = { ...state, ...change };
    if (state.stored !== null && state.stored > state.capacity) state.stored = null;
    history.replaceState(null, "", toHash(state));
    engine.plan(plan(state));
    update();
  }

  /** @param {number} place @param {string} spec */
  function setSampler(place, spec) {
    set({ samplers: state.samplers.map((old, i) => (i === place ? spec : old)) });
  }

  /** Gives a sampler the expected recency of A in a full buffer, where its family can have it. @param {number} place */
  async function matchTo(place) {
    const { name } = parseSpec(state.samplers[place]);
    const full = { ...state, stored: null };
    const first = inspectJob(full, state.samplers[0]);
    const reference = answers(first) ?? (await call(first.name, first.args));
    if (reference.error) return say(`Sampler A: ${reference.error}`);
    const recency = reference.expected_recency;
    const found = await call("match", [
      recency,
      state.capacity,
      ...ereSetting(state.samplers[place]),
    ]);
    if (found.error) return say(`${LETTERS[place]}: ${found.error}`);
    const options = found.filter((/** @type {any} */ one) => one.family === name);
    const shape = Number(parseSpec(state.samplers[place]).values.shape ?? 1);
    const distance = (/** @type {any} */ one) =>
      Math.abs(Number(parseSpec(one.sampler).values.shape ?? shape) - shape);
    const reachable = options
      .filter((/** @type {any} */ one) => one.reachable)
      .sort((/** @type {any} */ a, /** @type {any} */ b) => distance(a) - distance(b));
    if (options.length === 0)
      return say(`${LETTERS[place]}: ${name} has no parameter that sets its expected recency`);
    if (reachable.length === 0) return say(`${LETTERS[place]}: ${options[0].reason}`);
    // the solved values over those that are set here
    const solved = parseSpec(reachable[0].sampler);
    const merged = { ...parseSpec(state.samplers[place]).values, ...solved.values };
    const info = registry.samplers.find((one) => one.name === name);
    for (const param of info?.parameters ?? [])
      if (merged[param.name] === String(param.default)) delete merged[param.name];
    setSampler(place, formatSpec({ name, values: merged }));
    say(
      `${LETTERS[place]}: expected recency ${significant(reachable[0].expected_recency, 6)} in a full buffer, ` +
        `as A has ${significant(recency, 6)}`,
    );
    return undefined;
  }

  // ---- the controls -------------------------------------------------------------------------------

  const fields = settingFields(() => state, set);
  const cards = Array.from({ length: MOST_SAMPLERS }, (_, place) =>
    samplerCard(place, registry, () => state, {
      change: setSampler,
      remove: (gone) => set({ samplers: state.samplers.filter((_spec, i) => i !== gone) }),
      match: matchTo,
      say,
    }),
  );
  const addSampler = (/** @type {string} */ spec) => {
    if (state.samplers.length < MOST_SAMPLERS) set({ samplers: [...state.samplers, spec] });
    else setSampler(MOST_SAMPLERS - 1, spec);
  };
  const add = el("button", { type: "button", class: "plain" }, "Add a sampler");
  add.addEventListener("click", () => {
    const used = new Set(state.samplers.map((spec) => parseSpec(spec).name));
    addSampler(
      (registry.samplers.find(({ name }) => !used.has(name)) ?? registry.samplers[0]).name,
    );
  });
  const matchAll = el(
    "button",
    { type: "button", class: "plain" },
    "Match all to the recency of A",
  );
  matchAll.addEventListener("click", async () => {
    for (let place = 1; place < state.samplers.length; ++place) await matchTo(place);
  });
  const derived = el("p", { class: "derived" });
  const controls = el(
    "form",
    { class: "panel", "aria-label": "Setting and samplers" },
    el("h2", {}, "Buffer and run"),
    fields.node,
    derived,
    el("h2", {}, "Samplers"),
    ...cards.map((card) => card.node),
    el("div", { class: "row" }, add, matchAll),
    el(
      "div",
      { class: "row" },
      copyButton(
        "Copy the address of this state",
        "Copy the address of this state",
        () => location.href,
        say,
      ),
    ),
    spoken,
  );
  controls.addEventListener("submit", (event) => event.preventDefault());

  // ---- the plots ----------------------------------------------------------------------------------

  /** @param {string} label @param {[string, string][]} options @param {string} chosen @param {(value: any) => void} changed */
  function axisChoice(label, options, chosen, changed) {
    const node = choice(
      label,
      options.map(([value, name]) => ({ value, label: name })),
      changed,
    );
    const show = (/** @type {string} */ value) => {
      for (const input of node.querySelectorAll("input")) input.checked = input.value === value;
    };
    show(chosen);
    return { node, show };
  }
  /** @type {[string, string][]} */
  const forms = [
    ["linear", "Linear"],
    ["log", "Log"],
  ];
  const ageAxis = axisChoice("Age", forms, state.ageAxis, (ageAxis_) => set({ ageAxis: ageAxis_ }));
  const densityAxis = axisChoice("Replays", forms, state.densityAxis, (form) =>
    set({ densityAxis: form }),
  );
  const filling = axisChoice(
    "Show",
    [
      ["recency", "Recency"],
      ["odds", "Odds"],
    ],
    state.filling,
    (value) => set({ filling: value }),
  );
  const plots = {
    density: view({
      id: "density",
      title: "Density over age",
      label: "Age",
      start: 0,
      ratio: 0.42,
      controls: [ageAxis.node, densityAxis.node],
    }),
    frontier: view({
      id: "frontier",
      title: "Entropy against recency",
      label: "Expected recency",
      start: 0.85,
      ratio: 0.7,
    }),
    delay: view({
      id: "delay",
      title: "Delay to the first replay",
      label: "Steps",
      start: 0.6,
      ratio: 0.7,
    }),
    exposure: view({
      id: "exposure",
      title: "Lifetime exposure",
      label: "Share of the run",
      start: 0.2,
      ratio: 0.7,
    }),
    filling: view({
      id: "filling",
      title: "While the buffer fills",
      label: "Step",
      start: 0.25,
      ratio: 0.7,
      controls: [filling.node],
    }),
  };

  // ---- numbers and advice -------------------------------------------------------------------------

  const table = el("div", {
    class: "table",
    tabindex: 0,
    role: "region",
    "aria-label": "Exact numbers",
  });
  const numbers = el(
    "section",
    { class: "data", id: "numbers" },
    el(
      "header",
      {},
      el(
        "div",
        {},
        el("h2", {}, "Exact numbers"),
        el(
          "p",
          {},
          "Computed here by the same C++ as mneme inspect; the CSV file has every digit.",
        ),
      ),
      el(
        "div",
        { class: "downloads" },
        downloadButton("CSV", "samplers.csv", "text/csv", () => {
          const { columns, rows } = numbersCsv(state, answers);
          return toCsv(columns, rows);
        }),
      ),
    ),
    table,
  );
  const adviceBody = el("div", {});
  const advice = el(
    "section",
    { class: "advice", id: "advice" },
    el("header", {}, el("div", {}, el("h2", {}, "Advice for this run"))),
    adviceBody,
  );

  function updateAdvice() {
    const answer = answers(adviseJob(state));
    if (!answer) return;
    if (answer.error) {
      adviceBody.replaceChildren(el("p", { class: "wrong" }, answer.error));
      return;
    }
    const list = (/** @type {{text: string, evidence: string}[]} */ reasons) =>
      el(
        "ul",
        {},
        ...reasons.map((reason) =>
          el("li", {}, reason.text, " ", el("span", { class: "evidence" }, reason.evidence)),
        ),
      );
    const use = el("button", { type: "button", class: "plain" }, "Show it above");
    use.addEventListener("click", () => addSampler(answer.sampler));
    adviceBody.replaceChildren(
      el("p", { class: "lead" }, "Recommended: ", el("code", {}, answer.sampler), " ", use),
      el("p", {}, `${answer.regime}; ${answer.per_transition}.`),
      el("p", {}, `Most like ${answer.nearest_setting}.`),
      el("h3", {}, "Reasons"),
      list(answer.reasons),
      el("h3", {}, "What to keep in mind"),
      list(answer.cautions),
    );
  }

  // ---- one update ---------------------------------------------------------------------------------

  let drawn = "";
  let advised = "";
  /** @type {Map<string, string>} */
  const last = new Map(); // by plot: what it was last drawn from

  /** Draws a plot if what it shows has changed. @param {keyof typeof plots} name @param {import("./view.js").Picture} picture */
  function show(name, picture) {
    const now = JSON.stringify([
      picture.x,
      picture.y,
      picture.subtitle,
      picture.lines,
      picture.points,
      picture.background,
    ]);
    if (last.get(name) === now) return;
    last.set(name, now);
    plots[name].show(picture);
  }

  function update() {
    const specs = state.samplers.map((spec) => ({ sampler: spec, name: parseSpec(spec).name }));
    // the same spec twice is drawn twice in one style
    const bySpec = lineStyles(specs);
    const styles = state.samplers.map(
      (spec) => bySpec.get(spec) ?? { colour: "currentColor", dash: "" },
    );
    fields.update();
    cards.forEach((card, place) => {
      card.node.hidden = place >= state.samplers.length;
      if (card.node.hidden) return;
      const answer = answers(inspectJob(state, state.samplers[place]));
      card.update(styles[place], answer?.error ?? "");
    });
    add.disabled = state.samplers.length === MOST_SAMPLERS;
    matchAll.disabled = state.samplers.length === 1;
    ageAxis.show(state.ageAxis);
    densityAxis.show(state.densityAxis);
    filling.show(state.filling);
    const perTransition = state.updates / state.streams;
    derived.textContent =
      `Draws per transition (replay volume): ${plainNumber(replayVolume(state))}; ` +
      `updates per transition: ${plainNumber(perTransition)}; ` +
      `the run fills ${plainNumber(100 * Math.min(1, state.steps / state.capacity), 3)} % of ${count(state.capacity)} places.`;

    show("density", densityPicture(state, answers, styles));
    show("frontier", frontierPicture(state, answers, styles));
    show("delay", delayPicture(state, answers, styles));
    show("exposure", exposurePicture(state, answers, styles));
    show("filling", fillingPicture(state, answers, styles));
    const rows = JSON.stringify([
      state.samplers,
      state.samplers.map((spec) => answers(inspectJob(state, spec))),
    ]);
    if (rows !== drawn) {
      drawn = rows;
      table.replaceChildren(numbersTable(state, answers, styles));
    }
    const words = JSON.stringify(answers(adviseJob(state)) ?? null);
    if (words !== advised) {
      advised = words;
      updateAdvice();
    }
    document.documentElement.dataset.state = engine.idle() ? "ready" : "computing";
  }

  let scheduled = false;
  function schedule() {
    if (scheduled) return;
    scheduled = true;
    setTimeout(() => {
      scheduled = false;
      update();
    }, 40);
  }

  addEventListener("hashchange", () => {
    state = fromHash(location.hash, base);
    engine.plan(plan(state));
    update();
  });

  // The part behind the # is the state: jumping must not replace it.
  const jump = el("button", { type: "button", class: "plain" }, "To the plots");
  jump.addEventListener("click", () => {
    plots.density.node.scrollIntoView();
    plots.density.node.querySelector("input")?.focus({ preventScroll: true });
  });

  engine.plan(plan(state));
  const page = [
    el(
      "header",
      { class: "masthead" },
      el("p", { class: "brand" }, "mneme"),
      el("h1", {}, "Sampler explorer"),
      el(
        "p",
        { class: "intro" },
        "What a replay sampler does to the data, computed in this page by the library’s own C++. ",
        "Choose samplers, move their parameters, compare up to four.",
      ),
      el("p", { class: "jump" }, jump),
    ),
    el(
      "div",
      { class: "explorer" },
      controls,
      el(
        "div",
        { class: "results" },
        plots.density.node,
        el(
          "div",
          { class: "pairs" },
          plots.frontier.node,
          plots.delay.node,
          plots.exposure.node,
          plots.filling.node,
        ),
        numbers,
        advice,
      ),
    ),
    el(
      "footer",
      {},
      data === null
        ? el("p", {}, "Write this page as a file with")
        : el("p", {}, `Made by mneme ${data.version} with`),
      el("pre", {}, el("code", {}, data?.command ?? "mneme explore -o explorer.html")),
    ),
  ];
  return { page, update };
}

async function start() {
  const main = /** @type {HTMLElement} */ (document.getElementById("page"));
  try {
    const data = JSON.parse(text("mneme-data"));
    const bytes = Uint8Array.from(atob(text("mneme-core").trim()), (letter) =>
      letter.charCodeAt(0),
    );
    const call = await connect(bytes, text("mneme-worker"));
    const registry = await call("samplers", []);
    const { page, update } = explorer(data, registry, call);
    main.replaceChildren(...page);
    update();
  } catch (error) {
    main.append(
      el(
        "section",
        { class: "message", role: "alert" },
        el(
          "p",
          {},
          "The explorer could not be started in this browser. It needs WebAssembly with exceptions: Chrome 100, Firefox 102, Safari 16 or newer.",
        ),
        el("ul", {}, el("li", {}, el("code", {}, String(error)))),
      ),
    );
  }
}

void start();
