// tests/envs/remote/fake_worker.cpp - a worker that fails on demand. Run by the tests in place
// of a suite's interpreter: `fake_worker FOLDER serve FD`.
//
// The task's name says how it misbehaves, the option `at` at which command (1: the reset).
// Observations are (commands so far, row, sum of actions), episodes last `length` steps (5).
#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmath>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace {

int control = -1;

std::string text_of(const std::string& json, const std::string& key) {
  const std::size_t at = json.find('"' + key + "\":");
  if (at == std::string::npos) return "";
  const std::size_t begin = at + key.size() + 3;
  if (json[begin] == '"') return json.substr(begin + 1, json.find('"', begin + 1) - begin - 1);
  return json.substr(begin, json.find_first_of(",}]", begin) - begin);
}
long number_of(const std::string& json, const std::string& key, long otherwise) {
  const std::string text = text_of(json, key);
  return text.empty() ? otherwise : std::atol(text.c_str());
}

void say(const std::string& text) {
  if (send(control, text.data(), text.size(), 0) < 0) _exit(9);
}

std::string hear(std::vector<int>& descriptors) {
  std::string bytes(65536, '\0');
  iovec part{bytes.data(), bytes.size()};
  alignas(cmsghdr) char space[256];
  msghdr header{};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  header.msg_control = space;
  header.msg_controllen = sizeof space;
  const ssize_t got = recvmsg(control, &header, 0);
  if (got <= 0) _exit(0);
  bytes.resize(static_cast<std::size_t>(got));
  if (const cmsghdr* rights = CMSG_FIRSTHDR(&header); rights != nullptr) {
    descriptors.resize((rights->cmsg_len - CMSG_LEN(0)) / sizeof(int));
    std::memcpy(descriptors.data(), CMSG_DATA(rights), descriptors.size() * sizeof(int));
  }
  return bytes;
}

std::string made_for(const std::string& json) {
  std::string answer = "made\nversion=1\npackages=fake 1.0\n";
  int group = 0;
  for (std::size_t at = json.find("\"task\":"); at != std::string::npos;
       at = json.find("\"task\":", at + 1), ++group) {
    const std::string k = std::to_string(group) + '.';
    answer += k + "observation=3\n" + k + "action=2\n" + k + "horizon=5\n" + k +
              "keys=orders:1,row:1,sum:1\n" + k + "success=1\n" + k + "final=1\n";
  }
  return answer;
}

// Random bytes, words of the protocol cut up and mixed: seeded, so that a finding can be repeated.
std::string rubbish(unsigned& seed) {
  const std::vector<std::string> words = {"made\n",
                                          "attached\n",
                                          "error\n",
                                          "version=1\n",
                                          "row=",
                                          "kind=",
                                          "message=%41",
                                          "=",
                                          "\n",
                                          "%",
                                          "0.keys=a:1,",
                                          "0.observation=",
                                          "99999999999999999999",
                                          "nan",
                                          "-1",
                                          "traceback=x\n"};
  std::string text;
  const int parts = rand_r(&seed) % 30;
  for (int i = 0; i < parts; ++i) {
    if (rand_r(&seed) % 3 == 0)
      for (int k = rand_r(&seed) % 20; k > 0; --k) text += static_cast<char>(rand_r(&seed));
    else
      text += words[static_cast<std::size_t>(rand_r(&seed)) % words.size()];
  }
  return text.empty() ? "x" : text;
}

}  // namespace

