// envs/hb/crawl.cpp - a tunnel too low to walk in.
#include <algorithm>
#include <cmath>

#include "envs/hb/robot_task.h"

namespace mneme::envs::hb {
namespace {

Scene tunnel() {
  return {.bodies = fixed("tunnel", 2.2, 0, 0,
                          box(8, -1.35, 0.775, 8, 0.2, 0.775) + box(8, 1.35, 0.775, 8, 0.2, 0.775) +
                              box(8, 0, 1.35, 8, 1.15, 0.2))};
}

class Crawl final : public RobotTask {
 public:
  explicit Crawl(std::string_view name) : RobotTask(name, tunnel()) {}

 private:
  Outcome score() override {
    if (std::abs(imu()[1]) > 1) return {};  // beside the tunnel
    const double low = std::min(tolerance(imu()[2], 0.6, 1, 1), tolerance(head(), 0.6, 1, 1));
    // Face down, as four numbers of a quaternion.
    const double* q = d()->xquat + 4 * pelvis();
    const double off = std::sqrt((q[0] - 0.75) * (q[0] - 0.75) + q[1] * q[1] +
                                 (q[2] - 0.65) * (q[2] - 0.65) + q[3] * q[3]);
    return {.reward = 0.1 * small_control() + 0.25 * low + 0.4 * moving(1) +
                      0.25 * tolerance(off, 0, 0, 1)};
  }
};

}  // namespace

std::unique_ptr<Task> make_crawl(std::string_view name) { return std::make_unique<Crawl>(name); }

}  // namespace mneme::envs::hb
