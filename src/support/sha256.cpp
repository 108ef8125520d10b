#include "graphnet/support/sha256.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include <openssl/evp.h>

#include "graphnet/support/error.h"

namespace graphnet {
namespace {

[[noreturn]] void fail() {
  throw Error(ErrorKind::kInternal, "OpenSSL could not compute a SHA-256");
}

struct FreeContext {
  void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
};

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

}  // namespace

struct Sha256::State {
  std::unique_ptr<EVP_MD_CTX, FreeContext> context{EVP_MD_CTX_new()};
};

Sha256::Sha256() : state_(std::make_unique<State>()) {
  if (!state_->context || EVP_DigestInit_ex(state_->context.get(), EVP_sha256(), nullptr) != 1) fail();
}

Sha256::~Sha256() = default;

void Sha256::update(std::string_view bytes) {
  if (EVP_DigestUpdate(state_->context.get(), bytes.data(), bytes.size()) != 1) fail();
}

void Sha256::update(std::span<const std::byte> bytes) {
  if (EVP_DigestUpdate(state_->context.get(), bytes.data(), bytes.size()) != 1) fail();
}

std::string Sha256::finish() {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  if (EVP_DigestFinal_ex(state_->context.get(), digest.data(), &size) != 1) fail();
  constexpr std::string_view kHexDigits = "0123456789abcdef";
  std::string text;
  text.reserve(std::size_t{2} * size);
  for (unsigned int i = 0; i < size; ++i) {
    text += kHexDigits[digest[i] >> 4U];
    text += kHexDigits[digest[i] & 0xFU];
  }
  return text;
}

std::string sha256(std::string_view bytes) {
  Sha256 hash;
  hash.update(bytes);
  return hash.finish();
}

std::string sha256_of_file(const std::filesystem::path& path) {
  const auto fail_to_read = [&] { throw Error(ErrorKind::kInput, path.string() + ": " + std::strerror(errno)); };
  const std::unique_ptr<std::FILE, CloseFile> file(std::fopen(path.c_str(), "rb"));
  if (!file) fail_to_read();
  Sha256 hash;
  std::string buffer(std::size_t{1} << 16U, '\0');
  while (const std::size_t count = std::fread(buffer.data(), 1, buffer.size(), file.get())) {
    hash.update(std::string_view(buffer).substr(0, count));
  }
  if (std::ferror(file.get()) != 0) fail_to_read();
  return hash.finish();
}

}  // namespace graphnet
