// envs/mujoco/model.h - a compiled MuJoCo model, shared by all environments that run it.
//
// A model is constant: what differs between environments is in mjData. Goals that other
// implementations keep in the model are mocap bodies here. Two copies share its arrays and differ by
// a flag: `passive` has the actuators switched off, as DeepMind Control begins
// episodes; `blind` has the sensors switched off, for physics steps whose sensors are not read. The
// motion does not depend on sensors.
#pragma once

#include <mujoco/mujoco.h>

#include <memory>
#include <string>

namespace mneme::envs {

class Model {
 public:
  /// Compiles MJCF text; the same text gives the same object while it is in use. `folder`: of the
  /// files it names. Throws Error with MuJoCo's message.
  static std::shared_ptr<const Model> from_xml(const std::string& xml,
                                               const std::string& folder = "");

  ~Model();
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;

  const mjModel* get() const { return model_; }
  const mjModel* passive() const { return &passive_; }
  const mjModel* blind() const { return &blind_; }

  /// Number of a named object. Throws Error if the model has none of that name.
  int body(const char* name) const { return id(mjOBJ_BODY, name); }
  int geom(const char* name) const { return id(mjOBJ_GEOM, name); }
  int site(const char* name) const { return id(mjOBJ_SITE, name); }
  int joint(const char* name) const { return id(mjOBJ_JOINT, name); }
  /// Where the joint's numbers begin in qpos, qvel; where a sensor's begin in sensordata.
  int qpos(const char* joint) const { return model_->jnt_qposadr[id(mjOBJ_JOINT, joint)]; }
  int qvel(const char* joint) const { return model_->jnt_dofadr[id(mjOBJ_JOINT, joint)]; }
  int sensor(const char* name) const { return model_->sensor_adr[id(mjOBJ_SENSOR, name)]; }
  /// Number of a body's mocap pose.
  int mocap(const char* body) const { return model_->body_mocapid[id(mjOBJ_BODY, body)]; }

 private:
  explicit Model(mjModel* model);
  int id(mjtObj type, const char* name) const;

  mjModel* model_;
  mjModel passive_, blind_;  // copies of the struct, not of what it points to
};

}  // namespace mneme::envs
