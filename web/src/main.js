// main.js - start here: read the data element, check it, draw the page of its kind or say what is
// wrong.

import { load } from "./load.js";
import { pages } from "./pages/index.js";
import { framed, messagePage } from "./ui/frame.js";

function content() {
  const { data, message } = load(document.getElementById("mneme-data")?.textContent ?? null, pages);
  if (message) return messagePage(message);
  try {
    return framed(data, pages[data.kind].render(data));
  } catch (error) {
    return messagePage({
      heading: "This page could not be drawn",
      explanation:
        "The data passed its checks, but drawing it failed. This is a fault of the page; " +
        "please report it with the line below.",
      details: [error instanceof Error ? (error.stack ?? error.message) : String(error)],
    });
  }
}

document.getElementById("page")?.replaceChildren(...content());
