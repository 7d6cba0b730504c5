#include "ashlar/launch.h"
#include "TileRef.h"

namespace ashlar {

using namespace detail;

namespace {

Place counterAt(Trace &trace, const TileRef &counter, SourceLocation where) {
  mlir::Type s32 = mlir::IntegerType::get(trace.context(), 32);
  return resolve(trace, counter, {}, s32, "the counter", Direction::combine,
                 where);
}

} // namespace

void programmatic_launch(SourceLocation where) {
  Trace &trace = Trace::current(where);
  trace.requireKernelFrame("programmatic_launch", where);
  trace.kernel().setProgrammaticLaunch(true);
}

void wait_for_previous_launch(SourceLocation where) {
  Trace &trace = Trace::current(where);
  if (!trace.kernel().getProgrammaticLaunch())
    fail(where, "wait_for_previous_launch has nothing to wait for: the kernel "
                "starts when the launch before it is done; call "
                "programmatic_launch() before the roles");
  trace.create<tile::WaitLaunchOp>(where);
}

void allow_next_launch(SourceLocation where) {
  Trace::current(where).create<tile::AllowLaunchOp>(where);
}

void signal(const TileRef &counter, const Index &amount, Scope scope,
            SourceLocation where) {
  Trace &trace = Trace::current(where);
  Place place = counterAt(trace, counter, where);
  trace.create<tile::SignalOp>(where, trace.read(amount, where),
                               place.tensor.getResult(), place.offsets,
                               scope == Scope::system);
}

void await(const TileRef &counter, const Index &value, Scope scope,
           SourceLocation where) {
  Trace &trace = Trace::current(where);
  Place place = counterAt(trace, counter, where);
  trace.create<tile::AwaitOp>(where, place.tensor.getResult(), place.offsets,
                              trace.read(value, where), scope == Scope::system);
}

} // namespace ashlar
