// Operators that reach out of the program: to files, other processes or a debugger's hooks. A graph may come from
// anyone, and running it must compute and nothing else, so no graph may hold one.
#pragma once

#include <string_view>

namespace graphnet {

// What the operator "namespace::name" reaches, to follow "it ": "uses files", "talks to other processes". Empty for
// operators that compute. By namespaces, names, and the word "file" within a name, since libraries of operators that
// are not known here call theirs so too (image::read_file).
std::string_view system_use(std::string_view name);

}  // namespace graphnet
