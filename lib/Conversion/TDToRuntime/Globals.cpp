//===- Globals.cpp - the constant data of a program -----------------------===//

#include "Globals.h"
#include "CodeGen/RuntimeFunctions.h"
#include "Conversion/TDToRuntime.h"
#include "Dialect/TD/IR/Locations.h"
#include "tdc_runtime.h"

using namespace mlir;

namespace tdc {

Globals::Globals(ModuleOp module)
    : module(module), builder(module.getBodyRegion()),
      arguments(module->getAttrOfType<ArrayAttr>("td.arguments")) {
  for (auto function : module.getOps<LLVM::LLVMFuncOp>())
    functions[function.getSymNameAttr()] = function;
  for (auto kernel : module.getOps<td::GPUKernelOp>())
    gpuKernels.insert({kernel, int32_t(gpuKernels.size())});
  // The lines that GPU kernels report are numbered already.
  if (auto numbered = module->getAttrOfType<ArrayAttr>(td::kSitesAttr))
    for (Attribute site : numbered)
      sites.try_emplace(site, int32_t(sites.size()));
}

LLVM::GlobalOp Globals::addGlobal(llvm::StringRef name, Type type,
                                  Attribute value, unsigned alignment) {
  builder.setInsertionPointToStart(module.getBody());
  return LLVM::GlobalOp::create(builder, module.getLoc(), type,
                                /*isConstant=*/true, LLVM::Linkage::Internal,
                                name, value, alignment);
}

FlatSymbolRefAttr Globals::getBytes(llvm::StringRef content,
                                    unsigned alignment) {
  // The alignment is part of the key.
  std::string key =
      (content + llvm::Twine(char('a' + llvm::Log2_32(alignment)))).str();
  FlatSymbolRefAttr &symbol = bytes[key];
  if (!symbol) {
    std::string name = ("tdc_data_" + llvm::Twine(bytes.size() - 1)).str();
    auto type = LLVM::LLVMArrayType::get(builder.getI8Type(), content.size());
    addGlobal(name, type, builder.getStringAttr(content), alignment);
    symbol = FlatSymbolRefAttr::get(builder.getContext(), name);
  }
  return symbol;
}

FlatSymbolRefAttr Globals::getText(llvm::StringRef text) {
  std::string terminated = text.str();
  return getBytes(llvm::StringRef(terminated.c_str(), text.size() + 1), 1);
}

template <typename T>
static llvm::StringRef asBytes(llvm::ArrayRef<T> numbers) {
  return {reinterpret_cast<const char *>(numbers.data()),
          numbers.size() * sizeof(T)};
}

FlatSymbolRefAttr Globals::getInt64s(llvm::ArrayRef<int64_t> numbers) {
  return numbers.empty() ? FlatSymbolRefAttr() : getBytes(asBytes(numbers), 8);
}

FlatSymbolRefAttr Globals::getInt32s(llvm::ArrayRef<int32_t> numbers) {
  return numbers.empty() ? FlatSymbolRefAttr() : getBytes(asBytes(numbers), 4);
}

FlatSymbolRefAttr Globals::getSizes(RankedTensorType type) {
  return getInt64s(llvm::map_to_vector(type.getShape(), [](int64_t size) {
    return ShapedType::isDynamic(size) ? -1 : size;
  }));
}

FlatSymbolRefAttr Globals::getElements(DenseElementsAttr value) {
  std::string content;
  int64_t size = getByteSize(llvm::cast<RankedTensorType>(value.getType()));
  content.reserve(size + kAlignment);
  llvm::ArrayRef<char> raw = value.getRawData();
  if (value.getElementType().isInteger(1)) {
    // The attribute packs eight bools into a byte, memory does not.
    for (bool element : value.getValues<bool>())
      content.push_back(element);
  } else if (value.isSplat()) {
    while (int64_t(content.size()) < size)
      content.append(raw.begin(), raw.end());
  } else {
    content.assign(raw.begin(), raw.end());
  }
  content.append(kAlignment, '\0');
  return getBytes(content, kAlignment);
}

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

Type Globals::getStructType(const Row &row) {
  return LLVM::LLVMStructType::getLiteral(
      builder.getContext(),
      llvm::map_to_vector(row, [&](const Field &field) -> Type {
        switch (field.kind) {
        case Field::Kind::Int32:
          return builder.getI32Type();
        case Field::Kind::Int64:
          return builder.getI64Type();
        case Field::Kind::Pointer:
          return LLVM::LLVMPointerType::get(builder.getContext());
        }
        llvm_unreachable("not a kind of field");
      }));
}

Value Globals::addRow(Location loc, const Row &row) {
  auto pointer = LLVM::LLVMPointerType::get(builder.getContext());
  Value entry = LLVM::UndefOp::create(builder, loc, getStructType(row));
  for (auto [position, field] : llvm::enumerate(row)) {
    Value value;
    if (field.kind == Field::Kind::Int32)
      value = LLVM::ConstantOp::create(builder, loc, builder.getI32Type(),
                                       field.number);
    else if (field.kind == Field::Kind::Int64)
      value = LLVM::ConstantOp::create(builder, loc, builder.getI64Type(),
                                       field.number);
    else if (field.symbol)
      value = LLVM::AddressOfOp::create(builder, loc, pointer,
                                        field.symbol.getValue());
    else
      value = LLVM::ZeroOp::create(builder, loc, pointer);
    entry = LLVM::InsertValueOp::create(builder, loc, entry, value,
                                        int64_t(position));
  }
  return entry;
}

/// LLVM copies a constant aggregate at each insertion. A longer table is
/// therefore a binary tree of structs with leaves that are arrays of at most
/// this many rows; in memory its rows are contiguous all the same.
constexpr size_t kShortTable = 64;

Type Globals::getTableType(llvm::ArrayRef<Row> rows) {
  if (rows.size() <= kShortTable)
    return LLVM::LLVMArrayType::get(getStructType(rows.front()), rows.size());
  size_t half = llvm::PowerOf2Ceil(rows.size()) / 2;
  return LLVM::LLVMStructType::getLiteral(
      builder.getContext(), {getTableType(rows.take_front(half)),
                             getTableType(rows.drop_front(half))});
}

Value Globals::addRows(Location loc, llvm::ArrayRef<Row> rows) {
  llvm::SmallVector<Value> parts;
  Type type = getTableType(rows);
  if (size_t half = llvm::PowerOf2Ceil(rows.size()) / 2;
      rows.size() > kShortTable)
    parts = {addRows(loc, rows.take_front(half)),
             addRows(loc, rows.drop_front(half))};
  else
    for (const Row &row : rows)
      parts.push_back(addRow(loc, row));
  Value all = LLVM::UndefOp::create(builder, loc, type);
  for (auto [index, part] : llvm::enumerate(parts))
    all = LLVM::InsertValueOp::create(builder, loc, all, part, int64_t(index));
  return all;
}

FlatSymbolRefAttr
Globals::addConstant(llvm::StringRef name, Type type, LLVM::Linkage linkage,
                     llvm::function_ref<Value(Location)> content) {
  LLVM::GlobalOp global = addGlobal(name, type, Attribute(), 8);
  global.setLinkage(linkage);
  builder.createBlock(&global.getInitializerRegion());
  LLVM::ReturnOp::create(builder, global.getLoc(), content(global.getLoc()));
  return FlatSymbolRefAttr::get(builder.getContext(), name);
}

FlatSymbolRefAttr Globals::addStruct(llvm::StringRef name, const Row &row,
                                     LLVM::Linkage linkage) {
  return addConstant(name, getStructType(row), linkage,
                     [&](Location loc) { return addRow(loc, row); });
}

FlatSymbolRefAttr Globals::addTable(llvm::StringRef name,
                                    llvm::ArrayRef<Row> rows) {
  if (rows.empty())
    return {};
  std::string unique = name.str();
  if (unsigned taken = tables[name]++)
    unique += "_" + std::to_string(taken);
  return addConstant(unique, getTableType(rows), LLVM::Linkage::Internal,
                     [&](Location loc) { return addRows(loc, rows); });
}

FlatSymbolRefAttr Globals::getTask(LLVM::LLVMFuncOp kernel,
                                   std::optional<unsigned> scratch) {
  auto name = builder.getStringAttr(kernel.getName() + "_task");
  LLVM::LLVMFuncOp &task = functions[name];
  if (task)
    return FlatSymbolRefAttr::get(name);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointAfter(kernel);
  Location loc = kernel.getLoc();
  Type pointer = LLVM::LLVMPointerType::get(builder.getContext()),
       i64 = builder.getI64Type();
  auto type =
      LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(builder.getContext()),
                                  {pointer, i64, i64, pointer});
  task = LLVM::LLVMFuncOp::create(builder, loc, name, type,
                                  LLVM::Linkage::Internal);
  Block *entry = task.addEntryBlock(builder);
  builder.setInsertionPointToStart(entry);
  llvm::SmallVector<Value> arguments;
  for (auto [i, wanted] :
       llvm::enumerate(kernel.getArgumentTypes().drop_back(2))) {
    if (i == scratch) {
      arguments.push_back(entry->getArgument(3));
      continue;
    }
    Value address =
        LLVM::GEPOp::create(builder, loc, pointer, i64, entry->getArgument(0),
                            llvm::ArrayRef<LLVM::GEPArg>{int32_t(i)});
    bool isBool = wanted.isInteger(1);
    Value word =
        LLVM::LoadOp::create(builder, loc, isBool ? i64 : wanted, address);
    if (isBool)
      word = LLVM::TruncOp::create(builder, loc, wanted, word);
    arguments.push_back(word);
  }
  arguments.append({entry->getArgument(1), entry->getArgument(2)});
  LLVM::CallOp::create(builder, loc, kernel, arguments);
  LLVM::ReturnOp::create(builder, loc, ValueRange());
  return FlatSymbolRefAttr::get(name);
}

