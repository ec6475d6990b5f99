// envs/mujoco/simulation.cpp - controls, warnings and state of one mjData.
#include "envs/mujoco/simulation.h"

#include <array>

#include "base/text.h"
#include "mneme/error.h"

namespace mneme::envs {
namespace {

constexpr int kPhysics = mjSTATE_TIME | mjSTATE_QPOS | mjSTATE_QVEL | mjSTATE_ACT |
                         mjSTATE_WARMSTART | mjSTATE_MOCAP_POS | mjSTATE_MOCAP_QUAT;

const char* text_of(int warning) {
  switch (warning) {
    case mjWARN_INERTIA:
      return "MuJoCo warning: singular inertia";
    case mjWARN_CONTACTFULL:
      return "MuJoCo warning: contact buffer full";
    case mjWARN_CNSTRFULL:
      return "MuJoCo warning: constraint buffer full";
    case mjWARN_BADQPOS:
      return "MuJoCo warning: bad position (qpos)";
    case mjWARN_BADQVEL:
      return "MuJoCo warning: bad velocity (qvel)";
    case mjWARN_BADQACC:
      return "MuJoCo warning: bad acceleration (qacc)";
    case mjWARN_BADCTRL:
      return "MuJoCo warning: bad control (ctrl)";
    default:
      return "MuJoCo warning";
  }
}

}  // namespace

Simulation::Simulation(std::shared_ptr<const Model> model)
    : model_(std::move(model)), data_(mj_makeData(model_->get())) {
  if (!data_) throw IoError("out of memory for another MuJoCo environment");
  bool plain = true;
  for (int i = 0; i < static_cast<int>(m()->nu); ++i) {
    const double* range = m()->actuator_ctrlrange + 2 * i;
    plain = plain && range[0] == -1 && range[1] == 1;
    low_.push_back(range[0]);
    half_.push_back((range[1] - range[0]) / 2);
  }
  if (plain) {
    low_.clear();
    half_.clear();
  }
}

const char* Simulation::warning() const {
  for (int i = 0; i < mjNWARNING; ++i)
    if (d()->warning[i].number != 0) return text_of(i);
  return nullptr;
}

void Simulation::forget_warnings() {
  for (auto& warning : d()->warning) warning.number = 0;
}

void Simulation::control(std::span<const double> action) {
  if (low_.empty()) {
    std::copy(action.begin(), action.end(), d()->ctrl);
    return;
  }
  for (std::size_t i = 0; i < action.size(); ++i)
    d()->ctrl[i] = low_[i] + (action[i] + 1) * half_[i];
}

void Simulation::save(StateWriter& out) const {
  std::vector<double> numbers(static_cast<std::size_t>(mj_stateSize(m(), mjSTATE_INTEGRATION)));
  mj_getState(m(), d(), numbers.data(), mjSTATE_INTEGRATION);
  out.put_all<double>(numbers);
  out.put_all<double>({d()->sensordata, static_cast<std::size_t>(m()->nsensordata)});
}

void Simulation::load(StateReader& in) {
  std::vector<double> numbers(static_cast<std::size_t>(mj_stateSize(m(), mjSTATE_INTEGRATION)));
  std::vector<double> sensors(static_cast<std::size_t>(m()->nsensordata));
  in.get_all<double>(numbers);
  in.get_all<double>(sensors);
  clear();
  mj_setState(m(), d(), numbers.data(), mjSTATE_INTEGRATION);
  std::copy(sensors.begin(), sensors.end(), d()->sensordata);
}

std::vector<double> Simulation::physics() const {
  std::vector<double> numbers(static_cast<std::size_t>(mj_stateSize(m(), kPhysics)));
  mj_getState(m(), d(), numbers.data(), kPhysics);
  return numbers;
}

void Simulation::set_physics(std::span<const double> numbers) {
  const auto needed = static_cast<std::size_t>(mj_stateSize(m(), kPhysics));
  if (numbers.size() != needed)
    throw InvalidArgument(
        concat("a physics state must have ", needed, " numbers, got ", numbers.size()));
  clear();
  mj_setState(m(), d(), numbers.data(), kPhysics);
}

}  // namespace mneme::envs
