// From values to places on a drawing, and the values that an axis is labelled at.
#pragma once

#include <string>
#include <vector>

namespace graphnet {

class Scale {
 public:
  // Values from low to high go to places from first to last (which may be the smaller one). Throws Error(kInternal) for
  // an empty range, or a logarithmic one that reaches 0.
  static Scale linear(double low, double high, double first, double last);
  static Scale logarithmic(double low, double high, double first, double last);

  double operator()(double value) const;  // values outside are put at the nearer end
  double low() const { return low_; }
  double high() const { return high_; }
  double first() const { return first_; }
  double last() const { return last_; }

 private:
  Scale(bool is_logarithmic, double low, double high, double first, double last);

  bool is_logarithmic_;
  double low_;
  double high_;
  double first_;
  double last_;
};

struct Tick {
  double value = 0;
  std::string label;
};

// Multiples of 1, 2 or 5 times a power of ten, at most `most` of them.
std::vector<Tick> linear_ticks(double low, double high, int most);

// For a logarithmic axis: 1, 2 and 5 times powers of ten, or powers of ten alone where those would be too many; where
// the range is less than a factor of 4, linear ticks.
std::vector<Tick> decimal_ticks(double low, double high, int most);

// Powers of two, every so many, always with 1 where it is inside.
std::vector<Tick> binary_ticks(double low, double high, int most);

// 1500 as "1.5k", 1e6 as "1M", 0.25 as "0.25": short, and without digits that say nothing.
std::string tick_label(double value);

}  // namespace graphnet
