#include "graphnet/report/csv.h"

#include <cmath>

#include "graphnet/support/text.h"

namespace graphnet {
namespace {

void append_field(std::string& line, const std::string& field) {
  if (field.find_first_of(",\"\r\n") == std::string::npos) {
    line += field;
    return;
  }
  line += '"';
  for (const char byte : field) {
    if (byte == '"') line += '"';
    line += byte;
  }
  line += '"';
}

}  // namespace

std::string csv_line(std::span<const std::string> fields) {
  std::string line;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (i > 0) line += ',';
    append_field(line, fields[i]);
  }
  return line + '\n';
}

std::string csv_number(double value) {
  return std::isnan(value) ? "" : double_text(value);
}

}  // namespace graphnet
