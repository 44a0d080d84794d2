//===- Modules.cpp - programs that run ------------------------------------===//

#include "Handles.h"
#include "tdc_threads.h"

using namespace tdc;

tdc_module::~tdc_module() {
  for (Shared *entry = shared; entry;) {
    tdrt_close(entry->context);
    delete std::exchange(entry, entry->next);
  }
  if (isOpen)
    tdrt_report_stats(context);
  tdrt_close(context);
}

tdc_status tdc_open(const tdc_program *program, tdc_module **module,
                    tdc_error **error) {
  *module = nullptr;
  auto made = std::make_unique<tdc_module>(program->interface);
  const Program &code = *program->interface->code;
  int32_t status = tdrt_open(&code.get(), int(code.getArgv().size()),
                             code.getArgv().data(), &made->context);
  if (status == TDRT_HELP)
    return fail(error, TDC_USAGE_ERROR,
                "`--help` is for a command line: the program was not opened");
  if (status == 0) {
    made->isOpen = true;
    *module = made.get();
    status = tdrt_main(made->context);
  }
  if (status) {
    *module = nullptr;
    return fail(error, made->context, status);
  }
  *module = made.release();
  return TDC_OK;
}

tdc_status tdc_set_threads(int32_t count, tdc_error **error) {
  if (count < 1 || count > TDRT_MOST_THREADS)
    return fail(error, TDC_USAGE_ERROR,
                "the number of threads is 1 to " +
                    std::to_string(TDRT_MOST_THREADS) + ", not " +
                    std::to_string(count));
  if (!tdrt_set_num_threads(count))
    return fail(error, TDC_USAGE_ERROR,
                "a kernel has started another number of threads before");
  return TDC_OK;
}

void tdc_interrupt(tdc_module *module) {
  tdrt_interrupt(module->context);
  for (tdc_module::Shared *entry = module->shared; entry; entry = entry->next)
    tdrt_interrupt(entry->context);
}

void tdc_module_free(tdc_module *module) { delete module; }
