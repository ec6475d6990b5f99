// ui/download.js - a button that saves generated text as a file.

import { el } from "./dom.js";

/**
 * @param {string} label @param {string} filename @param {string} type MIME type
 * @param {() => string} make called at the click, so that the file shows what the page shows
 */
export function downloadButton(label, filename, type, make) {
  const save = () => {
    const url = URL.createObjectURL(new Blob([make()], { type: `${type};charset=utf-8` }));
    el("a", { href: url, download: filename }).click();
    setTimeout(() => URL.revokeObjectURL(url), 60_000); // a busy machine takes its time
  };
  return el(
    "button",
    { type: "button", class: "quiet", title: `Save ${filename}`, onclick: save },
    label,
  );
}
