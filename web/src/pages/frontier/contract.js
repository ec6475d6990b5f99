// pages/frontier/contract.js - the data contract of a frontier page.

import { COMMON, list, number, object, orNull, positive, share, text } from "../../contract.js";

const entropy = object({ sampling_entropy: number });

export const contract = object({
  ...COMMON,
  capacity: positive,
  settings: object({}),
  rows: list(
    object({
      expected_recency: share,
      alpha: number,
      truncated_geometric: entropy,
      window: positive,
      uniform_fifo: entropy,
      eta: orNull(number),
      ere: orNull(
        object({
          sampling_entropy: number,
          conditional_entropy: number,
          smallest_window: positive,
        }),
      ),
    }),
    2,
  ),
  points: list(
    object({
      sampler: text,
      name: text,
      expected_recency: share,
      sampling_entropy: number,
      conditional_entropy: number,
    }),
  ),
});
