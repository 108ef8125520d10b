// What was probably meant by a word that is not known: "did you mean ...?".
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace graphnet {

// How many characters must be inserted, removed, replaced or swapped with their neighbour to make one text the other.
std::size_t edit_distance(std::string_view a, std::string_view b);

// The candidate that is nearest to the word, or one that the word begins; empty where none is near enough to be meant.
std::string suggestion(std::string_view word, const std::vector<std::string>& candidates);

// The suggestion as the end of a message, "; did you mean bench?", or nothing.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace graphnet
