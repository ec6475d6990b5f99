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

void print_installed(const Options& o, const Installed& installed, std::ostream& out) {
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
  out << suite.name
      << (installed.was_there ? " is already installed"
          : o.force           ? " is registered without a smoke test"
                              : " is ready")
      << ": " << installed.python.string();
  if (!installed.versions.empty()) out << " (" << installed.versions << ')';
  out << '\n';
  if (!suite.tasks.empty())
    out << "try: mneme envs play " << suite.tasks.front().name << " --episodes 1\n";
}

void run_remove(const Options& o, std::ostream& out) {
  const envs::PythonSuite& suite = suite_named(o.install.suite);
  const SuiteState state = state_of(suite);
  if (!o.yes && isatty(STDIN_FILENO) != 0) {
    std::cerr << (state.ours
                      ? concat("delete ", (state.folder / "venv").string(), " and unregister ")
                      : std::string("unregister "))
              << suite.name << "? [y/N] " << std::flush;
    std::string line;
    std::getline(std::cin, line);
    if (line != "y" && line != "yes") throw InvalidArgument("nothing was removed");
  }
  const Removed removed = remove_suite(suite);
  out << suite.name << (removed.found ? " is removed\n" : " was not installed\n");
  if (!removed.kept.empty()) out << removed.kept.string() << " was kept: mneme did not make it\n";
}

}  // namespace

void add_envs_install(CLI::App* envs, std::ostream& out) {
  auto o = std::make_shared<Options>();
  const auto add_suite = [&](CLI::App* command) {
    command
        ->add_option("suite", o->install.suite, "suite: metaworld, myo, gym, ... (all: mneme envs)")
        ->required();
  };

  CLI::App* install = envs->add_subcommand(
      "install", "install a Python suite into a virtual environment (minutes, some 100 MB)");
  install->footer(
      "  mneme envs install metaworld\n"
      "  mneme envs install myo --python python3.11\n"
      "  mneme envs install humanoid_bench --checkout ~/humanoid-bench\n"
      "Installs into MNEME_SUITES, else ~/.local/share/mneme/suites. After Ctrl-C the suite is not "
      "installed.");
  add_suite(install);
  install->add_option("--python", o->install.python, "interpreter to make the environment with");
  install->add_option("--checkout", o->install.checkout,
                      "folder of a suite that is not on PyPI (humanoid_bench)");
  install->add_flag("--again", o->install.again, "reinstall from scratch");
  install->add_flag("--json", o->json, "print JSON");
  install->callback([o, &out] { print_installed(*o, install_suite(o->install), out); });

  CLI::App* enrol =
      envs->add_subcommand("register", "use the interpreter of a suite that is already installed");
  enrol->footer("  mneme envs register isaac --python ~/isaaclab/env/bin/python");
  add_suite(enrol);
  enrol->add_option("--python", o->install.python, "path of the interpreter, or a name on PATH")
      ->required();
  enrol->add_flag("--force", o->force, "skip the smoke test");
  enrol->add_flag("--json", o->json, "print JSON");
  enrol->callback([o, &out] {
    print_installed(*o, register_suite(o->install.suite, o->install.python, !o->force), out);
  });

  CLI::App* remove = envs->add_subcommand(
      "remove", "delete the environment that install made, and unregister the suite");
  remove->footer("  mneme envs remove metaworld --yes");
  add_suite(remove);
  remove->add_flag("--yes", o->yes, "do not ask");
  remove->callback([o, &out] { run_remove(*o, out); });
}

}  // namespace mneme::lab
