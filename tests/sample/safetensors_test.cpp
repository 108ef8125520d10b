#include "graphnet/sample/safetensors.h"

#include <cstring>
#include <fstream>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graphnet/support/error.h"
#include "graphnet/support/files.h"

#include "drawing.h"

namespace graphnet {
namespace {

using fixtures::bytes_of;
using testing::HasSubstr;

template <class Element>
std::vector<Element> elements_of(const SafetensorsFile::Entry& entry) {
  std::vector<Element> elements(entry.bytes.size() / sizeof(Element));
  std::memcpy(elements.data(), entry.bytes.data(), entry.bytes.size());
  return elements;
}

// The file of this header and this many bytes of data.
std::string file_of(std::string_view header, std::size_t data_bytes) {
  std::string text;
  for (std::size_t i = 0; i < 8; ++i) text += static_cast<char>(header.size() >> (8 * i) & 0xFF);
  text += header;
  text.append(data_bytes, 'x');
  return text;
}

class Safetensors : public testing::Test {
 protected:
  std::filesystem::path path(std::string_view name = "file.safetensors") const { return folder_.path() / name; }

  SafetensorsFile read(const std::string& contents) const {
    std::ofstream(path(), std::ios::binary) << contents;
    return SafetensorsFile(path());
  }

  std::string complaint(const std::string& contents) const {
    try {
      read(contents);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kInput);
      EXPECT_THAT(error.what(), HasSubstr(path().string()));
      return error.what();
    }
    return "accepted";
  }

 private:
  TemporaryFolder folder_{"graphnet-safetensors-"};
};

TEST_F(Safetensors, ReadsWhatThePythonPackageWrites) {
  const SafetensorsFile file(std::string(GRAPHNET_TEST_DIR) + "/sample/data/python.safetensors");
  EXPECT_EQ(file.metadata().at("format"), "np");
  EXPECT_EQ(file.entries().size(), 6U);
  EXPECT_EQ(file.entries().at("weight").type, (TensorType{Dtype::kFloat32, {2, 2}, {}}));
  EXPECT_EQ(elements_of<float>(file.entries().at("weight")), (std::vector<float>{1.5, -2, 0.25, 3}));
  EXPECT_EQ(elements_of<std::int64_t>(file.entries().at("ids")), (std::vector<std::int64_t>{7, -1}));
  EXPECT_EQ(elements_of<std::uint8_t>(file.entries().at("mask")), (std::vector<std::uint8_t>{1, 0, 1}));
  EXPECT_EQ(elements_of<double>(file.entries().at("scalar")), std::vector<double>{2.5});
  EXPECT_EQ(file.entries().at("empty").type, (TensorType{Dtype::kInt32, {0, 4}, {}}));
}

TEST_F(Safetensors, WritesTheBytesThatThePythonPackageWrites) {
  const std::vector<float> weight = {1.5, -2};
  const std::vector<std::uint8_t> mask = {1, 0, 1};
  SafetensorsWriter writer(path(), {{"weight", {Dtype::kFloat32, {2}, {}}}, {"mask", {Dtype::kBool, {3}, {}}}});
  writer.append(bytes_of(weight));
  writer.append(bytes_of(mask));
  writer.finish();
  std::string expected = file_of(R"({"weight":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},)"
                                 R"("mask":{"dtype":"BOOL","shape":[3],"data_offsets":[8,11]}}   )",
                                 0);
  expected += std::string("\x00\x00\xC0\x3F\x00\x00\x00\xC0\x01\x00\x01", 11);
  EXPECT_EQ(read_file(path()), expected);
}

TEST_F(Safetensors, AlignsEveryTensorWhateverTheOrder) {
  SafetensorsWriter writer(path(), {{"byte", {Dtype::kInt8, {1}, {}}}, {"long", {Dtype::kInt64, {1}, {}}}});
  writer.append(bytes_of(std::vector<std::int8_t>{5}));
  writer.append(bytes_of(std::vector<std::int64_t>{6}));
  writer.finish();
  const SafetensorsFile file(path());
  EXPECT_EQ(elements_of<std::int8_t>(file.entries().at("byte")), std::vector<std::int8_t>{5});
  EXPECT_EQ(elements_of<std::int64_t>(file.entries().at("long")), std::vector<std::int64_t>{6});
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(file.entries().at("long").bytes.data()) % 8, 0U);
}

TEST_F(Safetensors, WritesComplex128AsItsParts) {
  SafetensorsWriter writer(path(), {{"z", {Dtype::kComplex128, {3}, {}}}});
  writer.append(bytes_of(std::vector<double>{1, 2, 3, 4, 5, 6}));
  writer.finish();
  EXPECT_THAT(read_file(path()), HasSubstr(R"("z":{"dtype":"F64","shape":[3,2],)"));
}

TEST_F(Safetensors, ReadsComplexTensorsBackAsTheyWere) {
  const TensorType type{Dtype::kComplex128, {}, {}};
  SafetensorsWriter writer(path(), {{"z", type}});
  writer.append(bytes_of(std::vector<double>{1, 2}));
  writer.finish();
  EXPECT_EQ(SafetensorsFile(path()).entries().at("z").type, type);
}

