// Numbers as a person reads them. Nothing here depends on the locale; what is no number is "-".
#pragma once

#include <cstdint>
#include <string>

namespace graphnet {

// With so many digits behind the point: fixed(1.1464, 3) is "1.146".
std::string fixed(double value, int decimals);

// With so many significant digits, but never fewer than stand before the point: significant(25.134, 4) is "25.13",
// significant(1234.4, 3) is "1234", significant(0.00012, 3) is "0.000120". Scientific below 1e-4 and from 1e7 on.
std::string significant(double value, int digits);

// In milliseconds without the unit, four significant digits but at most four decimals: "25.13", "0.0041", "1204".
std::string milliseconds(double seconds);

// With the unit that suits it: "1.20 us", "25.1 ms", "3.40 s", "12 min 5 s".
std::string duration_text(double seconds);

// "512 bytes", "1.50 GiB".
std::string bytes_text(std::int64_t bytes);

// A share of 1 as "93.3 %".
std::string percent(double share);

// A ratio of times: "1.146", "12.35", "123.5".
std::string speedup_text(double speedup);

}  // namespace graphnet
