// format.test.js - numbers and names as the pages show them.

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  count,
  fixed,
  percent,
  plainTick,
  pointLabels,
  powerTick,
  samplerName,
  samplerParameters,
  sentence,
  significant,
} from "../src/format.js";

const plain = (text) => text.replaceAll("\u202f", " ");

test("fixed keeps decimals, groups thousands and marks missing values", () => {
  assert.equal(fixed(13.8, 4), "13.8000");
  assert.equal(fixed(1234.5, 1), "1,234.5");
  assert.equal(fixed(-0.5, 2), "\u22120.50");
  assert.equal(fixed(null, 2), "–");
  assert.equal(fixed(Infinity, 2), "–");
});

test("count rounds", () => {
  assert.equal(count(286583.7), "286,584");
  assert.equal(count(null), "–");
});

test("significant uses decimals for usual sizes and powers of ten otherwise", () => {
  assert.equal(significant(0.000256, 4), "0.0002560");
  assert.equal(plain(significant(1.734558e-6, 4)), "1.735 × 10⁻⁶");
  assert.equal(plain(significant(9.9999e-5, 2)), "0.00010");
  assert.equal(significant(144.262291, 5), "144.26");
  assert.equal(significant(999.99, 4), "1,000");
  assert.equal(significant(0, 4), "0");
  assert.equal(significant(null), "–");
  assert.equal(plain(significant(1.2e12, 2)), "1.2 × 10¹²");
});

test("percent keeps about three digits", () => {
  assert.equal(plain(percent(0.389136)), "38.9 %");
  assert.equal(plain(percent(0.0123)), "1.23 %");
  assert.equal(plain(percent(0.005)), "0.500 %");
  assert.equal(percent(NaN), "–");
});

test("axis labels share their decimals", () => {
  const ticks = [0, 0.0005, 0.001, 0.0015];
  assert.deepEqual(
    ticks.map((tick, i) => plainTick(tick, i, ticks)),
    ["0", "0.0005", "0.0010", "0.0015"],
  );
  assert.equal(plainTick(20), "20");
  assert.equal(plain(plainTick(2e-7, 0, [0, 1e-7, 2e-7])), "2 × 10⁻⁷");
  assert.equal(plain(plainTick(1.5e-7, 0, [0, 1.5e-7, 3e-7])), "1.5 × 10⁻⁷");
});

test("a log axis labels whole powers only", () => {
  assert.deepEqual([1e-3, 1, 10, 2e-3].map(powerTick), ["10⁻³", "1", "10", ""]);
});

test("sampler names in long and short form", () => {
  assert.equal(samplerName("ere"), "ERE");
  assert.equal(samplerName("reverse_truncated_geometric", "short"), "Rev. TG");
  assert.equal(samplerName("brand_new"), "Brand new");
  assert.equal(samplerParameters("ere:eta=0.996,cycle=1000"), "eta 0.996, cycle 1000");
  assert.equal(samplerParameters("uniform"), "");
  assert.equal(sentence("replay volume 256"), "Replay volume 256");
});

test("point labels have parameters only where a family occurs twice", () => {
  const points = [
    { sampler: "ere:eta=0.996", name: "ere" },
    { sampler: "ere:eta=0.999", name: "ere" },
    { sampler: "linear:ratio=1024", name: "linear" },
  ];
  assert.deepEqual(pointLabels(points, "long"), ["ERE eta 0.996", "ERE eta 0.999", "Linear"]);
});
