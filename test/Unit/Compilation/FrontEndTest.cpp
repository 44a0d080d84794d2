//===- FrontEndTest.cpp - a language without syntax -----------------------===//
//
// A second front end: the typed builder alone makes its program, without an
// AST. The program is compiled, runs on the cpu and on a simulated GPU, its
// copies are reported, and mistakes are found as in any other program.
//
//===----------------------------------------------------------------------===//

#include "Frontend/FrontEnd.h"
#include "CAPI/Wrap.h"
#include "Compilation/Compilation.h"
#include "Dialect/TD/IR/TD.h"
#include "Frontend/Typed/Constructors.h"
#include "Frontend/Typed/Elementwise.h"
#include "Frontend/Typed/Products.h"
#include "Frontend/Typed/Reductions.h"
#include "Report/Report.h"
#include "gtest/gtest.h"
#include <utility>

using namespace tdc;

namespace {

/// Learns the slope of y = 2 x from x = 1, 2, 3, 4. With w = 0 at first and a
/// rate of 0.05, w - 2 is a quarter of what it was after each step: the losses
/// 7.5 (w - 2)² are 30, 30 / 16 and 30 / 256.
class SlopeFit : public FrontEnd {
public:
  /// With other sizes of w the program is wrong.
  explicit SlopeFit(Place place, Dims weight = {1, 1})
      : place(std::move(place)), weight(std::move(weight)) {}

  void parse(SourceManager &, FileId, DiagnosticEngine &) override {}
  llvm::StringRef getHelp() const override { return "Learns a slope."; }
  std::vector<Signature> getSignatures() const override { return {}; }
  llvm::SmallVector<ProgramArgument> getArguments() const override {
    return {};
  }

  Machines check(const CheckOptions &, DiagnosticEngine &diags,
                 Emitter &emitter) override {
    SizeTable sizes;
    auto report = [&](const TypeFailure &failure) {
      diags.report(failure.code, SourceRange(), failure.title);
    };
    TypedBuilder b(sizes, [&]() -> Emitter & { return emitter; }, report);
    if (!emit(b, emitter))
      report(b.failure);
    Machines machines;
    if (place.kind == Place::Kind::Cuda)
      machines.gpus = 1;
    return machines;
  }

private:
  Typed column(TypedBuilder &b, llvm::ArrayRef<float> numbers) {
    TensorType type{DType::F32, {Size(int64_t(numbers.size())), 1}, Place()};
    Typed host =
        typed::constant(b,
                        {reinterpret_cast<const char *>(numbers.data()),
                         numbers.size() * sizeof(float)},
                        type);
    type.place = place;
    return {b.emit().toDevice(host.value, b.shapeOf(type), Transfer::Written),
            type};
  }

  bool emit(TypedBuilder &b, Emitter &emitter) {
    Typed x = column(b, {1, 2, 3, 4}), y = column(b, {2, 4, 6, 8});
    TensorType type{DType::F32, weight, place};
    emitter.declareSlot("fit.w", td::SlotKind::Param, "w", "fit",
                        b.shapeOf(type));
    emitter.write("fit.w", typed::fill(b, 0, type).value);
    Emitter::Loop loop =
        emitter.beginFor(emitter.constantInt(0), emitter.constantInt(3),
                         emitter.constantInt(1), {});
    Typed w{emitter.read("fit.w", b.shapeOf(type)), type};
    MaybeTyped guess = typed::matmul(b, x, w);
    if (!guess)
      return false;
    Typed error = *typed::elementwise(b, OpKind::Sub, {*guess, y}, "`-`");
    Typed square = *typed::elementwise(b, OpKind::Mul, {error, error}, "`*`");
    Typed sum = typed::reduce(b, td::ReduceKind::Sum, square, {0, 1});
    Typed loss = *typed::elementwise(b, OpKind::Div,
                                     {sum, typed::fill(b, 4, sum.type)}, "`/`");
    emitter.print(emitter.format("step {}: {}\n",
                                 {loop.index, emitter.item(loss.value)}));
    Typed slope{emitter.grad(loss.value, w.value).front(), type};
    Typed step = *typed::elementwise(
        b, OpKind::Mul, {slope, typed::fill(b, 0.05, type)}, "`*`");
    emitter.write("fit.w",
                  typed::elementwise(b, OpKind::Sub, {w, step}, "`-`")->value);
    emitter.endFor({}, {}, Value());
    return true;
  }

