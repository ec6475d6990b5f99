// cli/samplers/frontier.cpp - `mneme frontier`: entropy over expected recency (the paper's figure 4,
// right).
#include <cmath>

#include "base/json.h"
#include "base/quantity.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "mneme/diagnostics.h"
#include "mneme/frontier.h"
#include "os/version.h"
#include "report/page.h"
#include "term/screen.h"
#include "term/table.h"

namespace mneme::lab {
namespace {

struct Options {
  Index capacity = 1'000'000;
  EreSetting ere;
  std::vector<double> recencies;
  std::string html;
  bool json = false;
};

// Samplers drawn as points: those the paper compares, at their defaults.
constexpr std::array kPoints{"uniform",
                             "truncated_geometric:alpha=10",
                             "uniform_fifo:window=0.288",
                             "ere:eta=0.996",
                             "linear",
                             "gaussian",
                             "reverse_linear",
                             "reverse_truncated_geometric"};

// Closer together towards the newest end, where the curves fall steeply.
std::vector<double> curve() {
  std::vector<double> recencies;
  for (int k = 1; k <= 44; ++k) recencies.push_back(0.5 + 0.01 * k);
  for (int k = 1; k <= 10; ++k) recencies.push_back(0.94 + 0.005 * k);
  return recencies;
}

std::string to_json(const Options& o, const std::vector<FrontierRow>& rows) {
  Json json;
  json.begin_object().field("kind", "frontier").field("title", "Entropy against recency");
  json.field("command", concat("mneme frontier --capacity ", o.capacity))
      .field("version", kVersion);
  json.field("capacity", o.capacity).key("settings").begin_object().field("cycle", o.ere.cycle);
  json.field("span", o.ere.span)
      .field("minimum", o.ere.minimum)
      .end_object()
      .key("rows")
      .begin_array();
  for (const FrontierRow& row : rows) {
    json.begin_object().field("expected_recency", row.expected_recency).field("alpha", row.alpha);
    json.key("truncated_geometric")
        .begin_object()
        .field("sampling_entropy", row.truncated_geometric_entropy)
        .end_object();
    json.field("window", row.window)
        .key("uniform_fifo")
        .begin_object()
        .field("sampling_entropy", row.uniform_fifo_entropy)
        .end_object();
    json.field("eta", row.eta).key("ere");
    if (std::isnan(row.eta)) {
      json.null();
    } else {
      json.begin_object()
          .field("sampling_entropy", row.ere_sampling_entropy)
          .field("conditional_entropy", row.ere_conditional_entropy);
      json.field("smallest_window", row.ere_smallest_window).end_object();
    }
    json.end_object();
  }
  json.end_array().key("points").begin_array();
  const BufferView full{.size = o.capacity, .capacity = o.capacity};
  for (const char* spec : kPoints) {
    const auto sampler = make_sampler(spec);
    const Entropies both = entropies(*sampler, full);
    json.begin_object().field("sampler", spec).field("name", sampler->info().name);
    json.field("expected_recency", expected_recency(*sampler, full));
    json.field("sampling_entropy", both.sampling_entropy)
        .field("conditional_entropy", both.conditional_entropy)
        .end_object();
  }
  return std::move(json.end_array().end_object()).text();
}

void print_text(std::ostream& out, const Options& o, const std::vector<FrontierRow>& rows) {
  out << wrapped(concat("Largest entropy at a given expected recency, full buffer of ",
                        count(static_cast<double>(o.capacity)), "; entropies in nats"),
                 2)
      << "\n\n";
  Table table({"expected_recency", "alpha", "truncated_geometric", "window", "uniform_fifo", "eta",
               "ere (cycle)", "ere (batch)", "smallest window"});
  table.expendable({"smallest window", "ere (batch)", "eta", "window", "alpha"});
  for (const FrontierRow& row : rows) {
    table.add({number(row.expected_recency, 9), number(row.alpha, 9),
               number(row.truncated_geometric_entropy, 9), number(row.window, 9),
               number(row.uniform_fifo_entropy, 9), number(row.eta, 9),
               number(row.ere_sampling_entropy, 8), number(row.ere_conditional_entropy, 8),
               std::isnan(row.eta) ? "-" : std::to_string(row.ere_smallest_window)});
  }
  out << table;
}

}  // namespace

void add_frontier_command(CLI::App& app, std::ostream& out) {
  CLI::App* command = app.add_subcommand(
      "frontier", "entropy against expected recency: what each sampler pays for its bias");
  auto o = std::make_shared<Options>();
  add_count(command, "--capacity", o->capacity, "places in the buffer (1000000)");
  const auto listed = [o](const std::vector<std::string>& texts) {
    for (const std::string& text : texts)
      o->recencies.push_back(parse_share("--expected-recency", text));
  };
  command
      ->add_option_function<std::vector<std::string>>(
          "--expected-recency", listed, "expected recencies to list, above 1/2 and below 1")
      ->type_name("X ...");
  add_ere_options(command, o->ere);
  add_html(command, o->html, "file for a page with the plot");
  add_json(command, o->json, "print JSON; numbers with 17 digits");
  command->footer("Example: mneme frontier --capacity 1M --html out/frontier.html");
  command->callback([o, &out] {
    const bool drawn = o->json || !o->html.empty();
    if (o->recencies.empty())
      o->recencies = drawn ? curve() : std::vector<double>{0.55, 0.6, 0.65, 0.7,  0.75, 0.8,
                                                           0.85, 0.9, 0.95, 0.98, 0.99};
    const std::vector<FrontierRow> rows = frontier(o->recencies, o->capacity, o->ere);
    const std::string json = drawn ? to_json(*o, rows) : "";
    if (!o->html.empty()) write_page(o->html, json);
    if (o->json) {
      out << json << '\n';
    } else if (o->html.empty()) {
      print_text(out, *o, rows);
    } else {
      out << "wrote " << o->html << '\n';
    }
  });
}

}  // namespace mneme::lab
