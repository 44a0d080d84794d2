//===- PrintNest.cpp - loop nests and contractions as text ----------------===//

#include "Dialect/TD/Analysis/Kernels/Contraction.h"
#include "mlir/IR/AsmState.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace tdc::td {

namespace {

class NestPrinter {
public:
  NestPrinter(const LoopNest &nest, llvm::raw_ostream &os, AsmState &names)
      : nest(nest), os(os), names(names) {}

  void print() {
    for (auto [number, loop] : llvm::enumerate(nest.getLoops())) {
      os << "  loop " << number << " of ";
      if (ShapedType::isDynamic(loop.extent))
        os << "?";
      else
        os << loop.extent;
      os << ": dim " << loop.dim << " of ";
      print(loop.tensor);
      os << "\n";
    }
    for (const Access &root : nest.getRoots())
      printLine("root", root);
    for (const Reduction &reduction : nest.getReductions()) {
      os << "  " << reduction.op->getName().stripDialect() << " ";
      print({reduction.op->getResult(0), reduction.at});
      os << " over ";
      printLoops(reduction.loops);
      if (nest.isLaterStage(reduction))
        os << ", a later stage";
      os << "\n";
    }
    for (const Access &input : nest.getInputs())
      printLine("input", input);
  }

  void print(const Contraction &contraction) {
    os << "  contraction of ";
    print(contraction.left);
    os << " * ";
    print(contraction.right);
    os << ": batch ";
    printLoops(contraction.batch);
    os << ", rows ";
    printLoops(contraction.rows);
    os << ", columns ";
    printLoops(contraction.columns);
    os << ", terms ";
    printLoops(contraction.terms);
    if (auto tiles = contraction.findTiles(nest)) {
      os << ", tiles of rows ";
      printLoops(tiles->rows);
      os << " and columns ";
      printLoops(tiles->columns);
    }
    os << "\n";
  }

private:
  void print(Value value) { value.printAsOperand(os, names); }

  void printLoops(ArrayRef<unsigned> loops) {
    os << "[";
    llvm::interleaveComma(loops, os);
    os << "]";
  }

  void printLine(llvm::StringRef what, const Access &access) {
    os << "  " << what << " ";
    print(access);
    os << "\n";
  }

  void print(const Access &access) {
    print(access.tensor);
    print(*access.at);
  }

  void print(const Coordinates &at) {
    os << "[";
    llvm::interleaveComma(at, os,
                          [&](Coordinate coordinate) { print(coordinate); });
    os << "]";
  }

  /// Prints the coordinate as a sum, "2 * l0 + 3 + %n".
  void print(Coordinate coordinate) {
    CoordinateSum sum(coordinate);
    llvm::StringRef separator;
    for (auto [part, factor] : sum.parts) {
      os << separator;
      separator = " + ";
      if (factor != 1)
        os << factor << " * ";
      if (int loop = getLoop(part); loop >= 0)
        os << "l" << loop;
      else
        print(nest.getSymbol(part));
    }
    if (sum.constant || sum.parts.empty())
      os << separator << sum.constant;
  }

  void print(const NestSymbol &symbol) {
    print(symbol.value);
    if (symbol.isPicked())
      print(*symbol.at);
    else if (symbol.kind == AccessSymbol::Size)
      os << ".shape[" << symbol.dim << "]";
  }

  const LoopNest &nest;
  llvm::raw_ostream &os;
  AsmState &names;
};

} // namespace

void LoopNest::print(llvm::raw_ostream &os, AsmState &names) const {
  NestPrinter(*this, os, names).print();
}

void Contraction::print(const LoopNest &nest, llvm::raw_ostream &os,
                        AsmState &names) const {
  NestPrinter(nest, os, names).print(*this);
}

} // namespace tdc::td
