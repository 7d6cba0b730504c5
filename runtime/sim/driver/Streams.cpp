// Streams and events. All work is done when it is asked for, so a stream has
// nothing to wait for, and an event is the time at which it was recorded.
#include "runtime/sim/driver/Calls.h"
#include "runtime/sim/driver/State.h"

namespace ashlar::sim::calls {
namespace {

Result noStream() {
  return refuse(Result::invalidHandle, "there is no such stream");
}
Result noEvent() {
  return refuse(Result::invalidHandle, "there is no such event");
}

} // namespace

Result perform(StreamHandle handle, Work work) {
  State &all = state();
  std::lock_guard lock(all.lock);
  SimulatedStream *stream = all.stream(handle);
  if (!stream)
    return noStream();
  if (Result result = all.health(); result != Result::success)
    return result;
  if (!stream->capture)
    return work();
  stream->capture->work.push_back(std::move(work));
  return Result::success;
}

Result streamCreate(StreamHandle *handle, unsigned flags) {
  State &all = state();
  std::lock_guard lock(all.lock);
  if (!handle || flags > 1)
    return Result::invalidValue;
  auto stream = std::make_unique<SimulatedStream>();
  stream->flags = flags;
  stream->id = ++all.nextStreamId;
  *handle = all.streams.add<StreamHandle>(std::move(stream));
  return Result::success;
}

Result streamDestroy(StreamHandle handle) {
  State &all = state();
  std::lock_guard lock(all.lock);
  return all.streams.remove(handle) ? Result::success : noStream();
}

Result streamQuery(StreamHandle handle) {
  State &all = state();
  std::lock_guard lock(all.lock);
  SimulatedStream *stream = all.stream(handle);
  if (!stream)
    return noStream();
  if (stream->capture)
    return refuse(captureUnsupported,
                  "a stream that is captured can't be waited for");
  return all.health();
}

Result streamSynchronize(StreamHandle handle) { return streamQuery(handle); }

// Waiting for an event that was recorded in a capture makes the stream part of
// it.
Result streamWaitEvent(StreamHandle handle, EventHandle eventHandle,
                       unsigned flags) {
  State &all = state();
  std::lock_guard lock(all.lock);
  SimulatedStream *stream = all.stream(handle);
  if (!stream)
    return noStream();
  SimulatedEvent *event = all.events.find(eventHandle);
  if (!event)
    return noEvent();
  if (flags > 1)
    return Result::invalidValue;
  if (event->capture) {
    if (isDefaultStream(handle))
      return refuse(captureUnsupported,
                    "the default stream can't take part in a capture");
    stream->capture = event->capture;
  }
  return Result::success;
}

Result eventCreate(EventHandle *handle, unsigned flags) {
  State &all = state();
  std::lock_guard lock(all.lock);
  if (!handle || flags > 7)
    return Result::invalidValue;
  auto event = std::make_unique<SimulatedEvent>();
  event->flags = flags;
  *handle = all.events.add<EventHandle>(std::move(event));
  return Result::success;
}

Result eventDestroy(EventHandle handle) {
  State &all = state();
  std::lock_guard lock(all.lock);
  return all.events.remove(handle) ? Result::success : noEvent();
}

Result eventRecord(EventHandle handle, StreamHandle streamHandle) {
  State &all = state();
  std::lock_guard lock(all.lock);
  SimulatedEvent *event = all.events.find(handle);
  if (!event)
    return noEvent();
  SimulatedStream *stream = all.stream(streamHandle);
  if (!stream)
    return noStream();
  event->capture = stream->capture;
  event->recorded = true;
  event->when = std::chrono::steady_clock::now();
  return Result::success;
}

// An event that was never recorded counts as complete.
Result eventQuery(EventHandle handle) {
  State &all = state();
  std::lock_guard lock(all.lock);
  SimulatedEvent *event = all.events.find(handle);
  if (!event)
    return noEvent();
  if (event->capture)
    return capturedEvent;
  return all.health();
}

Result eventSynchronize(EventHandle handle) { return eventQuery(handle); }

Result eventElapsedTime(float *milliseconds, EventHandle start,
                        EventHandle end) {
  State &all = state();
  std::lock_guard lock(all.lock);
  SimulatedEvent *first = all.events.find(start);
  SimulatedEvent *last = all.events.find(end);
  if (!milliseconds)
    return Result::invalidValue;
  if (!first || !last)
    return noEvent();
  for (const SimulatedEvent *event : {first, last})
    if (!event->recorded || (event->flags & driver::eventDisableTiming))
      return refuse(Result::invalidHandle,
                    "an event was not recorded, or takes no time");
  *milliseconds =
      std::chrono::duration<float, std::milli>(last->when - first->when)
          .count();
  return all.health();
}

} // namespace ashlar::sim::calls
