#include <ATen/core/Tensor.h>

#include "graphnet/graph/tensor_type.h"
#include "graphnet/runtime/compare.h"
#include "graphnet/runtime/convert.h"
#include "graphnet/support/sha256.h"

namespace graphnet {

std::string digest(const std::vector<at::Tensor>& tensors) {
  Sha256 hash;
  for (const at::Tensor& tensor : tensors) {
    const TensorType type{to_dtype(tensor.scalar_type()), tensor.sizes().vec(), {}};
    hash.update(to_string(type) + "\n");
    at::Tensor plain = tensor.detach();
    if (plain.is_quantized()) plain = plain.int_repr();
    plain = plain.cpu().resolve_conj().resolve_neg().contiguous();
    hash.update(std::span(static_cast<const std::byte*>(plain.const_data_ptr()), plain.nbytes()));
  }
  return hash.finish();
}

}  // namespace graphnet
