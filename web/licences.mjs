// licences.mjs - the notice that dist/page.html carries: copyright lines and license text of every
// package whose code went into the bundle, read from the packages themselves.

import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";

/** The folders under node_modules that a list of bundled files comes from. */
export function packageFolders(files) {
  const folders = files.map((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0]);
  return [...new Set(folders.filter(Boolean))].sort();
}

/** License text for those folders; packages under the same words share one copy of them. */
export async function licenceNotice(folders, root) {
  const holders = new Map(); // license words -> "package version, copyright line"
  for (const folder of folders) {
    const { name, version } = JSON.parse(
      await readFile(join(root, folder, "package.json"), "utf8"),
    );
    const file = (await readdir(join(root, folder))).find((entry) => /^licen[cs]e/i.test(entry));
    if (!file) throw new Error(`${name} ${version} has no license file; the page must carry one`);
    const text = (await readFile(join(root, folder, file), "utf8")).replaceAll("*/", "* /");

    const lines = text.split(/\r?\n/).map((line) => line.trim());
    const copyright = lines.filter((line) => /^copyright/i.test(line)).join(" ");
    const words = lines
      .filter((line) => !/^copyright/i.test(line))
      .join("\n")
      .trim();
    holders.set(words, [...(holders.get(words) ?? []), `${name} ${version}. ${copyright}`.trim()]);
  }
  return [...holders].map(([words, names]) => `${names.join("\n")}\n\n${words}\n`).join("\n");
}
