// report/live.h - a report over HTTP on this machine that follows its study.
//
//   LiveReport live(build, version, 0);          // 0: any free port
//   std::cerr << live.address() << '\n';         // http://127.0.0.1:PORT/TOKEN/
//   live.serve([] { return InterruptGuard::requested(); });
//
// The address has a token of 128 random bits; every other path is 404, and no other machine can connect. The page is the
// one that write_page writes, with a script that asks for the version and reloads when it has changed. The server holds
// no state of its readers: a closed browser, a killed study and a restarted one are all the same to it.
#pragma once

#include <functional>
#include <memory>
#include <string>

namespace mneme::lab {

class LiveReport {
 public:
  using Text = std::function<std::string()>;

  /// `build`: the page's JSON, called once here and again when `version` has changed since. Throws what
  /// `build` throws; IoError if the port cannot be had, or if the tool was built without cpp-httplib.
  LiveReport(Text build, Text version, int port);
  ~LiveReport();
  LiveReport(const LiveReport&) = delete;
  LiveReport& operator=(const LiveReport&) = delete;

  const std::string& address() const { return address_; }

  /// Answers until `stop` says so, which is asked ten times a second.
  void serve(const std::function<bool()>& stop);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
  std::string address_;
};

}  // namespace mneme::lab
