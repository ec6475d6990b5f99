// build.mjs - bundler of src/ into dist/page.html: one file with all scripts and styles.
//
// The mneme tool replaces the `null` of the data element below by JSON. It finds the element by its
// exact text, so the build stops unless that text occurs exactly once.

import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { licenceNotice, packageFolders } from "./licences.mjs";
import { paletteCss } from "./src/palette.js";

const DATA_ELEMENT = '<script id="mneme-data" type="application/json">null</script>';
const here = (path) => fileURLToPath(new URL(path, import.meta.url));

async function bundle(entry) {
  const result = await build({
    entryPoints: [here(entry)],
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    absWorkingDir: here("."),
    format: "iife",
    target: ["chrome100", "firefox100", "safari15.4"],
    charset: "utf8",
    legalComments: "none",
    logLevel: "warning",
  });
  return { text: result.outputFiles[0].text.trim(), files: Object.keys(result.metafile.inputs) };
}

// Replaces by function: a replacement string would read `$&` in the bundled code as a pattern.
function fill(text, mark, content) {
  if (text.split(mark).length !== 2)
    throw new Error(`template.html must contain ${mark} exactly once`);
  return text.replace(mark, () => content);
}

const template = await readFile(here("src/template.html"), "utf8");
const style = paletteCss() + (await bundle("src/style.css")).text;
const script = await bundle("src/main.js");
const notice = await licenceNotice(packageFolders(script.files), here("."));

let page = fill(template, "/*STYLE*/", style);
page = fill(page, "/*SCRIPT*/", `/*\n${notice}*/\n${script.text}`);
if (page.split(DATA_ELEMENT).length !== 2) {
  throw new Error(`page.html must contain ${DATA_ELEMENT} exactly once`);
}

// Written beside and renamed: a reader never sees half a template.
await mkdir(here("dist"), { recursive: true });
await writeFile(here("dist/page.html.part"), page);
await rename(here("dist/page.html.part"), here("dist/page.html"));
console.log(`dist/page.html ${Buffer.byteLength(page)} bytes`);
