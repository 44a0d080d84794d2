//===- Doctor.cpp - tdc doctor --------------------------------------------===//
//
// Prints what tdc finds on this machine, one line each: "ok"; "no" for a
// missing part that only some features need; "FAULT" for a part that does not
// work, or that is missing from tdc itself.
//
//===----------------------------------------------------------------------===//

#include "Doctor.h"
#include "Libraries.h"
#include "Target/HostTarget.h"
#include "Target/Ptxas.h"
#include "Verbs.h"
#include "Version.h"
#include "tdc/tdc.h"
#include "tdc_runtime.h"
#include "tdc_text.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"
#include <chrono>
#include <dlfcn.h>
#include <thread>
#include <unistd.h>

using namespace tdc;

extern char **environ;

namespace {

class Doctor {
public:
  explicit Doctor(llvm::raw_ostream &os) : os(os) {}

  /// Lists the parts and, if `compiles`, compiles a program. Returns the number
  /// of faults.
  unsigned examine(bool compiles) {
    os << "tdc " << getVersion() << ", LLVM " LLVM_VERSION_STRING << "\n";
    examineProcessor();
    if (compiles)
      examineCompiler();
    examineLinking();
    examineGPUs();
    listVariables();
    if (faults)
      os << countOf(faults, "fault") << "\n";
    return faults;
  }

private:
  void tell(llvm::StringRef state, llvm::StringRef what,
            const llvm::Twine &text) {
    os << llvm::formatv("{0,-6} {1,-14} {2}\n", state, what, text.str());
  }
  void ok(llvm::StringRef what, const llvm::Twine &text) {
    tell("ok", what, text);
  }
  void missing(llvm::StringRef what, const llvm::Twine &text) {
    tell("no", what, text);
  }
  void fault(llvm::StringRef what, const llvm::Twine &text) {
    tell("FAULT", what, text);
    ++faults;
  }

  void examineProcessor() {
    llvm::Expected<HostTarget> target = HostTarget::create();
    if (!target)
      return fault("processor", llvm::toString(target.takeError()));
    ok("processor", target->getCPU() + ", vectors of " +
                        llvm::Twine(target->getInfo().vectorBits) + " bits");
    unsigned count = std::thread::hardware_concurrency();
    ok("threads", llvm::Twine(count) +
                      " processors: a program uses those that it may, or "
                      "TDC_THREADS, and compiling up to 4");
  }

  /// Compiles a program, calls it, and checks the result.
  void examineCompiler() {
    constexpr llvm::StringLiteral text =
        "export fn f(x: f32[4]) -> f32[4] = x + 1\n";
    auto start = std::chrono::steady_clock::now();
    float x[] = {1, 2, 3, 4}, y[4] = {};
    int64_t shape[] = {4};
    tdc_tensor input = {x, TDC_F32, 1, shape, nullptr};
    tdc_tensor output = {y, TDC_F32, 1, shape, nullptr};
    tdc_program *program = nullptr;
    tdc_module *module = nullptr;
    const tdc_function *function;
    tdc_error *error = nullptr;
    bool runs = !tdc_compile_text(text.data(), text.size(), "doctor.tdsl",
                                  nullptr, &program, &error) &&
                !tdc_find_function(program, "f", &function, &error) &&
                !tdc_open(program, &module, &error) &&
                !tdc_call(module, function, 1, &input, 1, &output, &error);
    std::chrono::duration<double, std::milli> time =
        std::chrono::steady_clock::now() - start;
    if (!runs)
      fault("a program", llvm::StringRef(tdc_error_text(error)).trim());
    else if (y[0] != 2 || y[3] != 5)
      fault("a program", "compiled, and gave a wrong result");
    else
      ok("a program",
         llvm::formatv("compiled and called in {0:f0} ms", time.count()).str());
    tdc_error_free(error);
    tdc_module_free(module);
    tdc_program_free(program);
  }

  void examineLinking() {
    if (llvm::ErrorOr<std::string> cc = llvm::sys::findProgramByName("cc"))
      ok("cc", *cc);
    else
      missing("cc", "not on the PATH; `tdc build` links with it (on Debian: "
                    "apt install gcc libc6-dev)");
    std::string runtime = findLibrary("libtdc_rt.a");
    if (runtime.empty())
      fault("runtime", "libtdc_rt.a is not next to tdc; `tdc build` links it");
    else
      ok("runtime", runtime);
  }

  void examineGPUs() {
    char why[512] = "";
    int32_t count = tdrt_cuda_device_count(why, sizeof(why));
    std::string simulation =
        llvm::sys::Process::GetEnv("TDC_SIM_CUDA").value_or("");
    bool isSimulated = !simulation.empty() && simulation != "0";
    bool hasDriver = isSimulated || dlopen("libcuda.so.1", RTLD_LAZY);
    if (count > 0)
      ok("GPUs", llvm::Twine(count) +
                     (isSimulated ? ", simulated (TDC_SIM_CUDA)" : ""));
    else if (hasDriver)
      fault("GPUs", why);
    else
      missing("GPUs", why);
    std::string simulator = findLibrary("libtdc_sim_cuda.so");
    if (simulator.empty())
      missing("simulated GPUs", "libtdc_sim_cuda.so is not next to tdc");
    else
      ok("simulated GPUs", "`tdc run --sim-cuda=1`: " + simulator);
    std::string ptxas = findPtxas();
    if (ptxas.empty())
      missing("ptxas", "not on the PATH; only `tdc build --cubin` needs it");
    else
      ok("ptxas", ptxas);
  }

  /// Lists the variables of tdc that are set, since they change its behaviour.
  void listVariables() {
    for (char **entry = environ; *entry; ++entry)
      if (llvm::StringRef(*entry).starts_with("TDC_"))
        tell("set", "environment", *entry);
  }

  llvm::raw_ostream &os;
  unsigned faults = 0;
};

} // namespace

int tdc::doctorVerb(const Options &) {
  return Doctor(llvm::outs()).examine(/*compiles=*/true) ? ExitRunTime : ExitOk;
}

void tdc::describeMachine(llvm::raw_ostream &os) {
  Doctor(os).examine(/*compiles=*/false);
}
