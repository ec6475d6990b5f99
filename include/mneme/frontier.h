// mneme/frontier.h - samplers made comparable: equal expected recency, and the largest entropy it
// allows.
//
// Among all distributions with a given mean age the truncated geometric has the largest entropy;
// its curve of entropy over expected recency is the frontier that every other sampler lies on or
// below.
#pragma once

#include <string>
#include <vector>

#include "mneme/sampler.h"

namespace mneme {

/// Settings of ERE in matched comparisons; the windows are whole numbers of transitions.
struct EreSetting {
  Index cycle = 1000;
  double span = 1000;
  double minimum = 0.005;  ///< below 1: a share of the capacity
};

/// alpha of the truncated geometric distribution with this expected recency in a full buffer;
/// negative below 1/2, where the reverse distribution is meant. Throws InvalidArgument unless 0 <
/// recency < 1 and the buffer has at least 2 places.
double alpha_for_recency(double recency, Index capacity);

/// Window of a uniform FIFO with this expected recency, as a real number; at least 1, at most the
/// capacity. Throws InvalidArgument unless 1/2 <= recency <= 1.
double window_for_recency(double recency, Index capacity);

/// eta of ERE with this expected recency. Throws InvalidArgument if no eta reaches it.
double eta_for_recency(double recency, Index capacity, const EreSetting& setting = {});

/// One family of samplers at a given expected recency.
struct Match {
  std::string family;     ///< name in the registry
  std::string parameter;  ///< the one that was solved for
  bool reachable;         ///< false: `reason` says why; the rest is meaningless
  std::string reason;
  double value;      ///< of the parameter
  std::string spec;  ///< a spec string to use
  double
      expected_recency;  ///< of that spec: windows are whole, so it may differ in the last digits
  double sampling_entropy, conditional_entropy, collision_entropy;
};

/// Every family that has a parameter for it, at this expected recency in a full buffer.
std::vector<Match> match(double recency, Index capacity, const EreSetting& setting = {});

/// One abscissa of the frontier. Where ERE cannot reach the recency, `eta` is NaN.
struct FrontierRow {
  double expected_recency;
  double alpha, truncated_geometric_entropy;
  double window, uniform_fifo_entropy;
  double eta, ere_sampling_entropy, ere_conditional_entropy;
  Index ere_smallest_window;
};

/// The curves of the three recency samplers over expected recencies in (1/2, 1).
std::vector<FrontierRow> frontier(const std::vector<double>& recencies, Index capacity,
                                  const EreSetting& setting = {});

}  // namespace mneme
