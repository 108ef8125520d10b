// Whether the parts of a sample say the same: what sample.json tells of the graph, and the file of stored weights.
#pragma once

#include "graphnet/sample/sample.h"

namespace graphnet {

// Throws Error(kInput) naming file and key where sample.json contradicts the graph: forward's arguments (their tensors
// are the graph's inputs), the libraries' operators, a digest where there can be none or none where there must be one.
// What only a run can tell (whether operators draw random numbers) is not looked at.
void verify_description(const Sample& sample);

// Throws Error(kInput) naming file and tensor where weights.safetensors and the graph's stored recipes do not fit: a
// file that no recipe needs or that is missing, tensors that no recipe names, missing ones, other types. Reads the
// file's header only.
void verify_weights_file(const Sample& sample);

}  // namespace graphnet
