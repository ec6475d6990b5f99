// tests/report/live_test.cpp - a live report over a real socket: the token, the version, what a fault leaves behind.
#include "report/live.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <thread>

#include "mneme/error.h"

namespace mneme::lab {
namespace {

namespace fs = std::filesystem;

constexpr const char* kTemplate =
    "<html><meta content=\"default-src 'none'; img-src data:\"><body>"
    "<script id=\"mneme-data\" type=\"application/json\">null</script></body></html>\n";

// The answer to one request, with its head.
std::string get(int port, const std::string& path, const char* from = "127.0.0.1") {
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(static_cast<std::uint16_t>(port));
  inet_pton(AF_INET, from, &to.sin_addr);
  std::string answer;
  if (connect(socket, reinterpret_cast<const sockaddr*>(&to), sizeof to) == 0) {
    const std::string request =
        "GET " + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    if (send(socket, request.data(), request.size(), 0) > 0) {
      char buffer[4096];
      for (ssize_t got; (got = recv(socket, buffer, sizeof buffer, 0)) > 0;)
        answer.append(buffer, static_cast<std::size_t>(got));
    }
  }
  close(socket);
  return answer;
}

class Live : public testing::Test {
 protected:
  Live() : template_(fs::path(testing::TempDir()) / "mneme_live_template.html") {
    if (const char* value = std::getenv("MNEME_PAGE_TEMPLATE")) before_ = value;
    std::ofstream(template_) << kTemplate;
    setenv("MNEME_PAGE_TEMPLATE", template_.c_str(), 1);
  }
  ~Live() override {
    stop_ = true;
    if (server_.joinable()) server_.join();
    before_.empty() ? unsetenv("MNEME_PAGE_TEMPLATE")
                    : setenv("MNEME_PAGE_TEMPLATE", before_.c_str(), 1);
    fs::remove(template_);
  }

  void start() {
    live_ = std::make_unique<LiveReport>(
        [this] {
          ++builds_;
          if (fails_) throw NotFound("the ledger is gone");
          return "{\"build\":" + std::to_string(builds_.load()) + "}";
        },
        [this] { return std::to_string(version_.load()); }, 0);
    const std::string& address = live_->address();
    const std::size_t colon = address.rfind(':'), slash = address.find('/', colon);
    port_ = std::stoi(address.substr(colon + 1, slash - colon - 1));
    root_ = address.substr(slash);
    server_ = std::thread([this] { live_->serve([this] { return stop_.load(); }); });
    while (get(port_, root_ + "version").empty()) std::this_thread::yield();
  }

  fs::path template_;
  std::string before_, root_;
  std::atomic<int> builds_{0}, version_{1};
  std::atomic<bool> fails_{false}, stop_{false};
  int port_ = 0;
  std::unique_ptr<LiveReport> live_;
  std::thread server_;
};

TEST_F(Live, ServesThePageAtItsTokenOnly) {
  start();
  EXPECT_EQ(root_.size(), 34U) << "two slashes and 128 bits";
  const std::string page = get(port_, root_);
  EXPECT_NE(page.find("200 OK"), std::string::npos);
  EXPECT_NE(page.find("{\"build\":1}"), std::string::npos);
  EXPECT_NE(page.find("connect-src 'self'"), std::string::npos);
  EXPECT_NE(page.find("fetch(\"version\""), std::string::npos);
  EXPECT_NE(page.find("Cache-Control: no-store"), std::string::npos);
  std::string other = root_;
  other[5] = other[5] == '0' ? '1' : '0';
  for (const std::string& path : {std::string("/"), std::string("/version"), other,
                                  other + "version", root_ + "../../etc/passwd"}) {
    const std::string answer = get(port_, path);
    EXPECT_NE(answer.find(" 404 "), std::string::npos) << path << ": " << answer;
    EXPECT_EQ(answer.find("build"), std::string::npos) << path;
  }
}

TEST_F(Live, BuildsAgainOnlyWhenTheVersionHasChanged) {
  start();
  for (int k = 0; k < 3; ++k) get(port_, root_);
  EXPECT_EQ(builds_, 1);
  version_ = 2;
  EXPECT_NE(get(port_, root_ + "version").find("\r\n\r\n2"), std::string::npos);
  EXPECT_NE(get(port_, root_).find("{\"build\":2}"), std::string::npos);
  EXPECT_EQ(builds_, 2);
}

TEST_F(Live, AnswersOtherRequestsAfterAFailedBuild) {
  start();
  fails_ = true;
  version_ = 2;
  const std::string answer = get(port_, root_);
  EXPECT_NE(answer.find(" 500 "), std::string::npos);
  EXPECT_NE(answer.find("mneme: the ledger is gone"), std::string::npos);
  fails_ = false;
  EXPECT_NE(get(port_, root_).find("{\"build\":3}"), std::string::npos);
}

TEST_F(Live, RefusesAPortThatIsInUse) {
  start();
  const auto text = [] { return std::string("1"); };
  EXPECT_THROW(LiveReport(text, text, port_), IoError);
}

TEST_F(Live, IsOnLoopbackOnly) {
  start();
  // The whole of 127.0.0.0/8 is this machine: a server on 0.0.0.0 would answer here, one on 127.0.0.1 does not.
  EXPECT_EQ(get(port_, root_, "127.0.0.2"), "");
}

TEST_F(Live, AFirstBuildThatFailsIsTheErrorOfTheCommand) {
  fails_ = true;
  EXPECT_THROW(start(), NotFound);
}

}  // namespace
}  // namespace mneme::lab
