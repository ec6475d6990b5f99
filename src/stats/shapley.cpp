// stats/shapley.cpp - how much of a gain each of two components earns.
//
// v(S) is the gain with the change applied to the components in S, v(nothing) = 0. The Shapley
// value of a component is its marginal gain averaged over the two orders of joining. All four arms
// must draw actor and critic batches independently, or the baseline sees fewer distinct samples
// than the others.
#include "mneme/stats.h"

namespace mneme::stats {

Shapley shapley(double gain_critic, double gain_actor, double gain_both) {
  return {.critic = 0.5 * (gain_critic + gain_both - gain_actor),
          .actor = 0.5 * (gain_actor + gain_both - gain_critic),
          .both = gain_both};
}

Shapley shapley(const ScoreMatrix& baseline, const ScoreMatrix& critic, const ScoreMatrix& actor,
                const ScoreMatrix& both) {
  return shapley(gain(critic, baseline), gain(actor, baseline), gain(both, baseline));
}

}  // namespace mneme::stats
