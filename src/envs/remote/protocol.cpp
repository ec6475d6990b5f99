// envs/remote/protocol.cpp - parser of a worker's replies.
#include "envs/remote/protocol.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <optional>

#include "base/text.h"
#include "mneme/error.h"

namespace mneme::envs {
namespace {

constexpr double kMostWidth = 1e6;    // values of an observation or action
constexpr double kMostHorizon = 1e9;  // steps of an episode

// For messages: short, without control characters.
std::string shown(std::string_view text) {
  std::string out(text.substr(0, 60));
  for (char& c : out)
    if (std::iscntrl(static_cast<unsigned char>(c)) != 0) c = '?';
  return concat('\'', out, text.size() > 60 ? "...'" : "'");
}

int hex(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

std::string decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i];
      continue;
    }
    const int high = i + 2 < text.size() ? hex(text[i + 1]) : -1;
    const int low = i + 2 < text.size() ? hex(text[i + 2]) : -1;
    if (high < 0 || low < 0)
      throw CorruptData(concat("the worker's reply has an invalid percent code in ", shown(text)));
    out += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return out;
}

// Removes and returns a required value; what is left over is unknown.
std::string take(std::map<std::string, std::string>& values, const std::string& key) {
  const auto at = values.find(key);
  if (at == values.end()) throw CorruptData(concat("the worker's reply lacks '", key, "'"));
  std::string value = std::move(at->second);
  values.erase(at);
  return value;
}

Index whole(std::map<std::string, std::string>& values, const std::string& key, double low,
            double high) {
  const std::string text = take(values, key);
  const std::optional<double> number = parse_number(text);
  if (!number || *number != std::floor(*number) || *number < low || *number > high)
    throw CorruptData(concat("the worker's reply has ", key, '=', shown(text),
                             ", which must be a whole number from ", low, " to ", high));
  return static_cast<Index>(*number);
}

std::vector<ObservationKey> read_keys(const std::string& text, const std::string& where) {
  std::vector<ObservationKey> keys;
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t comma = std::min(text.find(',', begin), text.size());
    const std::string part = text.substr(begin, comma - begin);
    const std::size_t colon = part.rfind(':');
    const std::optional<double> size =
        colon == std::string::npos ? std::nullopt : parse_number(part.substr(colon + 1));
    if (!size || *size < 1 || *size > kMostWidth || *size != std::floor(*size))
      throw CorruptData(concat("the worker's reply has ", where, " of ", shown(part),
                               ", which must be NAME:SIZE"));
    keys.push_back({part.substr(0, colon), static_cast<Index>(*size)});
    begin = comma + 1;
  }
  return keys;
}

}  // namespace

Reply parse_reply(std::string_view text) {
  if (text.size() > kMostMessage)
    throw CorruptData(
        concat("the worker's reply has ", text.size(), " bytes, more than ", kMostMessage));
  Reply answer;
  bool first = true;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (first) {
      answer.name = line;
      first = false;
      continue;
    }
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos || equals == 0)
      throw CorruptData(
          concat("the worker's reply has the line ", shown(line), ", which must be key=value"));
    if (!answer.values.emplace(line.substr(0, equals), decoded(line.substr(equals + 1))).second)
      throw CorruptData(concat("the worker's reply has ", shown(line.substr(0, equals)), " twice"));
  }
  if (answer.name != "made" && answer.name != "attached" && answer.name != "error")
    throw CorruptData(concat("the worker's reply begins with ", shown(answer.name),
                             ", which must be made, attached or error"));
  return answer;
}

Made parse_made(const Reply& answer, std::size_t groups) {
  if (answer.name != "made")
    throw CorruptData(concat("the worker replied ", shown(answer.name), " instead of made"));
  std::map<std::string, std::string> values = answer.values;
  if (whole(values, "version", 0, 1e6) != 1)
    throw CorruptData(
        "the worker has another version of the protocol; it belongs to another version of mneme, "
        "check MNEME_WORKER");
  Made made{.packages = take(values, "packages"), .groups = {}};
  for (std::size_t k = 0; k < groups; ++k) {
    const std::string at = concat(k, '.');
    GroupInfo facts{.observation = whole(values, at + "observation", 1, kMostWidth),
                    .action = whole(values, at + "action", 1, kMostWidth),
                    .horizon = whole(values, at + "horizon", 0, kMostHorizon),
                    .keys = read_keys(take(values, at + "keys"), at + "keys"),
                    .success = whole(values, at + "success", 0, 1) == 1,
                    .true_final = whole(values, at + "final", 0, 1) == 1};
    Index total = 0;
    for (const ObservationKey& key : facts.keys) total += key.size;
    if (total != facts.observation)
      throw CorruptData(concat("the worker's reply has observations of ", facts.observation,
                               " values whose parts have ", total));
    made.groups.push_back(std::move(facts));
  }
  if (!values.empty())
    throw CorruptData(
        concat("the worker's reply has the unknown key ", shown(values.begin()->first)));
  return made;
}

RemoteError parse_error(const Reply& answer) {
  if (answer.name != "error")
    throw CorruptData(concat("the worker replied ", shown(answer.name), " instead of error"));
  std::map<std::string, std::string> values = answer.values;
  RemoteError complaint{.row = whole(values, "row", -1, 1 << 20),
                        .kind = take(values, "kind"),
                        .message = take(values, "message"),
                        .traceback = take(values, "traceback")};
  return complaint;
}

}  // namespace mneme::envs
