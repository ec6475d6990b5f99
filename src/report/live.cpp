// report/live.cpp - the server of a live report.
#include "report/live.h"

#if MNEME_HTTP
#include <httplib.h>
#endif

#include <sys/random.h>

#include <array>
#include <chrono>
#include <mutex>
#include <string_view>
#include <thread>
#include <utility>

#include "base/text.h"
#include "mneme/error.h"
#include "report/page.h"

namespace mneme::lab {

#if MNEME_HTTP
namespace {

constexpr const char* kLoopback = "127.0.0.1";

std::string random_token() {
  std::array<unsigned char, 16> bytes{};
  if (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
    throw IoError("the operating system has no random numbers for the token of the address");
  std::string token;
  for (const unsigned char byte : bytes) {
    token += "0123456789abcdef"[byte >> 4];
    token += "0123456789abcdef"[byte & 15];
  }
  return token;
}

// Asks for the version every two seconds, reloads when it has changed, and says when the server is gone.
constexpr std::string_view kFollow = R"html(<script>
(() => {
  let shown = null;
  const note = document.createElement("p");
  note.setAttribute("role", "status");
  note.style.cssText = "position:fixed;right:16px;bottom:16px;margin:0;padding:6px 12px;border-radius:4px;" +
    "font-size:14px;background:var(--panel);border:1px solid var(--rule)";
  document.body.append(note);
  const ask = async () => {
    try {
      const answer = await fetch("version", { cache: "no-store" });
      if (!answer.ok) throw new Error(answer.statusText);
      const version = await answer.text();
      note.textContent = "Live: follows the study";
      if (shown !== null && version !== shown) location.reload();
      shown = version;
    } catch {
      note.textContent = "Not live: mneme report --serve has stopped";
    }
  };
  void ask();
  setInterval(ask, 2000);
})();
</script>
</body>)html";

void replace(std::string& text, std::string_view old, std::string_view with) {
  const std::size_t at = text.rfind(old);
  if (at == std::string::npos)
    throw CorruptData(concat("the page template has no ", old, "; build web/ again"));
  text.replace(at, old.size(), with);
}

std::string live_page(const std::string& json) {
  std::string page = filled_page(json);
  // The page as a file may ask for nothing; the live one asks its own server for the version.
  replace(page, "default-src 'none';", "default-src 'none'; connect-src 'self';");
  replace(page, "</body>", kFollow);
  return page;
}

}  // namespace

struct LiveReport::Impl {
  Text build, version;
  httplib::Server server;
  std::mutex mutex;
  std::string page, built;  // built: the version that the page was built from

  // The page as of now. A build that fails, say while a ledger is moved, is the answer of that request only.
  std::string current() {
    const std::lock_guard lock(mutex);
    std::string now = version();
    if (page.empty() || now != built) {
      page = live_page(build());
      built = std::move(now);
    }
    return page;
  }
};

LiveReport::LiveReport(Text build, Text version, int port) : impl_(std::make_unique<Impl>()) {
  impl_->build = std::move(build);
  impl_->version = std::move(version);
  impl_->current();  // what is wrong with the study is said here and not in a browser

  httplib::Server& server = impl_->server;
  server.new_task_queue = [] { return new httplib::ThreadPool(2); };  // it takes ownership
  // The library's default lets two servers share a port. A port that was in use a moment ago is fine.
  server.set_socket_options([](socket_t socket) {
    const int yes = 1;
    setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  });
  server.set_default_headers({{"Cache-Control", "no-store"},
                              {"Referrer-Policy", "no-referrer"},
                              {"X-Content-Type-Options", "nosniff"}});
  const std::string root = concat('/', random_token(), '/');
  const auto answer = [](httplib::Response& response, const Text& text, const char* type) {
    try {
      response.set_content(text(), type);
    } catch (const std::exception& error) {
      response.status = 500;
      response.set_content(concat("mneme: ", error.what(), '\n'), "text/plain; charset=utf-8");
    }
  };
  server.Get(root, [this, answer](const httplib::Request&, httplib::Response& response) {
    answer(response, [this] { return impl_->current(); }, "text/html; charset=utf-8");
  });
  server.Get(root + "version",
             [this, answer](const httplib::Request&, httplib::Response& response) {
               answer(response, impl_->version, "text/plain; charset=utf-8");
             });

  if (port == 0) {
    port = server.bind_to_any_port(kLoopback);
  } else if (!server.bind_to_port(kLoopback, port)) {
    port = -1;
  }
  if (port < 0)
    throw IoError("the port cannot be used, another program may have it; pass another --port");
  address_ = concat("http://", kLoopback, ':', port, root);
}

LiveReport::~LiveReport() = default;

void LiveReport::serve(const std::function<bool()>& stop) {
  std::thread listener([this] { impl_->server.listen_after_bind(); });
  while (!stop()) std::this_thread::sleep_for(std::chrono::milliseconds(100));
  // Not before it runs: stop() on a server that is only starting is lost.
  while (!impl_->server.is_running()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  impl_->server.stop();
  listener.join();
}

#else

struct LiveReport::Impl {};

LiveReport::LiveReport(Text, Text, int) {
  throw IoError(
      "this mneme was built without cpp-httplib; install libcpp-httplib-dev and build again, or "
      "use "
      "-o FILE");
}
LiveReport::~LiveReport() = default;
void LiveReport::serve(const std::function<bool()>&) {}

#endif

}  // namespace mneme::lab
