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

/** An estimate with its interval; null where it is undefined. */
export interface Interval {
  estimate: number | null;
  low: number | null;
  high: number | null;
}

export interface ScorePoint {
  step: number;
  score: number;
  low: number | null;
  high: number | null;
}

export interface MethodCurve {
  method: string;
  points: ScorePoint[];
}

export interface TaskGain {
  method: string;
  gain: Interval;
  difference: Interval;
  probability_of_improvement: Interval;
}

export interface ReportTask {
  task: string;
  curves: MethodCurve[];
  gains: TaskGain[];
}

export interface ReportMethod {
  name: string;
  sampler: string;
  actor_sampler: string;
  capacity: number;
  steps: number;
  runs: number;
  counted: number;
  failed: number;
  seconds: number | null;
}

/** Of `mneme stats --json`: one set of intervals per way to draw runs. */
export interface ByResampling<T> {
  stratified: T;
  run_cluster: T | null;
}

export interface ReportStats {
  baseline: string;
  bootstrap: { reps: number; seed: number; confidence: number; correct_small_sample: boolean };
  methods: {
    name: string;
    tasks: { task: string; runs: { run: string; auc: number; scores: number[] }[] }[];
    aggregates: ByResampling<Record<string, Interval & { true_coverage: number | null }>>;
    score_profile: { tau: number; estimate: number; low: number | null; high: number | null }[];
  }[];
  comparisons: (ByResampling<Record<string, Interval & { true_coverage: number | null }>> & {
    method: string;
    baseline: string;
    speed_up: ByResampling<Record<string, Interval>> & { level: number | null };
  })[];
  shapley?: ByResampling<Record<string, Interval>>;
}

export interface Place {
  step: number;
  expected_recency: number;
  sampling_entropy: number;
}

export interface ReportGroup {
  label: string;
  id: string;
  agent: string;
  replay_volume: number | null;
  together: boolean;
  resampling: "stratified" | "run_cluster";
  methods: ReportMethod[];
  stats: ReportStats | null;
  curves: MethodCurve[];
  tasks: ReportTask[];
  finals: {
    method: string;
    mean: Interval;
    comparison: { gain: Interval; difference: Interval } | null;
  }[];
  paired: { method: string; seeds: number; gain: Interval; difference: Interval }[];
  recency: {
    size: number;
    frontier: { expected_recency: number; sampling_entropy: number }[];
    methods: { method: string; runs: number; path: Place[]; exact: Place | null }[];
  };
  timing: {
    method: string;
    runs: number;
    total: number | null;
    phases: { phase: string; seconds: number }[];
  }[];
  notes: string[];
}

export interface ReportRun {
  key: string;
  group: string;
  method: string;
  task: string;
  seed: number;
  state: string;
  step: number;
  steps: number;
  score: number | null;
  seconds: number | null;
  attempts: number;
  left_out: string;
  command: string;
}

export interface ReportData extends PageData {
  study: {
    name: string;
    title: string;
    text: string;
    ledger: string;
    seconds: number;
    runs: number;
    states: Record<string, number>;
    builds: string[];
    machines: string[];
    completeness: string;
  };
  setup?: { text: string }; // what was run; absent in reports of older versions
  summary: string[];
  groups: ReportGroup[];
  runs_listed: string;
  runs: ReportRun[];
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
  detail?: (row: Row) => string; // a second, quieter line of the cell: an interval
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
  fill?: string; // the command that makes such a page, if not mneme KIND --html
}