void Globals::declare(llvm::StringRef name, LLVM::LLVMFunctionType type) {
  LLVM::LLVMFuncOp &function = functions[builder.getStringAttr(name)];
  if (function)
    return;
  builder.setInsertionPointToStart(module.getBody());
  function = LLVM::LLVMFuncOp::create(builder, module.getLoc(), name, type);
  function.setNoUnwind(true);
}

//===----------------------------------------------------------------------===//
// The program
//===----------------------------------------------------------------------===//

int32_t Globals::getSite(Location location) {
  LocationAttr site = td::getSite(location);
  if (!site)
    return -1;
  return sites.try_emplace(site, int32_t(sites.size())).first->second;
}

int32_t Globals::getArgument(llvm::StringRef name) const {
  if (arguments)
    for (auto [index, row] :
         llvm::enumerate(arguments.getAsRange<DictionaryAttr>()))
      if (row.getAs<StringAttr>("name").strref() == name)
        return index;
  return -1;
}

FlatSymbolRefAttr Globals::getOptionalText(Attribute attribute) {
  auto text = dyn_cast_or_null<StringAttr>(attribute);
  return text && !text.empty() ? getText(text) : FlatSymbolRefAttr();
}

FlatSymbolRefAttr Globals::addSlots(const SlotTable &slots) {
  llvm::SmallVector<Row> rows;
  for (const SlotRow &slot : slots.getRows()) {
    td::SlotOp op = slot.op;
    FlatSymbolRefAttr order;
    if (slot.layout)
      order = getInt32s(llvm::map_to_vector(
          slot.layout->order, [](int64_t dim) { return int32_t(dim); }));
    rows.push_back(
        {Field::pointer(getText(op.getKey())),
         Field::pointer(getText(op.getSymName())),
         Field::int32(int32_t(op.getKind())),
         Field::int32(int32_t(td::getDType(slot.type.getElementType()))),
         Field::int32(slot.type.getRank()), Field::int32(slot.device),
         Field::pointer(getSizes(slot.type)), Field::pointer(order),
         Field::int64(slot.offset),
         Field::int64(slot.layout ? slot.layout->block : 0)});
  }
  return addTable("tdc_slots", rows);
}

