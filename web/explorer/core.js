// core.js - the C++ samplers and diagnostics as WebAssembly: instantiate, pass arguments, read JSON.
//
// The interface is src/explorer/explorer.h: functions take text and numbers and answer with JSON text.

/** @typedef {{call: (name: string, args: (string | number)[]) => any}} Core */

/** The module's imports: it has no files, no clock and no environment. @param {() => DataView} memory */
function imports(memory) {
  return {
    env: { emscripten_notify_memory_growth: () => {} },
    wasi_snapshot_preview1: {
      environ_get: () => 0,
      environ_sizes_get: (/** @type {number} */ count, /** @type {number} */ size) => {
        memory().setUint32(count, 0, true);
        memory().setUint32(size, 0, true);
        return 0;
      },
      proc_exit: (/** @type {number} */ code) => {
        throw new Error(`the core stopped with exit code ${code}`);
      },
    },
  };
}

/** @param {BufferSource} bytes the WebAssembly module @returns {Promise<Core>} */
export async function loadCore(bytes) {
  /** @type {any} */
  let exports = null;
  const { instance } = await WebAssembly.instantiate(
    bytes,
    imports(() => new DataView(exports.memory.buffer)),
  );
  exports = instance.exports;
  exports._initialize();

  const encoder = new TextEncoder();
  const decoder = new TextDecoder();

  /** Copies text into the module's memory, with its end marked. @param {string} text */
  function place(text) {
    const encoded = encoder.encode(text);
    const address = exports.malloc(encoded.length + 1);
    const memory = new Uint8Array(exports.memory.buffer, address, encoded.length + 1);
    memory.set(encoded);
    memory[encoded.length] = 0;
    return address;
  }

  /** @param {number} address */
  function textAt(address) {
    const memory = new Uint8Array(exports.memory.buffer);
    return decoder.decode(memory.subarray(address, memory.indexOf(0, address)));
  }

  return {
    call(name, args) {
      /** @type {number[]} */
      const placed = [];
      const values = args.map((argument) => {
        if (typeof argument === "number") return argument;
        placed.push(place(argument));
        return placed[placed.length - 1];
      });
      const answer = textAt(exports[`mneme_${name}`](...values));
      for (const address of placed) exports.free(address);
      return JSON.parse(answer);
    },
  };
}
