// explorer.test.js - the explorer's pure parts, and its core in node where it has been built.

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { loadCore } from "../explorer/core.js";
import { Engine, job } from "../explorer/engine.js";
import { INSERTED, ereSetting, plan } from "../explorer/jobs.js";
import { lineAt, rangeOf, stopsOf } from "../explorer/lines.js";
import { plainNumber } from "../explorer/plain.js";
import { rounded, scaleOf } from "../explorer/slider.js";
import { commandLine, python } from "../explorer/snippets.js";
import { formatSpec, parseSpec, withValue } from "../explorer/spec.js";
import { DEFAULTS, complaint, fromHash, parseQuantity, toHash } from "../explorer/state.js";

const built = new URL("../../build/explorer/core.wasm", import.meta.url);
const alpha = {
  name: "alpha",
  kind: "number",
  default: 10,
  lowest: 0,
  highest: 1000,
  help: "",
};

test("specs are read and written, nested ones too", () => {
  for (const spec of [
    "uniform",
    "ere:eta=0.99,cycle=500",
    "mix:eps=0.3,a=(linear:ratio=8),b=(mix:a=(ere:cycle=5,minimum=3))",
  ])
    assert.equal(formatSpec(parseSpec(spec)), spec);
  assert.deepEqual(parseSpec("mix:a=(uniform),eps=0.5").values, { a: "uniform", eps: "0.5" });
  const spec = parseSpec("truncated_geometric:alpha=3");
  assert.equal(formatSpec(withValue(spec, alpha, "10")), "truncated_geometric");
  assert.equal(formatSpec(withValue(spec, alpha, "4")), "truncated_geometric:alpha=4");
});

test("quantities are those of the tool", () => {
  const read = {
    "1M": 1e6,
    "51.2k": 51200,
    "1e6": 1e6,
    "1,000,000": 1e6,
    "1/64": 1 / 64,
    0.5: 0.5,
  };
  for (const [text, value] of Object.entries(read)) assert.equal(parseQuantity(text), value, text);
  for (const text of ["", "many", "-3", "1/2/3", "1T", "0x10"])
    assert.ok(Number.isNaN(parseQuantity(text)), text);
  assert.equal(complaint("batch", 256), "");
  assert.match(complaint("batch", 0), /at least 1/);
  assert.match(complaint("updates", 0), /above 0/);
});

test("the address holds the whole state and reads it back", () => {
  const state = {
    ...DEFAULTS,
    stored: 500,
    updates: 1 / 8,
    samplers: ["mix:eps=0.1,a=(linear:ratio=4)", "ere"],
    ageAxis: "log",
    filling: "odds",
  };
  assert.deepEqual(fromHash(toHash(state), DEFAULTS), state);
  assert.deepEqual(fromHash(toHash(DEFAULTS), { ...DEFAULTS, batch: 7 }), DEFAULTS);
  assert.deepEqual(fromHash("#capacity=-1&age=sideways&nonsense", DEFAULTS), DEFAULTS);
  assert.equal(fromHash(`#${"sampler=ere&".repeat(9)}`, DEFAULTS).samplers.length, 4);
});

test("sliders cover their range, go both ways and stay inside", () => {
  for (const [sampler, param] of [
    ["truncated_geometric", alpha],
    ["uniform_fifo", { ...alpha, name: "window", default: 0.2866, lowest: 1e-12, highest: 1e15 }],
    ["ere", { ...alpha, name: "eta", default: 0.996, lowest: 1e-6, highest: 1 }],
    ["a_new_one", { ...alpha, name: "width", default: 5, lowest: 1e-9, highest: 1e9 }],
  ]) {
    const scale = scaleOf(sampler, param);
    let last = -Infinity;
    for (const position of [0, 0.25, 0.5, 0.75, 1]) {
      const value = scale.toValue(position);
      assert.ok(value > last && value >= param.lowest && value <= param.highest, sampler);
      assert.ok(Math.abs(scale.toPosition(value) - position) < 1e-9, sampler);
      last = value;
    }
    const position = scale.toPosition(param.default);
    assert.ok(position > 0.05 && position < 0.95, `${sampler}: the default is at an end`);
    assert.deepEqual([scale.toPosition(-1e30), scale.toPosition(1e30)], [0, 1]);
  }
  assert.equal(rounded(0.99612345, false), 0.996123);
  assert.equal(rounded(12.3456, false), 12.3);
  assert.equal(rounded(12.6, true), 13);
});

