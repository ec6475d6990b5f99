// ui/frame.js - masthead, title and footer of every page, and the page with a message instead of plots.

import { el } from "./dom.js";

/** @param {import("../types.js").PageData} data @param {HTMLElement[]} content */
export function framed(data, content) {
  document.title = `${data.title} · mneme`;
  return [
    el(
      "header",
      { class: "masthead" },
      el("p", { class: "brand" }, "mneme"),
      el("h1", {}, data.title),
    ),
    ...content,
    el(
      "footer",
      {},
      el("p", {}, "Made by mneme ", data.version, " with"),
      el("pre", {}, el("code", {}, data.command)),
    ),
  ];
}

/** @param {import("../load.js").Message} message */
export function messagePage({ heading, explanation, details }) {
  document.title = `${heading} · mneme`;
  return [
    el(
      "header",
      { class: "masthead" },
      el("p", { class: "brand" }, "mneme"),
      el("h1", {}, heading),
    ),
    el(
      "section",
      { class: "message", role: "alert" },
      el("p", {}, explanation),
      details.length > 0 &&
        el("ul", {}, ...details.map((line) => el("li", {}, el("code", {}, line)))),
    ),
  ];
}
