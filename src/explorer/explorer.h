// explorer/explorer.h - C interface of the samplers and diagnostics for WebAssembly.
//
//   const char* answer = mneme_inspect("ere:eta=0.996", 1e6, 1e6, 1, 2, 256, 0, 0);
//
// Every function answers with JSON text: an object (or list) with the keys of the `mneme` tool's --json, or
// {"error": "..."} with the message of the exception. The text belongs to this module and is valid until the next
// call. Whole numbers are passed as double, which JavaScript has; they must be whole and at most 2^53. One thread.
#pragma once

extern "C" {

/// Samplers that need no feedback from a learner, with parameters, ranges, defaults and examples; common parameters.
const char* mneme_samplers();

/// A Diagnosis and the canonical spec. `reference` 0: the capacity.
const char* mneme_inspect(const char* spec, double size, double capacity, double streams,
                          double updates_per_step, double batch, double reference, double progress);

/// Expected draws per stored transition and vector step: `points` ages evenly spaced, `points` more
/// spaced by ratio, and both sides of every jump. Ages ascend.
const char* mneme_density(const char* spec, double size, double capacity, double progress,
                          double replay_volume, double points);

/// Probability that a transition of a full buffer has not been drawn after so many steps, at `points`
/// numbers of steps spaced by ratio from 1 to the capacity.
const char* mneme_delay(const char* spec, double capacity, double replay_volume, double points);

/// Exposure of the transition inserted at this share of the run; 1 is the lifetime value in a full buffer.
const char* mneme_exposure(const char* spec, double capacity, double steps, double inserted);

/// The sampler while a run of `steps` fills the buffer: stored transitions, expected recency, and the
/// log2 odds of the newest over the oldest (null where the oldest is never drawn), at `points` shares of the run.
const char* mneme_filling(const char* spec, double capacity, double steps, double points);

/// Entropy over expected recency: truncated geometric, FIFO window and ERE with this setting.
const char* mneme_frontier(double capacity, double cycle, double span, double minimum);

/// Every family at this expected recency in a full buffer.
const char* mneme_match(double recency, double capacity, double cycle, double span, double minimum);

/// Which sampler for a training run, with reasons and their evidence.
const char* mneme_advise(double envs, double updates_per_step, double batch, double capacity,
                         double steps);
}
