// cli/envs/install.cpp - `mneme envs install`, `register` and `remove`.
#include "cli/envs/install.h"

#include <unistd.h>

#include <iostream>

#include "base/json.h"
#include "base/text.h"
#include "mneme/error.h"
#include "suites/install.h"
#include "suites/names.h"

namespace mneme::lab {
namespace {

struct Options {
  InstallOptions install;
  bool force = false, yes = false, json = false;
};

void answer(const Options& o, const Installed& installed, std::ostream& out) {
  const envs::PythonSuite& suite = suite_named(o.install.suite);
  if (o.json) {
    Json json;
    json.begin_object()
        .field("suite", suite.name)
        .field("python", installed.python.string())
        .field("versions", installed.versions)
        .field("was_there", installed.was_there);
    out << std::move(json.end_object()).text() << '\n';
    return;
  }
  out << suite.name << (installed.was_there ? " is installed already" : " is ready") << ": "
      << installed.python.string();
  if (!installed.versions.empty()) out << " (" << installed.versions << ')';
  out << '\n';
  if (!suite.tasks.empty())
    out << "try: mneme envs play " << suite.tasks.front().name << " --episodes 1\n";
}

void run_remove(const Options& o, std::ostream& out) {
  const envs::PythonSuite& suite = suite_named(o.install.suite);
  const SuiteState state = state_of(suite);
  if (!o.yes && isatty(STDIN_FILENO) != 0) {
    std::cerr << (state.ours ? concat("delete ", (state.folder / "venv").string(), " and forget ")
                             : std::string("forget "))
              << suite.name << "? [y/N] " << std::flush;
    std::string line;
    std::getline(std::cin, line);
    if (line != "y" && line != "yes") throw InvalidArgument("nothing was removed");
  }
  if (!remove_suite(suite))
    out << suite.name << " was not installed\n";
  else
    out << suite.name << " is removed\n";
}

}  // namespace

void add_envs_install(CLI::App* envs, std::ostream& out) {
  auto o = std::make_shared<Options>();
  const auto add_suite = [&](CLI::App* command) {
    command
        ->add_option("suite", o->install.suite, "metaworld, myo, gym, ...; see mneme envs doctor")
        ->required();
  };

  CLI::App* install = envs->add_subcommand(
      "install", "a suite in Python, into an environment of its own; minutes, and a few 100 MB");
  install->footer(
      "  mneme envs install metaworld\n"
      "  mneme envs install myo --python python3.11\n"
      "  mneme envs install humanoid_bench --checkout ~/humanoid-bench\n"
      "It goes to MNEME_SUITES, else ~/.local/share/mneme/suites. Ctrl-C leaves nothing half "
      "done.");
  add_suite(install);
  install->add_option("--python", o->install.python,
                      "the interpreter to make the environment with");
  install->add_option("--checkout", o->install.checkout,
                      "the folder of a suite that is no package (humanoid_bench)");
  install->add_flag("--again", o->install.again, "from scratch, although it is installed");
  install->add_flag("--json", o->json, "for machines");
  install->callback([o, &out] { answer(*o, install_suite(o->install), out); });

  CLI::App* enrol = envs->add_subcommand(
      "register", "a suite that is installed already, by the interpreter that has it");
  enrol->footer("  mneme envs register isaac --python ~/isaaclab/env/bin/python");
  add_suite(enrol);
  enrol->add_option("--python", o->install.python, "a path, or a name of the search path")
      ->required();
  enrol->add_flag("--force", o->force, "without the smoke test");
  enrol->add_flag("--json", o->json, "for machines");
  enrol->callback([o, &out] {
    answer(*o, register_suite(o->install.suite, o->install.python, !o->force), out);
  });

  CLI::App* remove =
      envs->add_subcommand("remove", "delete what install made of a suite, and forget it");
  remove->footer("  mneme envs remove metaworld --yes");
  add_suite(remove);
  remove->add_flag("--yes", o->yes, "without asking");
  remove->callback([o, &out] { run_remove(*o, out); });
}

}  // namespace mneme::lab
