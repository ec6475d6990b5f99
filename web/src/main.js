// main.js - entry point: reads and checks the data element, draws the page of its kind or a message.

import { load } from "./load.js";
import { pages } from "./pages/index.js";
import { pictures } from "./ui/figure.js";
import { framed, messagePage } from "./ui/frame.js";
import { pictureLines } from "./ui/svg_file.js";

function content() {
  const { data, message } = load(document.getElementById("mneme-data")?.textContent ?? null, pages);
  if (message) return messagePage(message);
  try {
    return framed(data, pages[data.kind].render(data));
  } catch (error) {
    return messagePage({
      heading: "This page could not be drawn",
      explanation:
        "The data passed its checks, but drawing it failed. This is a bug of the page; " +
        "please report it with the line below.",
      details: [error instanceof Error ? (error.stack ?? error.message) : String(error)],
    });
  }
}

document.getElementById("page")?.replaceChildren(...content());

// With #pictures in the address the plots are left in the document as text, for `mneme report
// --plots`, which reads them there. Plots are drawn once their width is known: wait for that.
if (location.hash === "#pictures") {
  requestAnimationFrame(() =>
    setTimeout(() => {
      const lines = document.createElement("pre");
      lines.id = "mneme-pictures";
      lines.textContent = pictureLines(pictures);
      document.body.append(lines);
    }, 500),
  );
}
