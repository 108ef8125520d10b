// JSON for files that may come from anywhere: a small tree that knows its lines, with repeated keys refused and depth
// and size bounded, and readers that name file, line and key when something is not what it should be.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace graphnet {

struct Json {
  struct Member;
  using Array = std::vector<Json>;
  using Object = std::vector<Member>;  // in the text's order
  // An integer is int64 where it fits and else uint64.
  std::variant<std::nullptr_t, bool, std::int64_t, std::uint64_t, double, std::string, Array, Object> value;
  std::size_t line = 0;

  template <class T>
  const T* get_if() const {
    return std::get_if<T>(&value);
  }
};

struct Json::Member {
  std::string key;
  Json value;
};

struct JsonLimits {
  std::size_t depth = 32;
  std::size_t nodes = 1'000'000;
};

// Throws Error(kInput) as "file:line: ...".
Json parse_json(std::string_view text, std::string_view file, const JsonLimits& limits = {});

// The canonical text on one line: no white space, keys in their order, doubles always with a point or an exponent.
void append_json(std::string& text, const Json& json);

// Takes the members of an object by name; finish() refuses those that nobody asked for. Throws Error(kInput) as
// "file:line: place.key: expected ..., found ...". The json and the file's name must outlive the reader.
class ObjectReader {
 public:
  ObjectReader(const Json& json, std::string_view file, std::string place = {});

  // nullptr where there is no such key.
  const Json* find(std::string_view key);
  const Json& require(std::string_view key);

  std::string string(std::string_view key);
  bool boolean(std::string_view key);
  std::int64_t count(std::string_view key);  // an integer of at least 0
  std::uint64_t unsigned_integer(std::string_view key);
  std::vector<std::string> strings(std::string_view key);
  const Json::Array& array(std::string_view key);

  void finish() const;

  [[noreturn]] void fail(const Json& json, std::string_view key, std::string_view expected) const;

 private:
  const Json& json_;
  const Json::Object* members_;
  std::string_view file_;
  std::string place_;
  std::vector<bool> is_taken_;
};

}  // namespace graphnet
