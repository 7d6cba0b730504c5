// Runs any pass on any level from a text file, and prints what it made.

#include "compiler/driver/Driver.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  ashlar::compiler::registerDialects(registry);
  ashlar::compiler::registerPasses();
  return mlir::asMainReturnCode(mlir::MlirOptMain(
      argc, argv, "Ashlar: passes on tile, hopper and thread\n", registry));
}
