#pragma once

// Answers requests without a gateway, each as the end of its path says, and notes what it saw.

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "server/client.h"

namespace transcode::conformance {

class Application final : public server::RequestHandler {
 public:
  // `waits`: answers when it is told to, and not before. `header_bytes`: the most that a head has.
  Application(bool waits, size_t header_bytes);
  ~Application() override;

  server::RequestSink* OnRequest(const server::RequestHead& head,
                                 server::ClientStream& client) override;

  // Lets bodies go on that it stopped. False: none.
  bool GoOn();
  // Answers what has not been answered. False: there is nothing.
  bool Answer();
  // Whether it was called since the last question.
  bool moved() { return std::exchange(moved_, false); }
  // The heads and bodies of all requests, in order, and how they ended.
  std::string seen() const;

 private:
  struct Call;
  bool waits_;
  size_t header_bytes_;
  bool moved_ = false;
  std::vector<std::unique_ptr<Call>> calls_;
};

}  // namespace transcode::conformance
