// Graphs: what was asked for while a stream was captured, in the order in which
// it was asked for, which keeps every dependency.
#include "runtime/sim/driver/Calls.h"
#include "runtime/sim/driver/State.h"

namespace ashlar::sim::calls {

Result streamBeginCapture(StreamHandle handle, StreamCaptureMode mode) {
  State &all = state();
  std::lock_guard lock(all.lock);
  if (isDefaultStream(handle))
    return refuse(captureUnsupported,
                  "the default stream can't be captured: create a stream");
  SimulatedStream *stream = all.streams.find(handle);
  if (!stream)
    return Result::invalidHandle;
  if (stream->capture)
    return refuse(illegalState, "the stream is being captured already");
  if (Result result = all.health(); result != Result::success)
    return result;
  stream->capture = std::make_shared<Capture>();
  return Result::success;
}

Result streamEndCapture(StreamHandle handle, GraphHandle *graph) {
  State &all = state();
  std::lock_guard lock(all.lock);
  SimulatedStream *stream = all.stream(handle);
  if (!stream || !graph)
    return Result::invalidValue;
  if (!stream->capture)
    return refuse(captureUnmatched, "the stream is not being captured");
  std::shared_ptr<Capture> capture = stream->capture;
  all.streams.forEach([&](SimulatedStream &other) {
    if (other.capture == capture)
      other.capture = nullptr;
  });
  all.events.forEach([&](SimulatedEvent &event) {
    if (event.capture == capture)
      event.capture = nullptr;
  });
  auto made = std::make_unique<SimulatedGraph>();
  made->work = std::move(capture->work);
  *graph = all.graphs.add<GraphHandle>(std::move(made));
  return Result::success;
}

Result streamIsCapturing(StreamHandle handle, int *status) {
  State &all = state();
  std::lock_guard lock(all.lock);
  SimulatedStream *stream = all.stream(handle);
  if (!stream)
    return Result::invalidHandle;
  if (!status)
    return Result::invalidValue;
  *status = stream->capture ? 1 : 0;
  return Result::success;
}

Result graphInstantiate(GraphExecHandle *exec, GraphHandle handle,
                        unsigned long long flags) {
  State &all = state();
  std::lock_guard lock(all.lock);
  SimulatedGraph *graph = all.graphs.find(handle);
  if (!graph)
    return refuse(Result::invalidHandle, "there is no such graph");
  if (!exec)
    return Result::invalidValue;
  *exec = all.graphExecs.add<GraphExecHandle>(
      std::make_unique<SimulatedGraph>(*graph));
  return Result::success;
}

Result graphLaunch(GraphExecHandle handle, StreamHandle stream) {
  State &all = state();
  std::lock_guard lock(all.lock);
  SimulatedGraph *graph = all.graphExecs.find(handle);
  if (!graph)
    return refuse(Result::invalidHandle, "there is no such executable graph");
  // Its own copy: the graph may be destroyed before a capture is launched.
  return perform(stream, [work = graph->work] {
    for (const Work &each : work)
      if (Result result = each(); result != Result::success)
        return result;
    return Result::success;
  });
}

Result graphExecDestroy(GraphExecHandle exec) {
  State &all = state();
  std::lock_guard lock(all.lock);
  return all.graphExecs.remove(exec) ? Result::success : Result::invalidHandle;
}

Result graphDestroy(GraphHandle graph) {
  State &all = state();
  std::lock_guard lock(all.lock);
  return all.graphs.remove(graph) ? Result::success : Result::invalidHandle;
}

} // namespace ashlar::sim::calls
