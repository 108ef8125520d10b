// Comma-separated values as RFC 4180 has them, but with '\n' line ends.
#pragma once

#include <span>
#include <string>

namespace graphnet {

// One record with its line end. Fields with commas, quotes or line breaks are quoted.
std::string csv_line(std::span<const std::string> fields);

// The shortest text that reads back as the same double; empty for what is no number.
std::string csv_number(double value);

}  // namespace graphnet
