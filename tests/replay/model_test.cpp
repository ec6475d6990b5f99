// tests/replay/model_test.cpp - thousands of random operations on the buffer and on naive ones, and
// planted faults that must be found; the operations are in support/model_run.h.
#include <gtest/gtest.h>

#include "support/model_run.h"

namespace mneme {
namespace {

using test::Faults;
using test::ModelRun;
using test::NaiveBuffer;
using test::NaiveEnd;
using test::Outcome;

std::vector<std::string> every_sampler() {
  std::vector<std::string> specs{"per:draws=independent,alpha=1"};
  for (const SamplerInfo* info : registered_samplers()) specs.emplace_back(info->examples[0]);
  return specs;
}

Outcome run(const std::string& sampler, std::uint64_t seed, Index operations,
            const Faults& faults = {}) {
  return ModelRun(sampler, seed, faults).run(operations);
}

void expect_all_right(std::uint64_t seeds, Index operations) {
  Outcome sum;
  for (const std::string& sampler : every_sampler()) {
    for (std::uint64_t seed = 0; seed < seeds; ++seed) {
      const Outcome out = run(sampler, seed, operations);
      ASSERT_EQ(out.wrong, "");
      sum.rows += out.rows;
      sum.windows += out.windows;
      sum.refused_calls += out.refused_calls;
      sum.stale += out.stale;
      sum.unannounced += out.unannounced;
      sum.late_readers += out.late_readers;
      sum.reopened += out.reopened;
    }
  }
  // It has met what it is for.
  EXPECT_GT(sum.rows, operations);
  EXPECT_GT(sum.windows, operations / 10);
  EXPECT_GT(sum.refused_calls, operations / 10);
  EXPECT_GT(sum.stale, operations / 10);
  EXPECT_GT(sum.unannounced, operations / 10);
  EXPECT_GT(sum.late_readers, operations / 10);
  EXPECT_GT(sum.reopened, operations / 10);
}

TEST(Model, BufferAgreesWithTheNaiveOne) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  expect_all_right(5, 400);
#else
  expect_all_right(16, 600);
#endif
}

TEST(ModelSlow, BufferAgreesWithTheNaiveOne) { expect_all_right(200, 2000); }

// Each planted fault is found, for the reason it is wrong. `sampler` is one that would show it.
struct Planted {
  const char* name;
  const char* sampler;
  const char* found_as;
  Faults faults;
};
void PrintTo(const Planted& p, std::ostream* out) { *out << p.name; }

std::vector<Planted> planted_faults() {
  using Change = std::function<void(Batch&, std::size_t, const NaiveBuffer&)>;
  const auto each_row = [](Change change) {
    return [change](Batch& batch, const NaiveBuffer& naive) {
      for (std::size_t k = 0; k < batch.size; ++k) change(batch, k, naive);
    };
  };
  const auto window = [](const Batch& batch, std::size_t k, const NaiveBuffer& naive) {
    return naive.window(batch.stream[k], ReplayBuffer::sequence_of(batch.id[k]));
  };
  std::vector<Planted> all;
  const auto in_batches = [&](const char* name, const char* sampler, const char* found_as,
                              Change change) {
    Faults faults;
    faults.batch = each_row(std::move(change));
    all.push_back({name, sampler, found_as, std::move(faults)});
  };
  in_batches("RowShifted", "uniform", "observation",
             [](Batch& b, std::size_t k, const NaiveBuffer&) {
               if (k > 0) b.observation[k * (b.observation.size() / b.size)] = b.observation[0];
             });
  in_batches("TruncationTakenForTermination", "uniform", "discount",
             [window](Batch& b, std::size_t k, const NaiveBuffer& naive) {
               if (window(b, k, naive).last->end == NaiveEnd::truncated) b.discount[k] = 0;
             });
  in_batches("CutNotBootstrapped", "uniform", "discount",
             [window](Batch& b, std::size_t k, const NaiveBuffer& naive) {
               if (window(b, k, naive).last->end == NaiveEnd::cut) b.discount[k] = 0;
             });
  in_batches(
      "SuccessorAcrossAnUnannouncedReset", "uniform", "next observation",
      [window](Batch& b, std::size_t k, const NaiveBuffer& naive) {
        const std::uint64_t next =
            ReplayBuffer::sequence_of(b.id[k]) + static_cast<std::uint64_t>(b.horizon[k]);
        if (window(b, k, naive).last->end != NaiveEnd::cut || next >= naive.head(b.stream[k]))
          return;
        const std::size_t width = b.next_observation.size() / b.size;
        b.next_observation[(k + 1) * width - 2] = naive.row(b.stream[k], next).observation[0];
      });
  in_batches(
      "RewardOfTheNextEpisode", "truncated_geometric", "reward",
      [window](Batch& b, std::size_t k, const NaiveBuffer& naive) {
        const std::uint64_t next =
            ReplayBuffer::sequence_of(b.id[k]) + static_cast<std::uint64_t>(b.horizon[k]);
        if (window(b, k, naive).last->end != NaiveEnd::none && next < naive.head(b.stream[k]))
          b.reward[k] += naive.row(b.stream[k], next).reward;
      });
  in_batches("NewestNeverDrawn", "uniform", "are ever drawn",
             [](Batch& b, std::size_t k, const NaiveBuffer&) {
               if (b.age[k] > 0 || b.size < 200) return;
               b.id[k] = b.id[0];
             });
  in_batches("AgeOffByOne", "linear", "age",
             [](Batch& b, std::size_t k, const NaiveBuffer&) { ++b.age[k]; });
  in_batches("EvictedRow", "ere", "id", [](Batch& b, std::size_t k, const NaiveBuffer& naive) {
    if (naive.oldest(b.stream[k]) > 0)
      b.id[k] = static_cast<std::uint64_t>(b.stream[k]) << 44 | (naive.oldest(b.stream[k]) - 1);
  });
  in_batches("FieldsOfAnotherRow", "uniform", "fields",
             [](Batch& b, std::size_t k, const NaiveBuffer&) { b.fields[1][2 * k] += 1; });
  in_batches("WeightOfAnotherRow", "per", "weight",
             [](Batch& b, std::size_t k, const NaiveBuffer&) { b.weight[k] = b.weight[0]; });
  Faults faults;
  faults.sequences = [](SequenceBatch& b) { b.valid[0] = b.valid[0] == 0 ? 1 : 0; };
  all.push_back({"SequenceMask", "uniform", "sequence: valid", faults});
  faults = {};
  faults.sequences = [](SequenceBatch& b) { b.last_observation[0] += 1; };
  all.push_back({"SequenceSuccessor", "uniform", "sequence: last observation", faults});
  faults = {};
  faults.report = [](FeedbackReport& r) {
    r.applied += r.stale;
    r.stale = 0;
  };
  all.push_back({"StaleFeedbackCountedAsApplied", "rank_per", "feedback", faults});
  faults = {};
  faults.shift_feedback = true;
  all.push_back({"FeedbackMisdirected", "per", "", faults});
  faults = {};
  faults.forget_cuts = true;
  all.push_back({"CutIgnored", "uniform", "cuts", faults});
  faults = {};
  faults.bad_calls_draw = true;
  all.push_back({"RefusedCallMovesTheGenerator", "uniform", "refused call changed", faults});
  faults = {};
  faults.skip_commits = true;
  all.push_back({"AnOlderCommitIsOpened", "uniform", "", faults});
  return all;
}

class ModelPower : public ::testing::TestWithParam<Planted> {};

TEST_P(ModelPower, FindsThePlantedFault) {
  std::string wrong;
  for (std::uint64_t seed = 0; seed < 40 && wrong.empty(); ++seed)
    wrong = run(GetParam().sampler, seed, 600, GetParam().faults).wrong;
  ASSERT_NE(wrong, "") << "nothing was noticed";
  EXPECT_NE(wrong.find(GetParam().found_as), std::string::npos) << wrong;
}

INSTANTIATE_TEST_SUITE_P(Faults, ModelPower, ::testing::ValuesIn(planted_faults()),
                         [](const auto& fault) { return fault.param.name; });

}  // namespace
}  // namespace mneme
