#include <algorithm>
#include <array>
#include <utility>

#include "checker.h"

namespace graphnet {
namespace {

using Base = TypePattern::Base;

constexpr std::array<std::pair<std::string_view, Base>, 14> kBases = {{
    {"Tensor", Base::kTensor},
    {"int", Base::kInt},
    {"SymInt", Base::kInt},
    {"float", Base::kFloat},
    {"SymFloat", Base::kFloat},
    {"bool", Base::kBool},
    {"SymBool", Base::kBool},
    {"complex", Base::kComplex},
    {"Scalar", Base::kScalar},
    {"str", Base::kString},
    {"ScalarType", Base::kDtype},
    {"Layout", Base::kLayout},
    {"MemoryFormat", Base::kMemoryFormat},
    {"Device", Base::kDevice},
}};

bool strip_suffix(std::string_view& text, char suffix) {
  if (!text.ends_with(suffix)) return false;
  text.remove_suffix(1);
  return true;
}

template <class T>
bool is(const Argument& argument) {
  return argument.get_if<T>() != nullptr;
}

bool admits_element(Base base, const Argument& argument) {
  switch (base) {
    case Base::kAny:
      return true;
    case Base::kTensor:  // none where the tensor is undefined
      return is<ValueReference>(argument) || is<None>(argument);
    case Base::kInt:
      return is<std::int64_t>(argument);
    case Base::kFloat:
      return is<double>(argument);
    case Base::kBool:
      return is<bool>(argument);
    case Base::kComplex:
      return is<std::complex<double>>(argument);
    case Base::kScalar:
      return is<std::int64_t>(argument) || is<double>(argument) || is<bool>(argument) ||
             is<std::complex<double>>(argument);
    case Base::kString:
      return is<std::string>(argument);
    case Base::kDtype:
      return is<Dtype>(argument);
    case Base::kLayout:
      return is<Layout>(argument);
    case Base::kMemoryFormat:
      return is<MemoryFormat>(argument);
    case Base::kDevice:
      return is<DeviceRole>(argument);
  }
  return false;
}

}  // namespace

TypePattern::TypePattern(std::string_view type) {
  is_optional_ = strip_suffix(type, '?');
  if (strip_suffix(type, ']')) {
    is_list_ = true;
    type = type.substr(0, type.rfind('['));
    has_optional_elements_ = strip_suffix(type, '?');
  }
  const auto* row = std::find_if(kBases.begin(), kBases.end(), [&](const auto& entry) { return entry.first == type; });
  if (row != kBases.end()) base_ = row->second;
}

bool TypePattern::admits(const Argument& argument) const {
  if (base_ == Base::kAny || (is_optional_ && is<None>(argument))) return true;
  if (!is_list_) return admits_element(base_, argument);
  const auto* list = argument.get_if<ArgumentList>();
  return list != nullptr && std::all_of(list->begin(), list->end(), [&](const Argument& element) {
           return (has_optional_elements_ && is<None>(element)) || admits_element(base_, element);
         });
}

bool TypePattern::admits(const Result& result) const {
  if (std::holds_alternative<std::monostate>(result) || base_ == Base::kAny) return true;
  const bool is_list = std::holds_alternative<std::vector<TensorResult>>(result);
  return base_ == Base::kTensor && is_list == is_list_;
}

}  // namespace graphnet
