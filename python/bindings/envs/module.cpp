// bindings/envs/module.cpp - the module mneme._envs: native environments stepped into NumPy arrays.
//
// A module of its own, so that the buffer loads without MuJoCo's library.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings/bindings.h"
#include "mneme/error.h"
#include "mneme/vec_env.h"

namespace mneme::python {
namespace {

template <class T>
using Numbers = nb::ndarray<T, nb::c_contig, nb::device::cpu>;

// One VecEnv in single precision. One thread at a time; the interpreter's lock is let go meanwhile.
class Envs {
 public:
  Envs(const std::vector<std::string>& tasks, Index count, Index threads, std::uint64_t seed)
      : envs_(make_vec_env(tasks, {.count = count, .threads = threads, .seed = seed})) {
    if (envs_->dtype() != DType::f32)
      throw InvalidArgument("dtype must be f32 for environments in Python");
  }

  using Rows = std::vector<Numbers<float>>;          // observation, reward, final observation
  using Flags = std::vector<Numbers<std::uint8_t>>;  // terminated, truncated, success, cut

  void reset(const Rows& numbers, const Flags& flags) {
    const EnvRows<float> rows = rows_of(numbers, flags);
    const nb::gil_scoped_release released;
    envs_->reset(rows);
  }

  void step(const Numbers<const float>& actions, const Rows& numbers, const Flags& flags) {
    const EnvRows<float> rows = rows_of(numbers, flags);
    const nb::gil_scoped_release released;
    envs_->step(std::span(actions.data(), actions.size()), rows);
  }

  const VecEnv& envs() const { return *envs_; }

  nb::bytes state(Index env) const {
    const std::vector<std::byte> bytes = envs_->state(env);
    return nb::bytes(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }
  void set_state(Index env, const nb::bytes& bytes) {
    envs_->set_state(env, {reinterpret_cast<const std::byte*>(bytes.c_str()), bytes.size()});
  }

 private:
  static EnvRows<float> rows_of(const Rows& numbers, const Flags& flags) {
    const auto of = [](const auto& array) { return std::span(array.data(), array.size()); };
    return {.observation = of(numbers.at(0)),
            .reward = of(numbers.at(1)),
            .terminated = of(flags.at(0)),
            .truncated = of(flags.at(1)),
            .final_observation = of(numbers.at(2)),
            .success = of(flags.at(2)),
            .cut = of(flags.at(3))};
  }

  std::unique_ptr<VecEnv> envs_;
};

nb::dict describe(const TaskInfo& task) {
  nb::dict made;
  made["name"] = text(task.name);
  made["observation"] = task.observation;
  made["action"] = task.action;
  made["horizon"] = task.horizon;
  made["available"] = task.available;
  made["install"] = text(task.install);
  return made;
}

}  // namespace
}  // namespace mneme::python

NB_MODULE(_envs, module) {
  using namespace mneme;
  using namespace mneme::python;
  module.doc() = "Native environments. Import mneme.envs instead.";
  nb::set_leak_warnings(false);
  bind_errors(module);
  nb::class_<Envs>(module, "Envs", "Environments stepped together; use mneme.envs.VectorEnv.")
      .def(nb::init<const std::vector<std::string>&, Index, Index, std::uint64_t>(),
           nb::arg("tasks"), nb::arg("count"), nb::arg("threads"), nb::arg("seed"))
      .def("reset", &Envs::reset, nb::arg("numbers"), nb::arg("flags"))
      .def("step", &Envs::step, nb::arg("actions"), nb::arg("numbers"), nb::arg("flags"))
      .def("state", &Envs::state, nb::arg("env"))
      .def("set_state", &Envs::set_state, nb::arg("env"), nb::arg("bytes"))
      .def(
          "spec", [](const Envs& e, Index env) { return e.envs().spec(env); }, nb::arg("env"))
      .def(
          "task", [](const Envs& e, Index env) { return describe(e.envs().task(env)); },
          nb::arg("env"))
      .def_prop_ro("count", [](const Envs& e) { return e.envs().count(); })
      .def_prop_ro("observation_size", [](const Envs& e) { return e.envs().observation_size(); })
      .def_prop_ro("action_size", [](const Envs& e) { return e.envs().action_size(); })
      .def_prop_ro("exact_state", [](const Envs& e) { return e.envs().exact_state(); });
  module.def("tasks", [] {
    nb::list all;
    for (const TaskInfo& task : registered_tasks()) all.append(describe(task));
    return all;
  });
}
