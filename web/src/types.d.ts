// types.d.ts - the shapes that several files share, for `npm run check`. The data contract itself is
// checked at run time in pages/*/contract.js; these types describe data that has passed that check.

export interface PageData {
  kind: string;
  title: string;
  command: string;
  version: string;
}

export interface FrontierRow {
  expected_recency: number;
  alpha: number;
  truncated_geometric: { sampling_entropy: number };
  window: number;
  uniform_fifo: { sampling_entropy: number };
  eta: number | null;
  ere: { sampling_entropy: number; conditional_entropy: number; smallest_window: number } | null;
}

export interface FrontierPoint {
  sampler: string;
  name: string;
  expected_recency: number;
  sampling_entropy: number;
  conditional_entropy: number;
}

export interface FrontierData extends PageData {
  capacity: number;
  settings: Record<string, number | string | boolean>;
  rows: FrontierRow[];
  points: FrontierPoint[];
}

export interface DensityPoint {
  recency: number;
  replays_per_step: number;
}

export interface DensitySeries {
  sampler: string;
  name: string;
  label: string;
  points: DensityPoint[];
}

export interface DensityPanel {
  id: string;
  title: string;
  replay_volume: number;
  series: DensitySeries[];
}

export interface SamplerDiagnostics {
  label: string;
  sampler: string;
  expected_recency: number;
  reference_recency: number;
  sampling_entropy: number;
  conditional_entropy: number;
  newest_probability: number;
  oldest_probability: number;
}

export interface DensitiesData extends PageData {
  capacity: number;
  panels: DensityPanel[];
  samplers: SamplerDiagnostics[];
}

/** How a curve is drawn; the same everywhere it appears: plot, legend, downloaded SVG. */
export interface LineStyle {
  colour: string; // a CSS variable, var(--sampler-...)
  dash: string; // an SVG dash array, "" for a solid line
}

export interface LegendEntry extends LineStyle {
  id: string;
  label: string;
}

/** One column of a table or a CSV file. */
export interface Column<Row> {
  key: string; // CSV header
  head: string; // table header, in words
  value: (row: Row) => number | string | null;
  show?: (value: any) => string | Node; // how the table prints it; the CSV file keeps every digit
  text?: boolean; // left-aligned
}

export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** A page kind: what its data must look like, and how to draw it. */
export interface Page {
  contract: import("./contract.js").Rule;
  render: (data: any) => HTMLElement[];
}
