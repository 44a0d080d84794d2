//===- Driver.cpp - the common path of all calls of entry points ----------===//

#include "driver/Driver.h"
#include "driver/VisibleDevices.h"
#include "driver/report/Json.h"
#include <cstdio>
#include <cstdlib>
#include <new>
#include <unistd.h>

using namespace tdc::sim;

namespace {
thread_local CUcontext currentContext = nullptr;
} // namespace

Driver &Driver::get() {
  static auto &driver = *new Driver;
  return driver;
}

Driver::Driver() {
  try {
    settings = readSettings();
  } catch (const Fault &fault) {
    malformed = fault;
  }
}

void Driver::initialize() {
  if (malformed) {
    fprintf(stderr, "tdc simulated GPU: %s\n", malformed->message.c_str());
    fault(malformed->code, malformed->message);
  }
  if (isForked())
    fault(CUDA_ERROR_NOT_INITIALIZED, "the driver was started before a fork");
  if (machine)
    return;
  auto visible =
      getVisibleDevices(getenv("CUDA_VISIBLE_DEVICES"), settings.devices);
  if (visible.empty())
    fault(CUDA_ERROR_NO_DEVICE,
          settings.devices ? "CUDA_VISIBLE_DEVICES leaves no device visible"
                           : "TDC_SIM_CUDA asks for no device");
  machine = std::make_unique<Machine>(
      settings, static_cast<int>(visible.size()), statistics, faults);
  process = getpid();
  atexit([] {
    Driver &driver = get();
    std::lock_guard<std::mutex> lock(driver.mutex);
    driver.writeReports();
  });
}

bool Driver::isForked() const { return machine && process != getpid(); }

Context *Driver::findCurrent() const {
  return machine ? machine->findContext(currentContext) : nullptr;
}

CUcontext Driver::getCurrent() const {
  Context *context = findCurrent();
  return context ? context->handle : nullptr;
}

void Driver::setCurrent(CUcontext handle) {
  if (handle && !machine->findContext(handle))
    fault(CUDA_ERROR_INVALID_CONTEXT, "what is given is no retained context");
  currentContext = handle;
}

std::optional<CUresult> Driver::inject(Entry entry, uint64_t number) {
  for (const Injection &injection : settings.injections) {
    if (injection.entry != entry || injection.call != number)
      continue;
    if (isSticky(injection.code))
      if (Context *context = findCurrent())
        machine->breakContext(
            *context, {injection.code, std::string(getName(entry)) +
                                           " fails as TDC_SIM_FAULT says"});
    return injection.code;
  }
  return std::nullopt;
}

CUresult Driver::callLocked(Entry entry, Need need, const Body &body) {
  uint64_t number = statistics.countCall(entry);
  if (std::optional<CUresult> result = inject(entry, number))
    return *result;
  if (need == Need::Nothing)
    return body(nullptr, nullptr);
  if (!machine || isForked())
    fault(CUDA_ERROR_NOT_INITIALIZED, "cuInit was not called");
  machine->setCall(getName(entry));
  Context *context = findCurrent();
  if (need == Need::Context) {
    if (!context)
      fault(CUDA_ERROR_INVALID_CONTEXT, "no context is current");
    if (context->sticky)
      return context->sticky;
    if (isUnsafeDuringCapture(entry))
      machine->checkUnsafeCall();
  }
  CUresult result = body(machine.get(), context);
  machine->runSome();
  // Work that has just run may have failed; the call reports it, as a real
  // driver does.
  if (need == Need::Context && context->sticky)
    return context->sticky;
  return result;
}

CUresult Driver::call(Entry entry, Need need, const Body &body) noexcept {
  std::lock_guard<std::mutex> lock(mutex);
  try {
    return callLocked(entry, need, body);
  } catch (const Fault &fault) {
    faults.note(fault);
    return fault.code;
  } catch (const std::bad_alloc &) {
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
}

std::string Driver::getLastFault() {
  std::lock_guard<std::mutex> lock(mutex);
  return faults.getLast();
}

bool Driver::isValid(const void *pointer, size_t bytes) {
  std::lock_guard<std::mutex> lock(mutex);
  auto begin = reinterpret_cast<uint64_t>(pointer);
  return !machine || machine->isValid(begin, begin + bytes);
}

void Driver::writeReports() {
  if (isForked())
    return;
  // Reports are written when the last context is released and at the end. A
  // report that cannot be written is reported once and not tried again.
  std::string &statisticsFile = settings.statisticsFile;
  if (!statisticsFile.empty() &&
      !writeReport(statisticsFile,
                   statistics.getJson(
                       {settings.seed, machine->memory,
                        machine->getDeviceCount(), machine->getLive(kHost),
                        machine->getQueued(), faults.getLast()})))
    statisticsFile.clear();
  std::string &traceFile = settings.traceFile;
  if (!traceFile.empty() && !writeReport(traceFile, machine->getTimeline()))
    traceFile.clear();
}
