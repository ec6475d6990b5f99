// study/engines/local/local_engine.h - runs in child processes, so many at a time.
//
// A child does not outlive the process that started it. Everything that must survive is in the runs'
// directories and in the ledger.
#pragma once

#include "study/engine.h"

namespace mneme::lab {

std::unique_ptr<Engine> make_local_engine(const EngineOptions& options);

}  // namespace mneme::lab
