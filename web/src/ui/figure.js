// ui/figure.js - the frame around a plot: heading, controls, plot, read-out, downloads.

import { el } from "./dom.js";
import { downloadButton } from "./download.js";
import { svgFile } from "./svg_file.js";

/** Every figure of the page as a stand-alone SVG file. @type {{id: string, make: () => string}[]} */
export const pictures = [];

/**
 * @param {{ id: string, title: string, subtitle: string, controls: HTMLElement[],
 *           chart: {node: HTMLElement, current: () => (Element | null)}, side: HTMLElement[],
 *           legend: () => import("../types.js").LegendEntry[], csv: () => string }} parts
 *   legend: the curves that are shown, for the SVG file
 */
export function figure({ id, title, subtitle, controls, chart, side, legend, csv }) {
  // the plot as text, without the reading line
  const picture = () => {
    const drawn = chart.current();
    if (!drawn) return "";
    const copy = /** @type {Element} */ (drawn.cloneNode(true));
    copy.querySelector(".reader")?.remove();
    const body = new XMLSerializer().serializeToString(copy);
    const [width, height] = ["width", "height"].map((name) => Number(drawn.getAttribute(name)));
    return svgFile({ title, subtitle, body, width, height, legend: legend() });
  };
  pictures.push({ id, make: picture });
  return el(
    "section",
    { class: "figure", id },
    el(
      "header",
      {},
      el("div", {}, el("h2", {}, title), el("p", {}, subtitle)),
      el(
        "div",
        { class: "controls" },
        ...controls,
        el(
          "div",
          { class: "downloads", role: "group", "aria-label": `Download ${title}` },
          downloadButton("SVG", `${id}.svg`, "image/svg+xml", picture),
          downloadButton("CSV", `${id}.csv`, "text/csv", csv),
        ),
      ),
    ),
    side.length > 0
      ? el("div", { class: "columns" }, chart.node, el("div", { class: "side" }, ...side))
      : chart.node,
  );
}
