#include "ashlar/attention_auto.h"
#include "ashlar/tool.h"
#include <cstdio>
using namespace ashlar;
int main(int argc, char **argv) {
  std::printf("%d\n", argc);
  return 0;
}
