// The parts of a report page that are text and tables.
#pragma once

#include <string>
#include <vector>

#include "graphnet/report/run_report.h"

#include "chart.h"

namespace graphnet {

std::string summary_table(const RunReport& report, const std::vector<Series>& series);
std::string fast_table(const std::vector<Series>& series);
std::string slice_table(const std::vector<Series>& series, std::vector<Slice> CompilerReport::*slices,
                        const std::string& title);
std::string break_even_table(const std::vector<Series>& series);

// What did not end well, grouped by how, each with the line that runs it again; and what was left out of the scores.
// `most` of each kind are listed.
std::string failure_lists(const std::vector<Series>& series, const BlockNames& blocks, std::size_t most);

// One block a sample: a row with all speedups, and below it, shown when the block is the page's target, what is known
// of each compiler's unit. `brief` leaves words out where there are many thousand.
std::string sample_table(const std::vector<Series>& series, const std::vector<std::string>& samples,
                         const BlockNames& blocks, bool brief);

std::string environment_tables(const RunReport& report);

}  // namespace graphnet
