// build.test.js - the built template: one file, one place for data, nothing fetched. Needs `npm run build`.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { packageFolders } from "../licences.mjs";

const page = readFileSync(new URL("../dist/page.html", import.meta.url), "utf8");

test("template has exactly one data element", () => {
  assert.equal(
    page.split('<script id="mneme-data" type="application/json">null</script>').length,
    2,
  );
});

test("page makes no network request", () => {
  assert.doesNotMatch(page, /<script[^>]+src=|<link[^>]+stylesheet|@import|url\(["']?https?:/i);
  assert.ok(page.includes("default-src 'none'"));
  assert.equal(page.match(/<\/script>/g).length, 2);
});

test("page contains the licenses of bundled packages", () => {
  for (const name of ["@observablehq/plot 0.6.17", "d3-array", "interval-tree-1d"])
    assert.ok(page.includes(name), name);
});

test("packages are recognized by their folder", () => {
  assert.deepEqual(
    packageFolders([
      "src/main.js",
      "node_modules/d3-array/src/a.js",
      "node_modules/@observablehq/plot/src/b.js",
      "node_modules/d3-array/src/c.js",
    ]),
    ["node_modules/@observablehq/plot", "node_modules/d3-array"],
  );
});
