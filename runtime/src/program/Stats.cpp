//===- Stats.cpp - counters of a run --------------------------------------===//
//
// "arena" has the bytes per device that were planned when the program was
// compiled, "peak" the most bytes that were in use. "copies" and "sites" count
// copies between devices; "loops" is always empty. A program on the cpu copies
// nothing, but the lists are written for tools that do not check which devices
// there are.
//
//===----------------------------------------------------------------------===//

#include "base/Descriptor.h"
#include "program/Context.h"
#include "text/JsonWriter.h"
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace tdrt;

const char *tdrt_stats_json(tdrt_context *ctx) {
  Context &context = Context::of(ctx);
  try {
    JsonWriter json;
    json.open('{');
    if (context.gpus)
      context.gpus->writeCopies(json);
    else
      json.key("copies").open('[').close(']').key("sites").open('[').close(']');
    json.key("loops").open('[').close(']');
    json.key("arena").open('{').member("cpu", context.program->arena_bytes);
    if (context.gpus)
      context.gpus->writeArenas(json);
    json.close('}').key("peak").open('{').member("cpu", context.memory.peak());
    if (context.gpus)
      context.gpus->writePeaks(json);
    json.close('}').close('}');
    context.statsText = json.get() + "\n";
    return context.statsText.c_str();
  } catch (const std::bad_alloc &) {
    return "{}\n";
  }
}

static void failToWrite(const char *path, int error) {
  fail(751, inQuotes(path) + ": cannot be written: " + systemText(error));
}

/// Returns 0 if a file can be written at the end of the run, else an errno.
/// Leaves no file.
static int tryToWrite(const char *path) {
  int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (fd >= 0) {
    close(fd);
    unlink(path);
    return 0;
  }
  if (errno != EEXIST)
    return errno;
  struct stat status;
  if (stat(path, &status) != 0) // a dangling link: known at the end
    return errno == ENOENT ? 0 : errno;
  if (S_ISDIR(status.st_mode))
    return EISDIR;
  return access(path, W_OK) == 0 ? 0 : errno;
}

void tdrt::checkReports() {
  for (const char *variable : {"TDC_STATS_JSON", "TDC_TRACE"})
    if (const char *path = getenv(variable); path && *path)
      if (int error = tryToWrite(path))
        failToWrite(path, error);
}

/// Writes `text` to the file that a variable of the environment names. Throws
/// Failure TR751.
static void writeReport(const char *variable, const std::string &text) {
  const char *path = getenv(variable);
  int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  int error = fd < 0 ? errno : writeAll(fd, text.data(), text.size());
  if (fd >= 0 && close(fd) != 0 && !error)
    error = errno;
  if (error)
    failToWrite(path, error);
}

int32_t tdrt_report_stats(tdrt_context *ctx) {
  Context &context = Context::of(ctx);
  const char *text = tdrt_stats_json(ctx);
  if (const char *flag = getenv("TDC_STATS"); flag && strcmp(flag, "1") == 0)
    writeText(STDERR_FILENO, text);
  context.clearError();
  int32_t status = context.guarded(-1, [&] {
    if (const char *path = getenv("TDC_STATS_JSON"); path && *path)
      writeReport("TDC_STATS_JSON", text);
    if (context.trace)
      writeReport("TDC_TRACE", context.trace->getJson());
  });
  if (status)
    tellError(ctx);
  return status;
}
