// layout.test.js - label placement, legend flow and the stand-alone SVG file.

import assert from "node:assert/strict";
import { test } from "node:test";
import { nearestStop } from "../src/ui/chart.js";
import { leaderEnd, overlap, placeLabels } from "../src/ui/labels.js";
import { flowLegend, svgFile } from "../src/ui/svg_file.js";

const frame = { x: 0, y: 0, width: 400, height: 300 };
const entry = (label) => ({ id: label, label, colour: "var(--sampler-ere)", dash: "7 4" });

test("labels of crowded points do not overlap, leave the frame or cover the curve", () => {
  const points = Array.from({ length: 8 }, (_, i) => ({
    x: 200 + 9 * (i % 3),
    y: 140 + 8 * i,
    width: 70,
    height: 14,
  }));
  const curve = Array.from({ length: 60 }, (_, i) => ({
    x: 5 * i,
    y: 120 + i,
    width: 6,
    height: 6,
  }));
  const boxes = placeLabels(points, curve, frame);
  assert.equal(boxes.length, points.length);
  boxes.forEach((box, i) => {
    assert.ok(
      Math.abs(overlap(box, frame) - box.width * box.height) < 1e-9,
      `label ${i} leaves the frame`,
    );
    for (const piece of curve) assert.equal(overlap(box, piece), 0, `label ${i} covers the curve`);
    boxes
      .slice(i + 1)
      .forEach((other, j) => assert.equal(overlap(box, other), 0, `labels ${i} and ${i + 1 + j}`));
  });
  assert.deepEqual(placeLabels(points, curve, frame), boxes);
});

test("single label is right of its point; at the right edge, left of it", () => {
  const [free] = placeLabels([{ x: 100, y: 100, width: 50, height: 14 }], [], frame);
  assert.ok(free.x > 100);
  assert.equal(leaderEnd({ x: 100, y: 100 }, free), null);
  const [edge] = placeLabels([{ x: 395, y: 100, width: 50, height: 14 }], [], frame);
  assert.ok(edge.x + edge.width < 395);
  assert.deepEqual(placeLabels([], [], frame), []);
});

test("nearestStop inside, at and beyond the ends", () => {
  const stops = [0, 0.25, 0.5, 1];
  assert.deepEqual(
    [-1, 0.1, 0.13, 0.3, 0.76, 2].map((x) => nearestStop(stops, x)),
    [0, 0, 1, 1, 3, 3],
  );
  assert.equal(nearestStop([0.5], 9), 0);
});

test("legend entries wrap at the width and keep their order", () => {
  const { places, height } = flowLegend(["one", "two", "a much longer label"].map(entry), 120);
  assert.deepEqual(
    places.map((place) => place.y),
    [0, 20, 40],
  );
  assert.equal(height, 60);
  assert.deepEqual(flowLegend([], 100), { places: [], height: 0 });
});

test("SVG file escapes text and has no CSS variable", () => {
  const file = svgFile({
    title: "a < b & c",
    subtitle: '"x"',
    body: '<svg stroke="var(--ink)"/>',
    width: 300,
    height: 200,
    legend: [entry("<i>")],
  });
  assert.ok(
    file.includes("a &lt; b &amp; c") && file.includes("&lt;i&gt;") && !file.includes("<i>"),
  );
  assert.ok(!file.includes("var("));
  assert.match(file, /^<\?xml/);
});