test("lines are read between their points and not outside", () => {
  const line = { letter: "A", label: "", colour: "", dash: "", x: [0, 1, 3], y: [2, 4, null] };
  assert.deepEqual(
    [-1, 0, 0.5, 1, 2, 3, 4].map((x) => lineAt(line, x)),
    [null, 2, 3, 4, null, null, null],
  );
  assert.deepEqual(stopsOf([line, { ...line, x: [0.5, 1, 2] }]), [0, 0.5, 1, 2, 3]);
  assert.deepEqual(rangeOf([{ ...line, y: [0, 0.002, 30] }], "log"), [1e-3, 100]);
  assert.deepEqual(rangeOf([], "linear"), [0, 1]);
});

test("numbers carry no digits that say nothing", () => {
  assert.deepEqual(
    [256, 1, 0.5, 1234.5, 1e-9].map((v) => plainNumber(v)),
    ["256", "1", "0.5", "1,235", "1.000\u202f×\u202f10⁻⁹"],
  );
});

test("an engine computes only the last plan and keeps its answers", async () => {
  const called = [];
  const call = async (name) => {
    called.push(name);
    await new Promise((resolve) => setTimeout(resolve, 5));
    return name;
  };
  const engine = new Engine(call, () => {});
  engine.plan([job("first", []), job("dropped", [])]);
  engine.plan([job("first", []), job("last", [])]);
  while (!engine.idle()) await new Promise((resolve) => setTimeout(resolve, 5));
  assert.ok(!called.includes("dropped"));
  assert.equal(engine.answer(job("last", [])), "last");
  const before = called.length;
  engine.plan([job("last", [])]);
  assert.equal(called.length, before);
});

test("snippets name the setting", () => {
  const state = { ...DEFAULTS, streams: 4, stored: 10 };
  assert.match(
    commandLine(state, "mix:a=(ere)"),
    /--sampler 'mix:a=\(ere\)' --capacity 1000000 --size 10 --streams 4/,
  );
  assert.match(python(state, "ere"), /capacity=1000000, streams=4,\n.*sampler="ere"/);
  assert.deepEqual(ereSetting("ere:cycle=5,minimum=3"), [5, 1000, 3]);
  assert.ok(
    INSERTED.every((share, k) => share >= 0 && share < 1 && (k === 0 || share > INSERTED[k - 1])),
  );
});

const skip = existsSync(built)
  ? false
  : "build/explorer/core.wasm is missing: src/explorer/build needs Emscripten";
test("the core answers every job, and says what is wrong with a bad one", { skip }, async () => {
  const core = await loadCore(readFileSync(built));
  const state = { ...DEFAULTS, capacity: 2000, steps: 5000 };
  for (const { name, args } of plan(state)) {
    const answer = core.call(name, args);
    assert.ok(answer && !answer.error, `${name} ${args}: ${answer?.error}`);
  }
  assert.match(
    core.call("inspect", ["unifrom", 1, 1, 1, 1, 1, 0, 0]).error,
    /did you mean 'uniform'/,
  );
  assert.match(
    core.call("inspect", ["uniform", 1.5, 2, 1, 1, 1, 0, 0]).error,
    /size must be a whole number/,
  );
  assert.match(core.call("density", ["uniform", 5, 5, 0, 1, 1]).error, /points must be from 2/);
  assert.match(core.call("delay", ["uniform", 5, -1, 10]).error, /replay_volume must be above 0/);
});

test(
  "densities sum to the replay volume, delays end at the share never replayed",
  { skip },
  async () => {
    const core = await loadCore(readFileSync(built));
    for (const spec of ["truncated_geometric:alpha=6", "uniform_fifo:window=40", "ere:cycle=7"]) {
      const { age, replays_per_step: replays } = core.call("density", [spec, 100, 100, 0, 64, 100]);
      assert.deepEqual(
        age,
        Array.from({ length: 100 }, (_, k) => k),
      );
      assert.ok(Math.abs(replays.reduce((a, b) => a + b, 0) - 64) < 1e-9, spec);
      const known = core.call("inspect", [spec, 100, 100, 1, 1, 64, 0, 0]);
      const { unseen } = core.call("delay", [spec, 100, 64, 100]);
      const last = unseen[unseen.length - 1];
      assert.ok(Math.abs(last - known.never_replayed_probability) <= 1e-12 * last, spec);
    }
  },
);
