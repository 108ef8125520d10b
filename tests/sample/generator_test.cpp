#include "graphnet/sample/generator.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

#include <gtest/gtest.h>

#include "graphnet/support/error.h"
#include "graphnet/support/sha256.h"

#include "drawing.h"

namespace graphnet {
namespace {

using fixtures::draw;
using fixtures::draw_bytes;

constexpr std::int64_t kMany = 200'000;

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double moment_of(const std::vector<double>& values, int power) {
  const double mean = mean_of(values);
  double sum = 0;
  for (const double value : values) sum += std::pow(value - mean, power);
  return sum / static_cast<double>(values.size());
}

// Five standard errors of a mean of kMany draws: with a fixed seed the tests below either always pass or never.
double tolerance(double deviation) {
  return 5 * deviation / std::sqrt(static_cast<double>(kMany));
}

TEST(Generator, NormalHasItsMoments) {
  const auto values = draw<double>("normal(2,3)", Dtype::kFloat64, kMany);
  EXPECT_NEAR(mean_of(values), 2, tolerance(3));
  EXPECT_NEAR(std::sqrt(moment_of(values, 2)), 3, tolerance(3));
  EXPECT_NEAR(moment_of(values, 3), 0, tolerance(27 * std::sqrt(15)));
  EXPECT_NEAR(moment_of(values, 4) / 81, 2.7, 0.05);  // a sum of four uniform numbers: 3 - 6/5 / 4
}

TEST(Generator, NormalEndsAtItsReach) {
  const auto values = draw<double>("normal(0,1)", Dtype::kFloat64, kMany);
  const auto [low, high] = std::ranges::minmax(values);
  EXPECT_GT(low, -3.4642);
  EXPECT_LT(high, 3.4642);
  EXPECT_LT(low, -3);
  EXPECT_GT(high, 3);
}

TEST(Generator, NormalStaysWithinItsLimits) {
  const auto values = draw<float>("normal(0,1,-0.5,0.25)", Dtype::kFloat32, kMany);
  EXPECT_EQ(std::ranges::min(values), -0.5F);
  EXPECT_EQ(std::ranges::max(values), 0.25F);
}

TEST(Generator, UniformHasItsMoments) {
  const auto values = draw<double>("uniform(-1,3)", Dtype::kFloat64, kMany);
  EXPECT_NEAR(mean_of(values), 1, tolerance(4 / std::sqrt(12)));
  EXPECT_NEAR(moment_of(values, 2), 16.0 / 12, 0.01);
  EXPECT_GE(std::ranges::min(values), -1);
  EXPECT_LT(std::ranges::max(values), 3);
}

// One bfloat16 of 512 below 1 would round up to it.
TEST(Generator, UniformNeverReachesItsEndByRounding) {
  for (const Dtype dtype : {Dtype::kFloat16, Dtype::kBfloat16}) {
    const auto codes = draw<std::uint16_t>("uniform(0,1)", dtype, kMany);
    EXPECT_LT(std::ranges::max(codes), dtype == Dtype::kFloat16 ? 0x3C00 : 0x3F80);
  }
  EXPECT_LT(std::ranges::max(draw<float>("uniform(1000,1001)", Dtype::kFloat32, kMany)), 1001);
}

TEST(Generator, RangeTakesEveryIntegerAboutAsOften) {
  std::vector<int> counts(7);
  for (const std::int64_t value : draw<std::int64_t>("range(-3,4)", Dtype::kInt64, kMany)) {
    ASSERT_GE(value, -3);
    ASSERT_LT(value, 4);
    ++counts[static_cast<std::size_t>(value + 3)];
  }
  for (const int count : counts) EXPECT_NEAR(count, kMany / 7.0, 5 * std::sqrt(kMany / 7.0));
}

TEST(Generator, RangeSpansAllIntegers) {
  const auto values = draw<std::int64_t>("range(-9223372036854775808,9223372036854775807)", Dtype::kInt64, 1000);
  EXPECT_LT(std::ranges::min(values), std::numeric_limits<std::int64_t>::min() / 10 * 9);
  EXPECT_GT(std::ranges::max(values), std::numeric_limits<std::int64_t>::max() / 10 * 9);
}

TEST(Generator, BernoulliIsTrueAsOftenAsAsked) {
  const auto values = draw<std::uint8_t>("bernoulli(0.3)", Dtype::kBool, kMany);
  EXPECT_NEAR(static_cast<double>(std::ranges::count(values, 1)), 0.3 * kMany, kMany * tolerance(std::sqrt(0.21)));
  EXPECT_EQ(std::ranges::count_if(values, [](std::uint8_t value) { return value > 1; }), 0);
}

TEST(Generator, BernoulliKnowsNeverAndAlways) {
  EXPECT_EQ(std::ranges::count(draw<std::uint8_t>("bernoulli(0)", Dtype::kBool, 1000), 0), 1000);
  EXPECT_EQ(std::ranges::count(draw<std::uint8_t>("bernoulli(1)", Dtype::kBool, 1000), 1), 1000);
  EXPECT_EQ(draw<float>("bernoulli(1)", Dtype::kFloat32, 1), std::vector<float>{1});
}

TEST(Generator, ConstantsFillEveryElement) {
  EXPECT_EQ(draw<float>("constant(0.5)", Dtype::kFloat32, 3), (std::vector<float>{0.5, 0.5, 0.5}));
  EXPECT_EQ(draw<std::int8_t>("constant(-7)", Dtype::kInt8, 2), (std::vector<std::int8_t>{-7, -7}));
}

TEST(Generator, ConstantsOfComplexTensorsAreReal) {
  EXPECT_EQ(draw<float>("constant(2.0)", Dtype::kComplex64, 2), (std::vector<float>{2, 0, 2, 0}));
}

TEST(Generator, ArangeCountsInSteps) {
  EXPECT_EQ(draw<std::int32_t>("arange(5,-2)", Dtype::kInt32, 4), (std::vector<std::int32_t>{5, 3, 1, -1}));
  EXPECT_EQ(draw<float>("arange(0.0,0.1)", Dtype::kFloat32, 4, 2), (std::vector<float>{0.2F, 0.3F, 0.4F, 0.5F}));
  EXPECT_EQ(draw<double>("arange(1.0,1.0)", Dtype::kComplex128, 2), (std::vector<double>{1, 0, 2, 0}));
}

TEST(Generator, ValuesExpandTheirRuns) {
  EXPECT_EQ(draw<std::int64_t>("values(1,3*2,0)", Dtype::kInt64, 5), (std::vector<std::int64_t>{1, 2, 2, 2, 0}));
  EXPECT_EQ(draw<std::int64_t>("values(1,3*2,0)", Dtype::kInt64, 3, 2), (std::vector<std::int64_t>{2, 2, 0}));
  EXPECT_EQ(draw<float>("values(1.0,2.0,2*3.0)", Dtype::kComplex64, 1, 1), (std::vector<float>{3, 3}));
}

TEST(Generator, StreamsAndSeedsDiffer) {
  const auto here = draw<float>("normal(0,1)", Dtype::kFloat32, 100);
  EXPECT_NE(here, draw<float>("normal(0,1)", Dtype::kFloat32, 100, 0, {7, 4}));
  EXPECT_NE(here, draw<float>("normal(0,1)", Dtype::kFloat32, 100, 0, {8, 3}));
}

TEST(Generator, NeighbouringStreamsAreUncorrelated) {
  const auto a = draw<double>("normal(0,1)", Dtype::kFloat64, kMany, 0, {7, 3});
  const auto b = draw<double>("normal(0,1)", Dtype::kFloat64, kMany, 0, {7, 4});
  const auto c = draw<double>("normal(0,1)", Dtype::kFloat64, kMany, 1, {7, 3});
  const double scale = static_cast<double>(kMany);
  EXPECT_NEAR(std::inner_product(a.begin(), a.end(), b.begin(), 0.0) / scale, 0, tolerance(1));
  EXPECT_NEAR(std::inner_product(a.begin(), a.end(), c.begin(), 0.0) / scale, 0, tolerance(1));
}

struct Golden {
  const char* recipe;
  Dtype dtype;
  const char* sha256;
};

class GoldenBits : public testing::TestWithParam<Golden> {};

// The bits are a promise: references recorded on other machines and by older versions stay comparable.
TEST_P(GoldenBits, NeverChange) {
  const Golden& golden = GetParam();
  Sha256 hash;
  hash.update(std::span<const std::byte>(draw_bytes(golden.recipe, golden.dtype, 4099)));
  EXPECT_EQ(hash.finish(), golden.sha256);
}

// Cuts at odd places, within a block of the generator and across its buffers.
TEST_P(GoldenBits, DoNotDependOnHowATensorIsSplit) {
  const auto& [recipe, dtype, unused] = GetParam();
  std::vector<std::byte> pieces;
  std::int64_t first = 0;
  for (const std::int64_t count : {1, 2, 1021, 1, 2048, 1023, 3}) {
    const std::vector<std::byte> piece = draw_bytes(recipe, dtype, count, first);
    pieces.insert(pieces.end(), piece.begin(), piece.end());
    first += count;
  }
  EXPECT_EQ(first, 4099);
  EXPECT_EQ(pieces, draw_bytes(recipe, dtype, 4099));
}

constexpr Golden kGoldens[] = {
    {"normal(0.0,1.0)", Dtype::kFloat32, "fc53432e39e7b64864e57abd276c00d7bab9d9f13e8256c56ec3e538c2de93fd"},
    {"normal(0.0,0.02)", Dtype::kFloat16, "6d39c9f3a3212b519163e3905974ae12ecd05ac4c70f489a2c2d53335a2bbbdf"},
    {"normal(0.0,0.02)", Dtype::kBfloat16, "18bb29204dbbac259dac9907d49fc5898fd4d19e627f116776834e6725500fca"},
    {"normal(1.5,0.1)", Dtype::kFloat64, "0003e43e290aa0b6b062293e73599facd5ff71404f998f043f18761f275167f2"},
    {"normal(0.0,1.0)", Dtype::kComplex64, "1c2ac583928e6d418e88753d6275cc09c9296f2faf84494cdaa490fe4d5d923b"},
    {"normal(0.0,1.0)", Dtype::kComplex128, "e9845e6ede0ac7497d72f864f92d5b03ee63966a65860cb2bc680d953c3979f1"},
    {"normal(0.0,1.0)", Dtype::kComplex32, "1ce9f52811327df9fedb814c341cb799d4fdb4a9df1c58d6b40c10e1f701ea86"},
    {"normal(1.0,0.5,0.01,2.0)", Dtype::kFloat32, "c3c406ae1ac79d81a4dada5752b9b6f352ceeccbc92c5db1267b055a620d25b9"},
    {"normal(0.0,1.0)", Dtype::kFloat8E4m3fn, "2516e5ccfba7e0d5e19c5e14eff8268221a51580d9b9337be823a916782b6759"},
    {"normal(0.0,1.0)", Dtype::kFloat8E5m2, "524086ee3d3011dfabf3b383d02a4e88570fb23aa4d82f9f768b2ce981b29c02"},
    {"uniform(-0.1,0.3)", Dtype::kFloat32, "94c9c7e11564d7908e88e9783760e2afc97511f718cf7fc3e9d76fd5c96f2351"},
    {"uniform(-0.1,0.3)", Dtype::kFloat16, "e91ae1f2dba51040936cbcf931421c8636e86a18bde0bf138066079a36aaa100"},
    {"uniform(-0.1,0.3)", Dtype::kBfloat16, "2316c55340a99c49c65f8d821819c4a93dcfc17539156f293ea9c789ac2299c2"},
    {"uniform(-0.1,0.3)", Dtype::kFloat64, "8e169253c8d039012b5c81cf07f46ef34968a5d2431b45a9d5a7c8efb56be301"},
    {"uniform(0.0,1.0)", Dtype::kComplex64, "a295d9cabecfa521fca5683a948ddb1eaca2e3519d127a3d18bab4f946fbc605"},
    {"range(0,30522)", Dtype::kInt64, "bfa0ea7f9195c915e21229f0347d5b11cbbb31439c9ac4bc2867a415dc1971a6"},
    {"range(-7,9)", Dtype::kInt32, "4889578e40a5e8cb6623a3c2e9dabfa6625ab1447cb42c06676e1bad5b5e2138"},
    {"range(-7,9)", Dtype::kInt16, "d2f4ca3bb9865731729204d18cdd9155e4929ac7fd36ccfe4e244393f10e8305"},
    {"range(-128,128)", Dtype::kInt8, "97ac16735419025aec813cc4fd429ca27e41f64c6b613ef71d2ad01b04154e7f"},
    {"range(0,256)", Dtype::kUint8, "998b877f846cad56985f4ad5ee3074a538b355bfefa8a1d639742a03c0e4ed75"},
    {"range(0,65536)", Dtype::kUint16, "dcbc591760e7b84d0b8b3bfae499968c5404db23aca23c4a3066694a74b9d2a8"},
    {"range(0,1000000)", Dtype::kUint32, "f59fa60f5e6ed6211d41300a2f90867fb7793e360169404888bab83634311def"},
    {"range(5,900000000000)", Dtype::kUint64, "f411d53489f0c9d686726b0a07d683f02151247ca24f6c3be6661db8d522ca6f"},
    {"bernoulli(0.5)", Dtype::kBool, "35149fa2a966376a5b2025e6de90635327566a311b2fa346e3a4a55c0af47f53"},
    {"bernoulli(0.1)", Dtype::kFloat32, "8389d4ffb01f7e6217587d992abecaf7c9e65b9cf25d4956fa8b5f6872fd20a9"},
    {"bernoulli(0.1)", Dtype::kInt64, "fb1bf8c983c18de149eb14fc0fdafee7797f251e5f498b932f10cf3679e36205"},
    {"constant(0.1)", Dtype::kFloat16, "ef491a25469401e5d4fd2bd556fccf468de77c3897db49956a484415c24c3d9a"},
    {"constant(3)", Dtype::kInt32, "961b44da98b4bc9f643a3b98f281d752023f527b59b4214cfd05d5765190a93d"},
    {"arange(0.0,0.1)", Dtype::kFloat32, "64f09776ae12844074b3c02fcade9743592f7654e184d05eda2d5bb3bd3df1a9"},
    {"arange(-3,2)", Dtype::kInt64, "b553968dd223561ac97772182d8fd890a11dbbde46e5ccd36498eb792607cce7"},
    {"values(3*1,4096*0)", Dtype::kBool, "ad0b8558cdbc45c9cb3925fe01f3f3072b54b649ea7de17a53200ad6dd63f08c"},
    {"values(0.1,4098*-2.5)", Dtype::kBfloat16, "0a20df7a137999aa60ac90707cd053c859c0e8a2954e627cc14a34db971a5e2d"},
};

INSTANTIATE_TEST_SUITE_P(Recipes, GoldenBits, testing::ValuesIn(kGoldens), [](const auto& test) {
  std::string name = std::string(test.param.recipe) + "_" + std::string(dtype_name(test.param.dtype));
  for (char& c : name) c = std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  return name;
});

struct Mismatch {
  const char* recipe;
  TensorType type;
};

class RecipeMismatch : public testing::TestWithParam<Mismatch> {};

TEST_P(RecipeMismatch, IsRefused) {
  const Recipe recipe = parse_recipe(GetParam().recipe);
  try {
    check_recipe(recipe, GetParam().type);
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kInput);
    EXPECT_NE(std::string(error.what()).find(GetParam().recipe), std::string::npos) << error.what();
  }
}

INSTANTIATE_TEST_SUITE_P(
    Recipes, RecipeMismatch,
    testing::Values(
        Mismatch{"normal(0.0,1.0)", {Dtype::kInt64, {2}, {}}}, Mismatch{"uniform(0.0,1.0)", {Dtype::kBool, {2}, {}}},
        Mismatch{"uniform(1000.25,1000.375)", {Dtype::kFloat16, {2}, {}}},
        Mismatch{"uniform(-1e+308,1e+308)", {Dtype::kFloat64, {2}, {}}},
        Mismatch{"range(0,2)", {Dtype::kFloat32, {2}, {}}}, Mismatch{"range(0,2)", {Dtype::kBool, {2}, {}}},
        Mismatch{"range(0,257)", {Dtype::kUint8, {2}, {}}}, Mismatch{"range(-1,2)", {Dtype::kUint16, {2}, {}}},
        Mismatch{"constant(1)", {Dtype::kFloat32, {2}, {}}}, Mismatch{"constant(1.0)", {Dtype::kInt64, {2}, {}}},
        Mismatch{"constant(2)", {Dtype::kBool, {2}, {}}}, Mismatch{"arange(0,1)", {Dtype::kInt8, {129}, {}}},
        Mismatch{"arange(0,4611686018427387904)", {Dtype::kInt64, {3}, {}}},
        Mismatch{"values(1,2)", {Dtype::kInt64, {3}, {}}}, Mismatch{"values(1.0,2.0)", {Dtype::kComplex64, {2}, {}}},
        Mismatch{"constant(1)", {Dtype::kQint8, {2}, {}}}),
    [](const auto& test) { return "case" + std::to_string(test.index); });

TEST(Generator, RefusesStoredWeights) {
  const std::string stored = "stored(" + std::string(64, 'a') + ")";
  EXPECT_THROW(draw_bytes(stored, Dtype::kFloat32, 1), Error);
  EXPECT_THROW(draw_bytes("view(%0,0)", Dtype::kFloat32, 1), Error);
}

TEST(Generator, RefusesToReadBeyondItsValues) {
  EXPECT_THROW(draw_bytes("values(1,2)", Dtype::kInt64, 2, 1), Error);
}

TEST(Generator, DrawsNothingForEmptyTensors) {
  EXPECT_NO_THROW(draw_bytes("normal(0,1)", Dtype::kFloat32, 0));
  EXPECT_NO_THROW(draw_bytes("values()", Dtype::kFloat32, 0));
}

}  // namespace
}  // namespace graphnet
