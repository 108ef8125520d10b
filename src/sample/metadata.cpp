#include "graphnet/sample/metadata.h"

#include <algorithm>

#include "graphnet/support/error.h"
#include "graphnet/support/text.h"

#include "strict_json.h"

namespace graphnet {
namespace {

// Writes an object's members one a line, two spaces deeper than their parent.
class ObjectWriter {
 public:
  ObjectWriter(std::string& text, std::size_t depth) : text_(text), indent_(2 * (depth + 1), ' ') { text_ += '{'; }

  void finish() {
    text_ += '\n';
    text_.append(indent_.size() - 2, ' ');
    text_ += '}';
  }

  // What stands behind the key is up to the caller.
  void key(std::string_view name) {
    text_ += is_first_ ? "\n" : ",\n";
    is_first_ = false;
    text_ += indent_;
    append_json_string(text_, name);
    text_ += ": ";
  }

  void string(std::string_view name, std::string_view value) {
    key(name);
    append_json_string(text_, value);
  }

  void integer(std::string_view name, std::int64_t value) {
    key(name);
    append_integer(text_, value);
  }

  void unsigned_integer(std::string_view name, std::uint64_t value) {
    key(name);
    text_ += std::to_string(value);
  }

  void boolean(std::string_view name, bool value) {
    key(name);
    text_ += value ? "true" : "false";
  }

  void strings(std::string_view name, const std::vector<std::string>& values) {
    list(name, values, [this](const std::string& value) { append_json_string(text_, value); });
  }

  // One item a line.
  template <class Item, class Append>
  void list(std::string_view name, const std::vector<Item>& items, Append append) {
    key(name);
    text_ += '[';
    for (std::size_t i = 0; i < items.size(); ++i) {
      text_ += i == 0 ? "\n" : ",\n";
      text_ += indent_;
      text_ += "  ";
      append(items[i]);
    }
    if (!items.empty()) {
      text_ += '\n';
      text_ += indent_;
    }
    text_ += ']';
  }

 private:
  std::string& text_;
  std::string indent_;
  bool is_first_ = true;
};

// Empty where there are no arguments; else the canonical text of the object.
std::string canonical_arguments(std::string_view arguments) {
  if (arguments.empty()) return "{}";
  const Json json = parse_json(arguments, "arguments");
  if (json.get_if<Json::Object>() == nullptr) {
    throw Error(ErrorKind::kInput, "arguments: expected a JSON object, found " + excerpt(arguments));
  }
  std::string text;
  append_json(text, json);
  return text;
}

void append_source(std::string& text, const Source& source) {
  ObjectWriter writer(text, 1);
  writer.string("package", source.package);
  writer.string("version", source.version);
  writer.string("model", source.model);
  writer.string("license", source.license);
  writer.finish();
}

void append_library(std::string& text, const OperatorLibrary& library) {
  ObjectWriter writer(text, 2);
  writer.string("name", library.name);
  writer.string("sha256", library.sha256);
  writer.strings("operators", library.operators);
  writer.finish();
}

void append_digest(std::string& text, const OutputDigest& digest) {
  ObjectWriter writer(text, 1);
  writer.string("sha256", digest.sha256);
  writer.unsigned_integer("seed", digest.seed);
  writer.string("framework", digest.framework_version);
  writer.string("machine", digest.machine);
  writer.integer("threads", digest.threads);
  writer.finish();
}

// A text that is shown to people.
std::string read_shown(ObjectReader& reader, std::string_view key) {
  std::string text = reader.string(key);
  if (has_control_characters(text)) reader.fail(reader.require(key), key, "text without control characters");
  return text;
}

std::string read_name(ObjectReader& reader) {
  std::string name = reader.string("name");
  if (const std::string problem = name_problem(name); !problem.empty()) {
    reader.fail(reader.require("name"), "name", "a sample's name (this one " + problem + ")");
  }
  return name;
}

Source read_source(const Json& json, std::string_view file) {
  ObjectReader reader(json, file, "source");
  Source source;
  source.package = read_shown(reader, "package");
  source.version = read_shown(reader, "version");
  source.model = read_shown(reader, "model");
  source.license = read_shown(reader, "license");
  reader.finish();
  return source;
}

std::vector<OperatorLibrary> read_libraries(const Json::Array& items, std::string_view file) {
  std::vector<OperatorLibrary> libraries;
  for (std::size_t i = 0; i < items.size(); ++i) {
    ObjectReader reader(items[i], file, "libraries[" + std::to_string(i) + "]");
    OperatorLibrary library;
    library.name = read_shown(reader, "name");
    library.sha256 = reader.string("sha256");
    library.operators = reader.strings("operators");
    reader.finish();
    libraries.push_back(std::move(library));
  }
  return libraries;
}

OutputDigest read_digest(const Json& json, std::string_view file) {
  ObjectReader reader(json, file, "digest");
  OutputDigest digest;
  digest.sha256 = reader.string("sha256");
  digest.seed = reader.unsigned_integer("seed");
  digest.framework_version = read_shown(reader, "framework");
  digest.machine = read_shown(reader, "machine");
  digest.threads = reader.count("threads");
  reader.finish();
  return digest;
}

std::vector<std::int64_t> read_unchanged_outputs(ObjectReader& reader) {
  std::vector<std::int64_t> positions;
  for (const Json& item : reader.array("unchanged_outputs")) {
    const auto* position = item.get_if<std::int64_t>();
    if (position == nullptr || *position < 0) reader.fail(item, "unchanged_outputs", "places of outputs");
    positions.push_back(*position);
  }
  return positions;
}

// First of all, since a newer format may have changed anything else.
void read_version(ObjectReader& reader, std::string_view file) {
  const Json& json = reader.require("graphnet");
  const auto* version = json.get_if<std::int64_t>();
  if (version == nullptr || *version < 1) reader.fail(json, "graphnet", "the format's version");
  if (*version <= kMetadataFormatVersion) return;
  throw Error(ErrorKind::kInput, std::string(file) + ":" + std::to_string(json.line) + ": format version " +
                                     std::to_string(*version) + " is newer than this graphnet, which reads up to " +
                                     std::to_string(kMetadataFormatVersion) + ": update graphnet");
}

std::string read_category(ObjectReader& reader) {
  std::string category = reader.string("category");
  if (std::ranges::find(kTaskCategories, category) != std::end(kTaskCategories)) return category;
  std::string expected = "one of";
  for (const std::string_view known : kTaskCategories) expected += " \"" + std::string(known) + "\"";
  reader.fail(reader.require("category"), "category", expected);
}

}  // namespace

bool has_control_characters(std::string_view text) {
  return std::ranges::any_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x20U || c == 0x7F; });
}

