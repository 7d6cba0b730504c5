// cuStream*, cuEvent*, cuGraph*.
#include "runtime/sim/driver/State.h"
#include "runtime/sim/driver/library/Export.h"

using namespace ashlar::sim;
using namespace ashlar::sim::library;

ASHLAR_CUDA Result cuStreamCreate(StreamHandle *stream, unsigned flags) {
  return calls::streamCreate(stream, flags);
}
ASHLAR_CUDA Result cuStreamCreateWithPriority(StreamHandle *stream,
                                              unsigned flags, int priority) {
  if (Result result = calls::streamCreate(stream, flags);
      result != Result::success)
    return result;
  std::lock_guard lock(state().lock);
  state().stream(*stream)->priority = priority;
  return Result::success;
}
ASHLAR_CUDA Result cuStreamDestroy_v2(StreamHandle stream) {
  return calls::streamDestroy(stream);
}
ASHLAR_CUDA_ALIAS(cuStreamDestroy, cuStreamDestroy_v2);
ASHLAR_CUDA Result cuStreamSynchronize(StreamHandle stream) {
  return calls::streamSynchronize(stream);
}
ASHLAR_CUDA_ALIAS(cuStreamSynchronize_ptsz, cuStreamSynchronize);
ASHLAR_CUDA Result cuStreamQuery(StreamHandle stream) {
  return calls::streamQuery(stream);
}
ASHLAR_CUDA_ALIAS(cuStreamQuery_ptsz, cuStreamQuery);
ASHLAR_CUDA Result cuStreamWaitEvent(StreamHandle stream, EventHandle event,
                                     unsigned flags) {
  return calls::streamWaitEvent(stream, event, flags);
}
ASHLAR_CUDA_ALIAS(cuStreamWaitEvent_ptsz, cuStreamWaitEvent);

namespace {

template <class T, class Read>
Result readStream(StreamHandle handle, T *value, Read read) {
  std::lock_guard lock(state().lock);
  SimulatedStream *stream = state().stream(handle);
  if (!stream)
    return Result::invalidHandle;
  if (!value)
    return Result::invalidValue;
  *value = read(*stream);
  return Result::success;
}

} // namespace

ASHLAR_CUDA Result cuStreamGetFlags(StreamHandle stream, unsigned *flags) {
  return readStream(stream, flags,
                    [](const SimulatedStream &s) { return s.flags; });
}
ASHLAR_CUDA_ALIAS(cuStreamGetFlags_ptsz, cuStreamGetFlags);
ASHLAR_CUDA Result cuStreamGetPriority(StreamHandle stream, int *priority) {
  return readStream(stream, priority,
                    [](const SimulatedStream &s) { return s.priority; });
}
ASHLAR_CUDA_ALIAS(cuStreamGetPriority_ptsz, cuStreamGetPriority);
ASHLAR_CUDA Result cuStreamGetId(StreamHandle stream, unsigned long long *id) {
  return readStream(stream, id, [](const SimulatedStream &s) { return s.id; });
}
ASHLAR_CUDA_ALIAS(cuStreamGetId_ptsz, cuStreamGetId);
ASHLAR_CUDA Result cuStreamGetDevice(StreamHandle stream,
                                     DeviceOrdinal *device) {
  return readStream(stream, device, [](const SimulatedStream &) { return 0; });
}
ASHLAR_CUDA_ALIAS(cuStreamGetDevice_ptsz, cuStreamGetDevice);
ASHLAR_CUDA Result cuStreamGetCtx(StreamHandle stream, ContextHandle *context) {
  return readStream(stream, context, [](const SimulatedStream &) {
    ContextHandle current = nullptr;
    calls::contextGetCurrent(&current);
    return current;
  });
}
ASHLAR_CUDA_ALIAS(cuStreamGetCtx_ptsz, cuStreamGetCtx);

ASHLAR_CUDA Result cuStreamAddCallback(StreamHandle stream,
                                       void (*callback)(StreamHandle, Result,
                                                        void *),
                                       void *data, unsigned) {
  if (!callback)
    return Result::invalidValue;
  return calls::perform(stream, [=] {
    callback(stream, Result::success, data);
    return Result::success;
  });
}
ASHLAR_CUDA_ALIAS(cuStreamAddCallback_ptsz, cuStreamAddCallback);

