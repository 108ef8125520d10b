#include "graphnet/frontend/archive.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <caffe2/serialize/inline_container.h>

#include "graphnet/runtime/exception_text.h"
#include "graphnet/support/error.h"
#include "graphnet/support/text.h"

#include "system_calls.h"

namespace graphnet {
namespace {

using namespace std::string_view_literals;

constexpr std::size_t kCodeLimit = std::size_t{256} << 20;  // bytes of all files of code together

constexpr std::string_view kHowToSave =
    "Save the model with torch.jit.save(torch.jit.script(model), FILE) or torch.jit.trace.";

[[noreturn]] void refuse(const std::filesystem::path& path, const std::string& what, std::string_view advice) {
  throw Error(ErrorKind::kInput, path.string() + ": " + what + ". " + std::string(advice));
}

// The first bytes of the file, at most 512.
std::string read_head(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw Error(ErrorKind::kInput, path.string() + ": cannot be read: " + std::strerror(errno));
  std::string head(512, '\0');
  file.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<std::size_t>(std::max<std::streamsize>(file.gcount(), 0)));
  return head;
}

struct Signature {
  std::size_t offset;
  std::string_view bytes;
  std::string_view what;
  std::string_view advice;
};

// The number that legacy torch.save begins with, as a pickle of protocol 2.
constexpr std::string_view kLegacyCheckpoint = "\x80\x02\x8a\nl\xfc\x9c\x46\xf9 j\xa8P\x19."sv;
constexpr std::string_view kAdviceWeights =
    "It holds weights without code: build the model in Python, load them, and save "
    "it with torch.jit.save.";

const std::array kSignatures = {
    Signature{0, kLegacyCheckpoint, "a checkpoint of torch.save (old format), not TorchScript", kAdviceWeights},
    Signature{0, "\x80\x02"sv, "a Python pickle, not TorchScript", kHowToSave},
    Signature{0, "\x80\x03"sv, "a Python pickle, not TorchScript", kHowToSave},
    Signature{0, "\x80\x04"sv, "a Python pickle, not TorchScript", kHowToSave},
    Signature{0, "\x80\x05"sv, "a Python pickle, not TorchScript", kHowToSave},
    Signature{0, "version https://git-lfs"sv, "a Git LFS pointer, not the file itself",
              "Fetch it with `git lfs pull`."},
    Signature{0, "\x1f\x8b"sv, "compressed with gzip", "Unpack it first with gunzip."},
    Signature{0, "BZh"sv, "compressed with bzip2", "Unpack it first with bunzip2."},
    Signature{0,
              "\xfd"
              "7zXZ"sv,
              "compressed with xz", "Unpack it first with unxz."},
    Signature{0, "\x28\xb5\x2f\xfd"sv, "compressed with zstd", "Unpack it first with unzstd."},
    Signature{0, "7z\xbc\xaf"sv, "a 7-Zip archive", "Unpack it first."},
    Signature{0, "\x89HDF"sv, "an HDF5 file, not TorchScript", kHowToSave},
    Signature{0, "GGUF"sv, "a GGUF file: weights of llama.cpp, not TorchScript", kHowToSave},
    Signature{0,
              "\x7f"
              "ELF"sv,
              "a program or shared library, not TorchScript", "A library of operators is loaded with --op-library."},
    Signature{4, "TFL3"sv, "a TensorFlow Lite model, not TorchScript", kHowToSave},
    Signature{257, "ustar"sv, "a tar archive, not TorchScript",
              "Unpack it first; a model of torch < 1.0 has to be saved anew."},
};

bool begins_with_at(std::string_view text, std::size_t offset, std::string_view bytes) {
  return text.size() >= offset + bytes.size() && text.substr(offset, bytes.size()) == bytes;
}

std::string lower_case(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  return lower;
}

// Ends in the error for a file that is no zip archive at all.
[[noreturn]] void refuse_head(const std::filesystem::path& path, std::string_view head) {
  for (const Signature& signature : kSignatures) {
    if (begins_with_at(head, signature.offset, signature.bytes)) {
      refuse(path, std::string(signature.what), signature.advice);
    }
  }
  const std::string_view text = head.substr(std::min(head.find_first_not_of(" \t\r\n\xef\xbb\xbf"), head.size()));
  const std::string lower = lower_case(text.substr(0, 64));
  if (lower.starts_with("<!doctype html") || lower.starts_with("<html") || lower.starts_with("<head")) {
    refuse(path, "a web page, not TorchScript", "The download went wrong: fetch the file itself.");
  }
  if (head.size() > 9 && head[8] == '{' && begins_with_at(head, 5, "\0\0\0"sv)) {
    refuse(path, "a safetensors file, not TorchScript", kAdviceWeights);
  }
  if (path.extension() == ".onnx") refuse(path, "an ONNX model, not TorchScript", kHowToSave);
  if (is_utf8(head) && head.find('\0') == std::string_view::npos) {
    const bool python = path.extension() == ".py" || lower.starts_with("import ") || lower.starts_with("#!");
    refuse(path, python ? "Python source, not TorchScript" : "text, not TorchScript", kHowToSave);
  }
  refuse(path, "no TorchScript archive (those are zip files; this one begins with other bytes)", kHowToSave);
}

// Loading an archive may run its code (__setstate__), and recording does: what reaches out is refused before.
void check_code(const std::filesystem::path& path, caffe2::serialize::PyTorchStreamReader& reader) {
  std::size_t total = 0;
  for (const std::string& record : reader.getAllRecords()) {
    if (!record.starts_with("code/") || !record.ends_with(".py")) continue;
    // A small file can hold gigabytes that are all alike.
    total += reader.getRecordSize(record);
    if (total > kCodeLimit) {
      refuse(path, "more than " + std::to_string(kCodeLimit >> 20) + " MiB of code in it (" + record + ")",
             "No model needs that much: is the file what it should be?");
    }
    const auto [data, size] = reader.getRecord(record);
    const std::optional<SystemCall> call = find_system_call({static_cast<const char*>(data.get()), size});
    if (!call) continue;
    throw Error(ErrorKind::kUnsupported, path.string() + ": operator " + call->name + ": it " + std::string(call->use) +
                                             ": no graph may hold it. In TorchScript: " + record + ":" +
                                             std::to_string(call->line));
  }
}

bool contains(const std::vector<std::string>& records, auto&& predicate) {
  return std::any_of(records.begin(), records.end(), predicate);
}

// Ends in the error for a zip archive whose records are not those of TorchScript; returns where they are.
void check_records(const std::filesystem::path& path, const std::vector<std::string>& records) {
  const auto has = [&](std::string_view name) {
    return contains(records, [&](const std::string& record) { return record == name; });
  };
  const auto below = [&](std::string_view folder) {
    return contains(records, [&](const std::string& record) { return record.starts_with(folder); });
  };
  if (has("data.pkl") && has("constants.pkl") && below("code/")) return;
  if (below("data/aotinductor/")) {
    refuse(path, "a package of AOTInductor: compiled code without the graph", kHowToSave);
  }
  if (has(".data/extern_modules")) {
    refuse(path, "a package of torch.package: Python code and pickles, not TorchScript",
           "Load the model in Python with torch.package.PackageImporter, and save it with torch.jit.save.");
  }
  if (has("archive_format") || has("serialized_exported_program.json") || below("models/")) {
    refuse(path, "an exported program of torch.export, which this version does not read", kHowToSave);
  }
  if (has("data.pkl")) refuse(path, "a checkpoint of torch.save, not TorchScript", kAdviceWeights);
  if (has("word/document.xml") || has("[Content_Types].xml")) refuse(path, "an office document", kHowToSave);
  if (contains(records, [](const std::string& record) { return record.ends_with(".npy"); })) {
    refuse(path, "a file of NumPy arrays, not TorchScript", kAdviceWeights);
  }
  if (contains(records,
               [](const std::string& record) { return record.ends_with(".pt") || record.ends_with(".pth"); })) {
    refuse(path, "a zip file around another model file", "Unpack it first with unzip.");
  }
  refuse(path, "a zip file without the records of TorchScript (data.pkl, constants.pkl, code/)", kHowToSave);
}

}  // namespace

