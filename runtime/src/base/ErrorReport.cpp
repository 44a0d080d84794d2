//===- ErrorReport.cpp - the report of an error of the process ------------===//

#include "base/ErrorReport.h"
#include "base/Descriptor.h"
#include <unistd.h>

using namespace tdrt;

std::atomic<bool> tdrt::isQuiet{false};

static void (*errorReporter)(const tdrt_error *) = nullptr;

void tdrt_be_quiet(void) { isQuiet = true; }

void tdrt_report_errors(void (*report)(const tdrt_error *)) {
  errorReporter = report;
}

void tdrt::tellError(const tdrt_error &error, const char *text) {
  if (errorReporter)
    errorReporter(&error);
  else
    writeText(STDERR_FILENO, text);
}
