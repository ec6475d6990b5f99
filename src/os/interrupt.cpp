// os/interrupt.cpp - the signal handler and its counters.
#include "os/interrupt.h"

#include <unistd.h>

namespace mneme::lab {
namespace {

volatile std::sig_atomic_t received = 0, last_signal = 0, exit_on_second = 0;

void on_signal(int number) {
  if (exit_on_second != 0 && received > 0) _exit(128 + number);
  received = received + 1;
  last_signal = number;
}

}  // namespace

InterruptGuard::InterruptGuard(Second second) {
  received = 0;
  last_signal = 0;
  exit_on_second = second == Second::exit ? 1 : 0;
  struct sigaction action{};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  for (std::size_t at = 0; at < kSignals.size(); ++at) {
    sigaction(kSignals[at], nullptr, &before_[at]);
    if (kSignals[at] == SIGHUP && before_[at].sa_handler == SIG_IGN) continue;
    sigaction(kSignals[at], &action, nullptr);
  }
}

InterruptGuard::~InterruptGuard() {
  for (std::size_t at = 0; at < kSignals.size(); ++at)
    sigaction(kSignals[at], &before_[at], nullptr);
}

int InterruptGuard::count() { return received; }
int InterruptGuard::signal() { return last_signal; }

Interrupted InterruptGuard::interrupted(const std::string& message) {
  return Interrupted(message, 128 + (last_signal == 0 ? SIGINT : static_cast<int>(last_signal)));
}

}  // namespace mneme::lab
