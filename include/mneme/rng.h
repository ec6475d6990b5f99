// mneme/rng.h - random numbers from a counter: Philox 4x32-10 (Salmon et al., SC 2011).
//
// The k-th number of a generator is a pure function of (seed, purpose, stream, k). The same seed
// therefore gives the same numbers on every machine and for every thread count, streams never
// overlap, and the whole state is four numbers. `purpose` tells apart what the numbers are for
// (drawing indices, choosing streams, shuffling), `stream` the environment or task.
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace mneme {

class Rng {
 public:
  /// All there is to save. `position` counts the 64-bit words drawn so far.
  struct State {
    std::uint64_t seed = 0;
    std::uint32_t purpose = 0;
    std::uint32_t stream = 0;
    std::uint64_t position = 0;
    bool operator==(const State&) const = default;
  };

  explicit Rng(std::uint64_t seed, std::uint32_t purpose = 0, std::uint32_t stream = 0)
      : Rng(State{seed, purpose, stream, 0}) {}
  explicit Rng(const State& state) : state_(state) {}

  /// The next 64 random bits.
  std::uint64_t word();

  /// A multiple of 2^-53 in [0, 1): 0 can happen, 1 cannot.
  double uniform() { return to_unit(word()); }

  /// Uniform on 0 .. bound-1 without bias (Lemire's multiply and reject); usually one word,
  /// sometimes more. Throws InvalidArgument if bound is 0.
  std::uint64_t below(std::uint64_t bound);

  /// The same words and uniforms as that many single calls, several times faster.
  void fill_words(std::span<std::uint64_t> out);
  void fill_uniform(std::span<double> out);

  const State& state() const { return state_; }

  /// The top 53 bits of a word as a number in [0, 1).
  static double to_unit(std::uint64_t word) { return static_cast<double>(word >> 11) * 0x1p-53; }

 private:
  State state_;
  std::array<std::uint64_t, 2> block_{};           // the block that holds the word at position - 1
  std::uint64_t block_number_ = ~std::uint64_t{};  // none yet: no generator reaches its last block
};

}  // namespace mneme
