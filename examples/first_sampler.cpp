// examples/first_sampler.cpp - draw a batch, and see what the sampler does to the data.
#include <mneme/diagnostics.h>
#include <mneme/sampler.h>

#include <cstdio>
#include <vector>

int main() {
  const auto sampler = mneme::make_sampler("truncated_geometric:alpha=10");
  const mneme::BufferView view{.size = 300'000, .capacity = 1'000'000};

  mneme::Rng rng(/*seed=*/0);
  std::vector<mneme::Index> batch(256);  // indices in age order: 0 is the oldest transition
  sampler->sample(view, rng, batch);
  std::printf("drawn: %lld %lld %lld ...\n", static_cast<long long>(batch[0]),
              static_cast<long long>(batch[1]), static_cast<long long>(batch[2]));

  const mneme::Diagnosis d = mneme::inspect(*sampler, view);
  std::printf("expected recency %.6f, like drawing uniformly from %.0f transitions\n",
              d.expected_recency, d.perplexity);
}
