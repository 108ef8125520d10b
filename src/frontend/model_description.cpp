#include "graphnet/frontend/model_description.h"

#include <algorithm>
#include <iterator>

#include <nlohmann/json.hpp>

#include "graphnet/support/error.h"
#include "graphnet/support/text.h"

namespace graphnet {
namespace {

using Json = nlohmann::ordered_json;

[[noreturn]] void fail(std::string_view file, const std::string& what) {
  throw Error(ErrorKind::kInput, std::string(file) + ": graphnet.json: " + what);
}

// Moves a text field out of the object, where it has one.
void read_text(Json& object, const char* key, std::string_view file, std::string& text) {
  const auto found = object.find(key);
  if (found == object.end()) return;
  if (!found->is_string()) fail(file, std::string(key) + ": expected a string");
  text = found->get<std::string>();
  if (has_control_characters(text))
    fail(file, std::string(key) + ": has control characters: \"" + excerpt(text) + "\"");
  object.erase(found);
}

void refuse_rest(const Json& object, std::string_view file, std::string_view where) {
  if (!object.empty()) fail(file, std::string(where) + "unknown key '" + excerpt(object.begin().key()) + "'");
}

}  // namespace

ModelDescription parse_model_description(std::string_view text, std::string_view file) {
  Json object = Json::parse(text, nullptr, false);
  if (object.is_discarded()) fail(file, "not JSON");
  if (!object.is_object()) fail(file, "expected an object");
  ModelDescription description;
  read_text(object, "name", file, description.name);
  read_text(object, "category", file, description.category);
  read_text(object, "task", file, description.task);
  if (!description.category.empty() && std::find(std::begin(kTaskCategories), std::end(kTaskCategories),
                                                 description.category) == std::end(kTaskCategories)) {
    fail(file,
         "category: '" + excerpt(description.category) + "' is none of the known ones (see `graphnet extract --help`)");
  }
  if (const auto source = object.find("source"); source != object.end()) {
    if (!source->is_object()) fail(file, "source: expected an object");
    Json fields = std::move(*source);
    object.erase(source);
    read_text(fields, "package", file, description.source.package);
    read_text(fields, "version", file, description.source.version);
    read_text(fields, "model", file, description.source.model);
    read_text(fields, "license", file, description.source.license);
    refuse_rest(fields, file, "source: ");
  }
  if (const auto inputs = object.find("inputs"); inputs != object.end()) {
    description.inputs = parse_inputs_json(inputs->dump(), std::string(file) + ": graphnet.json");
    object.erase(inputs);
  }
  refuse_rest(object, file, "");
  return description;
}

}  // namespace graphnet
