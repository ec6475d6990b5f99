// report.test.js - names, colors, rows and sentences of the report page.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { toCsv } from "../src/csv.js";
import { duration, shortCount, signed } from "../src/format.js";
import { pages } from "../src/pages/index.js";
import { rangeOf } from "../src/pages/report/curves_plot.js";
import {
  GAIN_CSV,
  boundsText,
  gainRows,
  intervalSentence,
  methodEntries,
  methodLabel,
  taskRows,
  timingRows,
} from "../src/pages/report/model.js";
import { pictureLines } from "../src/ui/svg_file.js";

const data = JSON.parse(readFileSync(new URL("fixtures/report.json", import.meta.url), "utf8"));
const method = (name, sampler) => ({ name, sampler, runs: 1, counted: 1 });

test("fixture passes the contract", () => {
  assert.deepEqual(pages.report.contract(data, ""), []);
  assert.equal(data.groups.length, 2);
});

test("contract names each fault", () => {
  const wrong = structuredClone(data);
  wrong.groups[0].curves[0].points[0].score = "high";
  delete wrong.study.ledger;
  assert.deepEqual(pages.report.contract(wrong, ""), [
    "study.ledger: expected text, found nothing",
    'groups[0].curves[0].points[0].score: expected a number, found "high"',
  ]);
});

test("each method has its own color, the same in every group", () => {
  const five = [1, 2, 5, 10, 20].map((alpha) => `truncated_geometric:alpha=${alpha}`);
  const entries = methodEntries([
    { methods: [method("uniform", "uniform"), ...five.map((spec) => method(spec, spec))] },
    { methods: [method("uniform", "uniform"), method("per", "per:alpha=0.6")] },
  ]);
  assert.equal(entries.size, 7);
  assert.equal(new Set([...entries.values()].map((entry) => entry.colour)).size, 7);
  assert.equal(entries.get(five[0]).colour, "var(--sampler-truncated_geometric)");
  assert.equal(entries.get("uniform").colour, "var(--sampler-uniform)");
  assert.notEqual(entries.get(five[0]).dash, entries.get(five[1]).dash);
});

test("method label is the sampler in words; an arm keeps its name", () => {
  assert.equal(methodLabel("uniform", "uniform", true), "Uniform");
  assert.equal(
    methodLabel("truncated_geometric:alpha=10", "truncated_geometric:alpha=10", true),
    "Truncated geometric, alpha 10",
  );
  assert.equal(methodLabel("tg_critic", "truncated_geometric:alpha=10", true), "tg_critic");
});

test("gain rows have the numbers of the statistics; baseline has no gain", () => {
  const rows = gainRows(data.groups);
  assert.equal(rows.length, 6);
  const [baseline, better] = rows;
  assert.ok(baseline.baseline && baseline.gain === null);
  const comparison = data.groups[0].stats.comparisons[0];
  assert.equal(better.method, comparison.method);
  assert.deepEqual(better.gain, comparison.stratified.gain);
  assert.equal(better.speed_up.estimate, comparison.speed_up.stratified.at_final.estimate);
  const [head, first] = toCsv(GAIN_CSV, rows).split("\r\n");
  assert.equal(head.split(",").length, 4 + 7 * 3);
  assert.ok(first.startsWith(`${data.groups[0].label},4,uniform,`));
});

test("tasks trained together use the run-cluster interval", () => {
  const group = structuredClone(data.groups[0]);
  group.resampling = "run_cluster";
  const row = gainRows([group])[1];
  assert.deepEqual(row.gain, group.stats.comparisons[0].run_cluster.gain);
  assert.match(intervalSentence(group), /whole runs are drawn/);
  assert.match(
    intervalSentence(data.groups[0]),
    /stratified bootstrap.*about [\d.]+.% of the time/,
  );
});

test("task rows are means over runs", () => {
  const rows = taskRows(data.groups[0]);
  assert.equal(rows.length, data.groups[0].tasks.length * 3);
  const runs = data.groups[0].stats.methods[0].tasks[0].runs.map((run) => run.auc);
  assert.equal(rows[0].auc, runs.reduce((a, b) => a + b, 0) / runs.length);
});

test("shares of time sum to one; time outside phases is other", () => {
  const group = {
    label: "",
    timing: [
      {
        method: "uniform",
        runs: 3,
        total: 10,
        phases: [
          { phase: "environment", seconds: 2 },
          { phase: "update", seconds: 6 },
        ],
      },
    ],
  };
  const rows = timingRows(group);
  assert.deepEqual(
    rows.map((row) => [row.phase, row.from, row.to]),
    [
      ["environment", 0, 0.2],
      ["update", 0.2, 0.8],
      ["other", 0.8, 1],
    ],
  );
  group.timing[0].total = null;
  assert.equal(timingRows(group).length, 2);
});

test("intervals, counts and times as text", () => {
  assert.equal(boundsText({ estimate: 1, low: -2.04, high: 3 }, 1, true), "[−2.0, +3.0]");
  assert.equal(boundsText({ estimate: 1, low: null, high: 3 }, 1), "[?, 3.0]");
  assert.equal(boundsText({ estimate: 1, low: null, high: null }, 1), "–");
  assert.deepEqual([0, 950, 1500, 250000, 1e6].map(shortCount), ["0", "950", "1.5k", "250k", "1M"]);
  assert.deepEqual(
    [1, 0, -1].map((x) => signed(x, 1)),
    ["+1.0", "0.0", "−1.0"],
  );
  assert.deepEqual([2.34, 61, 3600, 7.2e5, null].map(duration), [
    "2.3\u202fs",
    "61\u202fs",
    "60\u202fmin",
    "200.0\u202fh",
    "–",
  ]);
});

test("vertical range contains the bands and starts at 0 if near", () => {
  const line = (low, y, high) => ({ method: "m", spots: [{ x: 0, y, low, high }] });
  assert.equal(rangeOf([line(0.1, 0.2, 0.5)])[0], 0);
  assert.ok(rangeOf([line(0.1, 0.2, 0.5)])[1] > 0.5);
  assert.ok(rangeOf([line(-0.1, 0.2, 0.5)])[0] < -0.1);
  const [low, high] = rangeOf([line(null, 0.9, null)]);
  assert.ok(low < 0.9 && high > 0.9);
});

test("pictures are lines of name, size and base64", () => {
  const text = '<?xml?><svg width="30" height="20">é</svg>';
  const lines = pictureLines([
    { id: "a", make: () => text },
    { id: "not-drawn", make: () => "" },
  ]);
  const [id, width, height, code] = lines.trim().split(" ");
  assert.deepEqual([id, width, height], ["a", "30", "20"]);
  assert.equal(Buffer.from(code, "base64").toString("utf8"), text);
});
