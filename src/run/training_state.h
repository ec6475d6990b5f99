// run/training_state.h - one list of what a checkpoint holds, for writing and for reading.
//
//   template <class Archive> void Thing::visit_state(Archive& state) {
//     state(step_);
//     state.all(rewards_);
//     state.part(agent_);       // something with save(StateWriter&) and load(StateReader&)
//   }
//   SaveState save(out);  thing.visit_state(save);
//   LoadState load(in);   thing.visit_state(load);
//
// The order of the calls is the format.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/state.h"
#include "mneme/rng.h"
#include "run/checkpoint_file.h"

namespace mneme::lab {

class SaveState {
 public:
  static constexpr bool kLoading = false;
  explicit SaveState(StateWriter& out) : out_(out) {}
  static int version() { return kCheckpointVersion; }

  template <class T>
  void operator()(T& value) {
    out_.put(value);
  }
  void operator()(std::string& text) { put_text(out_, text); }
  void operator()(Rng& random) { out_.put(random.state()); }
  template <class T>
  void all(std::vector<T>& values) {
    out_.put_all(std::span<const T>(values));
  }
  template <class T>
  void all(std::span<T> values) {
    out_.put_all(std::span<const T>(values));
  }
  template <class Part>
  void part(Part& part) {
    part.save(out_);
  }
  /// A length and the bytes that `make` returns; `take` gets them when they are read.
  template <class Make, class Take>
  void bytes(const Make& make, const Take&) {
    const std::vector<std::byte> content = make();
    out_.put(static_cast<std::uint64_t>(content.size()));
    out_.put_all(std::span<const std::byte>(content));
  }

 private:
  StateWriter& out_;
};

class LoadState {
 public:
  static constexpr bool kLoading = true;
  LoadState(StateReader& in, int version) : in_(in), version_(version) {}
  int version() const { return version_; }

  template <class T>
  void operator()(T& value) {
    value = in_.get<T>();
  }
  void operator()(std::string& text) { text = get_text(in_); }
  void operator()(Rng& random) { random = Rng(in_.get<Rng::State>()); }
  template <class T>
  void all(std::vector<T>& values) {
    in_.get_all(std::span<T>(values));
  }
  template <class T>
  void all(std::span<T> values) {
    in_.get_all(values);
  }
  template <class Part>
  void part(Part& part) {
    part.load(in_);
  }
  template <class Make, class Take>
  void bytes(const Make&, const Take& take) {
    const auto count = in_.get<std::uint64_t>();
    if (count > std::uint64_t{1} << 32)
      throw CorruptData("the checkpoint has an environment of impossible size");
    std::vector<std::byte> content(static_cast<std::size_t>(count));
    in_.get_all(std::span<std::byte>(content));
    take(content);
  }

 private:
  StateReader& in_;
  int version_;
};

}  // namespace mneme::lab
