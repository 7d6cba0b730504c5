#include "ashlar/device.h"

#include "ashlar/error.h"
#include "runtime/Context.h"
#include "runtime/MovedFrom.h"
#include "runtime/Text.h"

namespace ashlar {

Device::Device(std::shared_ptr<Context> context)
    : context(std::move(context)) {}

Device Device::open(int ordinal) {
  std::string whyNot;
  const DriverTable *driver = loadCudaDriver(whyNot);
  if (!driver)
    throw Error(whyNot);
  return open(*driver, ordinal);
}

Device Device::open(const DriverTable &driver, int ordinal) {
  return Device(std::make_shared<Context>(driver, ordinal));
}

std::optional<std::string> Device::unavailable() {
  std::string whyNot;
  const DriverTable *driver = loadCudaDriver(whyNot);
  return driver ? unavailable(*driver) : whyNot;
}

std::optional<std::string> Device::unavailable(const DriverTable &driver) {
  try {
    Device device = open(driver);
    if (device.compute_capability() != 90)
      return concat("'", device.name(), "' has compute capability ",
                    device.compute_capability() / 10, ".",
                    device.compute_capability() % 10,
                    "; kernels need 9.0 (Hopper)");
  } catch (const Error &error) {
    return error.what();
  }
  return std::nullopt;
}

void Device::enable_access_to(const Device &peer) {
  const Context &own = notMovedFrom(context, "Device"),
                &other = notMovedFrom(peer.context, "Device");
  int can = 0;
  if (&own.driver == &other.driver && own.driver.deviceCanAccessPeer)
    own.check(own.driver.deviceCanAccessPeer(&can, own.device, other.device),
              "asking for access to a peer");
  if (!can)
    throw Error(concat("device ", own.device, " ('", own.name,
                       "') can't reach the memory of device ", other.device,
                       " ('", other.name,
                       "'): place tensors on devices that are linked"));
  own.enter();
  const auto result = own.driver.contextEnablePeerAccess(other.handle, 0);
  if (result != driver::Result::peerAccessAlreadyEnabled)
    own.check(result, "enabling access to a peer");
}

const std::string &Device::name() const {
  return notMovedFrom(context, "Device").name;
}
int Device::compute_capability() const {
  return notMovedFrom(context, "Device").computeCapability;
}
int Device::sm_count() const { return notMovedFrom(context, "Device").smCount; }
int64_t Device::max_shared_bytes() const {
  return notMovedFrom(context, "Device").maxSharedBytes;
}
const DriverTable &Device::driver() const {
  return notMovedFrom(context, "Device").driver;
}
const std::shared_ptr<Context> &Device::shared_context() const {
  notMovedFrom(context, "Device");
  return context;
}

} // namespace ashlar
