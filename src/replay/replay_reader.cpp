// replay/replay_reader.cpp - a handle to its implementation.
#include "mneme/replay_reader.h"

#include "replay/reader_impl.h"

namespace mneme {

const std::string& ReplayReader::name() const { return impl_->name(); }
const SamplingConfig& ReplayReader::config() const { return impl_->config(); }

Batch ReplayReader::make_batch(std::size_t size) const { return impl_->make_batch(size); }
void ReplayReader::sample(Batch& batch) { impl_->sample(batch); }
void ReplayReader::sample(const BatchView& batch) { impl_->sample(batch); }

SequenceBatch ReplayReader::make_sequences(std::size_t size, Index length, Index burn_in) const {
  return impl_->make_sequences(size, length, burn_in);
}
void ReplayReader::sample(SequenceBatch& batch) { impl_->sample(batch); }
void ReplayReader::sample(const SequenceView& batch) { impl_->sample(batch); }

FeedbackReport ReplayReader::update_priorities(std::span<const std::uint64_t> ids,
                                               std::span<const float> td_errors) {
  return impl_->update_priorities(ids, td_errors);
}
LiveDiagnostics ReplayReader::diagnostics() const { return impl_->diagnostics(); }
void ReplayReader::reset_diagnostics() { impl_->reset_diagnostics(); }
void ReplayReader::set_progress(double progress) { impl_->set_progress(progress); }

}  // namespace mneme