TEST_F(Safetensors, BelievesOnlyMetadataThatFits) {
  const SafetensorsFile file = read(file_of(R"({"__metadata__":{"a":"complex128","b":"complex32"},)"
                                            R"("a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},)"
                                            R"("b":{"dtype":"F16","shape":[3],"data_offsets":[8,14]}})",
                                            14));
  EXPECT_EQ(file.entries().at("a").type, (TensorType{Dtype::kFloat32, {2}, {}}));
  EXPECT_EQ(file.entries().at("b").type, (TensorType{Dtype::kFloat16, {3}, {}}));
}

TEST_F(Safetensors, AnEmptyFileHasNoTensors) {
  SafetensorsWriter(path(), {}).finish();
  EXPECT_TRUE(SafetensorsFile(path()).entries().empty());
}

TEST_F(Safetensors, AnUnfinishedFileIsRemoved) {
  { const SafetensorsWriter writer(path(), {{"a", {Dtype::kInt8, {1}, {}}}}); }
  EXPECT_FALSE(std::filesystem::exists(path()));
}

TEST_F(Safetensors, RefusesToFinishWithoutAllTensors) {
  SafetensorsWriter writer(path(), {{"a", {Dtype::kInt8, {1}, {}}}});
  EXPECT_THROW(writer.finish(), Error);
}

TEST_F(Safetensors, RefusesBytesOfTheWrongSize) {
  SafetensorsWriter writer(path(), {{"a", {Dtype::kInt32, {1}, {}}}});
  EXPECT_THROW(writer.append(bytes_of(std::vector<std::int8_t>{5})), Error);
}

TEST_F(Safetensors, ReportsAFullDisk) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP();
  try {
    const SafetensorsWriter writer("/dev/full", {});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kInterrupted);
  }
}

TEST_F(Safetensors, ReportsAMissingFile) {
  EXPECT_THROW(SafetensorsFile(path("none")), Error);
}

struct Hostile {
  const char* header;
  std::size_t data;
  const char* complaint;
};

class HostileHeader : public Safetensors, public testing::WithParamInterface<Hostile> {};

TEST_P(HostileHeader, IsRefused) {
  EXPECT_THAT(complaint(file_of(GetParam().header, GetParam().data)), HasSubstr(GetParam().complaint));
}

INSTANTIATE_TEST_SUITE_P(
    Headers, HostileHeader,
    testing::Values(
        Hostile{"[]", 0, "no JSON object"}, Hostile{"{", 0, "malformed JSON"},
        Hostile{R"({"a":1})", 0, "expected an object"},
        Hostile{R"({"a":{"dtype":"F99","shape":[1],"data_offsets":[0,4]}})", 4, "unknown dtype \"F99\""},
        Hostile{R"({"a":{"dtype":"F32","shape":[-1],"data_offsets":[0,4]}})", 4, "sizes of at least 0"},
        Hostile{R"({"a":{"dtype":"F32","shape":[1.0],"data_offsets":[0,4]}})", 4, "sizes of at least 0"},
        Hostile{R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}})", 4, "takes 8 bytes, it has 4"},
        Hostile{R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})", 3, "not within the 3 bytes"},
        Hostile{R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[4,0]}})", 4, "not within"},
        Hostile{R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,18446744073709551615]}})", 4, "data_offsets"},
        Hostile{R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0]}})", 4, "not two"},
        Hostile{R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})", 8, "gap"},
        Hostile{R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})", 8, "belong to no tensor"},
        Hostile{R"({"a":{"dtype":"F32","shape":[4611686018427387904,4],"data_offsets":[0,0]}})", 0, "tensor \"a\""},
        Hostile{R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},)"
                R"("b":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})",
                4, "overlap"},
        Hostile{R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},)"
                R"("a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})",
                8, "repeated"},
        Hostile{R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4],"extra":1}})", 4, "unknown key \"extra\""},
        Hostile{R"({"a":{"dtype":"F32","data_offsets":[0,4]}})", 4, "\"shape\" is missing"},
        Hostile{R"({"__metadata__":{"a":1}})", 0, "no string"}, Hostile{R"({"__metadata__":[]})", 0, "no object"},
        Hostile{R"({"a":{"dtype":"F32","shape":[[[[1]]]],"data_offsets":[0,4]}})", 4, "nested deeper"}),
    [](const auto& test) { return "case" + std::to_string(test.index); });

TEST_F(Safetensors, RefusesFilesWithoutALength) {
  EXPECT_THAT(complaint(""), HasSubstr("too short"));
  EXPECT_THAT(complaint("1234567"), HasSubstr("too short"));
}

TEST_F(Safetensors, RefusesHeadersThatAreTooLong) {
  EXPECT_THAT(complaint(std::string("\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF{}", 10)), HasSubstr("more than the 100000000"));
  EXPECT_THAT(complaint(std::string("\x03\0\0\0\0\0\0\0{}", 10)), HasSubstr("truncated"));
}

TEST_F(Safetensors, SurvivesEveryTruncation) {
  const std::string whole = read_file(std::string(GRAPHNET_TEST_DIR) + "/sample/data/python.safetensors");
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_NE(complaint(whole.substr(0, size)), "accepted") << size;
  }
}

TEST_F(Safetensors, SurvivesChangedBytes) {
  const std::string whole = read_file(std::string(GRAPHNET_TEST_DIR) + "/sample/data/python.safetensors");
  std::mt19937 random(1);
  for (int i = 0; i < 200; ++i) {
    std::string changed = whole;
    changed[random() % changed.size()] = static_cast<char>(random());
    complaint(changed);  // accepted or an Error: anything else ends the test
  }
}

}  // namespace
}  // namespace graphnet
