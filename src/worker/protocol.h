// The worker's side of the protocol: JSON lines in on stdin, out on a private copy of stdout.
#pragma once

#include <exception>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

namespace graphnet {

// Where answers go. At construction stdout is moved aside and points to stderr from then on, so that prints of
// libraries and models cannot get into the protocol.
class ProtocolStream {
 public:
  ProtocolStream();
  ~ProtocolStream();
  ProtocolStream(const ProtocolStream&) = delete;
  ProtocolStream& operator=(const ProtocolStream&) = delete;

  // Writes one line. Ends the process where nobody reads any more.
  void write(const nlohmann::json& message);

 private:
  int descriptor_;
};

struct Request {
  nlohmann::json id;  // null where the line has none
  std::string method;
  nlohmann::json params = nlohmann::json::object();
};

// The next request, or nothing at the end of the input. Throws Error(kUsage) for a line that is no request.
std::optional<Request> read_request();

// {"kind":..,"stage":..,"message":..} and, where it is known, "cause".
nlohmann::json error_object(const std::exception& exception, const std::string& stage);

}  // namespace graphnet
