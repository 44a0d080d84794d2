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
#include "base/File.h"
#include "program/Context.h"
#include "text/JsonWriter.h"
#include <cstdlib>
#include <cstring>
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

void tdrt::checkReports() {
  for (const char *variable : {"TDC_STATS_JSON", "TDC_TRACE"})
    if (const char *path = getenv(variable); path && *path)
      aboutFile(path, [&] {
        // A pipe can be opened once, when its reader is there.
        struct stat info;
        bool isStream = stat(path, &info) == 0 &&
                        (S_ISFIFO(info.st_mode) || S_ISCHR(info.st_mode));
        if (!isStream)
          throwIf(checkWritable(path));
      });
}

/// Throws Failure TR703, TR751 or TR753.
static void writeReport(const char *path, const std::string &text) {
  aboutFile(path, [&] { throwIf(writeFile(path, text.data(), text.size())); });
}

int32_t tdrt_report_stats(tdrt_context *ctx) {
  Context &context = Context::of(ctx);
  const char *text = tdrt_stats_json(ctx);
  if (const char *flag = getenv("TDC_STATS"); flag && strcmp(flag, "1") == 0)
    writeText(STDERR_FILENO, text);
  context.clearError();
  int32_t status = context.guarded(-1, [&] {
    if (const char *path = getenv("TDC_STATS_JSON"); path && *path)
      writeReport(path, text);
    if (const char *path = getenv("TDC_TRACE"); path && context.trace)
      writeReport(path, context.trace->getJson());
  });
  if (status)
    tellError(ctx);
  return status;
}
