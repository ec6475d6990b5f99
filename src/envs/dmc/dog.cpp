// envs/dmc/dog.cpp - the dog: stand, walk, trot, run. Its inertia comes from 173 meshes, so its
// model is read from the installed dm_control package.
#include <fstream>
#include <sstream>

#include "base/text.h"
#include "envs/dmc/domain.h"
#include "envs/mujoco/version.h"

namespace mneme::envs::dmc {
namespace {

std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  if (!in) throw IoError(concat("cannot read ", path));
  return std::move(text).str();
}

// Takes out the element that begins with `<tag name="name"`, with everything inside it.
void remove_element(std::string& xml, std::string_view tag, std::string_view name) {
  const std::size_t begin = xml.find(concat('<', tag, " name=\"", name, '"'));
  const std::size_t close = begin == std::string::npos ? begin : xml.find('>', begin);
  if (close == std::string::npos)
    throw CorruptData(concat("dog.xml of dm_control has no ", tag, " called ", name));
  std::size_t end = close + 1;
  if (xml[close - 1] != '/') {
    const std::string closing = concat("</", tag, '>');
    end = xml.find(closing, close);
    if (end == std::string::npos) throw CorruptData("dog.xml of dm_control ends too early");
    end += closing.size();
  }
  xml.erase(begin, end - begin);
}

// The suite's edits for the tasks without a ball. Its larger floors look different and are the same
// plane.
std::shared_ptr<const Model> load_model() {
  const std::string& suite = dm_control_suite();
  std::string xml = read_file(suite + "/dog.xml");
  remove_element(xml, "body", "ball");
  remove_element(xml, "geom", "target");
  remove_element(xml, "camera", "ball");
  remove_element(xml, "camera", "head");
  for (const char* wall : {"wall_px", "wall_py", "wall_nx", "wall_ny"})
    remove_element(xml, "geom", wall);
  return Model::from_xml(xml, suite);
}

class Dog final : public Domain {
 public:
  explicit Dog(double speed)
      : Domain(load_model(), 3,
               {{"joint_angles", 73},
                {"joint_velocites", 73},  // sic: the suite's spelling
                {"torso_pelvis_height", 2},
                {"z_projection", 9},
                {"torso_com_velocity", 3},
                {"inertial_sensors", 9},
                {"foot_forces", 12},
                {"touch_sensors", 4},
                {"actuator_state", 38}}),
        speed_(speed) {
    const Model& names = sim().names();
    torso_ = names.body("torso");
    pelvis_ = names.body("pelvis");
    skull_ = names.body("skull");
    velocity_ = names.sensor("torso_linvel");
    for (const char* name : {"accelerometer", "velocimeter", "gyro"})
      inertial_.push_back(names.sensor(name));
    for (const char* name : {"foot_L", "foot_R", "hand_L", "hand_R"})
      forces_.push_back(names.sensor(name));
    for (const char* name : {"palm_L", "palm_R", "sole_L", "sole_R"})
      touch_.push_back(names.sensor(name));
    const mjModel* m = sim().m();
    for (int j = 0; j < static_cast<int>(m->njnt); ++j) {
      if (m->jnt_type[j] != mjJNT_HINGE) continue;
      hinge_qpos_.push_back(m->jnt_qposadr[j]);
      hinge_qvel_.push_back(m->jnt_dofadr[j]);
    }
  }

  void observe(std::span<double> out) const override {
    const double* sensor = d()->sensordata;
    Put put(out);
    for (const int i : hinge_qpos_) put.one(d()->qpos[i]);
    for (const int i : hinge_qvel_) put.one(d()->qvel[i]);
    put.one(sim().xpos(torso_)[2]).one(sim().xpos(pelvis_)[2]);
    for (const int body : {skull_, torso_, pelvis_}) put.all(sim().xmat(body) + 6, 3);
    double velocity[3];
    torso_velocity(velocity);
    put.all(velocity, 3);
    for (const int i : inertial_) put.all(sensor + i, 3);
    for (const int i : forces_) put.all(sensor + i, 3);
    for (const int i : touch_) put.one(sensor[i]);
    put.all(d()->act, 38);
  }

 private:
  void initialize(Rng& rng) override {
    const double yaw = uniform(rng, 0, 2 * std::numbers::pi);
    mjData* d = sim().d();
    d->qpos[3] = std::cos(yaw / 2);
    d->qpos[4] = d->qpos[5] = 0;
    d->qpos[6] = std::sin(yaw / 2);
    for (const int i : {0, 1, 5}) d->qvel[i] = 2 * normal(rng);
    const mjModel* m = sim().m();
    for (int i = 0; i < static_cast<int>(m->na); ++i)
      d->act[i] = uniform(rng, m->actuator_ctrlrange[2 * i], m->actuator_ctrlrange[2 * i + 1]);
  }

  // Standing is 0.9 of the default pose's heights; the feet should carry the weight.
  void measure() override {
    own_[0] = 0.9 * sim().xpos(torso_)[2];
    own_[1] = 0.9 * sim().xpos(pelvis_)[2];
    own_[2] = -sim().m()->opt.gravity[2] * sim().m()->body_subtreemass[torso_];
  }

  double reward() const override {
    static const double kUpright = std::cos(std::numbers::pi / 6);
    double product = tolerance(sim().xpos(torso_)[2], own_[0], kInfinity, own_[0]) *
                     tolerance(sim().xpos(pelvis_)[2], own_[1], kInfinity, own_[1]);
    for (const int body : {skull_, torso_, pelvis_})
      product *= linear_to_zero(sim().xmat(body)[8], kUpright, kInfinity, kUpright + 1);
    double touch = 0;
    for (const int i : touch_) touch += d()->sensordata[i];
    product *= tolerance(touch, own_[2], kInfinity, own_[2], Shape::linear, 0.9);
    if (speed_ == 0) return product;
    double velocity[3];
    torso_velocity(velocity);
    return product *
           (4 * linear_to_zero(velocity[0], speed_, 2 * speed_, std::max(1.0, speed_)) + 1) / 5;
  }

  void torso_velocity(double* out) const {
    mju_mulMatTVec3(out, sim().xmat(torso_), d()->sensordata + velocity_);
  }

  std::span<double> own_numbers() override { return own_; }

  double speed_;
  double own_[3] = {};  // stand height of torso and pelvis, body weight
  int torso_ = 0, pelvis_ = 0, skull_ = 0, velocity_ = 0;
  std::vector<int> inertial_, forces_, touch_, hinge_qpos_, hinge_qvel_;
};

}  // namespace

std::unique_ptr<Task> make_dog(std::string_view name) {
  static constexpr std::pair<std::string_view, double> kSpeeds[] = {
      {"stand", 0}, {"walk", 1}, {"trot", 3}, {"run", 9}};
  return std::make_unique<Dog>(pick(kSpeeds, variant_of(name)));
}

}  // namespace mneme::envs::dmc
