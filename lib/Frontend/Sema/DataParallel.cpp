//===- DataParallel.cpp - one model on several GPUs -----------------------===//

#include "Checker.h"
#include "Frontend/Typed/Constructors.h"

using namespace tdc;
using namespace tdc::sema;

//===----------------------------------------------------------------------===//
// DataParallel(net)
//===----------------------------------------------------------------------===//

static llvm::SmallVector<Place> getGPUs(const ModelInstance &parallel) {
  llvm::SmallVector<Place> gpus;
  for (const Val &id : elementsOf(parallel.config.find("device_ids")->second))
    gpus.push_back(getCuda(id.size.getConstant()));
  return gpus;
}

bool DataParallel::takeDevices(ModelInstance &parallel, const Val *ids,
                               const Val *output, SourceRange range) {
  llvm::SmallVector<int64_t> gpus;
  auto isGiven = [](const Val *val) { return val && !val->is(ValKind::None); };
  if (!isGiven(ids)) {
    c.devices.noteQueried();
    for (int64_t i = 0, count = c.options.countCudaDevices(); i != count; ++i)
      gpus.push_back(i);
  } else if (!ids->is(ValKind::List) && !ids->is(ValKind::Tuple)) {
    c.error(DiagCode::TD303, ids->range,
            "`device_ids` is a list of GPUs, not " + describe(*ids))
        .note("as in `device_ids=[0, 1]`");
    return false;
  } else if (elementsOf(*ids).empty()) {
    c.error(DiagCode::TD514, ids->range, "`device_ids` names no GPU")
        .note("without it, all GPUs of the machine are used");
    return false;
  } else {
    for (const Val &id : elementsOf(*ids)) {
      std::optional<Val> device = c.devices.cudaDevice(id, range);
      if (!device)
        return false;
      const Place &place = device->as<DeviceInfo>().place;
      SourceRange at = id.range.isValid() ? id.range : range;
      if (llvm::is_contained(gpus, place.ordinal)) {
        c.error(DiagCode::TD514, at,
                spelling(place) + " is twice in `device_ids`")
            .note("each GPU gets one part of a batch");
        return false;
      }
      c.devices.checkDeviceExists(place, at);
      gpus.push_back(place.ordinal);
    }
  }
  int64_t result = gpus.empty() ? 0 : gpus[0];
  if (isGiven(output)) {
    std::optional<Val> device = c.devices.cudaDevice(*output, range);
    if (!device)
      return false;
    const Place &place = device->as<DeviceInfo>().place;
    c.devices.checkDeviceExists(place, output->range);
    result = place.ordinal;
  }
  Vals numbers;
  for (int64_t gpu : gpus)
    numbers.push_back(makeInt(gpu));
  parallel.config["device_ids"] =
      makeSequence(ValKind::List, std::move(numbers));
  parallel.config["output_device"] = makeInt(result);
  return true;
}

Val DataParallel::construct(CallArgs &args) {
  static constexpr llvm::StringLiteral kNames[] = {"module", "device_ids",
                                                   "output_device", "dim"};
  const Val *given[std::size(kNames)] = {};
  if (args.positional.size() > std::size(kNames)) {
    c.error(DiagCode::TD205, args.range,
            "`DataParallel` takes 4 arguments at most");
    return c.fail();
  }
  for (auto [i, val] : llvm::enumerate(args.positional))
    given[i] = &val;
  for (const CallArgs::Keyword &keyword : args.keywords) {
    auto *name = llvm::find(kNames, keyword.name.text);
    if (name == std::end(kNames) || given[name - kNames]) {
      c.error(DiagCode::TD205, keyword.name.range,
              name == std::end(kNames)
                  ? "`DataParallel` has no parameter `" + keyword.name.text +
                        "`"
                  : "`" + keyword.name.text + "` is given twice");
      return c.fail();
    }
    given[name - kNames] = &keyword.val;
  }
  if (!given[0] || !given[0]->is(ValKind::Model) || isParameters(*given[0])) {
    c.error(given[0] ? DiagCode::TD303 : DiagCode::TD205, args.range,
            "`DataParallel` takes a model" +
                (given[0] ? ", not " + describe(*given[0]) : std::string()));
    return c.fail();
  }
  if (given[3]) {
    auto dim = c.host.requireInt(*given[3], "`dim`");
    if (dim && *dim != 0)
      c.unsupported(given[3]->range, "a batch whose rows are not along dim 0",
                    "`DataParallel(net)`, and `x.transpose(0, 1)` around it");
    if (!dim || *dim != 0)
      return c.fail();
  }
  auto &module = given[0]->as<ModelInstance>();
  std::shared_ptr<ModelInstance> parallel = c.models.makeModel();
  static_cast<ModelState &>(*parallel) = module;
  parallel->ownLearning.clear();
  parallel->native = NativeModel::DataParallel;
  parallel->typeName = "DataParallel";
  parallel->made = c.userRange(args.range);
  if (!takeDevices(*parallel, given[1], given[2], args.range))
    return c.fail();
  parallel->add("module").val = *given[0];
  c.models.all.push_back(parallel);
  // A model that the program never moves goes to where its replicas come from.
  llvm::SmallVector<Place> gpus = getGPUs(*parallel);
  bool isMoved = false;
  forEachModel(module, [&](ModelInstance &part) {
    isMoved |= part.place.kind != Place::Kind::Free;
  });
  if (!isMoved && !c.places.freeIsCpu() && !gpus.empty()) {
    c.places.warnMoved(module, gpus[0]);
    c.places.moveModel(*parallel, makeDevice(gpus[0], args.range), args.range,
                       Transfer::Implied);
  }
  Val val = makeVal(ValKind::Model);
  val.data = std::move(parallel);
  return val;
}

