// tests/replay/files_test.cpp - buffers in directories: what comes back, what is refused, and that
// the next batch is the one that would have come.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <atomic>
#include <thread>

#include "mneme/buffer_files.h"
#include "mneme/error.h"
#include "mneme/prefetch.h"
#include "mneme/replay_buffer.h"
#include "replay/saved_state.h"
#include "support/failing_disk.h"
#include "support/play.h"

namespace mneme {
namespace {

using testing::next_batches;
using testing::play;
using testing::TemporaryDirectory;

ReplayConfig config_for(const std::string& sampler, const std::string& path = {}) {
  return {.observation = {3},
          .action = {2},
          .capacity = 60,
          .streams = 3,
          .sampler = sampler,
          .n_step = 3,
          .discount = 0.9,
          .seed = 5,
          .path = path};
}

std::vector<std::string> every_sampler() {
  std::vector<std::string> specs;
  for (const SamplerInfo* info : registered_samplers()) specs.emplace_back(info->examples.front());
  specs.push_back("per:new_rows=stored");
  return specs;
}

// The last words of an exception of type E.
template <class E, class Call>
std::string thrown(const Call& call) {
  try {
    call();
  } catch (const E& error) {
    return error.what();
  } catch (const std::exception& error) {
    ADD_FAILURE() << "another error: " << error.what();
  }
  return "";
}

TEST(Files, ReopenedBufferDrawsTheSameNextBatch) {
  for (const std::string& sampler : every_sampler()) {
    const TemporaryDirectory directory;
    const std::string path = directory / "replay";
    std::vector<float> expected, expected_actor;
    {
      ReplayBuffer buffer(config_for(sampler, path));
      ReplayReader actor = buffer.add_reader("actor", {.sampler = "linear", .n_step = 2});
      for (std::uint64_t scene = 0; scene < 4; ++scene) play(buffer, 3, scene, 150);
      buffer.set_progress(0.25);
      buffer.commit();
      expected = next_batches(buffer.reader());
      expected_actor = next_batches(actor);
      play(buffer, 3, 99, 100);  // never committed
    }
    {
      ReplayBuffer again = ReplayBuffer::open(path);
      EXPECT_EQ(next_batches(again.reader()), expected) << sampler;
      EXPECT_EQ(next_batches(again.reader("actor")), expected_actor) << sampler;
      play(again, 3, 100, 200);  // and more steps follow
    }
    ReplayBuffer in_memory = ReplayBuffer::load(path);
    EXPECT_EQ(next_batches(in_memory.reader()), expected) << sampler;
    EXPECT_EQ(next_batches(in_memory.reader("actor")), expected_actor) << sampler;
  }
}

TEST(Files, SavedAndLoadedBuffersContinueAlike) {
  for (const std::string sampler : {"truncated_geometric", "per"}) {
    const TemporaryDirectory directory;
    const std::string path = directory / "copy";
    ReplayBuffer buffer(config_for(sampler));
    for (std::uint64_t scene = 0; scene < 12; ++scene) {
      play(buffer, 4, scene, 40);
      buffer.save(path);
      ReplayBuffer copy = ReplayBuffer::load(path);
      ReplayBuffer other = ReplayBuffer::load(path);
      EXPECT_EQ(next_batches(copy.reader()), next_batches(other.reader()));
      play(copy, 4, 50 + scene, 100);
      play(other, 4, 50 + scene, 100);
      EXPECT_EQ(next_batches(copy.reader()), next_batches(other.reader()));
      if (scene % 4 == 3) {  // continue with the copy, saving over what it was loaded from
        buffer = ReplayBuffer::load(path);
      } else if (scene % 4 == 1) {  // a copy that went its own way must not be added to blindly
        copy.save(path);
      }
    }
    EXPECT_EQ(verify_buffer(path) > 0, true);
  }
}

TEST(Files, SaveRefusesADirectoryWithAnotherBuffer) {
  const TemporaryDirectory directory;
  const std::string path = directory / "copy";
  ReplayBuffer one(config_for("uniform")), two(config_for("uniform"));
  play(one, 1, 0, 50);
  play(two, 1, 1, 50);
  one.save(path);
  EXPECT_NE(thrown<InvalidArgument>([&] { two.save(path); }).find("another buffer"),
            std::string::npos);
  EXPECT_EQ(buffer_info(path).transitions, one.size());
  EXPECT_NE(thrown<InvalidArgument>([&] {
              ReplayBuffer(config_for("uniform", path));
            }).find("holds a buffer already"),
            std::string::npos);
}

TEST(Files, CommitEveryCommitsByItself) {
  const TemporaryDirectory directory;
  const std::string path = directory / "replay";
  ReplayConfig config = config_for("uniform", path);
  config.commit_every = 25;
  ReplayBuffer buffer(config);
  play(buffer, 2, 0, 60);
  EXPECT_EQ(buffer_info(path).added, 50U);
  EXPECT_EQ(buffer_info(path).commit, 3U);  // with the empty one at the start
  EXPECT_THROW(ReplayBuffer({.observation = {1}, .action = {1}, .commit_every = 5}),
               InvalidArgument);
}

TEST(Files, UseAfterCloseIsRefused) {
  const TemporaryDirectory directory;
  const std::string path = directory / "replay";
  ReplayBuffer buffer(config_for("per", path));
  play(buffer, 2, 0, 60);
  const Index size = buffer.size();
  EXPECT_NE(thrown<IoError>([&] { ReplayBuffer::open(path); }).find("is open in process"),
            std::string::npos);
  buffer.close();
  Batch batch;
  const std::vector<float> nothing;
  const std::string closed = "this buffer is closed";
  EXPECT_EQ(thrown<InvalidArgument>([&] { buffer.sample(batch); }), closed);
  EXPECT_EQ(thrown<InvalidArgument>([&] { buffer.add({}); }), closed);
  EXPECT_EQ(thrown<InvalidArgument>([&] { buffer.add_all({}); }), closed);
  EXPECT_EQ(thrown<InvalidArgument>([&] { buffer.commit(); }), closed);
  EXPECT_EQ(thrown<InvalidArgument>([&] { buffer.close(); }), closed);
  EXPECT_EQ(thrown<InvalidArgument>([&] { static_cast<void>(buffer.size()); }), closed);
  EXPECT_EQ(thrown<InvalidArgument>([&] { buffer.update_priorities({}, {}); }), closed);
  EXPECT_EQ(ReplayBuffer::open(path).size(), size);  // close has committed
}

TEST(Files, ReadersMayLookTogetherAndChangeNothing) {
  const TemporaryDirectory directory;
  const std::string path = directory / "replay";
  {
    ReplayBuffer buffer(config_for("per", path));
    play(buffer, 2, 0, 300);
    buffer.close();
  }
  const std::vector<char> manifest = testing::bytes_of(path + "/manifest");
  ReplayBuffer one = ReplayBuffer::open(path, OpenFor::reading);
  ReplayBuffer two = ReplayBuffer::open(path, OpenFor::reading);
  EXPECT_THROW(ReplayBuffer::open(path), IoError);
  EXPECT_THROW(one.commit(), InvalidArgument);
  play(one, 2, 1, 500);  // in its own memory
  EXPECT_EQ(next_batches(two.reader()), next_batches(ReplayBuffer::load(path).reader()));
  one.close();
  two.close();
  EXPECT_EQ(testing::bytes_of(path + "/manifest"), manifest);
  EXPECT_NO_THROW(verify_buffer(path));
}

TEST(Files, SecondProcessIsToldWhoHasTheLock) {
  const TemporaryDirectory directory;
  const std::string path = directory / "replay";
  ReplayBuffer buffer(config_for("uniform", path));
  const std::string holder = std::to_string(getpid());
  const pid_t child = fork();
  if (child == 0) {
    try {
      ReplayBuffer::open(path);
    } catch (const IoError& error) {
      _exit(std::string(error.what()).find("process " + holder) != std::string::npos ? 7 : 8);
    }
    _exit(9);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 7);
}

TEST(Files, InfoVerifyAndExportDescribeTheCommit) {
  const TemporaryDirectory directory;
  const std::string path = directory / "replay", columns = directory / "columns";
  ReplayConfig config = config_for("uniform", path);
  ReplayBuffer buffer(config);
  buffer.add_reader("actor", {});
  play(buffer, 6, 0, 400);
  const BufferInfo before = buffer_info(path);  // while it is open: the commit at the start
  EXPECT_EQ(before.transitions, 0);
  const Index size = buffer.size();
  buffer.close();
  const BufferInfo info = buffer_info(path);
  EXPECT_EQ(info.transitions, size);
  EXPECT_EQ(info.added, 400U);
  EXPECT_EQ(info.readers, (std::vector<std::string>{"", "actor"}));
  EXPECT_EQ(info.config.capacity, 60);
  double share = 0;
  EXPECT_GT(verify_buffer(path, [&](double done) { share = done; }), 1000U);
  EXPECT_EQ(share, 1);
  const std::vector<std::string> files = export_buffer(path, columns);
  EXPECT_EQ(files.size(), 7U);
  const std::vector<char> rewards = testing::bytes_of(columns + "/reward.npy");
  EXPECT_EQ(rewards.size() % 64, static_cast<std::size_t>(size) * 4 % 64);
  EXPECT_EQ(std::string(rewards.begin() + 1, rewards.begin() + 6), "NUMPY");
  EXPECT_THROW(export_buffer(path, columns), IoError);  // never over something else
}

// What was drawn ahead but never handed out is not part of a commit.
TEST(Files, PrefetchedBatchesAreDrawnAgainAfterACommit) {
  for (const std::string sampler : {"truncated_geometric", "per", "ere"}) {
    const TemporaryDirectory directory;
    const std::string path = directory / "replay";
    std::vector<std::uint64_t> went_on;
    {
      ReplayBuffer buffer(config_for(sampler, path));
      play(buffer, 2, 0, 200);
      Prefetcher batches(buffer.reader(), 32, 4);
      for (int k = 0; k < 5; ++k) batches.next();
      play(buffer, 2, 1, 0);
      const std::vector<float> one{1, 2, 3}, two{4, 5, 6}, action{0, 0};
      buffer.add({.observation = one, .action = action, .reward = 1, .next_observation = two});
      buffer.commit();
      for (int k = 0; k < 8; ++k) {
        const Batch& batch = batches.next();
        went_on.insert(went_on.end(), batch.id.begin(), batch.id.end());
      }
    }
    ReplayBuffer again = ReplayBuffer::open(path);
    Batch batch = again.make_batch(32);
    std::vector<std::uint64_t> restored;
    for (int k = 0; k < 8; ++k) {
      again.sample(batch);
      restored.insert(restored.end(), batch.id.begin(), batch.id.end());
    }
    EXPECT_EQ(restored, went_on) << sampler;
  }
}

// Commits while writers, readers and a prefetcher are at work: no thread waits for ever, and what
// was committed opens.
TEST(Files, CommitsBesideWritersReadersAndPrefetcher) {
  const TemporaryDirectory directory;
  const std::string path = directory / "replay";
  ReplayConfig config = config_for("per", path);
  config.capacity = 500;
  ReplayBuffer buffer(config);
  for (std::uint64_t scene = 0; scene < 2; ++scene) play(buffer, 2, scene, 60);
  std::atomic<bool> stop{false};
  std::vector<std::thread> threads;
  for (Index s = 0; s < 3; ++s) {
    threads.emplace_back([&, s] {
      const std::vector<float> action{0, 0};
      std::vector<float> now{static_cast<float>(s), 0, 0};
      for (int k = 0; !stop; ++k) {
        std::vector<float> next{static_cast<float>(s), static_cast<float>(k), 1};
        buffer.add({.stream = s,
                    .observation = now,
                    .action = action,
                    .reward = 1,
                    .next_observation = next,
                    .terminated = k % 17 == 0});
        now = next;
      }
    });
  }
  threads.emplace_back([&] {
    Prefetcher batches(buffer.reader(), 16);
    while (!stop) batches.next();
  });
  // Until the writers have filled every stream: on a busy machine they may not even have begun.
  for (int k = 0; k < 20 || buffer.size() < 1500; ++k) buffer.commit();
  stop = true;
  for (std::thread& thread : threads) thread.join();
  const Index size = buffer.size();
  buffer.close();
  EXPECT_EQ(ReplayBuffer::open(path).size(), size);
}

// What std::filesystem itself would throw arrives as an error of this library.
TEST(Files, ImpossiblePathsAreRefused) {
  const std::string path = "/tmp/" + std::string(5000, 'x');
  EXPECT_THROW(ReplayBuffer::open(path), IoError);
  EXPECT_THROW(ReplayBuffer::load(path), IoError);
  EXPECT_THROW(buffer_info(path), IoError);
  EXPECT_THROW(ReplayBuffer(config_for("uniform", path)), IoError);
  ReplayBuffer buffer(config_for("uniform"));
  EXPECT_THROW(buffer.save(path), IoError);
}

// A manifest whose checksum fits but whose readers cannot be those of a buffer.
TEST(Files, ManifestWithoutOwnReaderOrWithDuplicateNamesIsRefused) {
  const auto with = [](std::vector<std::string> names) {
    SavedState state;
    state.config = config_for("uniform");
    for (std::string& name : names) {
      SavedReader reader;
      reader.name = std::move(name);
      state.readers.push_back(std::move(reader));
    }
    return encode_state(state);
  };
  EXPECT_EQ(decode_state(with({"", "actor", "critic"})).readers.size(), 3U);
  EXPECT_THROW(decode_state(with({})), CorruptData);
  EXPECT_THROW(decode_state(with({"actor"})), CorruptData);
  EXPECT_THROW(decode_state(with({"", "actor", "actor"})), CorruptData);
  EXPECT_THROW(decode_state(with({"", ""})), CorruptData);
}

TEST(Files, BatchesLargerThanMemoryAreRefused) {
  ReplayBuffer buffer(config_for("uniform"));
  EXPECT_THROW(buffer.make_batch(std::size_t{1} << 31), InvalidArgument);
  EXPECT_THROW(buffer.make_batch(~std::size_t{0} / 2), InvalidArgument);
  EXPECT_THROW(buffer.make_sequences(1, Index{1} << 62), InvalidArgument);
}

TEST(Files, CommitOfABufferInMemoryIsRefused) {
  ReplayBuffer buffer(config_for("uniform"));
  EXPECT_NE(thrown<InvalidArgument>([&] { buffer.commit(); }).find("in memory"), std::string::npos);
  EXPECT_THROW(ReplayBuffer::open("/nonexistent/replay"), IoError);
}

}  // namespace
}  // namespace mneme
