// worker.js - the core in a worker: the page stays responsive while numbers are computed.
//
// The first message holds the module's bytes; every later one is a call and gets an answer of the same id.

import { loadCore } from "./core.js";

/** @type {Promise<import("./core.js").Core>} */
let core;

self.onmessage = async ({ data }) => {
  if (data.bytes) {
    core = loadCore(data.bytes);
    return;
  }
  try {
    self.postMessage({ id: data.id, answer: (await core).call(data.name, data.args) });
  } catch (error) {
    self.postMessage({ id: data.id, answer: { error: String(error) } });
  }
};
