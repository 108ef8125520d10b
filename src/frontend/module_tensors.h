// The tensors that a TorchScript module holds, each once, however many attributes it goes by.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>

#include "graphnet/runtime/recorder.h"

namespace graphnet {

class ModuleTensors {
 public:
  // Adds the tensors of the object's attributes, and of what these hold. Parameters stop requiring gradients.
  void add_object(const c10::intrusive_ptr<c10::ivalue::Object>& object, const std::string& prefix);

  void add(const at::Tensor& tensor, const std::string& name, bool is_buffer);

  // The tensors, and for each the handles under which the model holds it.
  std::vector<KnownTensor> take_tensors() { return std::move(tensors_); }
  std::vector<std::vector<at::Tensor>> take_holders() { return std::move(holders_); }

 private:
  void add_value(const c10::IValue& value, const std::string& name, bool is_buffer);

  using Key = std::tuple<const c10::StorageImpl*, std::int64_t, std::vector<std::int64_t>, std::vector<std::int64_t>,
                         at::ScalarType>;
  std::set<const c10::ivalue::Object*> visited_;
  std::map<Key, std::size_t> indices_;
  std::set<std::string> names_;
  std::vector<KnownTensor> tensors_;
  std::vector<std::vector<at::Tensor>> holders_;
};

}  // namespace graphnet
