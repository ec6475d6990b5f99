// densities.test.js - positions, values and ranges of the densities page.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { toCsv } from "../src/csv.js";
import {
  POINT_COLUMNS,
  drawable,
  flatten,
  rangeOf,
  stopsOf,
  valueAt,
} from "../src/pages/densities/model.js";

const data = JSON.parse(readFileSync(new URL("fixtures/densities.json", import.meta.url), "utf8"));
const points = (...pairs) =>
  pairs.map(([recency, replays_per_step]) => ({ recency, replays_per_step }));
const panel = (...series) => ({
  id: "x",
  title: "x",
  replay_volume: 1,
  series: series.map((list) => ({ sampler: "s", name: "s", label: "s", points: list })),
});

test("stops are the sorted union of all positions", () => {
  assert.deepEqual(
    stopsOf(panel(points([0, 1], [1, 1]), points([0, 2], [0.3, 2], [1, 2]))),
    [0, 0.3, 1],
  );
});

test("valueAt: exact at points, newer side of a jump, linear between, null outside", () => {
  const list = points([0.1, 1], [0.5, 2], [0.5, 6], [0.9, 8]);
  assert.equal(valueAt(list, 0.1), 1);
  assert.equal(valueAt(list, 0.5), 6);
  assert.equal(valueAt(list, 0.9), 8);
  assert.ok(Math.abs(valueAt(list, 0.3) - 1.5) < 1e-12);
  assert.equal(valueAt(list, 0.05), null);
  assert.equal(valueAt(list, 0.95), null);
});

test("a linear range starts at zero; a log range is whole decades around the positive values", () => {
  const one = panel(points([0, 0], [0.5, 3e-6], [1, 2e-3]));
  const [low, high] = rangeOf([one], "linear");
  assert.equal(low, 0);
  assert.ok(high > 2e-3 && high < 2.2e-3);
  const [bottom, top] = rangeOf([one], "log");
  assert.ok(Math.abs(bottom / 1e-6 - 1) < 1e-9 && Math.abs(top / 1e-2 - 1) < 1e-9);
});

test("a log range is never empty and never deeper than eight decades below the largest", () => {
  assert.ok(rangeOf([panel(points([0, 1e-300], [1, 1e-3]))], "log")[0] > 1e-12);
  for (const scale of ["linear", "log"]) {
    for (const value of [0, 1e-3, 1]) {
      const [low, high] = rangeOf([panel(points([0, value], [1, value]))], scale);
      assert.ok(low < high, `${scale} ${value}`);
    }
  }
});

test("zeros go under the bottom of a log axis and stay on a linear one", () => {
  const list = points([0, 0], [1, 1e-3]);
  assert.equal(drawable(list, "linear", [0, 1]), list);
  const moved = drawable(list, "log", [1e-6, 1e-2]);
  assert.ok(moved[0].replays_per_step > 0 && moved[0].replays_per_step < 1e-6);
  assert.equal(moved[1].replays_per_step, 1e-3);
});

test("CSV has one line per point", () => {
  const [first] = data.panels;
  const lines = toCsv(POINT_COLUMNS, flatten(first)).trimEnd().split("\r\n");
  assert.equal(lines[0], "panel,replay_volume,sampler,label,recency,replays_per_step");
  assert.equal(
    lines.length - 1,
    first.series.reduce((sum, series) => sum + series.points.length, 0),
  );
  assert.equal(lines[1], "low,256,uniform,Uniform,0,0.000256");
});
