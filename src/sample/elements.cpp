#include "elements.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "graphnet/support/error.h"

#include "multiversion.h"

namespace graphnet {
namespace {

constexpr std::uint32_t kSignBit = 0x80000000;
constexpr std::uint32_t kInfinityBits = 0x7F800000;

// A small floating format: sign, `kExponentBits`, `kMantissaBits`, an IEEE-like bias.
template <int kExponentBits, int kMantissaBits, bool kHasInfinity>
struct SmallFloat {
  static constexpr int kBias = (1 << (kExponentBits - 1)) - 1;
  static constexpr int kShift = 23 - kMantissaBits;
  static constexpr std::uint32_t kRebias = static_cast<std::uint32_t>(127 - kBias) << 23;
  // Smallest normal number as float32, and the number whose last mantissa bit is the format's smallest step: adding it
  // lets the addition itself round a subnormal.
  static constexpr std::uint32_t kSmallestNormal = static_cast<std::uint32_t>(127 - kBias + 1) << 23;
  static constexpr std::uint32_t kMagic = static_cast<std::uint32_t>(127 - kBias + 1 + kShift) << 23;
  static constexpr std::uint32_t kMaskedExponent = ((1U << kExponentBits) - 1) << kMantissaBits;
  static constexpr std::uint32_t kNan =
      kHasInfinity ? kMaskedExponent | (1U << (kMantissaBits - 1)) : kMaskedExponent | ((1U << kMantissaBits) - 1);
  static constexpr std::uint32_t kOverflow = kHasInfinity ? kMaskedExponent : kNan;

  static std::uint32_t encode(float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t magnitude = bits & ~kSignBit;
    const float sum = std::bit_cast<float>(magnitude) + std::bit_cast<float>(kMagic);
    const std::uint32_t subnormal = std::bit_cast<std::uint32_t>(sum) - kMagic;
    const std::uint32_t is_odd = (magnitude >> kShift) & 1;
    const std::uint32_t rounded = (magnitude - kRebias + (1U << (kShift - 1)) - 1 + is_odd) >> kShift;
    const std::uint32_t normal = rounded < kOverflow ? rounded : kOverflow;
    const std::uint32_t finite = magnitude < kSmallestNormal ? subnormal : normal;
    const std::uint32_t result = magnitude > kInfinityBits ? kNan : finite;
    return result | ((bits & kSignBit) >> (31 - kExponentBits - kMantissaBits));
  }

  static float decode(std::uint32_t code) {
    constexpr std::uint32_t kMagnitudeMask = (1U << (kExponentBits + kMantissaBits)) - 1;
    const std::uint32_t magnitude = code & kMagnitudeMask;
    const std::uint32_t sign = (code & ~kMagnitudeMask) << (31 - kExponentBits - kMantissaBits);
    // Multiplying by a power of two moves the exponent and normalizes subnormals, exactly.
    constexpr std::uint32_t kScale = static_cast<std::uint32_t>(127 + 127 - kBias) << 23;
    const float scaled = std::bit_cast<float>(magnitude << kShift) * std::bit_cast<float>(kScale);
    const bool is_special = kHasInfinity ? magnitude >= kMaskedExponent : magnitude == kNan;
    const std::uint32_t special = kInfinityBits | (kHasInfinity ? magnitude << kShift : 1U << 22);
    const std::uint32_t result = is_special ? special : std::bit_cast<std::uint32_t>(scaled);
    return std::bit_cast<float>(result | sign);
  }
};

using Half = SmallFloat<5, 10, true>;
using Float8E5m2 = SmallFloat<5, 2, true>;
using Float8E4m3fn = SmallFloat<4, 3, false>;

std::uint32_t encode_bfloat16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16;
  return (bits & ~kSignBit) > kInfinityBits ? 0x7FC0 : rounded;
}

// Parts of tensors need not be aligned, hence memcpy, which the compiler turns into vector loads and stores.
template <class Element, class Convert>
[[gnu::always_inline]] inline void store_each(const double* __restrict values, std::size_t count,
                                              std::byte* __restrict destination, Convert convert) {
  for (std::size_t i = 0; i < count; ++i) {
    const auto element = static_cast<Element>(convert(static_cast<float>(values[i])));
    std::memcpy(destination + i * sizeof(Element), &element, sizeof(Element));
  }
}

template <class Element, class Convert>
[[gnu::always_inline]] inline void load_each(const std::byte* __restrict source, std::size_t count,
                                             double* __restrict values, Convert convert) {
  for (std::size_t i = 0; i < count; ++i) {
    Element element;
    std::memcpy(&element, source + i * sizeof(Element), sizeof(Element));
    values[i] = static_cast<double>(convert(element));
  }
}

GRAPHNET_MULTIVERSION
void store_float32(const double* values, std::size_t count, std::byte* destination) {
  store_each<float>(values, count, destination, [](float value) { return value; });
}

GRAPHNET_MULTIVERSION
void store_float16(const double* values, std::size_t count, std::byte* destination) {
  store_each<std::uint16_t>(values, count, destination, [](float value) { return Half::encode(value); });
}

GRAPHNET_MULTIVERSION
void store_bfloat16(const double* values, std::size_t count, std::byte* destination) {
  store_each<std::uint16_t>(values, count, destination, [](float value) { return encode_bfloat16(value); });
}

GRAPHNET_MULTIVERSION
void load_float32(const std::byte* source, std::size_t count, double* values) {
  load_each<float>(source, count, values, [](float value) { return value; });
}

GRAPHNET_MULTIVERSION
void load_float16(const std::byte* source, std::size_t count, double* values) {
  load_each<std::uint16_t>(source, count, values, [](std::uint16_t code) { return Half::decode(code); });
}

GRAPHNET_MULTIVERSION
void load_bfloat16(const std::byte* source, std::size_t count, double* values) {
  load_each<std::uint16_t>(source, count, values, [](std::uint16_t code) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(code) << 16);
  });
}

