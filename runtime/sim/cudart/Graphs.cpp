// Captured streams and the graphs made of them.
#include "runtime/sim/cudart/Export.h"

using namespace ashlar::sim::cudart;

ASHLAR_CUDART Error cudaStreamBeginCapture(StreamHandle stream,
                                           StreamCaptureMode mode) {
  return call([=] { return cuStreamBeginCapture_v2(stream, mode); });
}
ASHLAR_CUDART_ALIAS(cudaStreamBeginCapture_ptsz, cudaStreamBeginCapture);
ASHLAR_CUDART Error cudaStreamEndCapture(StreamHandle stream,
                                         GraphHandle *graph) {
  return call([=] { return cuStreamEndCapture(stream, graph); });
}
ASHLAR_CUDART_ALIAS(cudaStreamEndCapture_ptsz, cudaStreamEndCapture);
ASHLAR_CUDART Error cudaStreamIsCapturing(StreamHandle stream, int *status) {
  return call([=] { return cuStreamIsCapturing(stream, status); });
}
ASHLAR_CUDART_ALIAS(cudaStreamIsCapturing_ptsz, cudaStreamIsCapturing);
ASHLAR_CUDART Error
cudaThreadExchangeStreamCaptureMode(StreamCaptureMode *mode) {
  return call([=] { return cuThreadExchangeStreamCaptureMode(mode); });
}
ASHLAR_CUDART Error cudaGraphInstantiate(GraphExecHandle *exec,
                                         GraphHandle graph,
                                         unsigned long long flags) {
  return call([=] { return cuGraphInstantiateWithFlags(exec, graph, flags); });
}
ASHLAR_CUDART_ALIAS(cudaGraphInstantiateWithFlags, cudaGraphInstantiate);
ASHLAR_CUDART Error cudaGraphLaunch(GraphExecHandle exec, StreamHandle stream) {
  return call([=] { return cuGraphLaunch(exec, stream); });
}
ASHLAR_CUDART_ALIAS(cudaGraphLaunch_ptsz, cudaGraphLaunch);
ASHLAR_CUDART Error cudaGraphUpload(GraphExecHandle exec, StreamHandle stream) {
  return call([=] { return cuGraphUpload(exec, stream); });
}
ASHLAR_CUDART_ALIAS(cudaGraphUpload_ptsz, cudaGraphUpload);
ASHLAR_CUDART Error cudaGraphExecDestroy(GraphExecHandle exec) {
  return call([=] { return cuGraphExecDestroy(exec); });
}
ASHLAR_CUDART Error cudaGraphDestroy(GraphHandle graph) {
  return call([=] { return cuGraphDestroy(graph); });
}
