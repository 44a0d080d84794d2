//===- Program.cpp - a compiled program as a process ----------------------===//

#include "Process.h"

using namespace tdrt;

static void (*errorReporter)(const tdrt_error *) = nullptr;

void tdrt_report_errors(void (*report)(const tdrt_error *)) {
  errorReporter = report;
}

void tdrt::tellError(const tdrt_error &error, const char *text) {
  if (errorReporter)
    errorReporter(&error);
  else
    writeText(STDERR_FILENO, text);
}

void tdrt::tellError(tdrt_context *ctx) {
  tdrt_error error = {201, "out of memory", nullptr};
  if (ctx)
    tdrt_get_error(ctx, &error);
  tellError(error, tdrt_error_text(ctx));
}

int tdrt_run_program(const tdrt_program *program, int argc,
                     const char *const *argv) {
  return runProcess(program, argc, argv, /*moreHelp=*/"", tdrt_main);
}

const char *tdrt_env(const char *name, const char *otherwise) {
  const char *value = getenv(name);
  return value ? value : otherwise;
}
