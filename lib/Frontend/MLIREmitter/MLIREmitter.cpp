//===- MLIREmitter.cpp - module, functions, locations, constants ----------===//

#include "MLIREmitter.h"
#include "Dialect/TD/IR/CarryingLoop.h"
#include "Dialect/TD/IR/Locations.h"
#include "Dialect/TD/OpTable/Template.h"
#include "Frontend/Diagnostics.h"
#include "Frontend/GenerateModule.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace tdc {

OwningOpRef<ModuleOp> generateModule(MLIRContext &context,
                                     const SourceManager &sources,
                                     const ProgramTitle &title,
                                     EmbedSource embed,
                                     llvm::function_ref<bool(Emitter &)> walk) {
  context.loadDialect<arith::ArithDialect, func::FuncDialect, math::MathDialect,
                      scf::SCFDialect, td::TDDialect>();
  MLIREmitter emitter(context, sources, embed);
  if (!walk(emitter))
    return nullptr;
  OwningOpRef<ModuleOp> module = emitter.finish();
  (*module)->setAttr("td.name", StringAttr::get(&context, title.name));
  if (!title.help.empty())
    (*module)->setAttr("td.help", StringAttr::get(&context, title.help));
  if (embed == EmbedSource::Yes)
    (*module)->setAttr("td.excerpts", emitter.getExcerpts());
  return module;
}

MLIREmitter::MLIREmitter(MLIRContext &context, const SourceManager &sources,
                         EmbedSource embed)
    : sources(sources), embed(embed), builder(&context),
      module(ModuleOp::create(UnknownLoc::get(&context))) {
  beginFunction("main", {});
}

OwningOpRef<ModuleOp> MLIREmitter::finish() {
  create<func::ReturnOp>();
  if (!arguments.empty())
    (*module)->setAttr("td.arguments", builder.getArrayAttr(arguments));
  return std::move(module);
}

//===----------------------------------------------------------------------===//
// Locations
//===----------------------------------------------------------------------===//

void MLIREmitter::setLocation(const SourceLocation &place) {
  bool sameCallers = place.callers == llvm::ArrayRef(callers);
  if (sameCallers && place.range == range)
    return;
  range = place.range;
  location.reset();
  if (sameCallers)
    return;
  callers.assign(place.callers.begin(), place.callers.end());
  callersLocation.reset();
}

/// Adds the name to the location of the op that makes the tensor and of the
/// copies that lead to it. An op that has a name keeps it.
void MLIREmitter::nameTensor(Value tensor, llvm::StringRef name) {
  auto attribute = builder.getStringAttr(name);
  Operation *op = unwrap(tensor).getDefiningOp();
  while (op && op->getNumRegions() == 0 && !llvm::isa<NameLoc>(op->getLoc())) {
    op->setLoc(NameLoc::get(attribute, op->getLoc()));
    op = llvm::isa<td::ToDeviceOp, td::DetachOp>(op)
             ? op->getOperand(0).getDefiningOp()
             : nullptr;
  }
}

void MLIREmitter::readElsewhere(Value tensor) {
  mlir::Value value = unwrap(tensor);
  Operation *op = value.getDefiningOp();
  if (!op)
    op = value.getParentBlock()->getParentOp();
  op->setAttr(td::kReadElsewhereAttr, builder.getUnitAttr());
}

void MLIREmitter::nameIndices(llvm::StringRef words) {
  if (embed == EmbedSource::No)
    return;
  if (FileLineColLoc user = td::getUserLocation(getLocation()))
    indexWords.try_emplace(user, words.str());
}

Location MLIREmitter::getFileLocation(SourceRange range) {
  if (!range.isValid())
    return builder.getUnknownLoc();
  LineColumn at = sources.getLineColumn(range);
  auto result = FileLineColLoc::get(
      builder.getContext(), sources.getName(range.file), at.line, at.column);
  if (embed == EmbedSource::No || !td::getUserLocation(result))
    return result;
  // Of two expressions that begin here, an error may be about either.
  auto [known, isNew] = ranges.try_emplace(result, range);
  if (!isNew && known->second != range)
    known->second = range.start();
  return result;
}

