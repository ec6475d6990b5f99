// cli/study/plan_table.h - a study's runs before they start: as a table and as JSON.
#pragma once

#include <ostream>
#include <string>

#include "base/json.h"
#include "study/service.h"

namespace mneme::lab {

/// One line per method and combination, then the sums. `directory`: where the runs go.
void print_plan(std::ostream& out, const StudyPlan& plan, Index jobs, const std::string& directory);

/// Every run.
void plan_json(Json& json, const StudyPlan& plan);

}  // namespace mneme::lab
