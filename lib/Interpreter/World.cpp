//===- World.cpp - the runtime's tables from a module ---------------------===//

#include "World.h"
#include "Dialect/TD/IR/Locations.h"

using namespace mlir;

namespace tdc {

int32_t World::getHostType(Type type) {
  return isa<td::StrType>(type) ? TDRT_STR
         : type.isF64()         ? TDRT_FLOAT
         : type.isInteger(1)    ? TDRT_BOOLEAN
                                : TDRT_INT;
}

World::World(ModuleOp module) {
  for (auto op : module.getOps<td::SlotOp>())
    addSlot(op);
  if (auto rows = module->getAttrOfType<ArrayAttr>("td.arguments"))
    for (auto row : rows.getAsRange<DictionaryAttr>())
      addArgument(row);
  addSites(module);

  auto name = module->getAttrOfType<StringAttr>("td.name");
  auto help = module->getAttrOfType<StringAttr>("td.help");
  program.abi_version = TDRT_ABI_VERSION;
  program.num_slots = slots.size();
  program.num_args = args.size();
  program.num_sites = sites.size();
  program.name = name ? keep(name) : "program";
  program.help = help ? keep(help) : nullptr;
  program.slots = slots.data();
  program.args = args.data();
  program.sites = sites.data();
}

World::~World() { tdrt_close(context); }

const char *World::keep(llvm::StringRef text) {
  return texts.emplace_back(text.str()).c_str();
}

void World::addSlot(td::SlotOp op) {
  auto handle = dyn_cast<td::HandleType>(op.getType());
  auto type =
      handle ? handle.getTensor() : cast<RankedTensorType>(op.getType());
  // A slot whose size is known only at run time is empty before the first
  // write.
  Extents &dims = shapes.emplace_back(type.getShape());
  llvm::replace(dims, ShapedType::kDynamic, int64_t(0));
  DType dtype = td::getDType(type.getElementType());
  slotIndex[op.getSymName()] = slots.size();
  auto zeros =
      std::make_shared<const Tensor>(Tensor::makeHomeless(dtype, dims));
  slotPlaces[op.getSymName()] = td::getPlace(type);
  if (handle)
    slotValues[op.getSymName()] = std::make_shared<Replicas>(1, zeros);
  else
    slotValues[op.getSymName()] = zeros;
  slots.push_back({keep(op.getKey()), keep(op.getSymName()),
                   int32_t(op.getKind()), int32_t(dtype), int32_t(dims.size()),
                   0, dims.data(), nullptr, program.arena_bytes, 0});
  int64_t bytes = countElements(dims) * byteSize(dtype);
  program.arena_bytes += (bytes + 63) / 64 * 64;
}

void World::storeSlot(llvm::StringRef name) {
  const Tensor &value = *std::get<TensorRef>(slotValues[name]);
  tdrt_slot_write(context, getSlot(name), value.toBytes().data());
}

TensorRef World::fetchSlot(llvm::StringRef name, const Place &place) {
  const Tensor &old = *std::get<TensorRef>(slotValues[name]);
  std::vector<char> bytes(old.size() * byteSize(old.dtype));
  tdrt_slot_read(context, getSlot(name), bytes.data());
  return std::make_shared<const Tensor>(
      Tensor::fromBytes(old.dtype, old.dims, place, bytes.data()));
}

void World::addArgument(DictionaryAttr row) {
  auto text = [&](llvm::StringRef key) -> const char * {
    auto attribute = row.getAs<StringAttr>(key);
    return attribute ? keep(attribute) : nullptr;
  };
  auto name = row.getAs<StringAttr>("name");
  argIndex[name] = args.size();
  auto help = row.getAs<StringAttr>("help");
  args.push_back({keep(name), text("default"),
                  help && !help.empty() ? keep(help) : nullptr,
                  getHostType(row.getAs<TypeAttr>("type").getValue()), 0});
}

void World::addSites(ModuleOp module) {
  module.walk([&](Operation *op) {
    FileLineColLoc location = td::getUserLocation(op->getLoc());
    if (!location || !siteIndex.try_emplace(location, sites.size()).second)
      return;
    sites.push_back({keep(location.getFilename()), int32_t(location.getLine()),
                     int32_t(location.getColumn()), /*excerpt=*/nullptr,
                     /*words=*/nullptr});
  });
}

int32_t World::getSite(Operation *op) {
  FileLineColLoc location = td::getUserLocation(op->getLoc());
  return location ? siteIndex.lookup(location) : -1;
}

const tdrt_value *World::getArgument(llvm::StringRef name) const {
  auto found = argIndex.find(name);
  return found == argIndex.end() ? nullptr : &context->args[found->second];
}

int32_t World::open(llvm::ArrayRef<const char *> words) {
  return tdrt_open(&program, words.size(), words.data(), &context);
}

} // namespace tdc