FlatSymbolRefAttr Globals::addAliases(const SlotTable &slots, int32_t &count) {
  llvm::SmallVector<Row> rows;
  for (auto [index, slot] : llvm::enumerate(slots.getRows())) {
    td::SlotOp op = slot.op;
    if (DictionaryAttr aliases = op.getAliasesAttr())
      for (NamedAttribute alias : aliases)
        rows.push_back(
            {Field::pointer(getText(cast<StringAttr>(alias.getValue()))),
             Field::pointer(getText(alias.getName())), Field::int32(index)});
  }
  count = rows.size();
  return addTable("tdc_aliases", rows);
}

int32_t getHostType(Type type) {
  if (type.isF64())
    return TDRT_FLOAT;
  if (type.isInteger(1))
    return TDRT_BOOLEAN;
  return isa<td::StrType>(type) ? TDRT_STR : TDRT_INT;
}

FlatSymbolRefAttr Globals::addArguments() {
  llvm::SmallVector<Row> rows;
  if (arguments)
    for (auto row : arguments.getAsRange<DictionaryAttr>()) {
      // An empty default is a text too; without a default the argument is
      // required.
      auto defaultText = row.getAs<StringAttr>("default");
      rows.push_back(
          {Field::pointer(getText(row.getAs<StringAttr>("name"))),
           Field::pointer(defaultText ? getText(defaultText)
                                      : FlatSymbolRefAttr()),
           Field::pointer(getOptionalText(row.get("help"))),
           Field::int32(getHostType(row.getAs<TypeAttr>("type").getValue())),
           Field::int32(row.get("fixed")    ? TDRT_ARG_FIXED
                        : row.get("device") ? TDRT_ARG_DEVICE
                                            : TDRT_ARG_VALUE)});
    }
  return addTable("tdc_args", rows);
}