int main(int count, char** words) {
  if (count != 4 || std::string(words[2]) != "serve") return 2;
  control = std::atoi(words[3]);
  std::vector<int> descriptors;
  const std::string make = hear(descriptors);
  const std::string task = text_of(make, "task");
  const long at = number_of(make, "at", 0), length = number_of(make, "length", 5);
  const bool f64 = text_of(make, "dtype") == "f64";
  unsigned seed = static_cast<unsigned>(number_of(make, "random", 1));

  if (task == "die-making") {
    std::fprintf(stderr, "no such simulator\n");
    return 3;
  }
  if (task == "hang-making") pause();
  if (task == "throw-making") {
    say("error\nrow=-1\nkind=ImportError\nmessage=no module%0Anamed this\ntraceback=line 1\n");
    pause();
  }
  if (task == "rubbish-making")
    say(rubbish(seed));
  else if (task == "other-version")
    say("made\nversion=2\npackages=\n");
  else if (task == "shrinks") {
    // The first worker leaves a mark in the folder; the others have smaller observations.
    std::string answer = made_for(make);
    if (open((std::string(words[1]) + "/mark").c_str(), O_CREAT | O_EXCL | O_CLOEXEC, 0600) < 0) {
      answer.replace(answer.find("observation=3"), 13, "observation=2");
      answer.replace(answer.find(",sum:1"), 6, "");
    }
    say(answer);
  } else if (task == "long-making")
    say("made\n" + std::string(70000, 'x'));
  else if (task == "wrong-parts") {
    std::string answer = made_for(make);
    answer.replace(answer.find("row:1"), 5, "row:2");
    say(answer);
  } else
    say(made_for(make));

  const std::string attach = hear(descriptors);
  if (task == "die-attaching") return 4;
  if (task == "made-twice") say(made_for(make));
  const long rows = number_of(attach, "rows", 0), action = number_of(attach, "action", 0),
             observation = number_of(attach, "observation", 0),
             bytes = number_of(attach, "bytes", 0);
  // Offsets, not sizes, stand behind these names a second time.
  const std::string offsets = attach.substr(attach.find("\"offsets\""));
  auto* memory = static_cast<char*>(mmap(nullptr, static_cast<std::size_t>(bytes),
                                         PROT_READ | PROT_WRITE, MAP_SHARED, descriptors[0], 0));
  auto* head = reinterpret_cast<volatile std::uint64_t*>(memory);
  say("attached\n");

  const auto number = [&](const char* name, long i) -> double {
    const char* from = memory + number_of(offsets, name, 0);
    return f64 ? reinterpret_cast<const double*>(from)[i]
               : static_cast<double>(reinterpret_cast<const float*>(from)[i]);
  };
  const auto put = [&](const char* name, long i, double value) {
    char* to = memory + number_of(offsets, name, 0);
    if (f64)
      reinterpret_cast<double*>(to)[i] = value;
    else
      reinterpret_cast<float*>(to)[i] = static_cast<float>(value);
  };
  auto* reward = reinterpret_cast<double*>(memory + number_of(offsets, "reward", 0));
  auto* flags = reinterpret_cast<std::uint8_t*>(memory + number_of(offsets, "flags", 0));

  std::vector<double> sums(static_cast<std::size_t>(rows));
  long steps = 0;
  for (long order = 1;; ++order) {
    std::uint64_t ignored = 0;
    if (read(descriptors[1], &ignored, sizeof ignored) != sizeof ignored) return 5;
    const std::uint64_t command = head[1], sequence = head[2];
    if (command == 3) return task == "hang-closing" ? pause() : 0;
    steps = command == 1 ? 0 : steps + 1;
    const bool over = steps == length;
    for (long row = 0; row < rows; ++row) {
      double& sum = sums[static_cast<std::size_t>(row)];
      sum = command == 1 ? 0 : sum + number("action", row * action);
      put("final_observation", row * observation, static_cast<double>(order));
      put("final_observation", row * observation + 1, static_cast<double>(row));
      put("final_observation", row * observation + 2, sum);
      reward[row] = sum;
      if (!over) continue;
      flags[row] = 2 | 8;
      sum = 0;
      put("observation", row * observation, static_cast<double>(order) + 0.5);
      put("observation", row * observation + 1, static_cast<double>(row));
      put("observation", row * observation + 2, 0);
    }
    if (over) steps = 0;
    std::uint64_t status = 0, done = sequence;
    if (order == at || (task == "rubbish" && rand_r(&seed) % 4 == 0)) {
      if (task == "die" || task == "shrinks") {
        std::fprintf(stderr, "farewell\n");
        return 6;
      }
      if (task == "crash") {
        std::signal(SIGSEGV, SIG_DFL);
        raise(SIGSEGV);
      }
      if (task == "hang") pause();
      if (task == "throw") {
        say("error\nrow=1\nkind=ValueError\nmessage=a bad day\ntraceback=line 7\n");
        status = 1;
      }
      if (task == "mute-error") status = 1;
      if (task == "wrong-order") done = sequence + 1;
      if (task == "wrong-status") status = 7;
      if (task == "unknown-flag") flags[0] |= 128;
      if (task == "nan") put("final_observation", observation, std::nan(""));
      if (task == "nan-reward") reward[rows - 1] = std::nan("");
      if (task == "end-without-beginning") flags[0] = 2;
      if (task == "left-out") flags[1] = 32;
      if (task == "no-transition") flags[0] = 64;
      if (task == "chatter") say("attached\n");
      if (task == "rubbish") {
        const int what = rand_r(&seed) % 6;
        if (what == 0) say(rubbish(seed));
        if (what == 1) flags[0] = static_cast<std::uint8_t>(rand_r(&seed));
        if (what == 2) done = static_cast<std::uint64_t>(rand_r(&seed)) % 5;
        if (what == 3) status = static_cast<std::uint64_t>(rand_r(&seed)) % 4;
        if (what == 4) reward[0] = HUGE_VAL;
        if (what == 5) _exit(rand_r(&seed) % 256);
      }
    }
    if (task == "talk")
      for (int line = 0; line < 400; ++line) std::printf("so much to say, order %ld\n", order);
    if (task == "talk") std::fflush(stdout);
    head[9] = status;
    __atomic_store_n(const_cast<std::uint64_t*>(&head[8]), done, __ATOMIC_RELEASE);
    const std::uint64_t one = 1;
    if (write(descriptors[2], &one, sizeof one) != sizeof one) return 7;
  }
}
