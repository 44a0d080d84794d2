//===- Devices.h - what the devices of a program are ----------------------===//
//
// A device is cpu, cuda:N, or a symbol: one that depends on the machine. Types
// name the symbol, so that a program for a GPU is checked on a machine without
// one; what the symbol stands for is known, and said to the emitter.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_LIB_FRONTEND_SEMA_DEVICES_H
#define TDC_LIB_FRONTEND_SEMA_DEVICES_H

#include "Values.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

namespace tdc::sema {

class Checker;

class Devices {
public:
  explicit Devices(Checker &c) : c(c) {}

  std::optional<Val> asDevice(const Val &val);
  /// What `.cuda(which)` and `cuda(which)` mean.
  std::optional<Val> cudaDevice(const Val &which, SourceRange range);
  /// The device that bare `cuda` is here.
  Place wordCuda() const;
  /// The answer to a question about the devices of the machine.
  Val ofThisMachine(bool truth);
  Val ofThisMachine(int64_t count, llvm::StringRef name);
  /// The program asks which devices there are.
  void noteQuestion() { asksMachine = true; }
  bool askMachine() const { return asksMachine; }
  /// The program, or a file that it imports, has words that name devices.
  void noteWords() { namesDevices = true; }
  bool areNamed() const { return namesDevices; }
  /// How many CUDA devices a machine has that has all that are named.
  int64_t countNamed() const { return namedCudaDevices; }
  /// Whether a place exists here; TD506 if it is used for certain.
  void checkDeviceExists(const Place &place, SourceRange range);

  Val autoDevice(SourceRange range);
  Val chooseDevice(const Val &condition, const Val &onTrue, const Val &onFalse,
                   SourceRange range);
  /// The place of what is in one place or the other, as the machine decides.
  Place chooseOnMachine(const Val &condition, const Place &onTrue,
                        const Place &onFalse);
  /// Gives a symbol the name of its binding.
  Val nameDevice(Val val, llvm::StringRef name);
  /// Where a symbol was given its name; invalid if its name is what it means.
  SourceRange getNaming(const Place &symbol) const {
    return symbols.lookup(symbol.symbol).made;
  }
  /// The device that a symbol is on this machine; any other place itself.
  Place standsFor(const Place &place) const;
  /// What a device is when the program runs; TD900 where it is not decided yet.
  std::optional<Place> chosenPlace(const Val &device);
  /// Tells the emitter what a symbol stands for.
  void declareSymbol(llvm::StringRef symbol);

private:
  struct Symbol {
    Place chosen;
    SourceRange made; ///< invalid if its name is what it means
    bool declared = false;
    /// Of a choice: what decides it, and what it is if that is false or true.
    std::string condition;
    Place sides[2];
  };

  bool isVisible(const Place &place);
  Place makeSymbol(llvm::StringRef wanted, const Place &chosen,
                   SourceRange made);

  Checker &c;
  llvm::StringMap<Symbol> symbols;
  /// The first name of each choice that means the same everywhere.
  llvm::StringMap<std::string> namedChoices;
  llvm::StringSet<> missingDevices; ///< that were reported
  bool namesDevices = false, asksMachine = false;
  int64_t namedCudaDevices = 0;
};

} // namespace tdc::sema

#endif // TDC_LIB_FRONTEND_SEMA_DEVICES_H