std::string name_problem(std::string_view name) {
  constexpr std::size_t kLongest = 200;
  if (name.empty()) return "is empty";
  if (name.size() > kLongest) return "has more than " + std::to_string(kLongest) + " bytes";
  if (!is_utf8(name)) return "is not UTF-8";
  if (has_control_characters(name)) return "has control characters";
  if (name.find('/') != std::string_view::npos || name == "." || name == "..") return "is a path";
  return "";
}

std::string write_metadata(const Metadata& metadata) {
  std::string text;
  ObjectWriter writer(text, 0);
  writer.integer("graphnet", kMetadataFormatVersion);
  writer.string("name", metadata.name);
  writer.string("category", metadata.category);
  writer.string("task", metadata.task);
  writer.key("source");
  append_source(text, metadata.source);
  writer.string("framework", metadata.framework);
  writer.string("tool", metadata.tool);
  writer.key("arguments");
  text += canonical_arguments(metadata.arguments);
  writer.integer("parameter_count", metadata.parameter_count);
  writer.integer("weight_bytes", metadata.weight_bytes);
  writer.strings("dtypes", metadata.dtypes);
  writer.strings("operators", metadata.operators);
  writer.list("libraries", metadata.libraries, [&](const OperatorLibrary& library) { append_library(text, library); });
  writer.boolean("random", metadata.random);
  writer.boolean("data_dependent_shapes", metadata.data_dependent_shapes);
  writer.boolean("finite", metadata.finite);
  writer.boolean("broadcast_weights", metadata.broadcast_weights);
  if (!metadata.unchanged_outputs.empty()) {
    writer.list("unchanged_outputs", metadata.unchanged_outputs,
                [&](std::int64_t position) { append_integer(text, position); });
  }
  writer.string("identity", metadata.identity);
  writer.string("fingerprints", metadata.fingerprints);
  if (metadata.digest) {
    writer.key("digest");
    append_digest(text, *metadata.digest);
  }
  writer.finish();
  text += '\n';
  return text;
}

Metadata read_metadata(std::string_view text, std::string_view file) {
  const Json json = parse_json(text, file);
  ObjectReader reader(json, file);
  read_version(reader, file);
  Metadata metadata;
  metadata.name = read_name(reader);
  metadata.category = read_category(reader);
  metadata.task = read_shown(reader, "task");
  metadata.source = read_source(reader.require("source"), file);
  metadata.framework = read_shown(reader, "framework");
  metadata.tool = read_shown(reader, "tool");
  const Json& arguments = reader.require("arguments");
  if (arguments.get_if<Json::Object>() == nullptr) reader.fail(arguments, "arguments", "an object");
  append_json(metadata.arguments, arguments);
  metadata.parameter_count = reader.count("parameter_count");
  metadata.weight_bytes = reader.count("weight_bytes");
  metadata.dtypes = reader.strings("dtypes");
  metadata.operators = reader.strings("operators");
  metadata.libraries = read_libraries(reader.array("libraries"), file);
  metadata.random = reader.boolean("random");
  metadata.data_dependent_shapes = reader.boolean("data_dependent_shapes");
  metadata.finite = reader.boolean("finite");
  metadata.broadcast_weights = reader.boolean("broadcast_weights");
  if (reader.find("unchanged_outputs") != nullptr) metadata.unchanged_outputs = read_unchanged_outputs(reader);
  metadata.identity = reader.string("identity");
  metadata.fingerprints = reader.string("fingerprints");
  if (const Json* digest = reader.find("digest")) metadata.digest = read_digest(*digest, file);
  reader.finish();
  return metadata;
}

}  // namespace graphnet
