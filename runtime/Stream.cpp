#include "ashlar/stream.h"

#include "ashlar/device.h"
#include "runtime/Context.h"
#include "runtime/MovedFrom.h"
#include "runtime/Poll.h"

#include <utility>

namespace ashlar {

using driver::Result;
using driver::StreamHandle;

// A stream with default flags is ordered with the default stream, on which
// buffers are copied and `launch_and_wait` runs.
Stream::Stream(Device &device) : context(device.shared_context()), owned(true) {
  context->enter();
  StreamHandle created = nullptr;
  context->check(context->driver.streamCreate(&created, driver::streamDefault),
                 "creating a stream");
  stream = created;
}

Stream::Stream(std::shared_ptr<Context> context, void *stream, bool owned)
    : context(std::move(context)), stream(stream), owned(owned) {}

Stream Stream::wrap(Device &device, void *handle) {
  return Stream(device.shared_context(), handle, false);
}

Stream::Stream(Stream &&other) noexcept
    : context(std::move(other.context)),
      stream(std::exchange(other.stream, nullptr)),
      owned(std::exchange(other.owned, false)) {}

Stream &Stream::operator=(Stream &&other) noexcept {
  if (this != &other) {
    destroy();
    context = std::move(other.context);
    stream = std::exchange(other.stream, nullptr);
    owned = std::exchange(other.owned, false);
  }
  return *this;
}

Stream::~Stream() { destroy(); }

void Stream::destroy() noexcept {
  if (owned && context->tryEnter())
    context->driver.streamDestroy(static_cast<StreamHandle>(stream));
  owned = false;
}

void *Stream::handle() const {
  notMovedFrom(context, "Stream");
  return stream;
}

void Stream::synchronize() {
  notMovedFrom(context, "Stream").enter();
  context->check(
      context->driver.streamSynchronize(static_cast<StreamHandle>(stream)),
      "the work on a stream");
}

bool Stream::wait_for(std::chrono::milliseconds limit) {
  notMovedFrom(context, "Stream").enter();
  Result result = pollUntil(
      [&] {
        return context->driver.streamQuery(static_cast<StreamHandle>(stream));
      },
      limit);
  if (result == Result::notReady)
    return false;
  context->check(result, "the work on a stream");
  return true;
}

} // namespace ashlar