template <class Element>
void store_low_bits(const std::int64_t* values, std::size_t count, std::byte* destination) {
  for (std::size_t i = 0; i < count; ++i) {
    const auto element = static_cast<Element>(values[i]);
    std::memcpy(destination + i * sizeof(Element), &element, sizeof(Element));
  }
}

template <class Element>
void load_widened(const std::byte* source, std::size_t count, std::int64_t* values) {
  for (std::size_t i = 0; i < count; ++i) {
    Element element;
    std::memcpy(&element, source + i * sizeof(Element), sizeof(Element));
    values[i] = static_cast<std::int64_t>(element);
  }
}

template <class Element>
constexpr IntegerLimits limits_of() {
  constexpr std::uint64_t kHighest = std::numeric_limits<Element>::max();
  constexpr std::uint64_t kInt64Highest = std::numeric_limits<std::int64_t>::max();
  return {static_cast<std::int64_t>(std::numeric_limits<Element>::lowest()),
          static_cast<std::int64_t>(kHighest < kInt64Highest ? kHighest : kInt64Highest)};
}

[[noreturn]] void wrong_kind(Dtype dtype, std::string_view expected) {
  throw Error(ErrorKind::kInternal, std::string(dtype_name(dtype)) + " has no " + std::string(expected) + " elements");
}

}  // namespace

void store_reals(const double* values, std::size_t count, Dtype dtype, std::byte* destination) {
  switch (real_dtype(dtype)) {
    case Dtype::kFloat64:
      std::memcpy(destination, values, count * sizeof(double));
      return;
    case Dtype::kFloat32:
      store_float32(values, count, destination);
      return;
    case Dtype::kFloat16:
      store_float16(values, count, destination);
      return;
    case Dtype::kBfloat16:
      store_bfloat16(values, count, destination);
      return;
    case Dtype::kFloat8E4m3fn:
      return store_each<std::uint8_t>(values, count, destination, [](float v) { return Float8E4m3fn::encode(v); });
    case Dtype::kFloat8E5m2:
      return store_each<std::uint8_t>(values, count, destination, [](float v) { return Float8E5m2::encode(v); });
    default:
      wrong_kind(dtype, "real");
  }
}

void load_reals(const std::byte* source, std::size_t count, Dtype dtype, double* values) {
  switch (real_dtype(dtype)) {
    case Dtype::kFloat64:
      std::memcpy(values, source, count * sizeof(double));
      return;
    case Dtype::kFloat32:
      load_float32(source, count, values);
      return;
    case Dtype::kFloat16:
      load_float16(source, count, values);
      return;
    case Dtype::kBfloat16:
      load_bfloat16(source, count, values);
      return;
    case Dtype::kFloat8E4m3fn:
      return load_each<std::uint8_t>(source, count, values, [](std::uint8_t c) { return Float8E4m3fn::decode(c); });
    case Dtype::kFloat8E5m2:
      return load_each<std::uint8_t>(source, count, values, [](std::uint8_t c) { return Float8E5m2::decode(c); });
    default:
      wrong_kind(dtype, "real");
  }
}

