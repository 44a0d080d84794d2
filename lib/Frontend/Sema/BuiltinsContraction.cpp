//===- BuiltinsContraction.cpp - matmul, mm, bmm, dot ---------------------===//

#include "Checker.h"
#include "Frontend/Typed/Products.h"

using namespace tdc;
using namespace tdc::sema;

static Val matmul(Checker &c, const Bound &args) {
  return c.binary(ast::BinaryOp::MatMul, args["input"], args["other"],
                  args.range());
}

/// `dot`, `mm` and `bmm` are `@` for exactly one, two and three dims.
template <size_t rank> static Val ranked(Checker &c, const Bound &args) {
  for (llvm::StringRef name : {"input", "other"}) {
    const Val &val = args[name];
    if (!c.tensors.isTensor(val, args.range(), args.what()))
      return c.fail();
    if (!typed::requireRank(c.tensors.builder, typedOf(val), rank)) {
      Diagnostic &report = c.tensors.explainFailure(args.range(), val);
      // The product of matrices, as NumPy's `dot`.
      SourceRange callee = args.call.calleeRange;
      callee.begin += static_cast<uint32_t>(c.text(callee).rfind('.') + 1);
      if (c.isWritten(callee))
        report.fix(FixIt::Choice, "`matmul(…)`  (of any dims)",
                   {{callee, "matmul"}});
      return c.fail();
    }
  }
  return c.tensors.matmulOf(args["input"], args["other"], args.range());
}

llvm::ArrayRef<Builtin> sema::getContractionBuiltins() {
  static const Builtin table[] = {
      {"matmul", "input, other", matmul},
      {"mm", "input, other", ranked<2>},
      {"bmm", "input, other", ranked<3>},
      {"dot", "input, other", ranked<1>},
  };
  return table;
}
