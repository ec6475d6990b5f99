// palette.test.js - colors: one per sampler, readable in both themes, resolvable for files.

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  INK,
  PHASE_COLOURS,
  SAMPLER_COLOURS,
  lineStyles,
  paletteCss,
  resolveColours,
  samplerColour,
} from "../src/palette.js";

// Contrast ratio of WCAG 2.
function contrast(a, b) {
  const luminance = (hex) => {
    const [r, g, blue] = [1, 3, 5].map((at) => {
      const c = parseInt(hex.slice(at, at + 2), 16) / 255;
      return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * blue;
  };
  const [high, low] = [luminance(a), luminance(b)].sort((x, y) => y - x);
  return (high + 0.05) / (low + 0.05);
}

test("contrast of sampler lines is at least 3:1, of text 4.5:1", () => {
  for (const theme of ["light", "dark"]) {
    for (const [name, colour] of Object.entries({
      ...SAMPLER_COLOURS,
      update: PHASE_COLOURS.update,
    })) {
      assert.ok(contrast(colour[theme], INK.paper[theme]) >= 3, `${name} in ${theme}`);
    }
    for (const name of ["ink", "muted"]) {
      for (const ground of ["paper", "panel"]) {
        assert.ok(
          contrast(INK[name][theme], INK[ground][theme]) >= 4.5,
          `${name} on ${ground} in ${theme}`,
        );
      }
    }
  }
});

test("all samplers have different colors", () => {
  for (const theme of ["light", "dark"]) {
    const colours = Object.values(SAMPLER_COLOURS).map((colour) => colour[theme]);
    assert.equal(new Set(colours).size, colours.length);
  }
});

test("variants of a family share its color and differ in dashes; a repeated spec keeps its style", () => {
  const styles = lineStyles([
    { sampler: "ere:eta=0.996", name: "ere" },
    { sampler: "ere:eta=0.999", name: "ere" },
    { sampler: "ere:eta=0.996", name: "ere" },
    { sampler: "reverse_linear", name: "reverse_linear" },
  ]);
  assert.equal(styles.size, 3);
  const [first, second, mirror] = styles.values();
  assert.equal(first.colour, second.colour);
  assert.notEqual(first.dash, second.dash);
  assert.notEqual(mirror.dash, "");
});

test("unknown sampler has the neutral color", () => {
  assert.match(paletteCss(), /--sampler-other:#/);
  assert.equal(samplerColour("brand_new"), "var(--sampler-other)");
});

test("resolveColours leaves no variable that the palette knows", () => {
  assert.equal(
    resolveColours('stroke="var(--sampler-ere)"'),
    `stroke="${SAMPLER_COLOURS.ere.light}"`,
  );
  assert.equal(
    resolveColours("var(--ink, black) var(--else, white) var(--none)"),
    `${INK.ink.light} white var(--none)`,
  );
});
