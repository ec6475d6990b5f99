// base/rng.cpp - a position in the stream of Philox words.
#include "mneme/rng.h"

#include <algorithm>

#include "base/philox.h"
#include "mneme/error.h"

namespace mneme {
namespace {

detail::PhiloxKey key_of(const Rng::State& state) {
  return {state.seed, state.stream, state.purpose};
}

// 64 x 64 -> 128 bits.
struct Wide {
  std::uint64_t high, low;
};
Wide multiply(std::uint64_t a, std::uint64_t b) {
  const std::uint64_t a0 = a & 0xffffffff, a1 = a >> 32, b0 = b & 0xffffffff, b1 = b >> 32;
  const std::uint64_t low = a0 * b0, middle = a1 * b0 + (low >> 32),
                      other = a0 * b1 + (middle & 0xffffffff);
  return {a1 * b1 + (middle >> 32) + (other >> 32), a * b};
}

}  // namespace

std::uint64_t Rng::word() {
  const std::uint64_t number = state_.position / 2;
  if (number != block_number_) {
    detail::philox_blocks_portable(key_of(state_), number, 1, block_.data());
    block_number_ = number;
  }
  return block_[state_.position++ % 2];
}

std::uint64_t Rng::below(std::uint64_t bound) {
  if (bound == 0) throw InvalidArgument("Rng::below: the bound is 0; pass at least 1");
  Wide product = multiply(word(), bound);
  if (product.low < bound) {
    // The first 2^64 mod bound values of the low half would favor some results: draw again.
    const std::uint64_t surplus = (0 - bound) % bound;
    while (product.low < surplus) product = multiply(word(), bound);
  }
  return product.high;
}

void Rng::fill_words(std::span<std::uint64_t> out) {
  std::size_t done = 0;
  if (!out.empty() && state_.position % 2 == 1) out[done++] = word();
  const std::size_t blocks = (out.size() - done) / 2;
  detail::philox_blocks(key_of(state_), state_.position / 2, blocks, out.data() + done);
  state_.position += 2 * blocks;
  done += 2 * blocks;
  if (done < out.size()) out[done] = word();
}

void Rng::fill_uniform(std::span<double> out) {
  std::array<std::uint64_t, 256> words;
  for (std::size_t done = 0; done < out.size(); done += words.size()) {
    const std::size_t count = std::min(words.size(), out.size() - done);
    fill_words(std::span(words).first(count));
    for (std::size_t i = 0; i < count; ++i) out[done + i] = to_unit(words[i]);
  }
}

}  // namespace mneme
