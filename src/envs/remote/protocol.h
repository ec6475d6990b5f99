// envs/remote/protocol.h - parser of a worker's replies on the control socket.
//
// The format is in docs/suites/workers.md: a name, then `key=value` lines with percent-encoded
// values. Replies are untrusted input: any other format, and any number outside its range, throws
// CorruptData with a message that says what was found.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "mneme/index.h"
#include "mneme/vec_env.h"

namespace mneme::envs {

/// Maximum bytes of one message, in either direction.
constexpr std::size_t kMostMessage = 65536;

struct Reply {
  std::string name;
  std::map<std::string, std::string> values;
};

/// Throws CorruptData.
Reply parse_reply(std::string_view text);

/// One group of environments, as `made` describes it.
struct GroupInfo {
  Index observation = 0, action = 0;
  Index horizon = 0;                 ///< 0: no limit
  std::vector<ObservationKey> keys;  ///< sizes add up to `observation`
  bool success = false;              ///< the task defines success
  bool true_final = true;            ///< terminal observations are exact
};

struct Made {
  std::string packages;  ///< "NAME VERSION,NAME VERSION"
  std::vector<GroupInfo> groups;
};

/// Throws CorruptData unless it is a `made` reply with this number of groups.
Made parse_made(const Reply& answer, std::size_t groups);

/// An exception in the worker.
struct RemoteError {
  Index row = -1;  ///< of the worker; -1: not one environment's
  std::string kind, message, traceback;
};

/// Throws CorruptData unless it is an `error` reply.
RemoteError parse_error(const Reply& answer);

}  // namespace mneme::envs
