"""tests/package/adding_a_sampler.py - one new file and one new line make a sampler, everywhere.

adding_a_sampler.py FOLDER    a copy of the tree in FOLDER/source, built in FOLDER/build

The copy gets src/samplers/power.cpp and a line in registry.def. Nothing else is edited; the golden
line is what the conformance test asks for. The build stays, so that a second run takes seconds.
"""

import argparse
import itertools
import json
import os
import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NAME = "power"

# Shaped as src/samplers/linear.cpp is.
SAMPLER = r"""// samplers/power.cpp - P(index < j) = (j / size)^exponent: the newest of `exponent` uniform draws.
#include <cmath>

#include "samplers/kind.h"

namespace mneme {
namespace {

struct Power {
  static constexpr std::string_view kName = "power";
  static constexpr std::string_view kSummary = "the newest of a few uniform draws";
  static constexpr std::array kParams{ParamSpec{.name = "exponent",
                                                .fallback = 2,
                                                .lowest = 1,
                                                .highest = 8,
                                                .help = "how many draws",
                                                .kind = ParamSpec::Kind::whole}};
  static constexpr std::array kExamples{std::string_view("power"),
                                        std::string_view("power:exponent=3")};

  explicit Power(const Params& params) : exponent_(params.at("exponent")) {}

  struct Plan {
    double exponent, size;
    Index operator()(double u) const {  // in index order: u = 0 is the oldest
      const double j = std::floor(size * std::pow(u, 1 / exponent));
      return detail::whole_to_int(std::min(j, size - 1));
    }
    double p(Index i) const { return before(static_cast<double>(i) + 1) - before(static_cast<double>(i)); }
    double before(double j) const { return std::pow(j / size, exponent); }
  };
  Plan plan(const BufferView& view) const { return {exponent_, static_cast<double>(view.size)}; }

 private:
  double exponent_;
};

}  // namespace

extern constinit const SamplerEntry power_entry = make_entry<Power>();
}  // namespace mneme
"""


def run(*command, fails=False):
    """Standard output of a command that succeeds, or that fails with exit code 1."""
    command = [str(word) for word in command]
    print("$", *command, flush=True)
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == (1 if fails else 0), done.stdout + done.stderr
    return done.stdout


def copy_tree(source):
    """What the build reads, with its times, so that only what changed is built again."""
    shutil.rmtree(source, ignore_errors=True)
    source.mkdir(parents=True)
    shutil.copy2(ROOT / "CMakeLists.txt", source)
    for name in ("cmake", "include", "src", "tests", "examples", "bench"):
        shutil.copytree(
            ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__", "build*")
        )


def add_sampler(source):
    (source / "src/samplers" / f"{NAME}.cpp").write_text(SAMPLER, encoding="utf-8")
    with (source / "src/samplers/registry.def").open("a", encoding="utf-8") as registry:
        registry.write(f"MNEME_SAMPLER({NAME})\n")


def build(source, folder, cmake, compiler):
    """The programs that must know the sampler; the benchmark if the tree has it."""
    # ccache: the same objects whatever the folder is called.
    os.environ.update(CCACHE_BASEDIR=str(folder.parent), CCACHE_NOHASHDIR="1")
    options = [f"-DCMAKE_CXX_COMPILER={compiler}", "-DCMAKE_BUILD_TYPE=Release"]
    options += ["-DCMAKE_CXX_FLAGS_RELEASE=-O1", "-DMNEME_TORCH=OFF"]
    run(cmake, "-S", source, "-B", folder, "-G", "Ninja", *options)
    targets = ["mneme_tool", "samplers_tests"]
    if "bench_samplers:" in run(cmake, "--build", folder, "--target", "help"):
        targets.append("bench_samplers")
    jobs = os.environ.get("MNEME_JOBS", str(os.cpu_count() or 1))
    run(cmake, "--build", folder, "-j", jobs, "--target", *targets)
    return targets


def check_tool(tool):
    assert f"\n{NAME}: the newest of a few uniform draws\n" in run(tool, "samplers")
    listed = json.loads(run(tool, "samplers", "--json"))["samplers"][-1]
    assert listed["name"] == NAME, listed
    parameter = listed["parameters"][0]
    assert parameter["name"] == "exponent" and parameter["highest"] == 8, parameter
    # Newest of k uniform draws: index / (size - 1) is k / (k + 1) on average, up to 1 / size.
    command = [tool, "inspect", "--sampler", f"{NAME}:exponent=3", "--capacity", "1M", "--json"]
    recency = json.loads(run(*command))["expected_recency"]
    assert abs(recency - 0.75) < 1e-5, recency


def check_conformance(tests, source):
    chosen = f"--gtest_filter=*_{NAME}*:*/{NAME}:Registry.*"
    names = run(tests, "--gtest_list_tests", chosen)
    for name in ("DrawsFollowItsPmf", "InverseAgrees", "GoldenSequence", "BadParameters"):
        assert name in names, names
    # All there is to complain about are the golden lines, ready to paste.
    lines = run(tests, chosen, fails=True).splitlines()
    failed = {line.split()[3] for line in lines if line.startswith("[  FAILED  ] Registry/")}
    assert failed and all("GoldenSequence" in name for name in failed), "\n".join(lines)
    asked = [after for line, after in itertools.pairwise(lines) if "golden.txt:" in line]
    assert [line.split()[0] for line in asked] == [NAME, f"{NAME}:exponent=3"], asked
    with (source / "tests/samplers/fixtures/golden.txt").open("a", encoding="utf-8") as golden:
        golden.write("".join(f"{line}\n" for line in asked))
    run(tests, chosen)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--cmake", default="cmake")
    parser.add_argument("--compiler", default="c++")
    arguments = parser.parse_args()
    top = arguments.folder.resolve()
    source, folder = top / "source", top / "build"

    copy_tree(source)
    add_sampler(source)
    targets = build(source, folder, arguments.cmake, arguments.compiler)
    check_tool(folder / "bin" / "mneme")
    check_conformance(folder / "tests" / "samplers_tests", source)
    if "bench_samplers" in targets:
        assert NAME in run(folder / "bin" / "bench_samplers", "--list").split()


if __name__ == "__main__":
    main()
