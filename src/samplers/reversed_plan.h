// samplers/reversed_plan.h - any plan seen from the other end: old for new.
#pragma once

#include "mneme/sampler.h"

namespace mneme {

template <class Plan>
struct ReversedPlan {
  Plan plan;
  Index last;  // size - 1

  Index operator()(double u) const { return last - plan(u); }
  double p(Index i) const { return plan.p(last - i); }
};

}  // namespace mneme
