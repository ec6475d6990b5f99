// envs/hb/crawl.cpp - on all fours through a tunnel.
#include "envs/hb/robot_task.h"

namespace mneme::envs::hb {
namespace {

class Crawl final : public RobotTask {
 public:
  Crawl()
      : RobotTask(h1_scene(fixed_box("right", 10.2, -1.35, 0.775, 8, 0.2, 0.775) +
                               fixed_box("left", 10.2, 1.35, 0.775, 8, 0.2, 0.775) +
                               fixed_box("ceiling", 10.2, 0, 1.35, 8, 1.15, 0.2),
                           "")) {}

 private:
  double reward() override {
    const double low_head = tolerance(head(), 0.6, 1, 1), low_body = tolerance(imu()[2], 0.6, 1, 1);
    // The pelvis pitched forwards, as quaternion components.
    constexpr double kPitched[4] = {0.75, 0, 0.65, 0};
    double squared = 0;
    for (int i = 0; i < 4; ++i) {
      const double off = d()->xquat[4 * pelvis() + i] - kPitched[i];
      squared += off * off;
    }
    const double pitched = tolerance(std::sqrt(squared), 0, 0, 1);
    const bool in_tunnel = std::abs(imu()[1]) <= 1;
    return (0.1 * small_control() + 0.25 * std::min(low_body, low_head) + 0.4 * moving(1) +
            0.25 * pitched) *
           (in_tunnel ? 1 : 0);
  }
  bool terminated() const override { return false; }
};

}  // namespace

std::unique_ptr<Task> make_crawl(std::string_view) { return std::make_unique<Crawl>(); }

}  // namespace mneme::envs::hb
