// cards.js - the controls: fields of the setting, one card per sampler with a slider per parameter from the registry.
//
// Elements are made once per sampler and family, and then only updated: a redraw never takes the focus away.

import { samplerName } from "../src/format.js";
import { el } from "../src/ui/dom.js";
import { copyButton } from "./copy.js";
import { rounded, scaleOf } from "./slider.js";
import { commandLine, python } from "./snippets.js";
import { defaultText, formatSpec, numberText, parseSpec, valueOf, withValue } from "./spec.js";
import { FIELDS, LETTERS, complaint, parseQuantity } from "./state.js";
import { badge } from "./view.js";

/** @typedef {import("./spec.js").Param} Param */
/** @typedef {import("./spec.js").Registry} Registry */
/** @typedef {import("./state.js").State} State */

const SLIDER_STEPS = 400;
const SHOWN_NUMBERS = 2; // sliders of a sampler outside of "more"

let ids = 0;

/** A number as a field shows it: 1000000 as 1M where that is shorter and the same. @param {number} value */
function fieldText(value) {
  for (const [unit, letter] of /** @type {[number, string][]} */ ([
    [1e6, "M"],
    [1e3, "k"],
  ])) {
    const scaled = value / unit;
    if (scaled >= 1 && Number(scaled.toPrecision(4)) === scaled)
      return `${numberText(scaled)}${letter}`;
  }
  return numberText(value);
}

/** The fields of the setting. @param {() => State} current @param {(change: Partial<State>) => void} change */
export function settingFields(current, change) {
  const fields = FIELDS.map((field) => {
    const id = `field-${field.key}`;
    const input = el("input", {
      id,
      type: "text",
      inputmode: "decimal",
      autocomplete: "off",
      spellcheck: "false",
      "aria-describedby": `${id}-help`,
      placeholder: field.key === "stored" ? "full" : null,
    });
    const wrong = el("span", { class: "wrong", role: "status" });
    input.addEventListener("change", () => {
      const text = input.value.trim();
      if (field.key === "stored" && text === "") {
        wrong.textContent = "";
        change({ stored: null });
        return;
      }
      const value = parseQuantity(text);
      let problem = complaint(field.key, value);
      if (!problem && field.key === "stored" && value > current().capacity)
        problem = `Stored must be at most the capacity`;
      wrong.textContent = problem;
      input.setAttribute("aria-invalid", String(problem !== ""));
      if (!problem) change({ [field.key]: value });
    });
    const node = el(
      "div",
      { class: "field" },
      el("label", { for: id }, field.label),
      input,
      el("span", { class: "help", id: `${id}-help` }, field.help),
      wrong,
    );
    const update = () => {
      const value = current()[field.key];
      if (document.activeElement !== input) {
        input.value = value === null ? "" : fieldText(value);
        wrong.textContent = "";
        input.setAttribute("aria-invalid", "false");
      }
    };
    return { node, update };
  });
  return {
    node: el("div", { class: "fields" }, ...fields.map((field) => field.node)),
    update: () => {
      for (const field of fields) field.update();
    },
  };
}

/**
 * One parameter: a slider and a number field, a select, or a text field for a sampler.
 * @param {string} family @param {Param} param @param {() => import("./spec.js").Spec} spec
 * @param {(param: Param, text: string) => void} change
 */
function parameter(family, param, spec, change) {
  const id = `parameter-${++ids}`;
  const value = () => valueOf(spec(), param);
  const help = el("span", { class: "help", id: `${id}-help` }, param.help);
  const label = el("label", { for: id }, param.name);
  const described = { id, "aria-describedby": `${id}-help` };

  if (param.kind === "choice") {
    const select = el(
      "select",
      described,
      ...(param.choices ?? []).map((word) => el("option", { value: word }, word)),
    );
    select.addEventListener("change", () => change(param, select.value));
    return {
      node: el("div", { class: "parameter" }, label, select, help),
      update: () => {
        select.value = value();
      },
    };
  }
  const field = el("input", {
    ...described,
    type: "text",
    autocomplete: "off",
    spellcheck: "false",
  });
  field.addEventListener("change", () => change(param, field.value.trim() || defaultText(param)));
  if (param.kind === "sampler") {
    return {
      node: el("div", { class: "parameter wide" }, label, field, help),
      update: () => {
        if (document.activeElement !== field) field.value = value();
      },
    };
  }
  const scale = scaleOf(family, param);
  const slider = el("input", {
    type: "range",
    min: 0,
    max: SLIDER_STEPS,
    step: 1,
    "aria-label": `${param.name}, slider`,
    "aria-describedby": `${id}-help`,
  });
  slider.addEventListener("input", () => {
    const chosen = rounded(
      Math.max(
        param.lowest ?? -Infinity,
        Math.min(param.highest ?? Infinity, scale.toValue(slider.valueAsNumber / SLIDER_STEPS)),
      ),
      param.kind === "whole",
    );
    field.value = numberText(chosen);
    slider.setAttribute("aria-valuetext", field.value);
    change(param, field.value);
  });
  return {
    node: el("div", { class: "parameter" }, label, field, slider, help),
    update: () => {
      if (document.activeElement !== field) field.value = value();
      slider.setAttribute("aria-valuetext", value());
      if (document.activeElement !== slider)
        slider.value = String(Math.round(SLIDER_STEPS * scale.toPosition(Number(value()))));
    },
  };
}

