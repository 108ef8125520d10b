// What kind of file a user handed in. LibTorch's own loader answers a wrong file with an internal message; here every
// kind that is met in practice gets one clear error that says what the file is and what to do.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace graphnet {

// What is known about a TorchScript archive before it is loaded.
struct Archive {
  std::int64_t file_bytes = 0;
  std::optional<std::string> description;  // the extra file graphnet.json, where the archive has one
};

// The largest graphnet.json that is read.
inline constexpr std::size_t kDescriptionLimit = std::size_t{1} << 20;

// Looks at the file without running anything of it. Throws Error(kInput) unless it is a TorchScript archive: a missing,
// unreadable, empty or truncated file, a checkpoint of torch.save, an exported program (.pt2), a package of
// AOTInductor, a pickle, safetensors, ONNX, a web page, a Git LFS pointer and so on.
Archive inspect_archive(const std::filesystem::path& path);

}  // namespace graphnet
