// cli/buffer/buffer.cpp - `mneme buffer info|verify|export`.
#include <algorithm>
#include <memory>

#include "base/json.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "mneme/buffer_files.h"
#include "term/progress.h"
#include "term/table.h"

namespace mneme::lab {
namespace {

struct Options {
  std::string path, columns;
  bool json = false;
};

std::string shape_text(const FieldSpec& field) {
  std::vector<std::string> sizes;
  for (const Index dimension : field.shape) sizes.push_back(concat(dimension));
  return concat(sizes.empty() ? "one" : join(sizes, " x "), " ", name_of(field.type));
}

std::string whole(auto value) { return count(static_cast<double>(value)); }

std::string bytes_text(std::uint64_t bytes) { return size_text(static_cast<double>(bytes)); }

void print_info(const Options& o, std::ostream& out) {
  const BufferInfo info = buffer_info(o.path);
  const ReplayConfig& c = info.config;
  const auto [least, most] = std::minmax_element(info.sizes.begin(), info.sizes.end());
  if (o.json) {
    Json json;
    json.begin_object().field("path", o.path).field("commit", static_cast<Index>(info.commit));
    json.field("streams", c.streams).field("capacity", c.capacity);
    json.field("transitions", info.transitions).field("added", static_cast<Index>(info.added));
    json.field("ends", static_cast<Index>(info.ends)).field("cuts", static_cast<Index>(info.cuts));
    json.field("sampler", c.sampler).field("stream_policy", c.stream_policy);
    json.field("n_step", c.n_step).field("discount", c.discount);
    json.field("observation", shape_text(c.observation)).field("action", shape_text(c.action));
    json.field("bytes", static_cast<Index>(info.bytes));
    json.field("files", static_cast<Index>(info.files));
    json.key("readers").begin_array();
    for (const std::string& name : info.readers) json.value(name);
    json.end_array().key("sizes").begin_array();
    for (const Index size : info.sizes) json.value(size);
    out << std::move(json.end_array().end_object()).text() << '\n';
    return;
  }
  Table table({o.path, ""});
  table.add({"transitions",
             concat(whole(info.transitions), " of ",
                    count(static_cast<double>(c.streams) * static_cast<double>(c.capacity)))});
  table.add(
      {"streams", concat(c.streams, " of ", whole(c.capacity),
                         c.streams > 1 ? concat(", ", *least, " to ", *most, " stored") : "")});
  table.add({"ever added", whole(info.added)});
  table.add({"episode ends stored", whole(info.ends)});
  table.add({"streams interrupted", whole(info.cuts)});
  table.add({"observation", shape_text(c.observation)});
  table.add({"action", shape_text(c.action)});
  for (const NamedField& field : c.fields) table.add({field.name, shape_text(field.spec)});
  table.add({"sampler", c.sampler});
  table.add({"n-step, discount", concat(c.n_step, ", ", c.discount)});
  std::vector<std::string> others(info.readers.begin() + 1, info.readers.end());
  table.add({"other readers", others.empty() ? "none" : join(others)});
  table.add({"commits", concat(info.commit)});
  table.add({"on disk", concat(bytes_text(info.bytes), " in ", info.files, " files")});
  out << table;
}

void print_verified(const Options& o, std::ostream& out) {
  ProgressLine line("verifying");
  const std::uint64_t bytes = verify_buffer(o.path, line.callback());
  if (o.json) {
    Json json;
    json.begin_object().field("path", o.path).field("bytes", static_cast<Index>(bytes));
    out << std::move(json.field("damaged", false).end_object()).text() << '\n';
  } else {
    out << o.path << ": all " << bytes_text(bytes) << " of rows fit their checksums\n";
  }
}

void print_exported(const Options& o, std::ostream& out) {
  ProgressLine line("exporting");
  const std::vector<std::string> files = export_buffer(o.path, o.columns, line.callback());
  if (o.json) {
    Json json;
    json.begin_object().key("files").begin_array();
    for (const std::string& file : files) json.value(file);
    out << std::move(json.end_array().end_object()).text() << '\n';
  } else {
    for (const std::string& file : files) out << file << '\n';
  }
}

}  // namespace

void add_buffer_command(CLI::App& app, std::ostream& out) {
  CLI::App* command = app.add_subcommand("buffer", "what a buffer's directory holds");
  command->require_subcommand(1);
  auto o = std::make_shared<Options>();
  const auto part = [&](const char* name, const char* help, const char* example,
                        void (*print)(const Options&, std::ostream&)) {
    CLI::App* sub = command->add_subcommand(name, help);
    sub->add_option("path", o->path, "directory that the buffer was created or saved in")
        ->required()
        ->type_name("PATH")
        ->check(not_empty());
    add_json(sub, o->json);
    sub->footer(example);
    sub->callback([o, &out, print] { print(*o, out); });
    return sub;
  };
  part("info", "what the last commit holds; also while a run is using the buffer",
       "Example: mneme buffer info runs/walker/replay", print_info);
  part("verify", "read every row and compare it with its checksum",
       "Example: mneme buffer verify runs/walker/replay", print_verified);
  part(
      "export", "write the columns as NumPy files",
      "Example: mneme buffer export runs/walker/replay columns\n"
      "Then, in Python: numpy.load(\"columns/reward.npy\"). Rows are in the order of their stream, "
      "oldest first;\nend is 0 none, 1 terminated, 2 truncated, 3 cut.",
      print_exported)
      ->add_option("directory", o->columns, "empty or new directory for the .npy files")
      ->required()
      ->type_name("DIRECTORY")
      ->check(not_empty());
}

}  // namespace mneme::lab
