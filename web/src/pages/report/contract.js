// pages/report/contract.js - the data contract of a report page. Numbers that are
// undefined (an interval of one run) are null.

import { COMMON, list, notNegative, number, object, orNull, share, text } from "../../contract.js";

const maybe = orNull(number);
const interval = object({ estimate: maybe, low: maybe, high: maybe });
const place = object({ step: notNegative, expected_recency: share, sampling_entropy: number });
const curves = list(
  object({
    method: text,
    points: list(object({ step: notNegative, score: number, low: maybe, high: maybe }), 1),
  }),
);
const gains = object({ gain: interval, difference: interval });

const group = object({
  label: text,
  id: text,
  agent: text,
  replay_volume: maybe,
  resampling: text,
  methods: list(object({ name: text, sampler: text, runs: notNegative, counted: notNegative }), 1),
  stats: orNull(
    object({
      baseline: text,
      bootstrap: object({ reps: number, confidence: number }),
      methods: list(
        object({
          name: text,
          score_profile: list(object({ tau: number, estimate: number, low: maybe, high: maybe })),
        }),
        1,
      ),
      comparisons: list(object({ method: text })),
    }),
  ),
  curves,
  tasks: list(object({ task: text, curves, gains: list(gains) })),
  finals: list(object({ method: text, mean: interval, comparison: orNull(gains) })),
  paired: list(object({ method: text, seeds: number, gain: interval })),
  recency: object({
    size: notNegative,
    frontier: list(object({ expected_recency: share, sampling_entropy: number })),
    methods: list(object({ method: text, path: list(place), exact: orNull(place) })),
  }),
  timing: list(
    object({
      method: text,
      total: maybe,
      phases: list(object({ phase: text, seconds: number }), 1),
    }),
  ),
  notes: list(text),
});

export const contract = object({
  ...COMMON,
  study: object({
    name: text,
    text,
    ledger: text,
    runs: number,
    completeness: text,
    builds: list(text),
    machines: list(text),
  }),
  summary: list(text, 1),
  groups: list(group, 1),
  runs: list(object({ key: text, state: text, command: text, left_out: text })),
});
