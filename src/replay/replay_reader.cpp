// replay/replay_reader.cpp - a handle to a drawer.
#include "mneme/replay_reader.h"

#include "replay/drawer.h"

namespace mneme {

const std::string& ReplayReader::name() const { return drawer_->name(); }
const SamplingConfig& ReplayReader::config() const { return drawer_->config(); }

Batch ReplayReader::make_batch(std::size_t size) const { return drawer_->make_batch(size); }
void ReplayReader::sample(Batch& batch) { drawer_->sample(batch); }
void ReplayReader::sample(const BatchView& batch) { drawer_->sample(batch); }

SequenceBatch ReplayReader::make_sequences(std::size_t size, Index length, Index burn_in) const {
  return drawer_->make_sequences(size, length, burn_in);
}
void ReplayReader::sample(SequenceBatch& batch) { drawer_->sample(batch); }
void ReplayReader::sample(const SequenceView& batch) { drawer_->sample(batch); }

FeedbackReport ReplayReader::update_priorities(std::span<const std::uint64_t> ids,
                                               std::span<const float> td_errors) {
  return drawer_->update_priorities(ids, td_errors);
}
LiveDiagnostics ReplayReader::diagnostics() const { return drawer_->diagnostics(); }
void ReplayReader::reset_diagnostics() { drawer_->reset_diagnostics(); }
void ReplayReader::set_progress(double progress) { drawer_->set_progress(progress); }

}  // namespace mneme
