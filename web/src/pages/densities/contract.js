// pages/densities/contract.js - the data contract of a densities page.

import {
  COMMON,
  list,
  notNegative,
  number,
  object,
  positive,
  share,
  text,
} from "../../contract.js";

const point = object({ recency: share, replays_per_step: notNegative });
const series = object({ sampler: text, name: text, label: text, points: list(point, 2) });

export const contract = object({
  ...COMMON,
  capacity: positive,
  panels: list(
    object({ id: text, title: text, replay_volume: positive, series: list(series, 1) }),
    1,
  ),
  samplers: list(
    object({
      label: text,
      sampler: text,
      expected_recency: share,
      reference_recency: number,
      sampling_entropy: number,
      conditional_entropy: number,
      newest_probability: share,
      oldest_probability: share,
    }),
  ),
});
