// load.js - parsing and checking of the data element.

/** @typedef {{ heading: string, explanation: string, details: string[] }} Message */

const MOST_DETAILS = 8;

/**
 * @param {string | null} json text of the data element
 * @param {Record<string, import("./types.js").Page>} pages page kinds by name
 * @returns {{ data: any, message: null } | { data: null, message: Message }}
 */
export function load(json, pages) {
  const refuse = (/** @type {Message} */ message) => ({ data: null, message });
  const kinds = Object.keys(pages);

  let data;
  try {
    data = JSON.parse(json ?? "");
  } catch (error) {
    return refuse({
      heading: "The data in this page cannot be read",
      explanation: "It is not valid JSON. The file may be truncated; write it again.",
      details: [error instanceof Error ? error.message : String(error)],
    });
  }
  if (data === null) {
    return refuse({
      heading: "This page has no data",
      explanation: "This is the empty template. The mneme tool fills it, for example with:",
      details: kinds.map((kind) => pages[kind].fill ?? `mneme ${kind} --html ${kind}.html`),
    });
  }
  if (typeof data !== "object" || !Object.hasOwn(pages, data.kind)) {
    const found = data?.kind === undefined ? "no kind" : `kind ${JSON.stringify(data.kind)}`;
    return refuse({
      heading: "This page cannot draw its data",
      explanation:
        `The data names ${found}; this template knows ${kinds.join(", ")}. ` +
        "The tool and the template may be of different versions: build web/ again.",
      details: [],
    });
  }

  const problems = pages[data.kind].contract(data, "");
  if (problems.length > 0) {
    const rest = problems.length - MOST_DETAILS;
    return refuse({
      heading: "This page cannot draw its data",
      explanation:
        `The data is of kind ${JSON.stringify(data.kind)}, but not as this template ` +
        "expects it. The tool and the template may be of different versions: build web/ again.",
      details: [...problems.slice(0, MOST_DETAILS), ...(rest > 0 ? [`and ${rest} more`] : [])],
    });
  }
  return { data, message: null };
}
