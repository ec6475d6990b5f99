// pages/index.js - every page kind, by the name that the data carries. A new kind is one folder
// (contract.js, model.js, page.js) and one line here.

import { contract as densitiesContract } from "./densities/contract.js";
import { render as renderDensities } from "./densities/page.js";
import { contract as frontierContract } from "./frontier/contract.js";
import { render as renderFrontier } from "./frontier/page.js";
import { contract as reportContract } from "./report/contract.js";
import { render as renderReport } from "./report/page.js";

/** @type {Record<string, import("../types.js").Page>} */
export const pages = {
  frontier: { contract: frontierContract, render: renderFrontier },
  densities: { contract: densitiesContract, render: renderDensities },
  report: {
    contract: reportContract,
    render: renderReport,
    fill: "mneme report STUDY -o report.html",
  },
};
