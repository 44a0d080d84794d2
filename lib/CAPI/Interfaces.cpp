//===- Interfaces.cpp - the functions and the state of a program ----------===//

#include "Handles.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace tdc;

static std::vector<tdc_tensor_type> describe(const tdrt_port *ports,
                                             int32_t count) {
  std::vector<tdc_tensor_type> types;
  types.reserve(count);
  for (int32_t i = 0; i < count; ++i)
    types.push_back(
        {ports[i].name, ports[i].dtype, ports[i].rank, ports[i].dims});
  return types;
}

void Interface::addFunctions() {
  const tdrt_program &table = code->get();
  // Fill `ports` completely first: the functions point into it.
  for (int32_t i = 0; i < table.num_exports; ++i) {
    const tdrt_export &row = table.exports[i];
    ports.push_back(describe(row.inputs, row.num_inputs));
    ports.push_back(describe(row.outputs, row.num_outputs));
  }
  for (int32_t i = 0; i < table.num_exports; ++i) {
    const tdrt_export &row = table.exports[i];
    Function &function = functions.emplace_back();
    function.size = sizeof(tdc_function);
    function.name = row.name;
    function.num_inputs = row.num_inputs;
    function.num_outputs = row.num_outputs;
    function.inputs = ports[2 * i].data();
    function.outputs = ports[2 * i + 1].data();
    function.runs_alone = row.changes_state || table.gpu;
    function.help = row.help ? row.help : "";
    function.owner = this;
    function.index = i;
    function.spellings.assign(row.num_inputs, "");
    function.result_spelling = "";
    for (const Signature &signature : code->getSignatures()) {
      if (signature.name != row.name)
        continue;
      llvm::transform(signature.parameters, function.spellings.begin(),
                      [](const std::string &text) { return text.c_str(); });
      function.result_spelling = signature.result.c_str();
    }
  }
  for (Function &function : functions)
    function.input_spellings = function.spellings.data();
}

void Interface::addState(const char *name, const char *key, int32_t slotIndex) {
  const tdrt_slot &slot = code->get().slots[slotIndex];
  size_t tied = llvm::find(stateSlots, slotIndex) - stateSlots.begin();
  state.push_back({name, slot.dtype, slot.rank, slot.dims});
  stateSlots.push_back(slotIndex);
  if (slot.kind == TDRT_SLOT_MOMENT) {
    roles.push_back(
        {sizeof(tdc_state_role), TDC_OPTIMIZER_STATE, "", name, tied});
    return;
  }
  // A name is that of the model, a point and the key.
  llvm::StringRef model = name;
  model.consume_back(key);
  model.consume_back(".");
  modelNames.push_back(model.str());
  roles.push_back({sizeof(tdc_state_role),
                   slot.kind == TDRT_SLOT_PARAM ? TDC_PARAMETER : TDC_BUFFER,
                   modelNames.back().c_str(), key, tied});
}

void Interface::findRemoved() {
  const tdrt_gpu_program *gpu = code->get().gpu;
  if (gpu && gpu->num_handle_slots) // which have no names
    return;
  llvm::StringSet<> left;
  for (const tdc_tensor_type &type : state)
    left.insert(type.name);
  for (const std::string &name : code->getModelState())
    if (!left.contains(name))
      removed.push_back(name);
}

Interface::Interface(std::unique_ptr<const Program> program)
    : code(std::move(program)) {
  addFunctions();
  const tdrt_program &table = code->get();
  for (int32_t i = 0; i < table.num_slots; ++i)
    if (isState(table.slots[i]))
      addState(table.slots[i].name, table.slots[i].key, i);
  for (int32_t i = 0; i < table.num_aliases; ++i) {
    const tdrt_alias &alias = table.aliases[i];
    addState(alias.name, alias.key, alias.slot);
  }
  findRemoved();
}

size_t tdc_function_count(const tdc_program *program) {
  return program->interface->functions.size();
}

const tdc_function *tdc_function_get(const tdc_program *program, size_t index) {
  const std::vector<Function> &functions = program->interface->functions;
  return index < functions.size() ? &functions[index] : nullptr;
}

/// "`a`, `b`", or "nothing".
static std::string listNames(const std::vector<Function> &functions) {
  std::string names;
  for (const Function &function : functions)
    names += (names.empty() ? "`" : ", `") + std::string(function.name) + "`";
  return names.empty() ? "nothing" : names;
}

tdc_status tdc_find_function(const tdc_program *program, const char *name,
                             const tdc_function **function, tdc_error **error) {
  *function = nullptr;
  const std::vector<Function> &functions = program->interface->functions;
  for (const Function &candidate : functions)
    if (strcmp(candidate.name, name) == 0)
      *function = &candidate;
  if (*function)
    return TDC_OK;
  return fail(error, TDC_USAGE_ERROR,
              std::string("there is no `export fn ") + name +
                  "`; the program exports " + listNames(functions));
}

size_t tdc_state_count(const tdc_program *program) {
  return program->interface->state.size();
}

const tdc_tensor_type *tdc_state_get(const tdc_program *program, size_t index) {
  const std::vector<tdc_tensor_type> &state = program->interface->state;
  return index < state.size() ? &state[index] : nullptr;
}

const tdc_state_role *tdc_state_get_role(const tdc_program *program,
                                         size_t index) {
  const std::vector<tdc_state_role> &roles = program->interface->roles;
  return index < roles.size() ? &roles[index] : nullptr;
}

const char *tdc_state_get_removed(const tdc_program *program, size_t index) {
  const std::vector<std::string> &removed = program->interface->removed;
  return index < removed.size() ? removed[index].c_str() : nullptr;
}
