// pages/frontier/plot.js - the frontier: entropy against expected recency, with the share of the
// capacity as a second axis and the named samplers as labeled points.

import * as Plot from "@observablehq/plot";
import { plainTick, pointLabels } from "../../format.js";
import { samplerColour } from "../../palette.js";
import { svg } from "../../ui/dom.js";
import { leaderEnd, placeLabels } from "../../ui/labels.js";
import { textWidth } from "../../ui/svg_file.js";
import { CURVES, shareTicks } from "./model.js";

/** @typedef {import("../../types.js").FrontierData} Data */
/** @typedef {import("../../types.js").Box} Box */

const NARROW = 560; // below this width: short names, fewer ticks

/**
 * Smallest and largest of a list, widened by a share of their distance.
 * @param {number[]} values
 * @param {number} pad
 * @returns {[number, number]}
 */
function extent(values, pad) {
  const low = Math.min(...values);
  const high = Math.max(...values);
  const room = (high - low || 1) * pad;
  return [low - room, high + room];
}

/** The part of the maximum below one half: the same curve, mirrored. @param {Data} data */
function mirrored(data) {
  const lowest = Math.min(...data.points.map((point) => point.expected_recency), Infinity);
  if (lowest >= 0.5) return [];
  return data.rows
    .filter((row) => row.expected_recency >= 0.5 && 1 - row.expected_recency >= lowest - 0.02)
    .map((row) => ({ x: 1 - row.expected_recency, y: row.truncated_geometric.sampling_entropy }));
}

/**
 * Writes the names of the points where they cover nothing, with a thin line where they stand apart.
 */
function nameThePoints(
  /** @type {any} */ plot,
  /** @type {Data} */ data,
  /** @type {{x: number, y: number}[][]} */ lines,
  /** @type {number} */ width,
) {
  const x = plot.scale("x");
  const y = plot.scale("y");
  const size = width < NARROW ? 11 : 12.5;

  // curves as small boxes, a few pixels apart
  /** @type {Box[]} */
  const curves = lines.flatMap((line) =>
    line.slice(1).flatMap((end, i) => {
      const [x0, y0, x1, y1] = [
        x.apply(line[i].x),
        y.apply(line[i].y),
        x.apply(end.x),
        y.apply(end.y),
      ];
      const pieces = Math.max(1, Math.ceil(Math.hypot(x1 - x0, y1 - y0) / 4));
      return Array.from({ length: pieces }, (_, k) => {
        const t = (k + 0.5) / pieces;
        return { x: x0 + t * (x1 - x0) - 3, y: y0 + t * (y1 - y0) - 3, width: 6, height: 6 };
      });
    }),
  );
  const labels = pointLabels(data.points, width < NARROW ? "short" : "long");
  const points = data.points.map((point, i) => ({
    x: x.apply(point.expected_recency),
    y: y.apply(point.sampling_entropy),
    width: textWidth(labels[i], size),
    height: size + 3,
  }));
  const hollow = data.points
    .filter((point) => point.conditional_entropy !== point.sampling_entropy)
    .map((point) => ({
      x: x.apply(point.expected_recency) - 5,
      y: y.apply(point.conditional_entropy) - 5,
      width: 10,
      height: 10,
    }));
  const [left, right] = x.range;
  const [bottom, top] = y.range;
  const frame = { x: left + 2, y: top, width: right - left - 4, height: bottom - top - 2 };

  const names = placeLabels(points, [...curves, ...hollow], frame).flatMap((box, i) => {
    const point = points[i];
    const middle = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
    const name = svg(
      "text",
      {
        x: middle.x,
        y: middle.y,
        "text-anchor": "middle",
        "dominant-baseline": "central",
        "font-size": size,
        fill: "currentColor",
        stroke: "var(--paper)",
        "stroke-width": 3,
        "paint-order": "stroke",
        "stroke-linejoin": "round",
      },
      labels[i],
    );
    const near = leaderEnd(point, box);
    if (!near) return [name];
    const gap = Math.hypot(near.x - point.x, near.y - point.y);
    const leader = svg("line", {
      x1: point.x + ((near.x - point.x) * 6) / gap,
      y1: point.y + ((near.y - point.y) * 6) / gap,
      x2: near.x,
      y2: near.y,
      stroke: "var(--muted)",
      "stroke-width": 0.8,
    });
    return [leader, name];
  });
  plot.append(svg("g", { class: "names" }, ...names));
}

/**
 * The data from one half on: rows and points of the older half left out.
 * @param {Data} data
 * @returns {Data}
 */
function recentHalf(data) {
  const recent = (/** @type {{expected_recency: number}} */ entry) =>
    entry.expected_recency >= 0.5 - 1e-6;
  return { ...data, rows: data.rows.filter(recent), points: data.points.filter(recent) };
}

