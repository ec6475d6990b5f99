// lab/stats_command.cpp - `mneme stats`: scores to normalised scores, AUC, aggregates and
// intervals.
#include "lab/commands.h"

namespace mneme::lab {

void add_stats_command(CLI::App& app, std::ostream& out) {
  app.add_subcommand("stats", "statistics of scores")->callback([&out] { out << "stats\n"; });
}

}  // namespace mneme::lab
