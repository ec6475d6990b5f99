// study/engines.cpp - the list of engines.
#include "base/text.h"
#include "mneme/error.h"
#include "study/engine.h"

namespace mneme::lab {

#define MNEME_ENGINE(name, make, summary) \
  std::unique_ptr<Engine> make(const EngineOptions& options);
#include "study/engines.def"
#undef MNEME_ENGINE

const std::vector<EngineInfo>& registered_engines() {
  static const std::vector<EngineInfo> all{
#define MNEME_ENGINE(name, make, summary) {#name, summary, make},
#include "study/engines.def"
#undef MNEME_ENGINE
  };
  return all;
}

std::unique_ptr<Engine> make_engine(const std::string& name, const EngineOptions& options) {
  std::vector<std::string> known;
  for (const EngineInfo& engine : registered_engines()) {
    if (engine.name == name) return engine.make(options);
    known.push_back(engine.name);
  }
  throw NotFound(unknown_name("engine", name, known));
}

}  // namespace mneme::lab
