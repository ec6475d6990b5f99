// bench/replay/files.cpp - commit, open, save and load against plain writing to the same directory.
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "base/text.h"
#include "replay/workload.h"

namespace mneme::bench {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void give_up(const fs::path& path, const char* what) {
  std::fprintf(stderr, "cannot %s %s\n", what, path.c_str());
  std::exit(1);
}

void write_all(int file, const std::vector<char>& bytes, const fs::path& path) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t now = write(file, bytes.data() + done, bytes.size() - done);
    if (now <= 0) give_up(path, "write");
    done += static_cast<std::size_t>(now);
  }
}

// The usual way to make bytes survive: append, fsync.
class PlainFile {
 public:
  PlainFile(const fs::path& path, double bytes)
      : path_(path),
        file_(open(path.c_str(), O_CREAT | O_EXCL | O_WRONLY, 0644)),
        bytes_(static_cast<std::size_t>(bytes), 'm') {
    if (file_ < 0) give_up(path, "create");
  }
  ~PlainFile() {
    close(file_);
    fs::remove(path_);
  }
  void append() {
    write_all(file_, bytes_, path_);
    if (fsync(file_) != 0) give_up(path_, "sync");
  }

 private:
  fs::path path_;
  int file_;
  std::vector<char> bytes_;
};

// Out of the system's memory, so that the next read comes from the disk.
void evict(const fs::path& directory) {
  for (const auto& entry : fs::directory_iterator(directory)) {
    const int file = open(entry.path().c_str(), O_RDONLY);
    if (file < 0 || fsync(file) != 0 || posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED) != 0)
      give_up(entry.path(), "evict");
    close(file);
  }
}

double seconds(const Contestant& c) { return quantile(c.ns, 0.5) * 1e-9; }
Spread in_seconds(const Contestant& c) {
  std::vector<double> s;
  for (const double ns : c.ns) s.push_back(ns * 1e-9);
  return spread_of(s);
}
std::string milliseconds(const Contestant& c) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g ms", seconds(c) * 1e3);
  return text;
}

void measure_commits(const Settings& settings, Report& report, const std::string& sampler) {
  const fs::path path = fs::path(settings.directory) / sampler;
  ReplayConfig on_disk = config(sampler, settings.capacity);
  on_disk.path = path;
  const Index few = settings.capacity / 100;
  {
    ReplayBuffer buffer(on_disk);
    Index end = fill_wrapped(buffer);
    buffer.commit();
    PlainFile plain(path / "plain", kPayload * static_cast<double>(few));
    std::vector<Contestant> all;
    all.push_back({"write and fsync", [&] { plain.append(); }, 1});
    all.push_back({"commit", [&] { buffer.commit(); }, 1, 1,
                   [&] {
                     fill(buffer, 0, end, end + few);
                     end += few;
                   }});
    take_turns(all, settings.rounds, Clock::wall);
    report.add({concat("`", sampler, "`: commit with 1 % new rows, against write and fsync of ",
                       "the same bytes"),
                "x", ratio(all[1], all[0]), 1.5,
                concat(milliseconds(all[1]), " against ", milliseconds(all[0]))});
    buffer.close();
  }

  // what comes back must be what was there
  {
    ReplayBuffer again = ReplayBuffer::open(path, OpenFor::reading);
    Batch batch = again.make_batch(5000);
    again.sample(batch);
    check_rows(batch, "reopened");
  }
  const int rounds = std::max(3, settings.rounds / 6);
  const auto open_it = [&] { ReplayBuffer again = ReplayBuffer::open(path, OpenFor::reading); };
  std::vector<Contestant> opened;
  opened.push_back({"in memory", open_it, 1});
  take_turns(opened, rounds, Clock::wall);
  std::vector<Contestant> cold;
  cold.push_back({"from the disk", open_it, 1, 1, [&] { evict(path); }});
  take_turns(cold, rounds, Clock::wall);
  const std::string size = concat(settings.capacity, " rows");
  report.add({concat("`", sampler, "`: open, files in the system's memory"), "s",
              in_seconds(opened[0]), 1, size});
  report.add(
      {concat("`", sampler, "`: open, files on the disk only"), "s", in_seconds(cold[0]), 1, size});
  fs::remove_all(path);
}

void measure_copies(const Settings& settings, Report& report) {
  const fs::path folder = fs::path(settings.directory), copy = folder / "copy";
  ReplayBuffer buffer(config("uniform", settings.capacity));
  Index end = fill_wrapped(buffer);
  const double bytes = kPayload * static_cast<double>(settings.capacity);
  const int rounds = std::max(3, settings.rounds / 6);
  const std::vector<char> content(static_cast<std::size_t>(bytes), 'm');
  std::vector<Contestant> all;
  const fs::path plain = folder / "plain";
  all.push_back({"write and fsync",
                 [&] {
                   const int file = open(plain.c_str(), O_CREAT | O_TRUNC | O_WRONLY, 0644);
                   if (file < 0) give_up(plain, "create");
                   write_all(file, content, plain);
                   if (fsync(file) != 0) give_up(plain, "sync");
                   close(file);
                 },
                 1, 1, [&] { fs::remove(plain); }});
  all.push_back({"save", [&] { buffer.save(copy); }, 1, 1, [&] { fs::remove_all(copy); }});
  take_turns(all, rounds, Clock::wall);
  fs::remove(plain);
  std::vector<Contestant> rest;
  rest.push_back({"save again", [&] { buffer.save(copy); }, 1, 1,
                  [&] {
                    fill(buffer, 0, end, end + settings.capacity / 100);
                    end += settings.capacity / 100;
                  }});
  rest.push_back({"load", [&] { ReplayBuffer loaded = ReplayBuffer::load(copy); }, 1});
  take_turns(rest, rounds, Clock::wall);
  ReplayBuffer loaded = ReplayBuffer::load(copy);
  Batch batch = loaded.make_batch(5000);
  loaded.sample(batch);
  check_rows(batch, "loaded");
  report.add({"save of a buffer in memory, against write and fsync of the same bytes",
              "x",
              ratio(all[1], all[0]),
              {},
              concat(milliseconds(all[1]), " against ", milliseconds(all[0]))});
  report.add({"save again with 1 % new rows", "s", in_seconds(rest[0]), {}, ""});
  report.add({"load into memory, files in the system's memory", "s", in_seconds(rest[1]), {}, ""});
  fs::remove_all(copy);
}

}  // namespace

void measure_files(const Settings& settings, Report& report) {
  report.section("files");
  if (fs::exists(settings.directory)) give_up(settings.directory, "use what exists already:");
  fs::create_directories(settings.directory);
  measure_commits(settings, report, "uniform");
  measure_commits(settings, report, "per");
  measure_copies(settings, report);
  fs::remove_all(settings.directory);
}

}  // namespace mneme::bench
