#include "runtime/sim/driver/SimulatorDriver.h"

#include "runtime/sim/driver/Calls.h"

namespace ashlar::sim {
namespace {

DriverTable makeTable() {
  DriverTable table = {};
  table.loadsPtxOnly = true;
  table.init = calls::init;
  table.getErrorName = calls::getErrorName;
  table.getErrorString = calls::getErrorString;
  table.deviceGetCount = calls::deviceGetCount;
  table.deviceGet = calls::deviceGet;
  table.deviceGetName = calls::deviceGetName;
  table.deviceGetAttribute = calls::deviceGetAttribute;
  table.primaryContextRetain = calls::primaryContextRetain;
  table.primaryContextRelease = calls::primaryContextRelease;
  table.contextSetCurrent = calls::contextSetCurrent;
  table.moduleLoadDataEx = calls::moduleLoadDataEx;
  table.moduleUnload = calls::moduleUnload;
  table.moduleGetFunction = calls::moduleGetFunction;
  table.functionSetAttribute = calls::functionSetAttribute;
  table.functionGetAttribute = calls::functionGetAttribute;
  table.functionGetParameter = calls::functionGetParameter;
  table.launchKernelEx = calls::launchKernelEx;
  table.launchOnTensors = calls::launchOnTensors;
  table.occupancyMaxActiveClusters = calls::occupancyMaxActiveClusters;
  table.tensorMapEncodeTiled = calls::tensorMapEncodeTiled;
  table.memoryAllocate = calls::memoryAllocate;
  table.memoryFree = calls::memoryFree;
  table.copyHostToDevice = calls::copyHostToDevice;
  table.copyDeviceToHost = calls::copyDeviceToHost;
  table.copyHostToDeviceAsync = calls::copyHostToDeviceAsync;
  table.copyDeviceToHostAsync = calls::copyDeviceToHostAsync;
  table.setBytes = calls::setBytes;
  table.copyDeviceToDeviceAsync = calls::copyDeviceToDeviceAsync;
  table.setBytesAsync = calls::setBytesAsync;
  table.streamCreate = calls::streamCreate;
  table.streamDestroy = calls::streamDestroy;
  table.streamSynchronize = calls::streamSynchronize;
  table.streamQuery = calls::streamQuery;
  table.eventCreate = calls::eventCreate;
  table.eventDestroy = calls::eventDestroy;
  table.eventRecord = calls::eventRecord;
  table.eventQuery = calls::eventQuery;
  table.eventElapsedTime = calls::eventElapsedTime;
  table.streamBeginCapture = calls::streamBeginCapture;
  table.streamEndCapture = calls::streamEndCapture;
  table.graphInstantiate = calls::graphInstantiate;
  table.graphLaunch = calls::graphLaunch;
  table.graphExecDestroy = calls::graphExecDestroy;
  table.graphDestroy = calls::graphDestroy;
  return table;
}

} // namespace

const DriverTable &simulatorDriver() {
  static const DriverTable table = makeTable();
  return table;
}

} // namespace ashlar::sim
