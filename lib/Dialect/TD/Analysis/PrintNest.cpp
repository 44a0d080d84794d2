//===- PrintNest.cpp - loop nests and products as text --------------------===//

#include "Dialect/TD/Analysis/MatrixProduct.h"
#include "mlir/IR/AsmState.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace tdc::td {

namespace {

class NestPrinter {
public:
  NestPrinter(llvm::raw_ostream &os, AsmState &names) : os(os), names(names) {}

  void print(const LoopNest &nest) {
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

  void print(const MatrixProduct &product) {
    os << "  tiles of ";
    print(product.left);
    os << " * ";
    print(product.right);
    os << ": batch ";
    printLoops(product.batch);
    os << ", rows " << product.rows << ", columns " << product.columns
       << ", terms " << product.terms << "\n";
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
    llvm::interleaveComma(
        at, os, [&](const Coordinate &coordinate) { print(coordinate); });
    os << "]";
  }

  /// As a sum, "2 * l0 + 3 + %n".
  void print(const Coordinate &coordinate) {
    llvm::StringRef separator;
    auto add = [&](int64_t factor, llvm::function_ref<void()> printPart) {
      os << separator;
      separator = " + ";
      if (factor != 1)
        os << factor << " * ";
      printPart();
    };
    if (coordinate.loop >= 0)
      add(coordinate.scale, [&] { os << "l" << coordinate.loop; });
    if (coordinate.picker)
      add(coordinate.scale,
          [&] { print({coordinate.getIndices(), coordinate.indexAt}); });
    for (auto [value, factor] : coordinate.terms)
      add(factor, [&, value = value] { print(value); });
    if (coordinate.constant || separator.empty())
      add(1, [&] { os << coordinate.constant; });
  }

  llvm::raw_ostream &os;
  AsmState &names;
};

} // namespace

void LoopNest::print(llvm::raw_ostream &os, AsmState &names) const {
  NestPrinter(os, names).print(*this);
}

void MatrixProduct::print(llvm::raw_ostream &os, AsmState &names) const {
  NestPrinter(os, names).print(*this);
}

} // namespace tdc::td
