// load.test.js - data that cannot be drawn is refused with a message; good data passes.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { load } from "../src/load.js";
import { pages } from "../src/pages/index.js";

const fixture = (kind) => readFileSync(new URL(`fixtures/${kind}.json`, import.meta.url), "utf8");

/** The fixture with one value changed, as JSON text. */
function changed(kind, change) {
  const data = JSON.parse(fixture(kind));
  change(data);
  return JSON.stringify(data);
}

test("the fixtures pass, with null where ERE has no solution", () => {
  for (const kind of Object.keys(pages)) {
    const { data, message } = load(fixture(kind), pages);
    assert.equal(message, null);
    assert.equal(data.kind, kind);
  }
  assert.ok(JSON.parse(fixture("frontier")).rows.some((row) => row.ere === null));
});

test("unknown fields are allowed", () => {
  assert.equal(
    load(
      changed("frontier", (data) => {
        data.extra = 1;
      }),
      pages,
    ).message,
    null,
  );
});

test("empty template names the commands that fill it", () => {
  const { message } = load("null", pages);
  assert.match(message.heading, /no data/);
  assert.deepEqual(message.details, [
    "mneme frontier --html frontier.html",
    "mneme densities --html densities.html",
    "mneme report STUDY -o report.html",
  ]);
});

test("broken JSON, a missing element and non-objects give a message", () => {
  assert.match(load('{"kind": "front', pages).message.heading, /cannot be read/);
  assert.match(load(null, pages).message.heading, /cannot be read/);
  for (const json of ["3", '"text"', "[]", "true"]) {
    assert.match(load(json, pages).message.explanation, /names no kind/, json);
  }
});

test("unknown kind lists the known ones; built-in property names are unknown", () => {
  for (const kind of ["notebook", "constructor", "__proto__", "", 7]) {
    const { message } = load(`{"kind": ${JSON.stringify(kind)}}`, pages);
    assert.match(message.explanation, /this template knows frontier, densities/);
    assert.ok(message.explanation.includes(JSON.stringify(kind)));
  }
});

test("each fault has path, expected and found", () => {
  const cases = [
    [
      "frontier",
      (d) => {
        delete d.rows;
      },
      "rows: expected a list of at least 2, found nothing",
    ],
    [
      "frontier",
      (d) => {
        d.rows = d.rows.slice(0, 1);
      },
      "rows: expected a list of at least 2, found a list of 1",
    ],
    [
      "frontier",
      (d) => {
        d.rows[1].truncated_geometric = null;
      },
      "rows[1].truncated_geometric: expected an object, found null",
    ],
    [
      "frontier",
      (d) => {
        d.rows[0].ere.sampling_entropy = "13";
      },
      'rows[0].ere.sampling_entropy: expected a number, found "13"',
    ],
    [
      "frontier",
      (d) => {
        d.rows[0].expected_recency = 1.5;
      },
      "rows[0].expected_recency: expected a number from 0 to 1, found 1.5",
    ],
    [
      "frontier",
      (d) => {
        d.capacity = 0;
      },
      "capacity: expected a number above 0, found 0",
    ],
    [
      "frontier",
      (d) => {
        delete d.version;
      },
      "version: expected text, found nothing",
    ],
    [
      "densities",
      (d) => {
        d.panels = [];
      },
      "panels: expected a list of at least 1, found a list of 0",
    ],
    [
      "densities",
      (d) => {
        d.panels[0].series[1].points[2].replays_per_step = -1;
      },
      "panels[0].series[1].points[2].replays_per_step: expected a number, 0 or above, found -1",
    ],
    [
      "densities",
      (d) => {
        d.samplers[0].newest_probability = null;
      },
      "samplers[0].newest_probability: expected a number from 0 to 1, found null",
    ],
  ];
  for (const [kind, change, complaint] of cases) {
    const { data, message } = load(changed(kind, change), pages);
    assert.equal(data, null);
    assert.deepEqual(message.details, [complaint]);
  }
});

test("long list of faults is truncated and counted", () => {
  const { message } = load(
    changed("frontier", (d) => {
      for (const row of d.rows) row.alpha = null;
    }),
    pages,
  );
  assert.equal(message.details.length, 9);
  assert.match(message.details[8], /^and \d+ more$/);
});