  Place place;
  Dims weight;
};

std::unique_ptr<FrontEnd> makeOnCpu() {
  return std::make_unique<SlopeFit>(getCpu());
}
std::unique_ptr<FrontEnd> makeOnGpu() {
  return std::make_unique<SlopeFit>(getCuda(0));
}
std::unique_ptr<FrontEnd> makeWrong() {
  return std::make_unique<SlopeFit>(getCpu(), /*weight=*/Dims{3, 1});
}
std::unique_ptr<FrontEnd> makeTooLarge() {
  return std::make_unique<SlopeFit>(getCpu(),
                                    /*weight=*/Dims{1, int64_t(1) << 46});
}

CompileOptions optionsFor(Purpose purpose) {
  CompileOptions options;
  options.purpose = purpose;
  options.file = "slope";
  options.simulatedDevices = 1;
  return options;
}

/// Returns the output of the program.
std::string run(MakeFrontEnd makeFrontEnd) {
  CompileOptions options = optionsFor(Purpose::Run);
  Silence silence;
  ExitCode code;
  llvm::StringRef text;
  std::unique_ptr<Program> program =
      Program::compile(options, &text, silence, code, makeFrontEnd);
  EXPECT_TRUE(program) << code;
  if (!program)
    return "";
  setenv("TDC_SIM_CUDA", "1", 1); // before anything uses the driver
  tdc_program *handle = wrap(std::move(program));
  testing::internal::CaptureStdout();
  EXPECT_EQ(tdc_run(handle), 0);
  std::string printed = testing::internal::GetCapturedStdout();
  tdc_program_free(handle);
  return printed;
}

TEST(FrontEndTest, AProgramWithoutAnASTRuns) {
  const char *losses = "step 0: 30.0\nstep 1: 1.875\nstep 2: 0.1171875\n";
  EXPECT_EQ(run(makeOnCpu), losses);
  EXPECT_EQ(run(makeOnGpu), losses);
}

TEST(FrontEndTest, ItsCopiesAreReported) {
  CompileOptions options = optionsFor(Purpose::Report);
  Silence silence;
  Compilation compilation(options, silence, makeOnGpu);
  compilation.setText("");
  ASSERT_TRUE(compilation.generate());
  Report report(options.file, compilation.getSources());
  for (Phase phase : Report::phases) {
    ASSERT_TRUE(compilation.lower(phase));
    report.add(phase, compilation.getModule());
  }
  // x and y are data of the program, which each device has. A loss is read back
  // in each iteration.
  EXPECT_EQ(report.placed.copies.getNumber(), 3);
  EXPECT_EQ(report.placed.bytes.getNumber(), 3 * 4);
  std::string text;
  llvm::raw_string_ostream os(text);
  printText(os, report);
  EXPECT_TRUE(llvm::StringRef(text).starts_with("slope: 1 copy a step of "))
      << text;
}

/// Returns the first error of the program.
std::string check(MakeFrontEnd makeFrontEnd) {
  CompileOptions options = optionsFor(Purpose::Check);
  Silence silence;
  Compilation compilation(options, silence, makeFrontEnd);
  compilation.setText("");
  EXPECT_TRUE(compilation.inspect().hasErrors());
  return compilation.getFirstError();
}

TEST(FrontEndTest, ItsMistakesAreReported) {
  EXPECT_EQ(check(makeWrong),
            "shapes do not fit: matmul of [4, 1] with [3, 1] (TD401)");
  EXPECT_EQ(check(makeTooLarge), "the tensor is too large (TD412)");
}

} // namespace
