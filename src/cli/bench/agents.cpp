// cli/bench/agents.cpp - `mneme bench agents`.
#include "bench/agents/agents_bench.h"
#include "cli/commands.h"
#include "cli/options.h"

namespace mneme::lab {

void add_bench_command(CLI::App& app, std::ostream& out) {
  CLI::App* bench = app.add_subcommand("bench", "how fast this machine runs the agents");
  bench->require_subcommand(1);
  CLI::App* command = bench->add_subcommand(
      "agents", "updates against their bare matrix products, and what samplers add");
  auto o = std::make_shared<AgentsBench>();
  command->add_option("--agent", o->agent, "agent to measure (all)")
      ->type_name("NAME")
      ->check(not_empty());
  command->add_option("--size", o->size, "size of the agent: laptop or paper (both)")
      ->type_name("SIZE")
      ->check(one_of({"laptop", "paper"}));
  command->add_option("--rounds", o->rounds, "interleaved rounds (15)")
      ->type_name("N")
      ->check(whole_number(1, 1'000'000));
  command->add_option("--threads", o->threads, "threads of tensor operations (1)")
      ->type_name("N")
      ->check(whole_number(1, 4096));
  command
      ->add_option("--peer", o->peers,
                   "program that runs an original's update (bench/agents/originals.py); may be "
                   "repeated")
      ->type_name("NAME=COMMAND")
      ->allow_extra_args(false);
  add_json(command, o->json);
  command->add_option("-o,--output", o->file, "file that the JSON is also written to")
      ->type_name("FILE")
      ->check(not_empty());
  command->footer("Example: mneme bench agents --agent simbav2 --size laptop");
  command->callback([o, &out] { bench_agents(out, *o); });
}

}  // namespace mneme::lab
