// The two distributions that intervals and tests take their quantiles from.
#pragma once

#include <cstddef>

namespace graphnet {

// P(|Z| >= z) of a standard normal variable, and the z >= 0 with P(|Z| < z) = confidence.
double two_sided_normal_p(double z);
double two_sided_normal_quantile(double confidence);

// P(|T| < t) of Student's t with that many degrees of freedom, at least 1 (Abramowitz and Stegun, 26.7.3 and 26.7.4),
// and the t >= 0 with P(|T| < t) = confidence.
double two_sided_student_probability(double t, std::size_t degrees);
double two_sided_student_quantile(double confidence, std::size_t degrees);

}  // namespace graphnet
