// tests/replay/kill_test.cpp - kill -9 at random moments of a process that writes, samples, gives
// feedback and commits.
//
// The child plays scene after scene and commits after each; the parent kills it, opens the
// directory, and compares with a buffer in memory that played the same scenes undisturbed: every
// row, and the batches that come next. Then the next child continues from there.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "mneme/buffer_files.h"
#include "mneme/replay_buffer.h"
#include "support/failing_disk.h"
#include "support/play.h"

namespace mneme {
namespace {

using testing::next_batches;
using testing::play;

constexpr std::uint64_t kSeed = 21;
constexpr int kSteps = 60;

ReplayConfig config_for(const std::string& path) {
  return {.observation = {3},
          .action = {2},
          .capacity = 150,
          .streams = 2,
          .sampler = "per",
          .n_step = 2,
          .seed = 9,
          .path = path};
}

// Commit 1 is the empty buffer; scene k leads to commit k + 2.
[[noreturn]] void work(const std::string& path, std::atomic<std::uint64_t>& committed) {
  ReplayBuffer buffer = ReplayBuffer::open(path);
  for (std::uint64_t scene = buffer_info(path).commit - 1;; ++scene) {
    play(buffer, kSeed, scene, kSteps);
    buffer.commit();
    committed.store(scene + 2);
  }
}

void kill_and_compare(int kills) {
  const testing::TemporaryDirectory directory;
  const std::string path = directory / "replay";
  {
    const ReplayBuffer created(config_for(path));
  }
  const std::uint64_t start = buffer_info(path).commit;
  ReplayBuffer reference(config_for({}));
  void* shared = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(shared, MAP_FAILED);
  auto& committed = *new (shared) std::atomic<std::uint64_t>(start);
  Rng rng(22);
  std::uint64_t played = 0;
  for (int k = 0; k < kills; ++k) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) work(path, committed);
    usleep(static_cast<useconds_t>(rng.below(12'000)));
    kill(child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status)) << "the child ended by itself";

    const std::uint64_t promised = committed.load(), found = buffer_info(path).commit;
    ASSERT_GE(found, promised) << "a commit was lost";
    for (; played + 1 < found; ++played) play(reference, kSeed, played, kSteps);
    ReplayBuffer opened = ReplayBuffer::open(path, OpenFor::reading);
    ASSERT_EQ(opened.size(), reference.size());
    if (reference.size() == 0) continue;
    reference.save(directory / "reference");
    const std::vector<float> expected =
        next_batches(ReplayBuffer::load(directory / "reference").reader(), 5, 64);
    ASSERT_EQ(next_batches(opened.reader(), 5, 64), expected) << "after kill " << k;
  }
  EXPECT_GT(played, static_cast<std::uint64_t>(kills) / 4) << "too little happened to prove much";
  munmap(shared, 4096);
}

TEST(Kill, NothingCommittedIsLost) { kill_and_compare(100); }
TEST(KillSlow, NothingCommittedIsLost) { kill_and_compare(1000); }

}  // namespace
}  // namespace mneme
