// replay/replay_files.cpp - a buffer and its directory: commit, open, save, load.
#include <filesystem>

#include "base/text.h"
#include "mneme/error.h"
#include "replay/buffer_impl.h"

namespace mneme {
namespace {

namespace fs = std::filesystem;

bool same_place(const fs::path& a, const fs::path& b) {
  std::error_code error;
  return fs::equivalent(a, b, error) && !error;
}

}  // namespace

std::vector<std::byte> ReplayBuffer::Impl::state() const {
  SavedState saved{config, {}};
  each_reader([&](ReplayReader::Impl& reader) {
    ByteWriter bytes;
    reader.save(bytes);
    saved.readers.push_back({reader.name(), reader.config(), bytes.bytes()});
  });
  return encode_state(saved);
}

void ReplayBuffer::Impl::restore(const Archive& from, const SavedState& saved) {
  from.restore(store, archive ? Archive::Rows::in_place : Archive::Rows::copied);
  own->take_stored_rows();
  for (std::size_t k = 0; k < saved.readers.size(); ++k) {
    const SavedReader& reader = saved.readers[k];
    ByteReader bytes(reader.state);
    (k == 0 ? *own : add_reader(reader.name, reader.config)).load(bytes);
  }
}

void ReplayBuffer::Impl::commit() {
  if (!archive)
    throw InvalidArgument(
        "this buffer is in memory; create it with a path to commit it, or use save");
  const WriterGate::Closed pause(gate);
  uncommitted.store(0, std::memory_order_relaxed);
  archive->commit(store, state(), Archive::Rows::in_place);
}

void ReplayBuffer::Impl::count_added(Index rows) {
  if (config.commit_every > 0 &&
      uncommitted.fetch_add(rows, std::memory_order_relaxed) + rows >= config.commit_every)
    commit();
}

void ReplayBuffer::commit() { impl().commit(); }

void ReplayBuffer::close() {
  if (impl().archive && impl().archive->access() == Archive::Access::write) impl().commit();
  impl_.reset();
}

ReplayBuffer ReplayBuffer::open(const std::string& path, OpenFor purpose) {
  auto archive =
      Archive::open(Disk::real(), path,
                    purpose == OpenFor::writing ? Archive::Access::write : Archive::Access::read);
  SavedState saved = state_of(*archive);
  saved.config.path = path;
  auto impl = std::make_shared<Impl>(saved.config, std::move(archive));
  impl->restore(*impl->archive, saved);
  return ReplayBuffer(std::move(impl));
}

ReplayBuffer ReplayBuffer::load(const std::string& path) {
  const auto archive = Archive::open(Disk::real(), path, Archive::Access::read);
  SavedState saved = state_of(*archive);
  saved.config.commit_every = 0;
  auto impl = std::make_shared<Impl>(saved.config, nullptr);
  impl->restore(*archive, saved);
  impl->identity = archive->manifest().identity;
  impl->lineage = archive->manifest().lineage;
  return ReplayBuffer(std::move(impl));
}

void ReplayBuffer::save(const std::string& path) {
  Impl& self = impl();
  if (self.archive && same_place(path, self.archive->path())) return commit();
  const WriterGate::Closed pause(self.gate);
  std::unique_ptr<Archive> archive;
  auto since = Archive::Since::nothing;
  if (Archive::exists(path)) {
    archive = Archive::open(Disk::real(), path);
    if (archive->manifest().identity != self.identity)
      throw InvalidArgument(concat(path, " holds another buffer; load that one to continue it, ",
                                   "remove it, or choose another directory"));
    if (archive->manifest().lineage == self.lineage) since = Archive::Since::last_commit;
  } else {
    archive = Archive::create(
        Disk::real(), path,
        StreamStore::shape_for(self.store.layout(), self.config.streams, self.config.capacity));
  }
  // If this fails, the files hold what they held, and the next attempt shares nothing with it.
  self.lineage = 0;
  archive->commit(self.store, self.state(), Archive::Rows::copied, since);
  self.identity = archive->manifest().identity;
  self.lineage = archive->manifest().lineage;
}

}  // namespace mneme
