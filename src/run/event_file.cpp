// run/event_file.cpp - records, checksums, and the few fields of event.proto.
#include "run/event_file.h"

#include <unistd.h>

#include <algorithm>
#include <bit>
#include <chrono>

#include "base/crc32c.h"
#include "base/text.h"
#include "mneme/error.h"
#include "os/file.h"

namespace mneme::lab {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kName = "events.out.tfevents.";

template <class T>
void put_raw(std::string& out, T value) {  // little endian
  for (std::size_t byte = 0; byte < sizeof value; ++byte)
    out += static_cast<char>(value >> (8 * byte) & 0xff);
}

// Protocol buffers: a key (field number, kind of value), then the value.
enum Kind : std::uint32_t { varint = 0, fixed64 = 1, bytes = 2, fixed32 = 5 };

void put_varint(std::string& out, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
  out += static_cast<char>(value);
}
void put_key(std::string& out, std::uint32_t field, Kind kind) {
  put_varint(out, field << 3 | kind);
}
void put_bytes(std::string& out, std::uint32_t field, std::string_view content) {
  put_key(out, field, bytes);
  put_varint(out, content.size());
  out += content;
}

// event.proto: Event
constexpr std::uint32_t kWallTime = 1, kStep = 2, kFileVersion = 3, kSummary = 5, kSessionLog = 7;
// summary.proto: Summary, Summary.Value
constexpr std::uint32_t kValue = 1, kTag = 1, kSimpleValue = 2;
// event.proto: SessionLog, and its state START
constexpr std::uint32_t kStatus = 1, kStart = 1;

std::string event_at(std::int64_t step) {
  const std::chrono::duration<double> now = std::chrono::system_clock::now().time_since_epoch();
  std::string event;
  put_key(event, kWallTime, fixed64);
  put_raw(event, std::bit_cast<std::uint64_t>(now.count()));
  if (step == 0) return event;  // protocol buffers leave out zeros
  put_key(event, kStep, varint);
  put_varint(event, static_cast<std::uint64_t>(step));
  return event;
}

// A checksum stored beside its content is masked, so that sums of sums do not repeat.
std::uint32_t masked_sum(const std::string& content) {
  const std::uint32_t sum = crc32c(0, content.data(), content.size());
  return (sum >> 15 | sum << 17) + 0xa282ead8U;
}

// Seconds since 1970 as ten digits: later than every file that is there, also within one second.
std::string next_number(const fs::path& folder) {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  std::int64_t number = std::chrono::duration_cast<std::chrono::seconds>(now).count();
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (name.rfind(kName, 0) != 0) continue;
    if (const auto there = parse_number(name.substr(kName.size(), 10)))
      number = std::max(number, static_cast<std::int64_t>(*there) + 1);
  }
  std::string digits = std::to_string(number);
  return std::string(10 - std::min<std::size_t>(10, digits.size()), '0') + digits;
}

}  // namespace

EventFile::EventFile(const fs::path& folder, std::int64_t resumed_at) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw IoError(concat(folder.string(), ": ", error.message()));
  path_ = folder / concat(kName, next_number(folder), ".mneme");
  file_ = open_regular(path_, OpenFor::create_new);
  std::string first = event_at(0);
  put_bytes(first, kFileVersion, "brain.Event:2");
  write(first);
  if (resumed_at <= 0) return;
  std::string session, began = event_at(resumed_at);
  put_key(session, kStatus, varint);
  put_varint(session, kStart);
  put_bytes(began, kSessionLog, session);
  write(began);
}

EventFile::~EventFile() {
  if (file_ >= 0) close(file_);
}

void EventFile::add(std::int64_t step, const std::vector<std::pair<std::string, double>>& scalars) {
  if (scalars.empty()) return;
  std::string summary;
  for (const auto& [tag, number] : scalars) {
    std::string value;
    put_bytes(value, kTag, tag);
    put_key(value, kSimpleValue, fixed32);
    put_raw(value, std::bit_cast<std::uint32_t>(static_cast<float>(number)));
    put_bytes(summary, kValue, value);
  }
  std::string event = event_at(step);
  put_bytes(event, kSummary, summary);
  write(event);
}

void EventFile::write(const std::string& event) {
  std::string length, record;
  put_raw(length, static_cast<std::uint64_t>(event.size()));
  record = length;
  put_raw(record, masked_sum(length));
  record += event;
  put_raw(record, masked_sum(event));
  const ssize_t written = ::write(file_, record.data(), record.size());
  if (written != static_cast<ssize_t>(record.size()))
    throw IoError(concat(path_.string(), ": cannot write; is the disk full?"));
}

}  // namespace mneme::lab
