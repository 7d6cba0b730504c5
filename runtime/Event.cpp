#include "ashlar/device.h"
#include "ashlar/stream.h"
#include "runtime/Context.h"
#include "runtime/MovedFrom.h"

#include <utility>

namespace ashlar {

using driver::EventHandle;
using driver::StreamHandle;

Event::Event(Device &device) : context(device.shared_context()) {
  context->enter();
  EventHandle created = nullptr;
  context->check(context->driver.eventCreate(&created, driver::eventDefault),
                 "creating an event");
  event = created;
}

Event::Event(Event &&other) noexcept
    : context(std::move(other.context)),
      event(std::exchange(other.event, nullptr)) {}

Event &Event::operator=(Event &&other) noexcept {
  if (this != &other) {
    destroy();
    context = std::move(other.context);
    event = std::exchange(other.event, nullptr);
  }
  return *this;
}

Event::~Event() { destroy(); }

void Event::destroy() noexcept {
  if (event && context->tryEnter())
    context->driver.eventDestroy(static_cast<EventHandle>(event));
  event = nullptr;
}

void Event::record(Stream &stream) {
  notMovedFrom(context, "Event").enter();
  context->check(
      context->driver.eventRecord(static_cast<EventHandle>(event),
                                  static_cast<StreamHandle>(stream.handle())),
      "recording an event");
}

float Event::milliseconds_since(const Event &start) const {
  notMovedFrom(start.context, "Event");
  notMovedFrom(context, "Event").enter();
  float milliseconds = 0;
  context->check(context->driver.eventElapsedTime(
                     &milliseconds, static_cast<EventHandle>(start.event),
                     static_cast<EventHandle>(event)),
                 "reading the time between two events");
  return milliseconds;
}

} // namespace ashlar
