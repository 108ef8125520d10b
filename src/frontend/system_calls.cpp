#include "system_calls.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "graphnet/graph/system_operators.h"

namespace graphnet {
namespace {

constexpr std::string_view kHidden = "is reached by another name, which may be any operator's";

bool is_word_letter(char letter) {
  return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_';
}

// White space within a line or over lines, and the backslash that joins lines.
bool is_blank(char letter) {
  return std::isspace(static_cast<unsigned char>(letter)) != 0 || letter == '\\';
}

class Scanner {
 public:
  explicit Scanner(std::string_view code) : code_(code) {}

  std::optional<SystemCall> find() {
    while (at_ < code_.size()) {
      if (!is_word_letter(code_[at_])) {
        if (!is_blank(code_[at_])) before_ = code_[at_];
        ++at_;
        continue;
      }
      const std::size_t begin = at_;
      const std::string_view first = word();
      std::optional<SystemCall> found;
      if (before_ != '.' && (first == "torch" || first == "ops")) found = examine(first, begin);
      if (found) return found;
      after_getattr_ = first == "getattr";
      before_ = 'a';
    }
    return std::nullopt;
  }

 private:
  std::optional<SystemCall> examine(std::string_view root, std::size_t begin) {
    const bool handed_on = before_ == '=' || (before_ == '(' && after_getattr_);
    std::string name;
    if (root == "torch") {
      const std::string_view part = member();
      if (!part.empty()) name = "aten::" + std::string(part);
    } else {
      const std::string_view space = member();
      const std::string_view part = member();
      if (!part.empty()) name = std::string(space) + "::" + std::string(part);
    }
    std::string_view use = system_use(name);
    if (use.empty() && name.empty() && handed_on) {
      name = root;
      use = kHidden;
    }
    if (use.empty()) return std::nullopt;
    const auto line = 1 + std::count(code_.begin(), code_.begin() + static_cast<std::ptrdiff_t>(begin), '\n');
    return SystemCall{std::move(name), use, static_cast<std::size_t>(line)};
  }

  std::string_view word() {
    const std::size_t begin = at_;
    while (at_ < code_.size() && is_word_letter(code_[at_])) ++at_;
    return code_.substr(begin, at_ - begin);
  }

  // The word behind a dot, or nothing (and no step).
  std::string_view member() {
    const std::size_t start = at_;
    skip_blanks();
    if (at_ < code_.size() && code_[at_] == '.') {
      ++at_;
      skip_blanks();
      if (const std::string_view name = word(); !name.empty()) return name;
    }
    at_ = start;
    return {};
  }

  void skip_blanks() {
    while (at_ < code_.size() && is_blank(code_[at_])) ++at_;
  }

  std::string_view code_;
  std::size_t at_ = 0;
  char before_ = ' ';           // the last letter that is not blank
  bool after_getattr_ = false;  // the word before was `getattr`
};

}  // namespace

std::optional<SystemCall> find_system_call(std::string_view code) {
  return Scanner(code).find();
}

}  // namespace graphnet
