// samplers/registry.cpp - the list of samplers and the factory that reads spec strings.
//
// An explicit table, not self-registering objects: those are silently dropped from static
// libraries, while a file missing here is a link error.
#include "samplers/registry.h"

#include <array>

#include "base/text.h"
#include "mneme/error.h"
#include "samplers/kind.h"

namespace mneme {

#define MNEME_SAMPLER(name) extern const SamplerEntry name##_entry;
#define MNEME_PRIORITIZED_SAMPLER(name) extern const PrioritizedEntry name##_entry;
#include "samplers/registry.def"
#undef MNEME_SAMPLER
#undef MNEME_PRIORITIZED_SAMPLER

namespace {

// One of the two is set.
struct Entry {
  Entry(const SamplerEntry* given) : by_age(given), info(&given->info) {}
  Entry(const PrioritizedEntry* given) : by_priority(given), info(&given->info) {}

  const SamplerEntry* by_age = nullptr;
  const PrioritizedEntry* by_priority = nullptr;
  const SamplerInfo* info;
};

const auto& entries() {
  static const std::array kEntries{
#define MNEME_SAMPLER(name) Entry(&name##_entry),
#define MNEME_PRIORITIZED_SAMPLER(name) Entry(&name##_entry),
#include "samplers/registry.def"
#undef MNEME_SAMPLER
#undef MNEME_PRIORITIZED_SAMPLER
  };
  return kEntries;
}

const Entry& entry_of(const Spec& spec) {
  std::vector<std::string> known;
  for (const Entry& entry : entries()) {
    if (entry.info->name == spec.name) return entry;
    known.emplace_back(entry.info->name);
  }
  throw NotFound(unknown_name("sampler", spec.name, known));
}

}  // namespace

std::vector<const SamplerInfo*> registered_samplers() {
  std::vector<const SamplerInfo*> infos;
  for (const Entry& entry : entries()) infos.push_back(entry.info);
  return infos;
}

std::vector<const SamplerInfo*> age_samplers() {
  std::vector<const SamplerInfo*> infos;
  for (const Entry& entry : entries())
    if (!entry.info->needs_feedback) infos.push_back(entry.info);
  return infos;
}

const SamplerInfo& sampler_info(std::string_view spec) { return *entry_of(parse_spec(spec)).info; }

std::optional<PrioritizedSampler> prioritized_sampler(std::string_view text) {
  const Spec spec = parse_spec(text);
  const Entry& entry = entry_of(spec);
  if (entry.by_priority == nullptr) return std::nullopt;
  return PrioritizedSampler{entry.by_priority, Params(spec, *entry.info)};
}

std::unique_ptr<Sampler> make_sampler(std::string_view text) {
  const Spec spec = parse_spec(text);
  const Entry& entry = entry_of(spec);
  Params params(spec, *entry.info);
  if (entry.by_age == nullptr)
    throw InvalidArgument(concat(spec.name,
                                 ": draws by priorities from TD errors, which only a ReplayBuffer "
                                 "keeps; make a ReplayBuffer with this sampler"));
  return entry.by_age->make(params);
}

}  // namespace mneme