Archive inspect_archive(const std::filesystem::path& path) {
  std::error_code code;
  const auto status = std::filesystem::status(path, code);
  if (!std::filesystem::exists(status)) throw Error(ErrorKind::kUsage, path.string() + ": no such file");
  if (std::filesystem::is_directory(status)) {
    const bool is_sample = std::filesystem::exists(path / "graph.json", code);
    refuse(path, is_sample ? "a sample already, not a TorchScript file" : "a folder, not a TorchScript file",
           is_sample ? "Use `graphnet validate` or `graphnet bench` with it." : kHowToSave);
  }
  if (!std::filesystem::is_regular_file(status)) refuse(path, "no regular file", kHowToSave);
  Archive archive;
  archive.file_bytes = static_cast<std::int64_t>(std::filesystem::file_size(path));
  const std::string head = read_head(path);
  if (head.empty()) refuse(path, "empty (0 bytes)", "Was the disk full when it was written? Write or fetch it again.");
  if (!head.starts_with("PK\x03\x04")) refuse_head(path, head);

  try {
    caffe2::serialize::PyTorchStreamReader reader(path.string());
    check_records(path, reader.getAllRecords());
    check_code(path, reader);
    const std::string description = "extra/graphnet.json";
    if (reader.hasRecord(description)) {
      if (reader.getRecordSize(description) > kDescriptionLimit) {
        refuse(path, "graphnet.json in it is larger than 1 MiB", "It should hold a description and inputs only.");
      }
      const auto [data, size] = reader.getRecord(description);
      archive.description.emplace(static_cast<const char*>(data.get()), size);
    }
  } catch (const Error&) {
    throw;
  } catch (const std::exception& exception) {
    const std::string text = exception_text(exception);
    if (text.find("central directory") != std::string::npos) {
      refuse(path,
             "a truncated zip archive (" + std::to_string(archive.file_bytes) + " bytes; its directory is missing)",
             "Fetch or write the file again.");
    }
    refuse(path, "a damaged zip archive: " + excerpt(text, 200), "Fetch or write the file again.");
  }
  return archive;
}

}  // namespace graphnet
