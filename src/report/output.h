// report/output.h - a report written down: as JSON (which the page draws), as CSV files,
// as a few lines for a terminal.
#pragma once

#include <filesystem>
#include <ostream>

#include "report/study_report.h"

namespace mneme::lab {

/// Form: web/README.md, kind "report". `command` made it; `ledger` is where its runs are.
std::string report_json(const StudyReport& report, const std::string& command,
                        const std::string& ledger);

/// One file per table and plot, in a folder that is made if need be; returns their names. The
/// scores of a group are in the form that `mneme stats` reads. Throws IoError.
std::vector<std::string> write_report_csv(const StudyReport& report,
                                          const std::filesystem::path& folder);

/// Table of gains, what is missing, and how far to trust it.
void write_report_text(const StudyReport& report, std::ostream& out);

/// Three sentences: what helps, by how much with its interval, how far to trust that.
std::vector<std::string> report_summary(const StudyReport& report);

/// "54 of 60 runs are finished; 2 failed, 4 not begun".
std::string completeness(const StudyScores& scores);

}  // namespace mneme::lab