/**
 * @param {number} place of the sampler, from 0 @param {Registry} registry @param {() => State} current
 * @param {{change: (place: number, spec: string) => void, remove: (place: number) => void,
 *          match: (place: number) => void, say: (message: string) => void}} actions
 */
export function samplerCard(place, registry, current, actions) {
  const letter = LETTERS[place];
  const text = () => current().samplers[place] ?? "uniform";
  const mark = el("span", {});
  const select = el(
    "select",
    { "aria-label": `Family of sampler ${letter}` },
    ...registry.samplers.map(({ name }) => el("option", { value: name }, samplerName(name))),
  );
  select.addEventListener("change", () => actions.change(place, select.value));
  const remove = el(
    "button",
    { type: "button", class: "small", "aria-label": `Remove sampler ${letter}` },
    "Remove",
  );
  remove.addEventListener("click", () => actions.remove(place));
  const match = el(
    "button",
    {
      type: "button",
      class: "small",
      "aria-label": `Give sampler ${letter} the expected recency of sampler A`,
    },
    "Match recency of A",
  );
  match.addEventListener("click", () => actions.match(place));
  const summary = el("p", { class: "help" });
  const parameters = el("div", { class: "parameters" });
  const wrong = el("p", { class: "wrong", role: "status" });
  const copy = el(
    "div",
    { class: "copy", role: "group", "aria-label": `Copy sampler ${letter}` },
    el("span", { class: "help" }, "Copy"),
    copyButton("spec", `Copy sampler ${letter} as a spec`, text, actions.say),
    copyButton(
      "Python",
      `Copy sampler ${letter} as Python`,
      () => python(current(), text()),
      actions.say,
    ),
    copyButton(
      "CLI",
      `Copy sampler ${letter} as a command`,
      () => commandLine(current(), text()),
      actions.say,
    ),
  );
  const node = el(
    "div",
    { class: "card", role: "group", "aria-label": `Sampler ${letter}` },
    el("div", { class: "head" }, mark, select, remove),
    summary,
    parameters,
    wrong,
    el("div", { class: "row" }, place > 0 ? match : null, copy),
  );

  let family = "";
  /** @type {{update: () => void}[]} */
  let shown = [];
  function rebuild(/** @type {string} */ name) {
    family = name;
    const info = registry.samplers.find((one) => one.name === name);
    const spec = () => parseSpec(text());
    const change = (/** @type {Param} */ param, /** @type {string} */ value) =>
      actions.change(place, formatSpec(withValue(spec(), param, value)));
    summary.textContent = info?.summary ?? "";
    const own = info?.parameters ?? [];
    const names = new Set(own.map((param) => param.name));
    const all = [...own, ...registry.common_parameters.filter((param) => !names.has(param.name))];
    const numbers = own.filter((param) => param.kind === "number" || param.kind === "whole");
    const first = new Set([
      ...numbers.slice(0, SHOWN_NUMBERS),
      ...own.filter((param) => param.kind === "sampler"),
    ]);
    const made = all.map((param) => ({ param, ...parameter(name, param, spec, change) }));
    const more = made.filter(({ param }) => !first.has(param));
    parameters.replaceChildren(
      ...made.filter(({ param }) => first.has(param)).map((one) => one.node),
      el("details", {}, el("summary", {}, "More parameters"), ...more.map((one) => one.node)),
    );
    shown = made;
  }

  /** @param {import("../src/types.js").LineStyle} style @param {string} problem */
  function update(style, problem) {
    const { name } = parseSpec(text());
    if (name !== family) rebuild(name);
    select.value = name;
    mark.replaceChildren(badge(letter, style.colour));
    for (const one of shown) one.update();
    wrong.textContent = problem;
    remove.disabled = current().samplers.length === 1;
  }
  return { node, update };
}
