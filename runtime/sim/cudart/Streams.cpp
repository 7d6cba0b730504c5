// cudaStream*, cudaEvent*.
#include "runtime/sim/cudart/Export.h"

using namespace ashlar::sim::cudart;

ASHLAR_CUDART Error cudaStreamCreateWithPriority(StreamHandle *stream,
                                                 unsigned flags, int priority) {
  return call(
      [=] { return cuStreamCreateWithPriority(stream, flags, priority); });
}
ASHLAR_CUDART Error cudaStreamCreateWithFlags(StreamHandle *stream,
                                              unsigned flags) {
  return cudaStreamCreateWithPriority(stream, flags, 0);
}
ASHLAR_CUDART Error cudaStreamCreate(StreamHandle *stream) {
  return cudaStreamCreateWithPriority(stream, 0, 0);
}
ASHLAR_CUDART Error cudaStreamDestroy(StreamHandle stream) {
  return call([=] { return cuStreamDestroy_v2(stream); });
}
ASHLAR_CUDART Error cudaStreamSynchronize(StreamHandle stream) {
  return call([=] { return cuStreamSynchronize(stream); });
}
ASHLAR_CUDART_ALIAS(cudaStreamSynchronize_ptsz, cudaStreamSynchronize);
ASHLAR_CUDART Error cudaStreamQuery(StreamHandle stream) {
  return call([=] { return cuStreamQuery(stream); });
}
ASHLAR_CUDART_ALIAS(cudaStreamQuery_ptsz, cudaStreamQuery);
ASHLAR_CUDART Error cudaStreamWaitEvent(StreamHandle stream, EventHandle event,
                                        unsigned flags) {
  return call([=] { return cuStreamWaitEvent(stream, event, flags); });
}
ASHLAR_CUDART_ALIAS(cudaStreamWaitEvent_ptsz, cudaStreamWaitEvent);
ASHLAR_CUDART Error cudaStreamGetFlags(StreamHandle stream, unsigned *flags) {
  return call([=] { return cuStreamGetFlags(stream, flags); });
}
ASHLAR_CUDART_ALIAS(cudaStreamGetFlags_ptsz, cudaStreamGetFlags);
ASHLAR_CUDART Error cudaStreamGetPriority(StreamHandle stream, int *priority) {
  return call([=] { return cuStreamGetPriority(stream, priority); });
}
ASHLAR_CUDART_ALIAS(cudaStreamGetPriority_ptsz, cudaStreamGetPriority);
ASHLAR_CUDART Error cudaStreamGetId(StreamHandle stream,
                                    unsigned long long *id) {
  return call([=] { return cuStreamGetId(stream, id); });
}
ASHLAR_CUDART_ALIAS(cudaStreamGetId_ptsz, cudaStreamGetId);
ASHLAR_CUDART Error cudaStreamGetDevice(StreamHandle stream, int *device) {
  return call([=] { return cuStreamGetDevice(stream, device); });
}
ASHLAR_CUDART_ALIAS(cudaStreamGetDevice_ptsz, cudaStreamGetDevice);
ASHLAR_CUDART Error cudaStreamAddCallback(StreamHandle stream,
                                          void (*callback)(StreamHandle, Result,
                                                           void *),
                                          void *data, unsigned flags) {
  return call(
      [=] { return cuStreamAddCallback(stream, callback, data, flags); });
}
ASHLAR_CUDART_ALIAS(cudaStreamAddCallback_ptsz, cudaStreamAddCallback);

// --- events ------------------------------------------------------------------

ASHLAR_CUDART Error cudaEventCreateWithFlags(EventHandle *event,
                                             unsigned flags) {
  return call([=] { return cuEventCreate(event, flags); });
}
ASHLAR_CUDART Error cudaEventCreate(EventHandle *event) {
  return cudaEventCreateWithFlags(event, 0);
}
ASHLAR_CUDART Error cudaEventDestroy(EventHandle event) {
  return call([=] { return cuEventDestroy_v2(event); });
}
ASHLAR_CUDART Error cudaEventRecordWithFlags(EventHandle event,
                                             StreamHandle stream, unsigned) {
  return call([=] { return cuEventRecord(event, stream); });
}
ASHLAR_CUDART_ALIAS(cudaEventRecordWithFlags_ptsz, cudaEventRecordWithFlags);
ASHLAR_CUDART Error cudaEventRecord(EventHandle event, StreamHandle stream) {
  return cudaEventRecordWithFlags(event, stream, 0);
}
ASHLAR_CUDART_ALIAS(cudaEventRecord_ptsz, cudaEventRecord);
ASHLAR_CUDART Error cudaEventQuery(EventHandle event) {
  return call([=] { return cuEventQuery(event); });
}
ASHLAR_CUDART Error cudaEventSynchronize(EventHandle event) {
  return call([=] { return cuEventSynchronize(event); });
}
ASHLAR_CUDART Error cudaEventElapsedTime(float *milliseconds, EventHandle start,
                                         EventHandle end) {
  return call([=] { return cuEventElapsedTime_v2(milliseconds, start, end); });
}
#if ASHLAR_CUDART_MAJOR < 13
ASHLAR_CUDART_ALIAS(cudaEventElapsedTime_v2, cudaEventElapsedTime);
#endif
