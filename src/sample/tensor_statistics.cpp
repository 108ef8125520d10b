#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "graphnet/sample/infer_recipe.h"
#include "graphnet/support/error.h"

#include "elements.h"
#include "multiversion.h"

namespace graphnet {
namespace {

constexpr std::size_t kChunk = 1024;
constexpr std::size_t kLanes = 16;  // independent sums: the additions need not wait for each other, and vectorize

struct Moments {
  double sum = 0;      // of value - shift
  double squares = 0;  // of (value - shift)^2
  double low = 0;
  double high = 0;
};

// `count` is a multiple of kLanes and not 0.
GRAPHNET_MULTIVERSION
void accumulate(const double* __restrict values, std::size_t count, double shift, Moments& moments) {
  double sum[kLanes] = {};
  double squares[kLanes] = {};
  double low[kLanes];
  double high[kLanes];
  for (std::size_t lane = 0; lane < kLanes; ++lane) low[lane] = high[lane] = values[lane];
  for (std::size_t i = 0; i < count; i += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const double value = values[i + lane];
      const double distance = value - shift;
      sum[lane] += distance;
      squares[lane] += distance * distance;
      low[lane] = value < low[lane] ? value : low[lane];
      high[lane] = value > high[lane] ? value : high[lane];
    }
  }
  moments = {0, 0, low[0], high[0]};
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    moments.sum += sum[lane];
    moments.squares += squares[lane];
    moments.low = std::min(moments.low, low[lane]);
    moments.high = std::max(moments.high, high[lane]);
  }
}

// Keeps mean and sum of squared distances of all numbers so far. Merging two sets: Chan, Golub, LeVeque, "Updating
// formulae and a pairwise algorithm for computing sample variances", 1979.
class Collector {
 public:
  // May change the values, and needs space up to the next multiple of kLanes behind them.
  void add(double* values, std::size_t count) {
    Moments moments;
    if (statistics_.count != 0) summarize(values, count, moments);
    if (statistics_.count == 0 || !std::isfinite(moments.squares)) {
      // Nothing to go by yet, or something is not finite (or a square overflowed): go on with what is finite.
      const auto is_finite = [](double value) { return std::isfinite(value); };
      const auto finite = static_cast<std::size_t>(std::stable_partition(values, values + count, is_finite) - values);
      statistics_.finite = statistics_.finite && finite == count;
      if (finite == 0) return;
      if (statistics_.count == 0) shift_ = values[0];
      count = finite;
      summarize(values, count, moments);
    }
    merge(moments, static_cast<double>(count));
    statistics_.count += static_cast<std::int64_t>(count);
  }

  TensorStatistics finish() {
    if (statistics_.count != 0) {
      statistics_.mean = std::clamp(shift_ + mean_, statistics_.low, statistics_.high);
      statistics_.deviation = std::sqrt(std::max(0.0, squares_ / static_cast<double>(statistics_.count)));
    }
    return statistics_;
  }

 private:
  // The shift is one of the tensor's own numbers: padding with it changes no sum and neither end.
  void summarize(double* values, std::size_t count, Moments& moments) const {
    const std::size_t padded = (count + kLanes - 1) / kLanes * kLanes;
    std::fill(values + count, values + padded, shift_);
    accumulate(values, padded, shift_, moments);
  }

  void merge(const Moments& moments, double count) {
    const double mean = moments.sum / count;
    const double squares = std::max(0.0, moments.squares - moments.sum * mean);
    if (statistics_.count == 0) {
      statistics_.low = moments.low;
      statistics_.high = moments.high;
      mean_ = mean;
      squares_ = squares;
      return;
    }
    const auto before = static_cast<double>(statistics_.count);
    const double difference = mean - mean_;
    mean_ += difference * (count / (before + count));
    squares_ += squares + difference * difference * (before * count / (before + count));
    statistics_.low = std::min(statistics_.low, moments.low);
    statistics_.high = std::max(statistics_.high, moments.high);
  }

  TensorStatistics statistics_;
  double shift_ = 0;    // the first finite number: near enough to the mean that squares do not cancel
  double mean_ = 0;     // of value - shift
  double squares_ = 0;  // of distances from the mean
};

void load(const std::byte* source, std::size_t count, Dtype dtype, double* values) {
  if (is_floating(dtype) || is_complex(dtype)) {
    load_reals(source, count, dtype, values);
    return;
  }
  std::int64_t integers[kChunk];
  load_integers(source, count, dtype, integers);
  for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<double>(integers[i]);
}

}  // namespace

TensorStatistics measure(std::span<const std::byte> bytes, Dtype dtype) {
  if (!is_floating(dtype) && !is_complex(dtype) && !is_integer(dtype) && dtype != Dtype::kBool) {
    throw Error(ErrorKind::kUnsupported, "no statistics of " + std::string(dtype_name(dtype)) + " tensors");
  }
  const std::size_t size = dtype_size(real_dtype(dtype));
  const std::size_t count = bytes.size() / size;
  Collector collector;
  double values[kChunk + kLanes];
  for (std::size_t begin = 0; begin < count; begin += kChunk) {
    const std::size_t now = std::min(kChunk, count - begin);
    load(bytes.data() + begin * size, now, dtype, values);
    collector.add(values, now);
  }
  return collector.finish();
}

}  // namespace graphnet