/**
 * @param {Data} all @param {{ hidden: Set<string>, half: boolean, width: number }} how
 *   hidden: ids of curves not to draw; half: draw recency 0.5 to 1 only
 */
export function drawFrontier(all, { hidden, half, width }) {
  const data = half ? recentHalf(all) : all;
  const narrow = width < NARROW;
  const shown = CURVES.filter((curve) => !hidden.has(curve.id));
  const lines = shown.map((curve) =>
    data.rows.map((row) => ({ x: row.expected_recency, y: curve.value(row) ?? NaN })),
  );
  const mirror = half || hidden.has("truncated_geometric") ? [] : mirrored(data);

  // The range covers every curve, hidden or not: hiding one must not move the others.
  const entropies = [
    ...data.rows.flatMap((row) => CURVES.map((curve) => curve.value(row))),
    ...data.points.flatMap((point) => [point.sampling_entropy, point.conditional_entropy]),
  ].filter((value) => value !== null);
  const recencies = [...data.rows, ...data.points].map((entry) => entry.expected_recency);
  const yDomain = extent(/** @type {number[]} */ (entropies), 0.05);
  const lowest = Math.min(...recencies);
  const xDomain = [
    half ? 0.5 : lowest < 0.5 ? Math.max(0, lowest - 0.05) : Math.min(0.5, lowest),
    1,
  ];
  const ticks = shareTicks(data.capacity, yDomain);
  const share = new Map(ticks.map((tick) => [tick.entropy, tick.share]));
  const split = data.points.filter((point) => point.conditional_entropy !== point.sampling_entropy);

  const plot = Plot.plot({
    width,
    height: Math.round(narrow ? 0.95 * width : Math.min(560, 0.66 * width)),
    marginLeft: 44,
    marginRight: 50,
    marginTop: 34,
    marginBottom: 46,
    style: {
      fontFamily: "inherit",
      fontSize: narrow ? "11px" : "12.5px",
      background: "none",
      overflow: "visible",
    },
    x: { domain: xDomain },
    y: { domain: yDomain },
    marks: [
      Plot.gridY({ stroke: "var(--rule)", strokeOpacity: 1, ticks: narrow ? 5 : 8 }),
      Plot.axisX({
        label: "Expected recency (0 oldest, 1 newest)",
        labelAnchor: "center",
        labelArrow: "none",
        labelOffset: 40,
        ticks: narrow ? 5 : 10,
        tickFormat: plainTick,
      }),
      Plot.axisY({
        anchor: "left",
        label: "Sampling entropy (nats)",
        labelAnchor: "top",
        labelArrow: "none",
        labelOffset: 40,
        ticks: narrow ? 5 : 8,
        tickFormat: plainTick,
      }),
      Plot.axisY({
        anchor: "right",
        label: narrow ? "Perplexity / capacity" : "Perplexity as a share of the capacity",
        labelAnchor: "top",
        labelArrow: "none",
        labelOffset: 46,
        ticks: ticks.map((tick) => tick.entropy),
        tickFormat: (/** @type {number} */ value) =>
          `${plainTick(100 * (share.get(value) ?? 0))}\u202f%`,
      }),
      Plot.ruleY([yDomain[0]], { stroke: "var(--muted)" }),
      Plot.line(mirror, {
        x: "x",
        y: "y",
        stroke: samplerColour("reverse_truncated_geometric"),
        strokeWidth: 1.4,
        strokeDasharray: "7 4",
      }),
      ...shown.map((curve, i) =>
        Plot.line(lines[i], {
          x: "x",
          y: "y",
          stroke: curve.colour,
          strokeWidth: 2.2,
          strokeDasharray: curve.dash || undefined,
          className: `curve-${curve.id}`,
        }),
      ),
      Plot.link(split, {
        x: "expected_recency",
        y1: "sampling_entropy",
        y2: "conditional_entropy",
        stroke: (point) => samplerColour(point.name),
        strokeWidth: 1,
        strokeDasharray: "1 3",
      }),
      Plot.dot(split, {
        x: "expected_recency",
        y: "conditional_entropy",
        r: 4,
        stroke: (point) => samplerColour(point.name),
        strokeWidth: 1.6,
        fill: "var(--paper)",
      }),
      Plot.dot(data.points, {
        x: "expected_recency",
        y: "sampling_entropy",
        r: 5,
        fill: (point) => samplerColour(point.name),
        stroke: "var(--paper)",
        strokeWidth: 1.5,
      }),
    ],
    color: { type: "identity" },
  });
  nameThePoints(
    plot,
    data,
    [...lines, mirror].map((line) => line.filter((p) => Number.isFinite(p.y))),
    width,
  );
  return plot;
}
