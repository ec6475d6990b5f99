// samplers/stretched_exponential.cpp - q(a) proportional to exp(-(a/s)^shape) in the age a, s =
// scale * (capacity - 1).
//
// A family through the truncated geometric distribution (shape 1): shapes below 1 have a sharper
// peak and a heavier tail, shapes above 1 approach a window. At equal mean age it separates entropy
// from collision entropy. A part-filled buffer sees the same distribution cut off at its size, so
// one table per capacity serves every size.
#include <mutex>

#include "samplers/decay_table.h"
#include "samplers/kind.h"

namespace mneme {
namespace {

// The table for the capacity last seen, made when first needed. Copies share it.
class TableCache {
 public:
  std::shared_ptr<const DecayTable> get(double scale, double shape, Index capacity) const {
    const std::lock_guard lock(mutex_);
    if (capacity_ != capacity) {
      const double unit = scale * static_cast<double>(std::max<Index>(1, capacity - 1));
      table_ = std::make_shared<const DecayTable>(unit, shape, capacity);
      capacity_ = capacity;
    }
    return table_;
  }

 private:
  mutable std::mutex mutex_;
  mutable Index capacity_ = 0;
  mutable std::shared_ptr<const DecayTable> table_;
};

struct StretchedExponential {
  static constexpr std::string_view kName = "stretched_exponential";
  static constexpr std::string_view kSummary =
      "weight exp(-(age/s)^shape): from heavy-tailed to window-like";
  static constexpr std::array kParams{
      ParamSpec{
          .name = "scale",
          .fallback =
              0.14426950408889634,  // 1 / (10 ln 2): with shape 1, truncated_geometric:alpha=10
          .lowest = 1e-9,
          .highest = 1e6,
          .help = "age at which the weight has fallen to 1/e, as a share of the capacity"},
      ParamSpec{.name = "shape",
                .fallback = 1,
                .lowest = 0.2,
                .highest = 64,
                .help = "exponent; 1 is truncated_geometric"}};
  static constexpr std::array kExamples{
      std::string_view("stretched_exponential"),
      std::string_view("stretched_exponential:scale=0.2,shape=0.5"),
      std::string_view("stretched_exponential:scale=0.3,shape=4")};

  struct Plan {
    const DecayTable* table;
    double total;
    Index last;
    std::shared_ptr<const DecayTable> owner;  // keeps the table while the plan lives

    Index operator()(double u) const {  // in age order: u = 0 is the newest
      return last - std::min(table->age_at(u * total), last);
    }
    double p(Index i) const { return table->weight(static_cast<double>(last - i)) / total; }
  };

  explicit StretchedExponential(const Params& params)
      : scale_(params.at("scale")), shape_(params.at("shape")) {}

  Plan plan(const BufferView& view) const {
    auto table = tables_.get(scale_, shape_, view.capacity);
    return {table.get(), table->sum(view.size), view.size - 1, table};
  }

  double mean_age(const BufferView& view) const {
    const auto table = tables_.get(scale_, shape_, view.capacity);
    return table->moment(view.size) / table->sum(view.size);
  }

 private:
  double scale_, shape_;
  TableCache tables_;
};

}  // namespace

extern constinit const SamplerEntry stretched_exponential_entry =
    make_entry<StretchedExponential>();
}  // namespace mneme
