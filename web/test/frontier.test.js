// frontier.test.js - what is read off the frontier data.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { toCsv } from "../src/csv.js";
import {
  CURVES,
  ROW_COLUMNS,
  crossing,
  orderSentence,
  perplexityText,
  pointColumns,
  settingsText,
  shareOfCapacity,
  shareTicks,
} from "../src/pages/frontier/model.js";

const data = JSON.parse(readFileSync(new URL("fixtures/frontier.json", import.meta.url), "utf8"));
const [, mixture, fifo, conditional] = CURVES.map((curve) => curve.value);

test("uniform sampling has the perplexity of the capacity", () => {
  assert.ok(Math.abs(shareOfCapacity(Math.log(1e6), 1e6) - 1) < 1e-12);
  assert.equal(
    perplexityText(Math.log(389136), 1e6).replaceAll("\u202f", " "),
    "perplexity 389,136 (38.9 % of capacity)",
  );
});

test("round shares inside the range only", () => {
  const ticks = shareTicks(1e6, [Math.log(4e4), Math.log(1e6)]);
  assert.deepEqual(
    ticks.map((tick) => tick.share),
    [1, 0.5, 0.2, 0.1, 0.05],
  );
  assert.deepEqual(shareTicks(1e6, [20, 30]), []);
});

test("truncated geometric has the largest entropy in every row", () => {
  for (const row of data.rows) {
    for (const curve of CURVES.slice(1)) {
      assert.ok(
        (curve.value(row) ?? 0) < CURVES[0].value(row),
        `${curve.id} at ${row.expected_recency}`,
      );
    }
  }
});

test("crossing is interpolated, skips rows without a solution, may be null", () => {
  const rows = [
    [0.6, 3],
    [0.7, null],
    [0.8, 1],
    [0.9, -1],
  ].map(([expected_recency, gap]) => ({ expected_recency, gap }));
  assert.ok(
    Math.abs(
      crossing(
        rows,
        (row) => row.gap,
        () => 0,
      ) - 0.85,
    ) < 1e-12,
  );
  assert.equal(
    crossing(
      rows.slice(0, 3),
      (row) => row.gap,
      () => 0,
    ),
    null,
  );
  assert.equal(crossing(data.rows, conditional, fifo), null); // below from the start
});

test("sentence on ERE and FIFO has the crossing near 0.906", () => {
  const at = crossing(data.rows, mixture, fifo);
  assert.ok(Math.abs(at - 0.906364) < 0.01); // the fixture is coarse
  assert.match(
    orderSentence(data.rows),
    /above FIFO up to .* while the mean of its single windows is below FIFO everywhere\.$/,
  );
  assert.equal(orderSentence(data.rows.map((row) => ({ ...row, ere: null, eta: null }))), "");
  assert.match(orderSentence(data.rows.slice(0, 2)), /stays above FIFO throughout/);
});

test("CSV has a column per quantity and an empty cell where ERE has no solution", () => {
  const lines = toCsv(ROW_COLUMNS, data.rows).trimEnd().split("\r\n");
  assert.equal(lines.length, data.rows.length + 1);
  assert.equal(
    lines[0],
    "expected_recency,alpha,truncated_geometric_sampling_entropy,window,uniform_fifo_sampling_entropy,eta,ere_sampling_entropy,ere_conditional_entropy,ere_smallest_window",
  );
  assert.ok(lines.at(-1).endsWith(",,,,"));
  assert.equal(
    toCsv(pointColumns(data.capacity), data.points).split("\r\n").length,
    data.points.length + 2,
  );
});

test("settings as text", () => {
  assert.equal(settingsText({ cycle: 1000, order: "old_first" }), "cycle 1,000, order old_first");
});
