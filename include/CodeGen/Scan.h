//===- Scan.h - the nest and accumulator of a td.scan ---------------------===//

#ifndef TDC_CODEGEN_SCAN_H
#define TDC_CODEGEN_SCAN_H

#include "CodeGen/TileEvaluator.h"

namespace tdc {

/// The nest that computes a scan's input, and the combination of its elements
/// along each line. Accumulators are wider than the elements: f64 for f32, f32
/// for f16 and bf16.
class Scan {
public:
  /// `nest` computes the input of `op`.
  Scan(KernelFunction &function, td::ScanOp op, td::LoopNest nest);

  const td::LoopNest &getNest() const { return nest; }
  /// The loop along the lines; none if a line has one element.
  std::optional<unsigned> getLine() const { return line; }
  /// The other loops, from the outermost to the innermost.
  llvm::ArrayRef<unsigned> getAround() const { return around; }
  const StoreTarget &getTarget() const { return target; }

  /// The neutral accumulator, in vectors of `lanes`, or a scalar if `lanes` is
  /// 0.
  mlir::Value makeNeutral(int64_t lanes) const;
  mlir::Value combine(mlir::Value before, mlir::Value next) const;
  /// Loads an element of the input in the accumulator's type; stores an
  /// accumulator at the element's position in the result.
  mlir::Value load(TileEvaluator &evaluator, const Tile &tile) const;
  void store(TileEvaluator &evaluator, const Tile &tile,
             mlir::Value collected) const;

private:
  KernelFunction &function;
  td::ReduceKind kind;
  mlir::Value input;
  td::LoopNest nest;
  mlir::Type element, collected;
  StoreTarget target;
  std::optional<unsigned> line;
  llvm::SmallVector<unsigned, 4> around;
};

} // namespace tdc

#endif // TDC_CODEGEN_SCAN_H