FlatSymbolRefAttr Globals::addSites() {
  llvm::SmallVector<Row> rows;
  llvm::DenseMap<Attribute, ArrayAttr> excerpts;
  if (auto known = module->getAttrOfType<ArrayAttr>("td.excerpts"))
    for (auto row : known.getAsRange<ArrayAttr>())
      excerpts[row[0]] = row;
  for (auto &[key, index] : sites) {
    auto site = llvm::cast<LocationAttr>(key);
    FileLineColLoc location = td::getUserLocation(site);
    ArrayAttr known = excerpts.lookup(location);
    Attribute words = td::getWords(site);
    rows.push_back(
        {Field::pointer(getText(location.getFilename())),
         Field::int32(location.getLine()), Field::int32(location.getColumn()),
         Field::pointer(getOptionalText(known ? known[1] : Attribute())),
         Field::pointer(getOptionalText(!words && known ? known[2] : words))});
  }
  return addTable("tdc_sites", rows);
}

FlatSymbolRefAttr Globals::addPorts(llvm::ArrayRef<Port> ports) {
  llvm::SmallVector<Row> rows;
  for (const Port &port : ports)
    rows.push_back(
        {Field::pointer(getText(port.name)),
         Field::int32(int32_t(td::getDType(port.type.getElementType()))),
         Field::int32(port.type.getRank()),
         Field::pointer(getSizes(port.type))});
  return addTable("tdc_ports", rows);
}

FlatSymbolRefAttr Globals::addExports(llvm::ArrayRef<Export> exports) {
  llvm::SmallVector<Row> rows;
  for (const Export &entry : exports)
    rows.push_back(
        {Field::pointer(getText(entry.name)), Field::int32(entry.inputs.size()),
         Field::int32(entry.outputs.size()),
         Field::pointer(addPorts(entry.inputs)),
         Field::pointer(addPorts(entry.outputs)), Field::pointer(entry.entry),
         Field::int32(entry.changesState), Field::int32(0),
         Field::pointer(getOptionalText(entry.help))});
  return addTable("tdc_exports", rows);
}

int32_t Globals::addTransfer(Location location, int32_t from, int32_t to,
                             bool isImplied) {
  llvm::StringRef name = td::getVariableName(location);
  transfers.push_back(
      {Field::int32(getSite(location)), Field::int32(from), Field::int32(to),
       Field::int32(isImplied),
       Field::pointer(getText(name.empty() ? "a tensor" : name))});
  return transfers.size() - 1;
}

int32_t Globals::addSequence(int32_t device, int32_t words,
                             llvm::ArrayRef<int32_t> kernels,
                             llvm::ArrayRef<int32_t> sites) {
  sequences.push_back({Field::int32(device), Field::int32(kernels.size()),
                       Field::int32(words), Field::int32(0),
                       Field::pointer(getInt32s(kernels)),
                       Field::pointer(getInt32s(sites))});
  return sequences.size() - 1;
}

FlatSymbolRefAttr Globals::getBackend() {
  const auto &function = runtime::tdrt_cuda_backend;
  declare(function.name, runtime::getType(builder.getContext(), function));
  return FlatSymbolRefAttr::get(builder.getContext(), function.name);
}

