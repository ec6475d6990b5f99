// explorer/build.mjs - bundles explorer/ and the WebAssembly core into dist/explorer.html: one file, no request.
//
// The core is build/explorer/core.wasm, made by src/explorer/build with Emscripten. Without it there is no explorer: this
// says so and succeeds, because everything else that web/ builds works without it.

import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { licenceNotice, packageFolders } from "../licences.mjs";
import { paletteCss } from "../src/palette.js";

const LARGEST = 600_000; // bytes, compressed as a server sends it
const DATA_ELEMENT = '<script id="mneme-data" type="application/json">null</script>';
const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const core = process.env.MNEME_EXPLORER_CORE ?? here("../../build/explorer/core.wasm");
const target = here("../dist/explorer.html");

async function bundle(entry) {
  const result = await build({
    entryPoints: [here(entry)],
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    absWorkingDir: here(".."),
    format: "iife",
    target: ["chrome100", "firefox102", "safari16"],
    charset: "utf8",
    legalComments: "none",
    logLevel: "warning",
  });
  const text = result.outputFiles[0].text.trim();
  if (/<\/script/i.test(text))
    throw new Error(`${entry}: the bundle holds the end of a script element`);
  return { text, files: Object.keys(result.metafile.inputs) };
}

// Replaces by function: a replacement string would read `$&` in the bundled code as a pattern.
function fill(text, mark, content) {
  if (text.split(mark).length !== 2)
    throw new Error(`explorer/template.html must contain ${mark} exactly once`);
  return text.replace(mark, () => content);
}

async function page(bytes) {
  const script = await bundle("main.js");
  const notice = await licenceNotice(packageFolders(script.files), here(".."));
  const style =
    paletteCss() + (await bundle("../src/style.css")).text + (await bundle("explorer.css")).text;
  let text = await readFile(here("template.html"), "utf8");
  text = fill(text, "/*STYLE*/", style);
  text = fill(text, "/*CORE*/", bytes.toString("base64"));
  text = fill(text, "/*WORKER*/", (await bundle("worker.js")).text);
  text = fill(text, "/*SCRIPT*/", `/*\n${notice}*/\n${script.text}`);
  if (text.split(DATA_ELEMENT).length !== 2)
    throw new Error(`explorer.html must contain ${DATA_ELEMENT} exactly once`);
  return text;
}

const bytes = await readFile(core).catch(() => null);
if (bytes === null) {
  await rm(target, { force: true });
  console.log(
    "dist/explorer.html not built: build/explorer/core.wasm is missing; it needs Emscripten " +
      "(apt-get install emscripten), then src/explorer/build",
  );
} else {
  const text = await page(bytes);
  const compressed = gzipSync(text, { level: 9 }).length;
  if (compressed > LARGEST)
    throw new Error(`dist/explorer.html is ${compressed} bytes compressed, above ${LARGEST}`);
  await mkdir(here("../dist"), { recursive: true });
  await writeFile(`${target}.part`, text);
  await rename(`${target}.part`, target);
  console.log(`dist/explorer.html ${Buffer.byteLength(text)} bytes, ${compressed} compressed`);
}
