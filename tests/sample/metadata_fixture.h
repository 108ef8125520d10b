// Metadata with every field set to something else than its default.
#pragma once

#include "graphnet/sample/metadata.h"

namespace graphnet::fixtures {

inline Metadata full_metadata() {
  Metadata metadata;
  metadata.name = "resnet18";
  metadata.category = "computer vision";
  metadata.task = "image \"classification\"";
  metadata.source = {"torchvision", "0.29.1", "torchvision.models.resnet18", "BSD-3-Clause"};
  metadata.framework = "torch 2.13.0";
  metadata.tool = "graphnet 0.1.0";
  metadata.arguments = R"({"x":"1x3x224x224","scale":0.5})";
  metadata.parameter_count = 11'689'512;
  metadata.weight_bytes = 46'758'048;
  metadata.dtypes = {"float32", "int64"};
  metadata.operators = {"aten::relu"};
  metadata.libraries = {{"torchvision", "abc", {"torchvision::nms"}}};
  metadata.random = true;
  metadata.data_dependent_shapes = true;
  metadata.finite = false;
  metadata.broadcast_weights = true;
  metadata.identity = "0123";
  metadata.fingerprints = "4567";
  metadata.digest = OutputDigest{"89ab", ~std::uint64_t{0}, "torch 2.13.0", "AMD EPYC, AVX512", 2};
  return metadata;
}

}  // namespace graphnet::fixtures
