// cli/envs/doctor.cpp - `mneme envs doctor`: state of every suite on this machine, and remedies.
#include <algorithm>

#include "base/json.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/envs/install.h"
#include "envs/mujoco/renderer.h"
#include "envs/mujoco/version.h"
#include "mneme/error.h"
#include "os/subprocess.h"
#include "suites/install.h"
#include "suites/names.h"
#include "term/table.h"

namespace mneme::lab {
namespace {

struct Finding {
  std::string name, what;
  std::string state = {};     // works, installed, missing, broken, unknown
  std::string versions = {};  // of packages
  std::string python = {}, python_version = {};
  std::string problem = {}, remedy = {};
  bool well() const { return state == "works" || state == "installed"; }
};

Finding check_mujoco() {
  Finding found{.name = "mujoco", .what = "native tasks: dmc/, hb/"};
  const std::string version = envs::mujoco_version();
  if (!version.empty()) found.versions = concat("mujoco ", version);
  found.problem = version.empty() ? "mneme was built without MuJoCo" : envs::mujoco_mismatch();
  found.state = found.problem.empty() ? "works" : version.empty() ? "missing" : "broken";
  if (version.empty())
    found.remedy = "pip install mujoco==3.17.0 into .venv, then configure and build again";
  return found;
}

Finding check_opengl(bool check) {
  Finding found{.name = "opengl", .what = "video of native tasks"};
  found.state = "unknown";
  if (!check) {
    found.remedy = "mneme envs doctor --check tries it";
    return found;
  }
  try {
    envs::make_renderer("dmc/pendulum-swingup", 64, 48);
    found.state = "works";
  } catch (const Error& error) {
    found.state = "missing";
    found.problem = error.what();
  }
  return found;
}

Finding check_suite(const envs::PythonSuite& suite, bool check) {
  Finding found{.name = std::string(suite.name), .what = concat(suite.title, ": ", suite.summary)};
  const SuiteState state = state_of(suite);
  found.python = state.python.string();
  found.python_version = state.python_version;
  found.versions = state.packages;
  if (state.python.empty()) {
    found.state = state.gone.empty() ? "missing" : "broken";
    if (!state.gone.empty())
      found.problem = concat("its interpreter ", state.gone.string(), " no longer exists");
    else if (state.ours)
      found.problem = "an installation did not finish";
    found.remedy = remedy_for(suite);
    return found;
  }
  found.state = "installed";
  if (!check) return found;
  try {
    const std::string versions = smoke_test(suite, state.python);
    if (!versions.empty()) found.versions = versions;
    found.state = "works";
  } catch (const Interrupted&) {
    throw;
  } catch (const Error& error) {
    found.state = "broken";
    found.problem = error.what();
    found.remedy =
        state.ours ? concat("mneme envs install ", suite.name, " --again") : remedy_for(suite);
  }
  return found;
}

void print_json(const std::vector<Finding>& all, std::ostream& out) {
  Json json;
  json.begin_object().field("folder", envs::suites_folder().string()).key("suites").begin_array();
  for (const Finding& one : all)
    json.begin_object()
        .field("name", one.name)
        .field("what", one.what)
        .field("state", one.state)
        .field("versions", one.versions)
        .field("python", one.python)
        .field("python_version", one.python_version)
        .field("problem", one.problem)
        .field("remedy", one.remedy)
        .end_object();
  out << std::move(json.end_array().end_object()).text() << '\n';
}

void print_text(const std::vector<Finding>& all, std::ostream& out) {
  Table table({"", "", "versions", "Python"});
  for (const Finding& one : all)
    table.add(
        {one.name, one.state, one.versions,
         one.python_version.empty() ? one.python : concat(one.python_version, "  ", one.python)});
  out << table;
  for (const Finding& one : all) {
    if (one.problem.empty() && one.remedy.empty()) continue;
    out << '\n' << one.name;
    if (!one.problem.empty()) out << ": " << one.problem;
    if (!one.remedy.empty()) out << "\n  " << wrapped(one.remedy, 2);
    out << '\n';
  }
}

}  // namespace

void add_envs_doctor(CLI::App* envs, std::ostream& out) {
  struct Options {
    std::vector<std::string> suites;
    bool check = false, json = false;
  };
  auto o = std::make_shared<Options>();
  CLI::App* command = envs->add_subcommand(
      "doctor", "state of every suite on this machine, versions, and remedies");
  command->footer(
      "  mneme envs doctor                     reads files only\n"
      "  mneme envs doctor metaworld --check   makes and steps tasks; exit code 1 if that fails");
  command->add_option("suites", o->suites, "suites to look at, or mujoco, opengl (all)");
  command->add_flag("--check", o->check, "run the smoke tests (seconds for every suite)");
  command->add_flag("--json", o->json, "print JSON");
  command->callback([o, &out] {
    std::vector<Finding> all;
    const auto asked = [&](std::string_view name) {
      return std::find(o->suites.begin(), o->suites.end(), name) != o->suites.end();
    };
    for (const std::string& name : o->suites)
      if (name != "mujoco" && name != "opengl") suite_named(name);
    if (o->suites.empty() || asked("mujoco")) all.push_back(check_mujoco());
    if (o->suites.empty() || asked("opengl")) all.push_back(check_opengl(o->check));
    for (const envs::PythonSuite& suite : envs::python_suites())
      if (asked(suite.name) || (o->suites.empty() && suite.name != "synthetic"))
        all.push_back(check_suite(suite, o->check));
    o->json ? print_json(all, out) : print_text(all, out);
    const bool well = std::all_of(all.begin(), all.end(), [](const Finding& one) {
      return one.well() || one.state == "unknown";
    });
    if (!o->suites.empty() && !well) throw CommandFailed();
  });
}

}  // namespace mneme::lab
