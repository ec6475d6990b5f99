// pages/frontier/page.js - the frontier page: plot with read-out, explanation, tables.

import { toCsv } from "../../csv.js";
import { count, fixed, pointLabels } from "../../format.js";
import { samplerColour } from "../../palette.js";
import { chart, nearestStop } from "../../ui/chart.js";
import { el } from "../../ui/dom.js";
import { downloadButton } from "../../ui/download.js";
import { figure } from "../../ui/figure.js";
import { dot, legend, samplerCell } from "../../ui/legend.js";
import { choice } from "../../ui/switch.js";
import { table } from "../../ui/table.js";
import {
  CURVES,
  ROW_COLUMNS,
  orderSentence,
  perplexityText,
  pointColumns,
  pointTitle,
  settingsText,
} from "./model.js";
import { drawFrontier } from "./plot.js";

/** @typedef {import("../../types.js").FrontierData} Data */

const REACH = 16; // pixels from a marker at which the pointer picks it

/** @param {Data} data */
function howToRead(data) {
  return el(
    "section",
    { class: "prose" },
    el("h2", {}, "How to read this"),
    el(
      "p",
      {},
      "Two numbers summarize how a sampler spreads its draws over the buffer. ",
      el("dfn", {}, "Expected recency"),
      " is the mean position of a draw: 0 is the oldest transition, 1 the newest, uniform ",
      "sampling has one half. ",
      el("dfn", {}, "Sampling entropy"),
      " measures how widely the draws spread; its exponential, the perplexity, is the number of ",
      "transitions that a uniform draw of the same entropy would cover.",
    ),
    el(
      "p",
      {},
      "The truncated geometric curve is the frontier: no distribution with the same expected ",
      "recency has a higher entropy. A sampler below the curve has less diversity at the same ",
      "recency. Below one half the maximum is the mirror image of the curve.",
    ),
    el(
      "p",
      {},
      "ERE has two entropies. Every mini-batch is uniform over one window, and the window ",
      "shrinks during a cycle. The solid curve is the entropy of the mixture over a whole ",
      "cycle; the dashed curve is the mean entropy of the single windows, that of one ",
      "mini-batch. The order of ERE and FIFO depends on which of the two is used. ",
      orderSentence(data.rows),
      " Hollow markers show the conditional entropy of a sampler where it differs.",
    ),
  );
}

/** The plot with everything that reacts to it. @param {Data} data */
function frontierFigure(data) {
  const rows = [...data.rows].sort((a, b) => a.expected_recency - b.expected_recency);
  const sorted = { ...data, rows };
  const stops = rows.map((row) => row.expected_recency);
  const names = pointLabels(data.points, "long");
  const rowAt = (/** @type {number} */ stop) => rows[nearestStop(stops, stop)];

  // the range switch appears only when some sampler lies in the older half
  let half = false;
  const range = choice(
    "Recency",
    [
      { value: "all", label: "All" },
      { value: "half", label: "0.5 to 1" },
    ],
    (value) => {
      half = value === "half";
      drawing.redraw();
    },
  );
  const wide = data.points.some((point) => point.expected_recency < 0.5 - 1e-6);

  const picked = el(
    "p",
    { class: "picked", "aria-live": "polite" },
    "Point at a marker to read its values.",
  );
  const key = legend(CURVES, "Entropy, nats", () => drawing.redraw());
  const shown = () => CURVES.filter((curve) => !key.hidden.has(curve.id));

  const drawing = chart({
    label: "Expected recency",
    stops,
    start: nearestStop(stops, 0.857),
    draw: (width) => drawFrontier(sorted, { hidden: key.hidden, half, width }),
    dots: (stop) =>
      shown().map((curve) => ({ y: curve.value(rowAt(stop)) ?? NaN, colour: curve.colour })),
    describe: (stop) => {
      const row = rowAt(stop);
      const values = shown().map((curve) => `${curve.label} ${fixed(curve.value(row), 4)} nats`);
      return `Expected recency ${fixed(stop, 4)}. ${values.join(". ")}.`;
    },
    moved: (stop) => {
      const row = rowAt(stop);
      key.show(
        `Expected recency ${fixed(stop, 4)}`,
        new Map(
          CURVES.map((curve) => {
            const value = curve.value(row);
            const cover = value === null ? "" : perplexityText(value, data.capacity);
            return [
              curve.id,
              {
                value: fixed(value, 4),
                note: [curve.parameter(row), cover].filter(Boolean).join(" · "),
              },
            ];
          }),
        ),
      );
    },
    pointed: (px, py, plot) => {
      const [x, y] = ["x", "y"].map(
        (name) => /** @type {any} */ (plot.scale(/** @type {any} */ (name))),
      );
      const distances = data.points.map((point) =>
        Math.min(
          ...[point.sampling_entropy, point.conditional_entropy].map((entropy) =>
            Math.hypot(x.apply(point.expected_recency) - px, y.apply(entropy) - py),
          ),
        ),
      );
      const nearest = distances.indexOf(Math.min(...distances));
      if (nearest < 0 || distances[nearest] > REACH) return;
      const point = data.points[nearest];
      const both = point.conditional_entropy !== point.sampling_entropy;
      picked.replaceChildren(
        el("strong", {}, pointTitle(names[nearest], point.sampler)),
        `: expected recency ${fixed(point.expected_recency, 4)}, `,
        `sampling entropy ${fixed(point.sampling_entropy, 4)} nats, `,
        both ? `conditional entropy ${fixed(point.conditional_entropy, 4)} nats, ` : "",
        `${perplexityText(point.sampling_entropy, data.capacity)}.`,
      );
    },
  });

  return figure({
    id: "frontier",
    title: "Entropy against expected recency",
    subtitle: `Full buffer of ${count(data.capacity)} transitions. ERE: ${settingsText(data.settings)}.`,
    controls: wide ? [range] : [],
    chart: drawing,
    side: [key.node, picked],
    legend: shown,
    csv: () => toCsv(ROW_COLUMNS, rows),
  });
}

/** @param {Data} data */
export function render(data) {
  const columns = pointColumns(data.capacity);
  const labels = new Map(
    pointLabels(data.points, "long").map((label, i) => [data.points[i].sampler, label]),
  );
  const withNames = columns.map((column) =>
    column.key !== "sampler"
      ? column
      : {
          ...column,
          show: (/** @type {string} */ spec) =>
            samplerCell(labels.get(spec) ?? spec, spec, dot(samplerColour(spec.split(":")[0]))),
        },
  );
  return [
    frontierFigure(data),
    howToRead(data),
    el(
      "section",
      { class: "data" },
      el(
        "header",
        {},
        el("h2", {}, "Named samplers"),
        el(
          "div",
          { class: "downloads" },
          downloadButton("CSV", "samplers.csv", "text/csv", () => toCsv(columns, data.points)),
        ),
      ),
      table("Recency and entropy of each named sampler", withNames, data.points),
    ),
    el(
      "section",
      { class: "data" },
      el(
        "header",
        {},
        el("h2", {}, "The curves in numbers"),
        el(
          "div",
          { class: "downloads" },
          downloadButton("CSV", "frontier.csv", "text/csv", () => toCsv(ROW_COLUMNS, data.rows)),
        ),
      ),
      table(
        "Parameter and entropy of each family at a given expected recency",
        ROW_COLUMNS,
        data.rows,
      ),
    ),
  ];
}