void store_integers(const std::int64_t* values, std::size_t count, Dtype dtype, std::byte* destination) {
  switch (dtype) {
    case Dtype::kBool:
    case Dtype::kUint8:
    case Dtype::kInt8:
      return store_low_bits<std::uint8_t>(values, count, destination);
    case Dtype::kInt16:
    case Dtype::kUint16:
      return store_low_bits<std::uint16_t>(values, count, destination);
    case Dtype::kInt32:
    case Dtype::kUint32:
      return store_low_bits<std::uint32_t>(values, count, destination);
    case Dtype::kInt64:
    case Dtype::kUint64:
      std::memcpy(destination, values, count * sizeof(std::int64_t));
      return;
    default:
      wrong_kind(dtype, "integer");
  }
}

void load_integers(const std::byte* source, std::size_t count, Dtype dtype, std::int64_t* values) {
  switch (dtype) {
    case Dtype::kBool:
    case Dtype::kUint8:
      return load_widened<std::uint8_t>(source, count, values);
    case Dtype::kInt8:
      return load_widened<std::int8_t>(source, count, values);
    case Dtype::kInt16:
      return load_widened<std::int16_t>(source, count, values);
    case Dtype::kUint16:
      return load_widened<std::uint16_t>(source, count, values);
    case Dtype::kInt32:
      return load_widened<std::int32_t>(source, count, values);
    case Dtype::kUint32:
      return load_widened<std::uint32_t>(source, count, values);
    case Dtype::kInt64:
    case Dtype::kUint64:
      std::memcpy(values, source, count * sizeof(std::int64_t));
      return;
    default:
      wrong_kind(dtype, "integer");
  }
}

double round_to(double value, Dtype dtype) {
  std::byte bytes[sizeof(double)];
  store_reals(&value, 1, dtype, bytes);
  double rounded = 0;
  load_reals(bytes, 1, dtype, &rounded);
  return rounded;
}

// Numbers of one sign follow each other in the order of their codes, in every floating format.
double largest_below(double value, Dtype dtype) {
  const double rounded = round_to(value, dtype);
  if (rounded < value) return rounded;
  const std::size_t size = dtype_size(real_dtype(dtype));
  const std::uint64_t sign = std::uint64_t{1} << (8 * size - 1);
  std::byte bytes[sizeof(double)] = {};
  store_reals(&rounded, 1, dtype, bytes);
  std::uint64_t code = 0;
  std::memcpy(&code, bytes, sizeof(code));
  if ((code & ~sign) == 0) {
    code = sign | 1;
  } else {
    code += (code & sign) != 0 ? 1 : std::uint64_t{0} - 1;
  }
  std::memcpy(bytes, &code, sizeof(code));
  double below = 0;
  load_reals(bytes, 1, dtype, &below);
  return below;
}

double smallest_from(double value, Dtype dtype) {
  const double rounded = round_to(value, dtype);
  return rounded >= value ? rounded : -largest_below(-rounded, dtype);
}

IntegerLimits integer_limits(Dtype dtype) {
  switch (dtype) {
    case Dtype::kBool:
      return {0, 1};
    case Dtype::kUint8:
      return limits_of<std::uint8_t>();
    case Dtype::kInt8:
      return limits_of<std::int8_t>();
    case Dtype::kInt16:
      return limits_of<std::int16_t>();
    case Dtype::kUint16:
      return limits_of<std::uint16_t>();
    case Dtype::kInt32:
      return limits_of<std::int32_t>();
    case Dtype::kUint32:
      return limits_of<std::uint32_t>();
    case Dtype::kInt64:
      return limits_of<std::int64_t>();
    case Dtype::kUint64:
      return limits_of<std::uint64_t>();
    default:
      wrong_kind(dtype, "integer");
  }
}

std::size_t parts_of(Dtype dtype) {
  return is_complex(dtype) ? 2 : 1;
}

}  // namespace graphnet
