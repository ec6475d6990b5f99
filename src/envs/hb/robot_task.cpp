// envs/hb/robot_task.cpp - stepping, resetting and saving, the same for every task.
#include "envs/hb/robot_task.h"

#include <algorithm>
#include <cmath>

#include "base/assert.h"
#include "base/text.h"
#include "envs/registry.h"
#include "mneme/error.h"

namespace mneme::envs::hb {
namespace {

constexpr int kSubsteps = 10;

std::shared_ptr<const Model> make_model(std::string_view name, const Robot& robot,
                                        const Scene& scene) {
  if (model_of(name) != "suite") return Model::from_xml(model_text(robot, scene));
  const SuiteModel suite = suite_model(name, scene);
  return Model::from_xml(suite.text, suite.folder);
}

const TaskInfo& info_of(std::string_view name) {
  return find_task(name.substr(0, name.find(':'))).info;
}

}  // namespace

double distance(const double* a, const double* b) {
  return std::sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) +
                   (a[2] - b[2]) * (a[2] - b[2]));
}

double flat_distance(const double* a, const double* b) {
  return std::sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]));
}

RobotTask::RobotTask(std::string_view name, const Scene& scene, Success success)
    : robot_(robot_of(name)),
      suite_(model_of(name) == "suite"),
      sim_(make_model(name, robot_, scene)),
      size_(info_of(name).observation),
      bar_(success == Success::by_return ? info_of(name).score_high : kInfinity),
      pelvis_(sim_.names().body("pelvis")),
      torso_(sim_.names().body("torso_link")),
      head_(sim_.names().site("head")),
      imu_(sim_.names().site("imu")),
      left_foot_(sim_.names().site("left_foot")),
      right_foot_(sim_.names().site("right_foot")),
      left_hand_(sim_.names().site("left_hand")),
      right_hand_(sim_.names().site("right_hand")),
      velocity_(sim_.names().sensor("pelvis_subtreelinvel")),
      before_(static_cast<std::size_t>(mj_stateSize(sim_.m(), mjSTATE_INTEGRATION))) {}

int RobotTask::substeps() const { return kSubsteps; }

void RobotTask::remember() { mj_getState(m(), d(), before_.data(), mjSTATE_INTEGRATION); }

void RobotTask::forward() {
  remember();
  stepped_ = false;
  mj_forward(sim_.m(), sim_.d());
}

void RobotTask::reset_nominal() {
  mj_resetDataKeyframe(m(), sim_.d(), 0);
  mj_normalizeQuat(m(), sim_.d()->qpos);
  return_ = 0;
  restart(true);
  forward();
}

void RobotTask::reset(Rng& rng) {
  mjData* data = sim_.d();
  mj_resetDataKeyframe(m(), data, 0);
  return_ = 0;
  restart(false);
  if (const double most = noise(); most > 0)
    for (int i = 0; i < static_cast<int>(m()->nq); ++i) data->qpos[i] += uniform(rng, -most, most);
  // MuJoCo did this by itself up to 3.1: observations show unit quaternions.
  mj_normalizeQuat(m(), data->qpos);
  forward();
  begin(rng);
  forward();
  begun(rng);
  if (const char* warning = sim_.warning())
    throw Error(concat("an episode could not begin: ", warning));
}

Outcome RobotTask::step(std::span<const double> action) {
  sim_.control(action);
  // Sensors are read after the last physics step only.
  for (int i = 1; i < kSubsteps; ++i) mj_step(sim_.names().blind(), sim_.d());
  remember();
  stepped_ = true;
  mj_step(m(), sim_.d());
  if (const char* warning = sim_.warning()) return {.failure = warning};
  Outcome outcome = score();
  return_ += outcome.reward;
  outcome.success = outcome.success || return_ >= bar_;
  return outcome;
}

Outcome RobotTask::evaluate() {
  const std::span<double> own = own_numbers();
  MNEME_ASSERT(own.size() <= kMostNumbers);
  std::array<double, kMostNumbers> kept{};
  std::copy(own.begin(), own.end(), kept.begin());
  Outcome outcome = score();
  outcome.success = outcome.success || return_ >= bar_;
  std::copy_n(kept.begin(), own.size(), own.begin());
  return outcome;
}

void RobotTask::observe(std::span<double> out) const {
  Put(out).all(d()->qpos, m()->nq).all(d()->qvel, m()->nv);
}

void RobotTask::save(StateWriter& out) const {
  out.put_all<double>(before_);
  out.put(stepped_);
  out.put(return_);
  out.put_all<double>(const_cast<RobotTask*>(this)->own_numbers());
  out.put_all<double>({d()->mocap_pos, 3 * static_cast<std::size_t>(m()->nmocap)});
  out.put_all<double>({d()->qacc_warmstart, static_cast<std::size_t>(m()->nv)});
}

void RobotTask::load(StateReader& in) {
  std::vector<double> before(before_.size());
  in.get_all<double>(before);
  const auto stepped = in.get<bool>();
  const auto sum = in.get<double>();
  std::vector<double> own(own_numbers().size());
  in.get_all<double>(own);
  std::vector<double> marks(3 * static_cast<std::size_t>(m()->nmocap));
  in.get_all<double>(marks);
  std::vector<double> warmstart(static_cast<std::size_t>(m()->nv));
  in.get_all<double>(warmstart);

  before_ = std::move(before);
  stepped_ = stepped;
  return_ = sum;
  std::copy(own.begin(), own.end(), own_numbers().begin());
  sim_.clear();
  mj_setState(m(), sim_.d(), before_.data(), mjSTATE_INTEGRATION);
  // Doing the last thing again gives every number its old bits, those of the stale ones too.
  if (stepped_)
    mj_step(m(), sim_.d());
  else
    mj_forward(m(), sim_.d());
  // A mark may have been moved after that, and a warm start set.
  std::copy(marks.begin(), marks.end(), sim_.d()->mocap_pos);
  std::copy(warmstart.begin(), warmstart.end(), sim_.d()->qacc_warmstart);
}

void RobotTask::set_physics(std::span<const double> numbers) {
  sim_.set_physics(numbers);
  // mj_forward overwrites the warm start in older versions of MuJoCo.
  const std::vector<double> warmstart(d()->qacc_warmstart, d()->qacc_warmstart + m()->nv);
  forward();
  std::copy(warmstart.begin(), warmstart.end(), sim_.d()->qacc_warmstart);
}

double RobotTask::small_control() const {
  const auto nu = static_cast<int>(m()->nu);
  double sum = 0;
  for (int i = 0; i < nu; ++i)
    sum += tolerance(d()->actuator_force[i], 0, 0, 10, Shape::quadratic, 0);
  return (4 + sum / nu) / 5;
}

}  // namespace mneme::envs::hb
