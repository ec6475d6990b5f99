// bindings/rate_limiter.cpp - the rate limiter: waits without the interpreter's lock, and for no
// longer than until the user presses Ctrl-C.
#include "mneme/rate_limiter.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <cmath>
#include <limits>
#include <optional>

#include "base/text.h"
#include "bindings/bindings.h"
#include "mneme/error.h"

namespace mneme::python {
namespace {

using Clock = std::chrono::steady_clock;

// While a call waits, the core comes back to it this often; it then looks for signals.
constexpr std::chrono::milliseconds kLook{100};

std::chrono::milliseconds milliseconds(const char* name, double seconds) {
  if (!(seconds >= 0 && seconds <= 1e9))
    throw InvalidArgument(concat(name, " is ", seconds, " seconds; allowed: 0 to 1e9"));
  return std::chrono::milliseconds(static_cast<std::int64_t>(std::ceil(seconds * 1000)));
}

class Limiter {
 public:
  Limiter(const RateLimit& limit, Index rows_stored, double long_wait, nb::object on_long_wait,
          std::optional<double> give_up)
      : long_wait_(milliseconds("long_wait", long_wait)),
        on_long_wait_(std::move(on_long_wait)),
        limiter_(limit, {.rows_stored = rows_stored,
                         .long_wait = kLook,
                         .on_long_wait = [this](const std::string& status) { look(status); },
                         .give_up = give_up ? std::max(milliseconds("give_up", *give_up),
                                                       std::chrono::milliseconds(1))
                                            : std::chrono::milliseconds(0)}) {}

  RateLimiter& core() { return limiter_; }

  Admission before(bool insert, Index rows, std::optional<double> at_most) {
    const auto most = at_most ? milliseconds("at_most", *at_most) : std::chrono::milliseconds(0);
    next_call() = Clock::now() + long_wait_;
    nb::gil_scoped_release released;
    if (!at_most) return insert ? limiter_.before_insert(rows) : limiter_.before_sample(rows);
    return insert ? limiter_.before_insert(rows, most) : limiter_.before_sample(rows, most);
  }

 private:
  // When the call of this thread that waits is to be told of.
  static Clock::time_point& next_call() {
    thread_local Clock::time_point time;
    return time;
  }

  // By the thread that waits. What it throws ends the wait.
  void look(const std::string& status) {
    nb::gil_scoped_acquire acquired;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    if (on_long_wait_.is_none() || Clock::now() < next_call()) return;
    on_long_wait_(status);
    next_call() = Clock::now() + long_wait_;
  }

  std::chrono::milliseconds long_wait_;
  nb::object on_long_wait_;
  RateLimiter limiter_;
};

}  // namespace

void bind_rate_limiter(nb::module_& module) {
  nb::enum_<Admission>(module, "Admission", "What became of a request to a RateLimiter.")
      .value("go", Admission::go, "Counted; do it.")
      .value("not_yet", Admission::not_yet, "Not counted; nothing has changed.")
      .value("stopped", Admission::stopped, "stop() was called.");
  nb::class_<RateStatus>(module, "RateStatus", "Where the two sides of a RateLimiter stand.")
      .def_ro("rows_stored", &RateStatus::rows_stored, "Those of construction included.")
      .def_ro("rows_sampled", &RateStatus::rows_sampled, "Since construction.")
      .def_ro("ahead", &RateStatus::ahead,
              "Sampled rows by which the learner is ahead of the ratio, or behind.")
      .def_ro("waiting_inserts", &RateStatus::waiting_inserts, "Threads.")
      .def_ro("waiting_samples", &RateStatus::waiting_samples, "Threads.")
      .def_ro("text", &RateStatus::text, "Who waits for what, and what would release it.")
      .def("__repr__",
           [](const RateStatus& s) { return concat("<mneme.RateStatus: ", s.text, ">"); });
  nb::class_<Limiter>(
      module, "RateLimiter",
      "Keeps writers and learners in step: `samples_per_insert` sampled rows per stored row, "
      "either "
      "side ahead by at most `tolerance` sampled rows, no sample before `minimum_rows`. A part "
      "beside the buffer: a thread that does not ask it does not wait. Any thread; the two sides "
      "never "
      "wait for each other.")
      .def(
          "__init__",
          [](Limiter* self, double samples_per_insert, double tolerance, Index minimum_rows,
             Index rows_stored, double long_wait, nb::object on_long_wait,
             std::optional<double> give_up) {
            if (!on_long_wait.is_none() && !PyCallable_Check(on_long_wait.ptr()))
              throw InvalidArgument("on_long_wait must be a function: it is called with a text");
            new (self) Limiter({samples_per_insert, tolerance, minimum_rows}, rows_stored,
                               long_wait, std::move(on_long_wait), give_up);
          },
          nb::arg("samples_per_insert") = 1.0, nb::arg("tolerance") = 1024.0,
          nb::arg("minimum_rows") = 1, nb::kw_only(), nb::arg("rows_stored") = 0,
          nb::arg("long_wait") = 10.0, nb::arg("on_long_wait") = nb::none(),
          nb::arg("give_up") = nb::none(),
          "`rows_stored`: len(buffer) of a buffer that has rows already. `on_long_wait` is called "
          "with a text after each `long_wait` seconds of one wait, by the thread that waits. After "
          "`give_up` seconds a wait raises RuntimeError.")
      .def(
          "before_insert",
          [](Limiter& l, Index rows, std::optional<double> at_most) {
            return l.before(true, rows, at_most);
          },
          nb::arg("rows") = 1, nb::arg("at_most") = nb::none(),
          "Waits until that many rows may be stored, and counts them; no longer than `at_most` "
          "seconds, if given.")
      .def(
          "before_sample",
          [](Limiter& l, Index rows, std::optional<double> at_most) {
            return l.before(false, rows, at_most);
          },
          nb::arg("rows"), nb::arg("at_most") = nb::none(),
          "Waits until that many rows may be sampled, and counts them.")
      .def(
          "try_insert", [](Limiter& l, Index rows) { return l.core().try_insert(rows); },
          nb::arg("rows") = 1, "The same as before_insert without waiting.")
      .def(
          "try_sample", [](Limiter& l, Index rows) { return l.core().try_sample(rows); },
          nb::arg("rows"), "The same as before_sample without waiting.")
      .def(
          "set_limit",
          [](Limiter& l, double samples_per_insert, double tolerance, Index minimum_rows) {
            l.core().set_limit({samples_per_insert, tolerance, minimum_rows});
          },
          nb::arg("samples_per_insert"), nb::arg("tolerance"), nb::arg("minimum_rows"),
          "Another limit from now on; what either side is ahead stays.")
      .def_prop_ro("samples_per_insert",
                   [](Limiter& l) { return l.core().limit().samples_per_insert; })
      .def_prop_ro("tolerance", [](Limiter& l) { return l.core().limit().tolerance; })
      .def_prop_ro("minimum_rows", [](Limiter& l) { return l.core().limit().minimum_rows; })
      .def(
          "stop", [](Limiter& l) { l.core().stop(); },
          "Wakes all waiting threads; from now on every call returns Admission.stopped.")
      .def(
          "status", [](Limiter& l) { return l.core().status(); },
          "Where both sides stand, and who waits for what.");
}

}  // namespace mneme::python
