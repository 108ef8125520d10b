#include "graphnet/graph/schema.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "graphnet/support/error.h"
#include "graphnet/support/text.h"

namespace graphnet {
namespace {

constexpr std::size_t kMaxBytes = 65'536;
constexpr std::size_t kMaxNesting = 16;

// Types that take other types in parentheses. After any other type, parentheses hold an alias annotation.
constexpr std::array<std::string_view, 4> kTypeConstructors = {"Dict", "Future", "RRef", "Await"};

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_word(char c) {
  return is_letter(c) || is_digit(c);
}

// Recursive descent over the grammar of LibTorch's printer:
//   schema   = name ["." overload] "(" [argument {"," argument}] ")" " -> " returns
//   argument = "*" | "..." | type [" " name] ["=" default]
//   returns  = "..." | type | "(" [argument {"," argument}] ")"
//   type     = ("(" type {"," type} ")" | word {"." word} ["(" type {"," type} ")"]) {"[" [digits] "]" | "?" | alias}
//   alias    = "(" set ["!"] ["->" set] ")"
class SchemaParser {
 public:
  explicit SchemaParser(std::string_view text) : text_(text) {
    if (text.size() > kMaxBytes) {
      throw Error(ErrorKind::kInput, "the schema \"" + excerpt(text) + "\" is longer than 65536 bytes");
    }
  }

  Schema parse() {
    Schema schema;
    schema.name = operator_name();
    if (take('.')) schema.overload = word("an overload name");
    expect('(', "'(' after the operator's name");
    argument_list(schema.arguments, schema.is_variadic);
    skip_spaces();
    if (!take_text("->")) fail("'->'");
    skip_spaces();
    if (take_text("...")) {
      schema.has_variadic_returns = true;
    } else if (take('(')) {
      argument_list(schema.returns, schema.has_variadic_returns);
    } else {
      schema.returns.push_back(argument());
    }
    skip_spaces();
    if (at_ != text_.size()) fail("the end of the schema");
    return schema;
  }

 private:
  std::string operator_name() {
    std::string name = word("a namespace");
    while (take_text("::")) name += "::" + word("an operator name");
    if (name.find("::") == std::string::npos) fail("'::' after the namespace");
    return name;
  }

  // Up to and including the closing parenthesis.
  void argument_list(std::vector<SchemaArgument>& arguments, bool& is_variadic) {
    bool keyword_only = false;
    skip_spaces();
    if (take(')')) return;
    while (true) {
      skip_spaces();
      if (take_text("...")) {
        is_variadic = true;
      } else if (take('*')) {
        if (keyword_only) fail("only one '*'");
        keyword_only = true;
      } else {
        arguments.push_back(argument());
        arguments.back().keyword_only = keyword_only;
      }
      skip_spaces();
      if (take(')')) return;
      expect(',', "',' or ')'");
    }
  }

  SchemaArgument argument() {
    SchemaArgument result;
    result.type = type(result, 0);
    skip_spaces();
    if (at_ < text_.size() && is_letter(text_[at_])) result.name = word("a name");
    if (take('=')) {
      result.has_default = true;
      result.default_text = default_text();
    }
    return result;
  }

  std::string type(SchemaArgument& result, std::size_t depth) {
    if (depth > kMaxNesting) fail("types nested at most 16 deep");
    std::string text;
    if (take('(')) {
      text = "(" + type_list(result, depth);
    } else {
      text = word("a type");
      while (take('.')) text += "." + word("a type");
      const bool is_constructor =
          std::find(kTypeConstructors.begin(), kTypeConstructors.end(), text) != kTypeConstructors.end();
      if (is_constructor && take('(')) text += "(" + type_list(result, depth);
    }
    while (at_ < text_.size()) {
      if (take('[')) {
        text += '[';
        while (at_ < text_.size() && is_digit(text_[at_])) text += text_[at_++];
        expect(']', "']'");
        text += ']';
      } else if (take('?')) {
        text += '?';
      } else if (take('(')) {
        alias(result);
      } else {
        break;
      }
    }
    return text;
  }

  std::string type_list(SchemaArgument& result, std::size_t depth) {
    std::string text;
    while (true) {
      skip_spaces();
      text += type(result, depth + 1);
      skip_spaces();
      if (take(')')) return text + ")";
      expect(',', "',' or ')'");
      text += ", ";
    }
  }

  // "a", "a!", "a|b", "*" or "a -> *", and the closing parenthesis. The first set named is the one that counts.
  void alias(SchemaArgument& result) {
    const std::size_t end = text_.find(')', at_);
    if (end == std::string_view::npos) fail("')' after an alias set");
    const std::string_view annotation = text_.substr(at_, end - at_);
    const std::size_t length = std::min(annotation.find_first_of("! "), annotation.size());
    const std::string_view set = annotation.substr(0, length);
    const auto is_set_character = [](char c) { return is_word(c) || c == '*' || c == '|'; };
    if (set.empty() || !std::all_of(set.begin(), set.end(), is_set_character)) fail("an alias set such as a or a!");
    const std::string_view rest = annotation.substr(length);
    const bool is_written = rest.starts_with('!');
    if (const std::string_view after = rest.substr(is_written ? 1 : 0); !after.empty() && !after.starts_with(" -> ")) {
      fail("an alias set such as a, a! or a -> *");
    }
    if (result.alias.empty()) result.alias = set;
    result.is_written = result.is_written || is_written;
    at_ = end + 1;
  }

  // A quoted text, a list, or anything up to the next ',' or ')'.
  std::string default_text() {
    const std::size_t begin = at_;
    if (at_ < text_.size() && (text_[at_] == '"' || text_[at_] == '\'')) {
      const char quote = text_[at_++];
      while (at_ < text_.size() && text_[at_] != quote) at_ += text_[at_] == '\\' ? std::size_t{2} : std::size_t{1};
      if (at_ >= text_.size()) {
        at_ = text_.size();
        fail("the closing quote of a default value");
      }
      ++at_;
    } else if (take('[')) {
      const std::size_t end = text_.find(']', at_);
      if (end == std::string_view::npos) fail("']' after a default value");
      at_ = end + 1;
    } else {
      at_ = std::min(text_.find_first_of(",)", at_), text_.size());
    }
    if (at_ == begin) fail("a default value after '='");
    return std::string(text_.substr(begin, at_ - begin));
  }

  std::string word(std::string_view expected) {
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_word(text_[at_])) ++at_;
    if (at_ == begin) fail(expected);
    return std::string(text_.substr(begin, at_ - begin));
  }

  void skip_spaces() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }

  bool take(char c) {
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  bool take_text(std::string_view expected) {
    if (text_.substr(at_, expected.size()) != expected) return false;
    at_ += expected.size();
    return true;
  }

  void expect(char c, std::string_view expected) {
    if (!take(c)) fail(expected);
  }

  [[noreturn]] void fail(std::string_view expected) const {
    const std::string found = at_ < text_.size() ? "\"" + excerpt(text_.substr(at_), 30) + "\"" : "its end";
    throw Error(ErrorKind::kInput, "in the schema \"" + excerpt(text_) + "\", column " + std::to_string(at_ + 1) +
                                       ": expected " + std::string(expected) + ", found " + found);
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

Schema parse_schema(std::string_view text) {
  return SchemaParser(text).parse();
}

}  // namespace graphnet
