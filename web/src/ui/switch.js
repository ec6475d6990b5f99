// ui/switch.js - a choice between a few named options, drawn as joined buttons. Radio inputs,
// so that arrow keys and screen readers work.

import { el } from "./dom.js";

let groups = 0;

/**
 * @param {string} label @param {{value: string, label: string}[]} options the first is chosen
 * @param {(value: string) => void} changed
 */
export function choice(label, options, changed) {
  const name = `choice-${++groups}`;
  return el(
    "fieldset",
    { class: "choice" },
    el("legend", {}, label),
    ...options.map((option, i) =>
      el(
        "label",
        {},
        el("input", {
          type: "radio",
          name,
          value: option.value,
          checked: i === 0,
          onchange: () => changed(option.value),
        }),
        el("span", {}, option.label),
      ),
    ),
  );
}
