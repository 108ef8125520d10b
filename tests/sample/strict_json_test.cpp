#include "strict_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graphnet/support/error.h"

namespace graphnet {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

std::string complaint(std::string_view text, const JsonLimits& limits = {}) {
  try {
    parse_json(text, "f.json", limits);
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

TEST(StrictJson, KnowsTheLineOfEveryValue) {
  const Json json = parse_json("{\n\"a\": 1\n,\"b\":\n[2,\n3\n]\n}", "f.json");
  const auto& members = std::get<Json::Object>(json.value);
  EXPECT_EQ(members[0].value.line, 2U);
  EXPECT_EQ(members[1].value.line, 4U);
  EXPECT_EQ(std::get<Json::Array>(members[1].value.value)[1].line, 5U);
}

TEST(StrictJson, KeepsKindsApart) {
  const Json json = parse_json(R"([1,-1,1.0,18446744073709551615,"1",true,null])", "f.json");
  const auto& items = std::get<Json::Array>(json.value);
  EXPECT_EQ(items[0].get_if<double>(), nullptr);
  EXPECT_EQ(std::get<std::int64_t>(items[1].value), -1);
  EXPECT_EQ(std::get<double>(items[2].value), 1.0);
  EXPECT_EQ(std::get<std::uint64_t>(items[3].value), ~std::uint64_t{0});
}

TEST(StrictJson, WritesOneCanonicalLine) {
  std::string text;
  append_json(text, parse_json("{ \"a\" : [ 1 , 2.50, 1e3, \"x\\u0041\" , {} ] }", "f.json"));
  EXPECT_EQ(text, R"({"a":[1,2.5,1000.0,"xA",{}]})");
}

TEST(StrictJson, NamesTheLineOfMalformedText) {
  EXPECT_THAT(complaint("{\n\"a\": 1,\n}"), StartsWith("f.json:3: malformed JSON: "));
}

TEST(StrictJson, RefusesRepeatedKeys) {
  EXPECT_THAT(complaint("{\"a\":1,\n\"a\":2}"), StartsWith("f.json:2: the key \"a\" is repeated"));
}

TEST(StrictJson, RefusesIntegersBeyond64Bits) {
  EXPECT_THAT(complaint("[18446744073709551616]"), HasSubstr("more than 64 bits"));
}

TEST(StrictJson, RefusesTooManyValues) {
  EXPECT_THAT(complaint("[1,2,3]", {.depth = 2, .nodes = 3}), HasSubstr("more than 3 values"));
}

TEST(StrictJson, RefusesTooManyLevels) {
  EXPECT_THAT(complaint("[[[1]]]", {.depth = 2, .nodes = 100}), HasSubstr("nested deeper than 2 levels"));
}

TEST(StrictJson, RefusesTextThatIsNotUtf8) {
  EXPECT_THAT(complaint("[\"\xff\"]"), HasSubstr("malformed JSON"));
}

TEST(ObjectReader, RefusesUnknownKeys) {
  const Json json = parse_json("{\"a\":1,\n\"b\":2}", "f.json");
  ObjectReader reader(json, "f.json", "place");
  reader.count("a");
  try {
    reader.finish();
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "f.json:2: place: unknown key \"b\"");
  }
}

TEST(ObjectReader, SaysWhatItExpectedAndFound) {
  const Json json = parse_json("{\n\"a\":\"text\"}", "f.json");
  ObjectReader reader(json, "f.json", "place");
  try {
    reader.count("a");
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "f.json:2: place.a: expected an integer of at least 0, found \"text\"");
  }
}

TEST(ObjectReader, NamesMissingKeys) {
  const Json json = parse_json("{}", "f.json");
  ObjectReader reader(json, "f.json");
  try {
    reader.string("name");
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "f.json:1: the key \"name\" is missing");
  }
}

}  // namespace
}  // namespace graphnet
