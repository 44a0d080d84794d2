//===- Devices.h - the devices of a program -------------------------------===//
//
// A device is cpu, cuda:N, or a symbol: one that depends on the machine. Types
// name the symbol, so that a program for a GPU can be checked on a machine
// without one. The device that the symbol is here is known, and declared to the
// emitter.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_LIB_FRONTEND_SEMA_DEVICES_H
#define TDC_LIB_FRONTEND_SEMA_DEVICES_H

#include "Frontend/CheckOptions.h"
#include "Values.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

namespace tdc::sema {

class HostScalars;
class Reporter;
class Scopes;

class Devices {
public:
  Devices(Reporter &c, const CheckOptions &options, Scopes &scopes,
          HostScalars &host)
      : c(c), options(options), scopes(scopes), host(host) {}

  /// The device of the innermost `with device` around, within the function.
  std::optional<Val> withDevice;

  std::optional<Val> asDevice(const Val &val);
  /// The device that `.cuda(which)` and `cuda(which)` mean.
  std::optional<Val> cudaDevice(const Val &which, SourceRange range);
  /// The device that bare `cuda` is here.
  Place wordCuda() const;
  /// The result of a query about the devices of the machine.
  Val ofThisMachine(bool truth);
  Val ofThisMachine(int64_t count, llvm::StringRef name);
  /// Notes that the program queries which devices there are.
  void noteQueried() { queried = true; }
  bool areQueried() const { return queried; }
  /// Notes that a file of the program may name devices.
  void noteNamed() { named = true; }
  bool areNamed() const { return named; }
  /// The number of CUDA devices of a machine that has all named devices.
  int64_t countNamed() const { return namedCudaDevices; }
  /// Reports a place that does not exist here: TD506, or a run-time check under
  /// a condition.
  void checkDeviceExists(const Place &place, SourceRange range);

  Val autoDevice(SourceRange range);
  Val chooseDevice(const Val &condition, const Val &onTrue, const Val &onFalse,
                   SourceRange range);
  /// The place of a value that is in one place or the other, as the machine
  /// decides.
  Place chooseOnMachine(const Val &condition, const Place &onTrue,
                        const Place &onFalse);
  /// Gives a symbol the name of its binding.
  Val nameDevice(Val val, llvm::StringRef name);
  /// Where a symbol was given its name; invalid if the name is its definition.
  SourceRange getNaming(const Place &symbol) const {
    return symbols.lookup(symbol.symbol).made;
  }
  /// The device that a symbol is on this machine; any other place itself.
  Place resolvePlace(const Place &place) const;
  /// Tells the emitter which device a symbol is.
  void declareSymbol(llvm::StringRef symbol);

private:
  struct Symbol {
    Place chosen;
    SourceRange made; ///< invalid if the name is its definition
    bool declared = false;
    /// For a choice: its condition, and its place if that is false or true.
    std::string condition;
    Place sides[2];
  };

  bool isVisible(const Place &place);
  Place makeSymbol(llvm::StringRef wanted, const Place &chosen,
                   SourceRange made);

  Reporter &c;
  const CheckOptions &options;
  Scopes &scopes;
  HostScalars &host;
  llvm::StringMap<Symbol> symbols;
  /// The first name of each choice that means the same everywhere.
  llvm::StringMap<std::string> namedChoices;
  llvm::StringSet<> missingDevices; ///< those that were reported
  bool named = false, queried = false;
  int64_t namedCudaDevices = 0;
};

} // namespace tdc::sema

#endif // TDC_LIB_FRONTEND_SEMA_DEVICES_H
