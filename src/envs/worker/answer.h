// envs/worker/answer.h - what a worker says on the control socket, read with distrust.
//
// The form is in docs/suites/workers.md: a name, then `key=value` lines with percent-encoded
// values. Everything that is not of that form, and every number outside its range, is an error in
// words: the other side is a program that somebody else may have written.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "mneme/index.h"
#include "mneme/vec_env.h"

namespace mneme::envs {

/// Most bytes of one message, either way.
constexpr std::size_t kMostMessage = 65536;

struct Answer {
  std::string name;
  std::map<std::string, std::string> values;
};

/// Throws CorruptData.
Answer parse_answer(std::string_view text);

/// One group of environments, as `made` describes it.
struct GroupFacts {
  Index observation = 0, action = 0;
  Index horizon = 0;                 ///< 0: none of its own
  std::vector<ObservationKey> keys;  ///< sizes add up to `observation`
  bool success = false;              ///< the task says what success is
  bool true_final = true;            ///< terminal observations are true ones
};

struct Made {
  std::string packages;  ///< "NAME VERSION,NAME VERSION"
  std::vector<GroupFacts> groups;
};

/// Throws CorruptData if it is not a `made` for this number of groups.
Made read_made(const Answer& answer, std::size_t groups);

/// What a worker says went wrong.
struct Complaint {
  Index row = -1;  ///< of the worker; -1: none in particular
  std::string kind, message, traceback;
};

/// Throws CorruptData if it is not an `error`.
Complaint read_complaint(const Answer& answer);

}  // namespace mneme::envs
