// samplers/registry.cpp - the list of samplers and the factory that reads spec strings.
//
// An explicit table, not self-registering objects: those are silently dropped from static
// libraries, while a file missing here is a link error.
#include <array>

#include "base/text.h"
#include "mneme/error.h"
#include "samplers/kind.h"

namespace mneme {

#define MNEME_SAMPLER(name) extern const SamplerEntry name##_entry;
#include "samplers/registry.def"
#undef MNEME_SAMPLER

namespace {

const auto& entries() {
  static const std::array kEntries{
#define MNEME_SAMPLER(name) &name##_entry,
#include "samplers/registry.def"
#undef MNEME_SAMPLER
  };
  return kEntries;
}

constexpr std::array kCommon{ParamSpec{
    .name = "draws",
    .fallback = 0,
    .lowest = 0,
    .highest = 1,
    .help = "stratified: one draw from each of B equal shares of the probability, in random order",
    .choices = "independent|stratified",
    .kind = ParamSpec::Kind::choice}};

}  // namespace

std::span<const ParamSpec> common_params() { return kCommon; }

std::vector<const SamplerInfo*> registered_samplers() {
  std::vector<const SamplerInfo*> infos;
  for (const SamplerEntry* entry : entries()) infos.push_back(&entry->info);
  return infos;
}

std::unique_ptr<Sampler> make_sampler(std::string_view text) {
  const Spec spec = parse_spec(text);
  for (const SamplerEntry* entry : entries()) {
    if (entry->info.name == spec.name) return entry->make(Params(spec, entry->info));
  }
  std::vector<std::string> known;
  for (const SamplerEntry* entry : entries()) known.emplace_back(entry->info.name);
  throw NotFound(unknown_name("sampler", spec.name, known));
}

}  // namespace mneme
