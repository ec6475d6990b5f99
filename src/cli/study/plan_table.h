// study/plan_table.h - a study's runs as people read them before they start.
#pragma once

#include <ostream>
#include <vector>

#include "base/json.h"
#include "study/engines/local/engine.h"

namespace mneme::lab {

/// What all of it takes with so many jobs.
struct Totals {
  std::size_t runs = 0, can_go = 0, to_do = 0;
  double seconds = 0, memory = 0, disk = 0;  ///< memory and disk while `jobs` runs go
};
Totals totals_of(const std::vector<EngineRun>& runs, const std::vector<RunState>& states,
                 Index jobs, bool keep);

/// One line per method and combination, then the sums.
void print_matrix(std::ostream& out, const StudyFile& study, const std::vector<EngineRun>& runs,
                  const Totals& totals, Index jobs, const std::string& directory);

/// Every run.
void matrix_json(Json& json, const StudyFile& study, const std::vector<EngineRun>& runs,
                 const Totals& totals);

}  // namespace mneme::lab
