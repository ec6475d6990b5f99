// csv.test.js - CSV text: quoting, full digits, empty cells.

import assert from "node:assert/strict";
import { test } from "node:test";
import { toCsv } from "../src/csv.js";

const columns = ["a", "b"].map((key) => ({ key, head: key, value: (row) => row[key] }));

test("plain values and CRLF line ends", () => {
  assert.equal(toCsv(columns, [{ a: 1, b: "x" }]), "a,b\r\n1,x\r\n");
  assert.equal(toCsv(columns, []), "a,b\r\n");
});

test("text with commas, quotes or line ends is quoted", () => {
  assert.equal(
    toCsv(columns, [{ a: 'ere:eta=1,"x"', b: "two\nlines" }]),
    'a,b\r\n"ere:eta=1,""x""","two\nlines"\r\n',
  );
});

test("numbers keep every digit; a missing value is an empty cell", () => {
  const csv = toCsv(columns, [
    { a: 12.871684760652949, b: null },
    { a: 1e-300, b: undefined },
  ]);
  assert.deepEqual(csv.split("\r\n").slice(1, 3), ["12.871684760652949,", "1e-300,"]);
});