std::optional<Val> DataParallel::choose(const Val &condition, const Val &onTrue,
                                        const Val &onFalse) {
  if (!condition.onThisMachine || !onTrue.is(ValKind::Model) ||
      !onFalse.is(ValKind::Model))
    return std::nullopt;
  auto moduleOf = [](const Val &val) {
    auto &model = val.as<ModelInstance>();
    return model.native == NativeModel::DataParallel ? model.members[0].val.data
                                                     : val.data;
  };
  if (moduleOf(onTrue) != moduleOf(onFalse))
    return std::nullopt;
  return *condition.onThisMachine ? onTrue : onFalse;
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

/// Calls `change` for each tensor among lists and tuples.
static Val mapTensors(const Val &val,
                      llvm::function_ref<Val(const Val &)> change) {
  if (val.is(ValKind::Tensor))
    return change(val);
  if (!val.is(ValKind::List) && !val.is(ValKind::Tuple))
    return val;
  Vals elements;
  for (const Val &element : elementsOf(val))
    elements.push_back(mapTensors(element, change));
  Val result = makeSequence(val.kind, std::move(elements));
  result.range = val.range;
  return result;
}

static CallArgs mapTensors(const CallArgs &args,
                           llvm::function_ref<Val(const Val &)> change) {
  CallArgs result = args;
  for (Val &val : result.positional)
    val = mapTensors(val, change);
  for (CallArgs::Keyword &keyword : result.keywords)
    keyword.val = mapTensors(keyword.val, change);
  return result;
}

/// The size for each of `count` rows, if that is a factor of the size.
static std::optional<Size> perRow(const Size &size, const Size &count) {
  SizeAtomRef rows = count.getAtom();
  if (size.isConstant() || size.getConstant() != 0)
    return std::nullopt;
  Size each;
  for (const SizeTerm &term : size.getTerms()) {
    Size product(term.coefficient);
    bool isFound = false;
    for (const SizeAtomRef &factor : term.factors) {
      if (factor != rows || isFound)
        product = product * Size(factor);
      isFound |= factor == rows;
    }
    if (!isFound)
      return std::nullopt;
    each = each + product;
  }
  return each;
}

/// One call of a model whose batch is split.
class DataParallel::Call {
public:
  Call(DataParallel &parent, const ModelInstance &parallel, CallArgs &args);
  Val run();

private:
  bool checkState();
  bool findRows();
  bool checkTensor(const Val &tensor);
  std::vector<Rows> cut();
  std::vector<Rows> cutAtRunTime();
  Replica makeReplica(size_t index, const Rows &rows);
  /// The results for one GPU, on the output device.
  Val walk(const Rows &rows);
  /// The same, without a walk if the GPU gets no rows.
  Val walkIfAny(size_t index, const Rows &rows);
  Val bring(const Val &tensor, const Place &place);
  /// A result on the output device, with a number as a tensor of one row.
  Val bringResult(const Val &result);
  Val join(llvm::ArrayRef<Val> parts, llvm::ArrayRef<Rows> rows);
  Val joinTensors(llvm::ArrayRef<Val> parts, llvm::ArrayRef<Rows> rows);
  std::string listGPUs() const;

  DataParallel &parent;
  Checker &c;
  Val module;
  llvm::SmallVector<Place> gpus;
  CallArgs &args;
  std::vector<NamedSlot> slots;
  Place home;   ///< of the model: the first GPU, by the name that it has there
  Place output; ///< the output device
  std::optional<Val> first; ///< the first tensor among the arguments
  llvm::DenseSet<const ModelInstance *> models;
  std::vector<RandomCall> drawn;
};

DataParallel::Call::Call(DataParallel &parent, const ModelInstance &parallel,
                         CallArgs &args)
    : parent(parent), c(parent.c), module(parallel.members[0].val),
      gpus(getGPUs(parallel)), args(args), home(gpus[0]),
      output(getCuda(
          parallel.config.find("output_device")->second.size.getConstant())) {
  c.models.collectSlots(module, "", slots);
  forEachModel(module.as<ModelInstance>(),
               [&](ModelInstance &part) { models.insert(&part); });
}

std::string DataParallel::Call::listGPUs() const {
  std::string text;
  for (const Place &gpu : gpus)
    text += (text.empty() ? "" : ", ") + spelling(gpu);
  return text;
}

/// Checks that all tensors of the model are on the first GPU.
bool DataParallel::Call::checkState() {
  for (const NamedSlot &named : slots) {
    if (named.slot->isHostNumber)
      continue;
    ModelInstance &owner = *named.slot->owner;
    Place place = c.places.modelPlace(owner);
    if (owner.otherwise)
      return false; // has been reported
    if (c.devices.resolvePlace(place) == gpus[0]) {
      home = place;
      continue;
    }
    Diagnostic &report =
        c.error(DiagCode::TD514, args.calleeRange,
                "`" + named.key + "` is not on " + spelling(gpus[0]) +
                    ", the first GPU of `DataParallel`");
    report.label("it is on @" +
                 placeText(isCpuOrFree(place) ? getCpu() : place));
    if (owner.moved.isValid())
      report.note("moved here", owner.moved);
    report.note("the model is copied from there to the other GPUs: move it to "
                "it as a whole, before `DataParallel(…)` or after it");
    return false;
  }
  if (c.devices.resolvePlace(output) == c.devices.resolvePlace(home))
    output = home;
  return true;
}

bool DataParallel::Call::checkTensor(const Val &tensor) {
  SourceRange range = tensor.range.isValid() ? tensor.range : args.range;
  const TensorType &type = typeOf(tensor);
  Place place = c.devices.resolvePlace(type.place);
  if (!isCpuOrFree(place) && place != c.devices.resolvePlace(home)) {
    c.places.reportModelPlace(module.as<ModelInstance>(),
                              slots.empty() ? module.as<ModelInstance>()
                                            : *slots[0].slot->owner,
                              tensor, args);
    return false;
  }
  if (type.dims.empty()) {
    c.error(DiagCode::TD515, range, "a 0-d tensor has no rows to split")
        .label(typeText(type))
        .note("`.item()` makes it a number, which every GPU gets");
    return false;
  }
  if (!first) {
    first = tensor;
    return true;
  }
  ShapeAnswer answer = sameShape(
      typeOf(*first).dims[0], type.dims[0],
      "tensors that DataParallel splits have different numbers of rows");
  if (answer && c.tensors.prove(answer))
    return true;
  Diagnostic &report = c.error(DiagCode::TD515, range,
                               "the arguments have different numbers of rows");
  report.label(typeText(type));
  if (first->range.isValid())
    report.secondaryLabel(first->range, typeText(typeOf(*first)));
  report.note("every tensor is split along dim 0; one that belongs to all rows "
              "can be a field of the model, or be computed in `forward`");
  return false;
}

/// Finds the tensors that are split; false after a report.
bool DataParallel::Call::findRows() {
  bool isGood = true;
  mapTensors(args, [&](const Val &tensor) {
    isGood = isGood && checkTensor(tensor);
    return tensor;
  });
  return isGood;
}

Val DataParallel::Call::bring(const Val &tensor, const Place &place) {
  if (typeOf(tensor).place == place)
    return tensor;
  return c.places.transfer(tensor, place, c.userRange(args.range),
                           Transfer::Rows);
}

Val DataParallel::Call::bringResult(const Val &result) {
  return mapTensors(result, [&](const Val &tensor) {
    if (typeOf(tensor).dims.empty() && first &&
        !c.host.constantOf(typeOf(*first).dims[0])) {
      c.error(DiagCode::TD515, args.range,
              "a GPU that gets no rows would give a number as well")
          .label("the model returns a number, and only the run knows how many "
                 "rows the batch has")
          .note("return a tensor with one row for each row of the batch, and "
                "reduce it after the call");
      return c.fail();
    }
    Val one = typeOf(tensor).dims.empty() ? c.tensors.reshapeTo(tensor, Size(1))
                                          : tensor;
    return bring(one, output);
  });
}

/// torch.chunk: all parts but the last have one size.
std::vector<DataParallel::Rows> DataParallel::Call::cut() {
  const Size &all = typeOf(*first).dims[0];
  std::optional<int64_t> known = c.host.constantOf(all);
  if (!known)
    return cutAtRunTime();
  int64_t count = gpus.size(), each = (*known + count - 1) / count;
  std::vector<Rows> parts;
  for (int64_t start = 0; start < *known; start += each) {
    int64_t rows = std::min(each, *known - start);
    Value value = c.emit().constantInt(rows);
    parts.push_back({start, c.host.sizes.add("rows", value, rows), all});
  }
  return parts;
}

std::vector<DataParallel::Rows> DataParallel::Call::cutAtRunTime() {
  const Size &all = typeOf(*first).dims[0];
  int64_t count = gpus.size();
  Emitter &emit = c.emit();
  Value total = c.host.sizeValue(all);
  emit.assertThat(
      emit.host(HostOp::Gt, {total, emit.constantInt(0)}),
      c.host.materialize(
          makeStr("a batch without rows cannot be split over " + listGPUs())),
      Check::Size);
  Value each =
      c.host.sizeValue(Size::floorDiv(all + Size(count - 1), Size(count)));
  std::vector<Rows> parts;
  Value start = emit.constantInt(0);
  Size first;
  for (int64_t i = 1; i <= count; ++i) {
    Value end =
        emit.host(HostOp::Min,
                  {total, emit.host(HostOp::Mul, {each, emit.constantInt(i)})});
    Size rows = c.host.sizes.add("rows", emit.host(HostOp::Sub, {end, start}));
    c.host.sizes[rows.getAtom()].nonNegative = true;
    parts.push_back({first, rows, all});
    start = end;
    first = c.host.sizes.add("first", end);
  }
  return parts;
}

/// A replica with the values that the model's tensors have before the walks. A
/// parameter is copied once, outside of the branch of a GPU that may get no
/// rows: so its gradient, too, is one tensor for each GPU.
DataParallel::Replica DataParallel::Call::makeReplica(size_t index,
                                                      const Rows &rows) {
  const Place &place = gpus[index];
  Replica replica{index == 0 ? home : place,
                  rows,
                  index == 0,
                  models,
                  drawn,
                  c.regionDepth};
  if (index == 0)
    return replica;
  std::string &instance = parent.names.instances[place.ordinal];
  if (instance.empty())
    instance = c.models.uniqueName("replica" + std::to_string(place.ordinal));
  for (const NamedSlot &named : slots) {
    Slot &slot = *named.slot;
    Val value = valueOf(c.models.readSlot(slot, args.range));
    if (!slot.isHostNumber)
      value =
          c.places.transfer(value, place, slot.owner->moved, Transfer::Replica);
    if (slot.kind == td::SlotKind::Param) {
      replica.parameters[&slot] = value;
      continue;
    }
    std::string &name = replica.buffers[&slot];
    name = instance + "." + slot.name;
    if (parent.names.declared.insert(name).second)
      c.emit().declareSlot(name, td::SlotKind::Buffer, slot.name, instance,
                           slot.isHostNumber ? c.tensors.shapeOf(slot.type)
                                             : c.models.slotShape(slot.type));
    c.models.rawWrite(name, c.training.stopGradient(value).value);
  }
  return replica;
}

Val DataParallel::Call::walk(const Rows &rows) {
  Replica &replica = *parent.current;
  CallArgs own = mapTensors(args, [&](const Val &tensor) {
    Val part = c.tensors.sliceOf(
        tensor, makeInt(rows.first, c.host.sizeValue(rows.first)), 0, 1,
        rows.count);
    part.range = tensor.range;
    return bring(part, replica.place);
  });
  Val result = c.calls.call(module, own);
  c.at(args.range);
  return bringResult(result);
}

/// Calls `visit` for the tensors of a result.
static void forEachTensor(const Val &val,
                          llvm::function_ref<void(const Val &)> visit) {
  mapTensors(val, [&](const Val &tensor) {
    visit(tensor);
    return tensor;
  });
}

Val DataParallel::Call::walkIfAny(size_t index, const Rows &rows) {
  if (index == 0 || c.host.constantOf(rows.count))
    return walk(rows);
  Value some = c.emit().host(
      HostOp::Gt, {c.host.sizeValue(rows.count), c.emit().constantInt(0)});
  Val result;
  llvm::SmallVector<Value> values = c.control.walkSides(
      some,
      [&] {
        result = walk(rows);
        llvm::SmallVector<Value> leaves;
        forEachTensor(
            result, [&](const Val &tensor) { leaves.push_back(tensor.value); });
        return leaves;
      },
      [&] {
        llvm::SmallVector<Value> leaves;
        forEachTensor(result, [&](const Val &tensor) {
          const TensorType &type = typeOf(tensor);
          Val zero = isFloat(type.dtype)         ? makeFloat(0)
                     : type.dtype == DType::Bool ? makeBool(false)
                                                 : makeInt(0);
          leaves.push_back(c.tensors.fillTensor(zero, type).value);
        });
        return leaves;
      });
  llvm::ArrayRef<Value> rest(values);
  return mapTensors(result, [&](const Val &tensor) {
    Value value = rest.front();
    rest = rest.drop_front();
    return makeTensor(typeOf(tensor), value, tensor.as<TensorInfo>().placed);
  });
}

Val DataParallel::Call::joinTensors(llvm::ArrayRef<Val> parts,
                                    llvm::ArrayRef<Rows> rows) {
  Val joined = c.tensors.concatOf(parts, 0, args.range);
  if (joined.isError())
    return joined;
  // The sum of the parts' rows is the batch's.
  TensorType type = typeOf(joined);
  std::optional<Size> each = perRow(typeOf(parts[0]).dims[0], rows[0].count);
  for (auto [part, own] : llvm::zip_equal(parts, rows)) {
    std::optional<Size> other = perRow(typeOf(part).dims[0], own.count);
    if (other != each)
      each = std::nullopt;
  }
  if (each)
    type.dims[0] = *each * rows[0].all;
  for (Size &size : type.dims)
    if (std::optional<int64_t> known = c.host.constantOf(size))
      size = Size(*known);
  return makeTensor(std::move(type), joined.value,
                    joined.as<TensorInfo>().placed);
}

Val DataParallel::Call::join(llvm::ArrayRef<Val> parts,
                             llvm::ArrayRef<Rows> rows) {
  const Val &one = parts[0];
  if (one.is(ValKind::Tensor))
    return joinTensors(parts, rows);
  if (one.is(ValKind::List) || one.is(ValKind::Tuple)) {
    Vals elements;
    for (size_t i = 0; i != elementsOf(one).size(); ++i) {
      Vals each;
      for (const Val &part : parts) {
        if (part.kind != one.kind ||
            elementsOf(part).size() != elementsOf(one).size())
          return c.unsupported(args.range, "a result of other length for each "
                                           "part of a batch");
        each.push_back(elementsOf(part)[i]);
      }
      elements.push_back(join(each, rows));
      if (elements.back().isError())
        return c.fail();
    }
    return makeSequence(one.kind, std::move(elements));
  }
  if (one.is(ValKind::None) || one.isError())
    return one;
  c.error(DiagCode::TD515, args.range,
          "`DataParallel` joins tensors, and this result has " + describe(one))
      .note("return a tensor with one row for each row of the batch");
  return c.fail();
}

Val DataParallel::Call::run() {
  if (!checkState() || !findRows())
    return c.fail();
  c.at(args.range);
  std::vector<Rows> rows;
  if (first && gpus.size() > 1)
    rows = cut();
  if (first && gpus.size() > 1 && rows.empty()) {
    c.error(DiagCode::TD515, first->range.isValid() ? first->range : args.range,
            "a batch without rows cannot be split over " + listGPUs());
    return c.fail();
  }
  if (rows.size() <= 1) {
    CallArgs all = mapTensors(
        args, [&](const Val &tensor) { return bring(tensor, home); });
    Val result = c.calls.call(module, all);
    c.at(args.range);
    return gpus.size() == 1 ? result : bringResult(result);
  }
  std::vector<Replica> replicas;
  for (auto [i, part] : llvm::enumerate(rows))
    replicas.push_back(makeReplica(i, part));
  Vals results;
  for (auto [i, part] : llvm::enumerate(rows)) {
    Restore<Replica *> saved(parent.current, &replicas[i]);
    results.push_back(walkIfAny(i, part));
    if (results.back().isError())
      return c.fail();
  }
  return join(results, rows);
}

Val DataParallel::call(const Val &val, CallArgs &args) {
  auto &parallel = val.as<ModelInstance>();
  if (elementsOf(parallel.config["device_ids"]).empty())
    return c.calls.call(parallel.members[0].val, args);
  if (current)
    return c.unsupported(args.range, "a DataParallel model in another one");
  return Call(*this, parallel, args).run();
}

//===----------------------------------------------------------------------===//
// The walk for one GPU
//===----------------------------------------------------------------------===//

std::optional<Place> DataParallel::placeOf(const ModelInstance &model) const {
  if (!current || !current->models.contains(&model))
    return std::nullopt;
  return current->place;
}

std::optional<Val> DataParallel::read(Slot &slot) {
  if (!current || current->isModel || !current->has(slot))
    return std::nullopt;
  if (slot.kind == td::SlotKind::Param)
    return current->parameters[&slot];
  TensorType type = slot.type;
  if (!slot.isHostNumber)
    type.place = current->place;
  Value value = c.emit().read(current->buffers[&slot], c.tensors.shapeOf(type));
  return makeTensor(type, value, slot.owner->moved);
}

bool DataParallel::write(Slot &slot, const Val &val) {
  if (!current || !current->has(slot))
    return false;
  if (slot.kind == td::SlotKind::Param) {
    c.unsupported(c.here, "a change of a parameter in the `forward` of a "
                          "DataParallel model");
    return true;
  }
  if (current->isModel)
    return false;
  c.models.rawWrite(current->buffers[&slot], val.value);
  return true;
}

RandomCall DataParallel::nextCall() {
  if (!current)
    return c.emit().nextRandom();
  if (current->isModel) {
    // The other walks take the call outside of such a region.
    if (c.regionDepth != current->regionDepth)
      c.unsupported(c.here, "a `forward` of a DataParallel model that draws "
                            "random numbers in a loop or under a condition of "
                            "the running program");
    current->drawn.push_back(c.emit().nextRandom());
  }
  // A mistake in the first walk may have left fewer.
  return current->nextDrawn < current->drawn.size()
             ? current->drawn[current->nextDrawn++]
             : c.emit().nextRandom();
}

/// Whether a size is computed from a variable.
static bool dependsOn(const Size &size, const SizeAtomRef &variable) {
  return llvm::any_of(size.getTerms(), [&](const SizeTerm &term) {
    return llvm::any_of(term.factors, [&](const SizeAtomRef &factor) {
      return factor == variable ||
             (!factor->isVariable() &&
              (dependsOn(factor->getNumerator(), variable) ||
               dependsOn(factor->getDenominator(), variable)));
    });
  });
}

Typed DataParallel::random(td::Distribution distribution,
                           llvm::ArrayRef<Value> bounds,
                           const TensorType &type) {
  TypedBuilder &builder = c.tensors.builder;
  RandomCall call = nextCall();
  auto isOfRows = [&](const Size &size) {
    return current && dependsOn(size, current->rows.count.getAtom());
  };
  auto *ofRows = llvm::find_if(type.dims, isOfRows);
  if (ofRows == type.dims.end())
    return typed::random(builder, distribution, bounds, type, call);
  std::optional<Size> each = perRow(*ofRows, current->rows.count);
  if (!each || distribution == td::Distribution::Permutation ||
      llvm::count_if(type.dims, isOfRows) != 1) {
    c.unsupported(c.here,
                  "a `forward` of a DataParallel model that draws random "
                  "numbers which do not belong to one row each");
    return typed::random(builder, distribution, bounds, type, call);
  }
  unsigned dim = ofRows - type.dims.begin();
  TensorType whole = type;
  whole.dims[dim] = *each * current->rows.all;
  Val drawn = makeTensor(
      whole, typed::random(builder, distribution, bounds, whole, call).value);
  Size start = *each * current->rows.first;
  return typedOf(c.tensors.sliceOf(
      drawn, makeInt(start, c.host.sizeValue(start)), dim, 1, type.dims[dim]));
}