FlatSymbolRefAttr Globals::addGPUProgram(const SlotTable &slots,
                                         llvm::ArrayRef<int64_t> arenaBytes,
                                         int64_t pinnedBytes) {
  llvm::SmallVector<Row> images, kernels, constants;
  for (auto image : module.getOps<td::ImageOp>()) {
    llvm::StringRef data = image.getData();
    images.push_back(
        {Field::int32(image.getCubin() ? TDRT_IMAGE_CUBIN : TDRT_IMAGE_PTX),
         Field::int32(image.getArchitecture()),
         Field::int64(data.size() + (image.getCubin() ? 0 : 1)),
         Field::pointer(image.getCubin() ? getBytes(data, 8) : getText(data))});
  }
  for (auto &[op, index] : gpuKernels) {
    auto kernel = llvm::cast<td::GPUKernelOp>(op);
    kernels.push_back(
        {Field::pointer(getText(kernel.getSymName())),
         Field::int32(kernel.getThreads()), Field::int32(kernel.getShared()),
         Field::int32(kernel.getParameters()),
         Field::int32(kernel.getReports()   ? TDRT_REPORTS_INDICES
                      : kernel.getWatches() ? TDRT_REPORTS_VALUES
                                            : TDRT_REPORTS_NOTHING)});
  }
  for (const LiteralRow &literal : slots.getLiterals())
    constants.push_back({Field::int32(literal.device), Field::int32(0),
                         Field::int64(literal.offset),
                         Field::int64(getByteSize(llvm::cast<RankedTensorType>(
                             literal.value.getType()))),
                         Field::pointer(getElements(literal.value))});
  llvm::SmallVector<int64_t> gpuBytes(arenaBytes.drop_front());
  for (auto [gpu, bytes] : llvm::enumerate(gpuBytes))
    if (!slots.isUsed(1 + gpu))
      bytes = -1;
  Row gpu = {Field::pointer(getBackend()),
             Field::int32(slots.getNumDevices() - 1),
             Field::int32(images.size()),
             Field::int32(kernels.size()),
             Field::int32(constants.size()),
             Field::int32(transfers.size()),
             Field::int32(slots.getNumHandles()),
             Field::int32(sequences.size()),
             Field::pointer(getInt64s(gpuBytes)),
             Field::pointer(addTable("tdc_images", images)),
             Field::pointer(addTable("tdc_gpu_kernels", kernels)),
             Field::pointer(addTable("tdc_constants", constants)),
             Field::pointer(addTable("tdc_transfers", transfers)),
             Field::pointer(addTable("tdc_sequences", sequences)),
             Field::int64(pinnedBytes),
             Field::pointer(getOptionalText(module->getAttr(kSimLibraryAttr)))};
  return addStruct("tdc_gpu_program", gpu, LLVM::Linkage::Internal);
}

FlatSymbolRefAttr Globals::declareOtherwise() {
  auto name = module->getAttrOfType<StringAttr>(kOtherwiseAttr);
  if (!name)
    return {};
  // Any type will do: another object file defines the symbol.
  addGlobal(name, builder.getI8Type(), Attribute(), 8)
      .setLinkage(LLVM::Linkage::External);
  return FlatSymbolRefAttr::get(name);
}

void Globals::finish(const SlotTable &slots, llvm::ArrayRef<Export> exports,
                     FlatSymbolRefAttr main, llvm::ArrayRef<int64_t> arenaBytes,
                     int64_t pinnedBytes) {
  FlatSymbolRefAttr name = getOptionalText(module->getAttr("td.name"));
  int32_t gpus = slots.getNumDevices() - 1, numAliases = 0;
  FlatSymbolRefAttr aliases = addAliases(slots, numAliases);
  Row program = {
      Field::int32(TDRT_ABI_VERSION),
      Field::int32(slots.getRows().size()),
      Field::int32(arguments ? arguments.size() : 0),
      Field::int32(sites.size()),
      Field::int32(exports.size()),
      Field::int32(numAliases),
      Field::int32(gpus),
      Field::int32(module->hasAttr(kStrictNumericsAttr)),
      Field::int64(arenaBytes.front()),
      Field::int64(slots.getBytes(/*device=*/0)),
      Field::pointer(name ? name : getText("program")),
      Field::pointer(getOptionalText(module->getAttr("td.help"))),
      Field::pointer(addSlots(slots)),
      Field::pointer(aliases),
      Field::pointer(addArguments()),
      Field::pointer(addSites()),
      Field::pointer(addExports(exports)),
      Field::pointer(main),
      Field::pointer(gpus ? addGPUProgram(slots, arenaBytes, pinnedBytes)
                          : FlatSymbolRefAttr()),
      Field::pointer(declareOtherwise())};
  auto symbol = module->getAttrOfType<StringAttr>(kSymbolAttr);
  addStruct(symbol ? symbol.strref() : "tdc_program", program,
            LLVM::Linkage::External);
}

} // namespace tdc