ArrayAttr MLIREmitter::getExcerpts() {
  llvm::SmallVector<Attribute> rows;
  for (const auto &[location, range] : ranges)
    rows.push_back(builder.getArrayAttr(
        {location, builder.getStringAttr(getExcerpt(sources, range)),
         builder.getStringAttr(indexWords.lookup(location))}));
  return builder.getArrayAttr(rows);
}

/// Creates the location when the first op needs it: most calls of setLocation
/// are for expressions that emit nothing.
Location MLIREmitter::getLocation() {
  if (location)
    return *location;
  location = getFileLocation(range);
  if (callers.empty())
    return *location;
  if (!callersLocation) {
    callersLocation = getFileLocation(callers.back());
    for (SourceRange caller : llvm::drop_begin(llvm::reverse(callers)))
      callersLocation =
          CallSiteLoc::get(getFileLocation(caller), *callersLocation);
  }
  location = CallSiteLoc::get(*location, *callersLocation);
  return *location;
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

void MLIREmitter::beginFunction(llvm::StringRef name, TypeRange parameters) {
  builder.setInsertionPointToEnd(module->getBody());
  function->op = create<func::FuncOp>(
      name, builder.getFunctionType(parameters, TypeRange()));
  builder.setInsertionPointToStart(function->op.addEntryBlock());
}

llvm::SmallVector<Value>
MLIREmitter::beginExport(llvm::StringRef name, llvm::StringRef help,
                         llvm::ArrayRef<Parameter> parameters) {
  mainPoint = builder.saveInsertionPoint();
  exported = Function();
  function = &exported;
  beginFunction(name, llvm::map_to_vector(parameters, [&](const Parameter &p) {
                  return Type(getType(p.type));
                }));
  func::FuncOp op = exported.op;
  op->setAttr("td.export", builder.getUnitAttr());
  if (!help.empty())
    op->setAttr("td.help", builder.getStringAttr(help));
  for (auto [index, parameter] : llvm::enumerate(parameters))
    op.setArgAttr(index, "td.name", builder.getStringAttr(parameter.name));
  return wrap(ValueRange(op.getArguments()));
}

void MLIREmitter::endExport(llvm::ArrayRef<Value> results) {
  llvm::SmallVector<mlir::Value> values = unwrap(results);
  create<func::ReturnOp>(values);
  exported.op.setFunctionType(builder.getFunctionType(
      exported.op.getArgumentTypes(), ValueRange(values).getTypes()));
  replaceCaptures();
  function = &main;
  builder.restoreInsertionPoint(mainPoint);
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

mlir::Value MLIREmitter::getConstant(Attribute attribute) {
  mlir::Value &value = function->constants[attribute];
  if (value)
    return value;
  OpBuilder::InsertionGuard guard(builder);
  if (function->lastConstant)
    builder.setInsertionPointAfter(function->lastConstant);
  else
    builder.setInsertionPointToStart(&function->op.front());
  if (auto text = dyn_cast<StringAttr>(attribute))
    value = create<td::FormatOp>(text, ValueRange());
  else
    value = create<arith::ConstantOp>(llvm::cast<TypedAttr>(attribute));
  function->lastConstant = value.getDefiningOp();
  return value;
}

Value MLIREmitter::constantInt(int64_t value) {
  return wrap(getConstant(builder.getI64IntegerAttr(value)));
}

Value MLIREmitter::constantFloat(double value) {
  return wrap(getConstant(builder.getF64FloatAttr(value)));
}

Value MLIREmitter::constantBool(bool value) {
  return wrap(getConstant(builder.getBoolAttr(value)));
}

/// A string is a template without values, so its braces are doubled.
Value MLIREmitter::constantString(llvm::StringRef text) {
  std::string escaped;
  appendLiteral(escaped, text);
  return wrap(getConstant(builder.getStringAttr(escaped)));
}

} // namespace tdc