ASHLAR_CUDA Result cuStreamWriteValue32_v2(StreamHandle stream,
                                           DevicePointer address,
                                           uint32_t value, unsigned) {
  return calls::perform(stream, [=] {
    return calls::copyHostToDevice(address, &value, sizeof(value));
  });
}
ASHLAR_CUDA_ALIAS(cuStreamWriteValue32_v2_ptsz, cuStreamWriteValue32_v2);
ASHLAR_CUDA Result cuStreamWriteValue64_v2(StreamHandle stream,
                                           DevicePointer address,
                                           uint64_t value, unsigned) {
  return calls::perform(stream, [=] {
    return calls::copyHostToDevice(address, &value, sizeof(value));
  });
}
ASHLAR_CUDA_ALIAS(cuStreamWriteValue64_v2_ptsz, cuStreamWriteValue64_v2);

// --- events
// ----------------------------------------------------------------------

ASHLAR_CUDA Result cuEventCreate(EventHandle *event, unsigned flags) {
  return calls::eventCreate(event, flags);
}
ASHLAR_CUDA Result cuEventDestroy_v2(EventHandle event) {
  return calls::eventDestroy(event);
}
ASHLAR_CUDA_ALIAS(cuEventDestroy, cuEventDestroy_v2);
ASHLAR_CUDA Result cuEventRecord(EventHandle event, StreamHandle stream) {
  return calls::eventRecord(event, stream);
}
ASHLAR_CUDA_ALIAS(cuEventRecord_ptsz, cuEventRecord);
ASHLAR_CUDA Result cuEventRecordWithFlags(EventHandle event,
                                          StreamHandle stream, unsigned) {
  return calls::eventRecord(event, stream);
}
ASHLAR_CUDA_ALIAS(cuEventRecordWithFlags_ptsz, cuEventRecordWithFlags);
ASHLAR_CUDA Result cuEventQuery(EventHandle event) {
  return calls::eventQuery(event);
}
ASHLAR_CUDA Result cuEventSynchronize(EventHandle event) {
  return calls::eventSynchronize(event);
}
ASHLAR_CUDA Result cuEventElapsedTime_v2(float *milliseconds, EventHandle start,
                                         EventHandle end) {
  return calls::eventElapsedTime(milliseconds, start, end);
}
ASHLAR_CUDA_ALIAS(cuEventElapsedTime, cuEventElapsedTime_v2);

// --- graphs
// ----------------------------------------------------------------------

ASHLAR_CUDA Result cuStreamBeginCapture_v2(StreamHandle stream,
                                           StreamCaptureMode mode) {
  return calls::streamBeginCapture(stream, mode);
}
ASHLAR_CUDA_ALIAS(cuStreamBeginCapture_v2_ptsz, cuStreamBeginCapture_v2);
ASHLAR_CUDA Result cuStreamEndCapture(StreamHandle stream, GraphHandle *graph) {
  return calls::streamEndCapture(stream, graph);
}
ASHLAR_CUDA_ALIAS(cuStreamEndCapture_ptsz, cuStreamEndCapture);
ASHLAR_CUDA Result cuStreamIsCapturing(StreamHandle stream, int *status) {
  return calls::streamIsCapturing(stream, status);
}
ASHLAR_CUDA_ALIAS(cuStreamIsCapturing_ptsz, cuStreamIsCapturing);
ASHLAR_CUDA Result cuThreadExchangeStreamCaptureMode(StreamCaptureMode *mode) {
  static thread_local StreamCaptureMode current = StreamCaptureMode::global;
  if (!mode)
    return Result::invalidValue;
  std::swap(*mode, current);
  return Result::success;
}
ASHLAR_CUDA Result cuGraphInstantiateWithFlags(GraphExecHandle *exec,
                                               GraphHandle graph,
                                               unsigned long long flags) {
  return calls::graphInstantiate(exec, graph, flags);
}
ASHLAR_CUDA Result cuGraphLaunch(GraphExecHandle exec, StreamHandle stream) {
  return calls::graphLaunch(exec, stream);
}
ASHLAR_CUDA_ALIAS(cuGraphLaunch_ptsz, cuGraphLaunch);
ASHLAR_CUDA Result cuGraphUpload(GraphExecHandle, StreamHandle) {
  return Result::success;
}
ASHLAR_CUDA_ALIAS(cuGraphUpload_ptsz, cuGraphUpload);
ASHLAR_CUDA Result cuGraphExecDestroy(GraphExecHandle exec) {
  return calls::graphExecDestroy(exec);
}
ASHLAR_CUDA Result cuGraphDestroy(GraphHandle graph) {
  return calls::graphDestroy(graph);
}
