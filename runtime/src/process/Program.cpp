//===- Program.cpp - a compiled program as a process ----------------------===//

#include "process/Process.h"

using namespace tdrt;

int tdrt_run_program(const tdrt_program *program, int argc,
                     const char *const *argv) {
  return runProcess(program, argc, argv, /*moreHelp=*/"", tdrt_main);
}

const char *tdrt_env(const char *name, const char *otherwise) {
  const char *value = getenv(name);
  return value ? value : otherwise;
}
