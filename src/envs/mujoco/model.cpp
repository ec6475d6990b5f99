// envs/mujoco/model.cpp - compilation and sharing of models; MuJoCo's warnings and errors.
#include "envs/mujoco/model.h"

#include <array>
#include <map>
#include <mutex>

#include "base/text.h"
#include "mneme/error.h"

namespace mneme::envs {
namespace {

// By default MuJoCo prints warnings to a file and exits on errors. A library must do neither: warnings are counted in mjData and read by Simulation, errors become exceptions (its
// frames carry unwind tables on every platform we build for).
void on_warning(const char*) {}
void on_error(const char* text) { throw Error(concat("MuJoCo: ", text)); }

void take_over_messages() {
  static std::once_flag once;
  std::call_once(once, [] {
    // Handlers that another library has set stay.
    if (mju_user_warning == nullptr) mju_user_warning = on_warning;
    if (mju_user_error == nullptr) mju_user_error = on_error;
  });
}

mjModel* compile(const std::string& xml, const std::string& folder) {
  const std::string name = folder.empty() ? "mneme.xml" : folder + "/mneme.xml";
  // A VFS is large in some versions: not on the stack.
  const auto files = std::make_unique<mjVFS>();
  mj_defaultVFS(files.get());
  std::array<char, 1000> message{};
  mjModel* model = nullptr;
  if (mj_addBufferVFS(files.get(), name.c_str(), xml.data(), static_cast<int>(xml.size())) == 0)
    model = mj_loadXML(name.c_str(), files.get(), message.data(), static_cast<int>(message.size()));
  mj_deleteVFS(files.get());
  if (model == nullptr)
    throw Error(concat("MuJoCo ", mj_versionString(), " rejects the model: ", message.data()));
  return model;
}

}  // namespace

std::shared_ptr<const Model> Model::from_xml(const std::string& xml, const std::string& folder) {
  take_over_messages();
  static std::mutex mutex;
  static std::map<std::string, std::weak_ptr<const Model>> made;
  const std::lock_guard lock(mutex);
  std::weak_ptr<const Model>& place = made[folder + '\n' + xml];
  if (auto shared = place.lock()) return shared;
  std::shared_ptr<const Model> model(new Model(compile(xml, folder)));
  place = model;
  return model;
}

Model::Model(mjModel* model) : model_(model), passive_(*model), blind_(*model) {
  passive_.opt.disableflags |= mjDSBL_ACTUATION;
  blind_.opt.disableflags |= mjDSBL_SENSOR;
}

Model::~Model() { mj_deleteModel(model_); }

int Model::id(mjtObj type, const char* name) const {
  const int found = mj_name2id(model_, type, name);
  if (found < 0) throw Error(concat("the model has no object called ", name));
  return found;
}

}  // namespace mneme::envs
