// copy.js - a button that copies text, and says so to eyes and screen readers.

import { el } from "../src/ui/dom.js";

/** Copies by the clipboard, or by a selection where a page from a file may not use it. @param {string} text */
async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const field = el("textarea", { readonly: true, class: "hidden", "aria-hidden": "true" });
    field.value = text;
    document.body.append(field);
    field.select();
    const done = document.execCommand("copy");
    field.remove();
    return done;
  }
}

/** @param {string} label @param {string} description @param {() => string} text @param {(message: string) => void} say */
export function copyButton(label, description, text, say) {
  const button = el("button", { type: "button", class: "small", "aria-label": description }, label);
  button.addEventListener("click", async () => {
    const copied = text();
    const done = await copyText(copied);
    button.dataset.copied = copied;
    say(done ? `Copied: ${copied}` : `Copy this: ${copied}`);
  });
  return button;
}
