// tests/samplers/spec_test.cpp - spec strings: what is accepted, what is refused, and in which
// words.
#include "base/sampler_spec.h"

#include <gtest/gtest.h>

#include "mneme/error.h"
#include "mneme/sampler.h"

namespace mneme {
namespace {

std::string complaint(const std::string& spec) {
  try {
    make_sampler(spec);
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Spec, TakesStringsApart) {
  const Spec spec = parse_spec(" mix : eps=0.1, a=(linear:ratio=4,anchor=size) ,b=(uniform)");
  EXPECT_EQ(spec.name, "mix");
  ASSERT_EQ(spec.values.size(), 3u);
  EXPECT_EQ(spec.values[0], (std::pair<std::string, std::string>("eps", "0.1")));
  EXPECT_EQ(spec.values[1],
            (std::pair<std::string, std::string>("a", "linear:ratio=4,anchor=size")));
  EXPECT_EQ(spec.values[2], (std::pair<std::string, std::string>("b", "uniform")));
}

TEST(Spec, RefusesWhatIsMalformed) {
  for (const std::string bad :
       {"", ":", ":alpha=1", "uniform:", "truncated_geometric:alpha",
        "truncated_geometric:alpha=", "truncated_geometric:=1", "truncated_geometric:alpha=1,,",
        "truncated_geometric:alpha=1,alpha=2", "mix:a=(uniform", "mix:a=uniform)",
        "mix:a=(((((((((uniform)))))))))", "uni form", "uniform\n", "uniform:draws"}) {
    EXPECT_THROW(make_sampler(bad), InvalidArgument) << bad;
  }
  EXPECT_THROW(make_sampler(std::string(5000, 'x')), InvalidArgument);
}

TEST(Spec, NestingNeedsParenthesesAndHasALimit) {
  EXPECT_NE(complaint("mix:a=linear:ratio=4")
                .find("'a' has parameters of its own; put it in parentheses"),
            std::string::npos);
  EXPECT_EQ(complaint("mix:a=linear"), "accepted");
  std::string nested = "uniform";
  for (int depth = 0; depth < 8; ++depth) nested = "mix:a=(" + nested + ")";
  EXPECT_EQ(make_sampler(make_sampler(nested)->spec())->spec(), make_sampler(nested)->spec());
  EXPECT_NE(complaint("mix:a=(" + nested + ")").find("deeper than eight"), std::string::npos);
}

TEST(Spec, WhateverIsAcceptedIsAcceptedAgainInItsCanonicalForm) {
  for (std::size_t blanks = 3900; blanks < 4096; ++blanks) {
    const std::string spec = "mix:a=(linear:" + std::string(blanks, ' ') + "ratio=4)";
    std::unique_ptr<Sampler> made;
    try {
      made = make_sampler(spec);
    } catch (const InvalidArgument&) {
      continue;
    }
    EXPECT_EQ(make_sampler(made->spec())->spec(), made->spec()) << blanks;
  }
}

TEST(Spec, MessagesSayWhatToDo) {
  EXPECT_NE(complaint("truncated_geometrc").find("did you mean 'truncated_geometric'?"),
            std::string::npos);
  EXPECT_NE(complaint("bogus_name_of_nothing").find("known: uniform, truncated_geometric"),
            std::string::npos);
  EXPECT_NE(complaint("truncated_geometric:alhpa=3").find("did you mean 'alpha'?"),
            std::string::npos);
  EXPECT_EQ(complaint("truncated_geometric:alpha=-3"),
            "truncated_geometric: alpha is '-3'; allowed: 0 to 10000 (log2 odds of the newest over "
            "the oldest in a full buffer)");
  EXPECT_NE(complaint("truncated_geometric:anchor=sise").find("did you mean 'size'?"),
            std::string::npos);
  EXPECT_NE(complaint("ere:cycle=2.5").find("whole numbers from 1 to 1000000"), std::string::npos);
  EXPECT_NE(complaint("mix:a=(unifrom)").find("did you mean 'uniform'?"), std::string::npos);
}

TEST(Spec, CanonicalFormNamesEveryParameter) {
  EXPECT_EQ(make_sampler("truncated_geometric:alpha=5")->spec(),
            "truncated_geometric:alpha=5,anchor=capacity,form=exact,draws=independent");
  EXPECT_EQ(make_sampler("mix:a=(linear:ratio=4)")->spec(),
            "mix:eps=0.1,a=(linear:ratio=4),b=(uniform),draws=independent");
}

}  // namespace
}  // namespace mneme
