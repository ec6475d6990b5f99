// cli/overview.h - what `mneme` without arguments shows.
#pragma once

#include <ostream>

namespace mneme::lab {

/// The commands by what they are for, and the studies in runs/ledger.db if there is one here.
void print_overview(std::ostream& out);

}  // namespace mneme::lab
