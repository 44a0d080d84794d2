//===- Interfaces.cpp - the functions and the state of a program ----------===//

#include "Handles.h"

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

Interface::Interface(std::unique_ptr<const Program> program)
    : code(std::move(program)) {
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
    function.owner = this;
    function.index = i;
  }
  for (int32_t i = 0; i < table.num_slots; ++i) {
    const tdrt_slot &slot = table.slots[i];
    if (!isState(slot))
      continue;
    state.push_back({slot.name, slot.dtype, slot.rank, slot.dims});
    stateSlots.push_back(i);
  }
  for (int32_t i = 0; i < table.num_aliases; ++i) {
    const tdrt_alias &alias = table.aliases[i];
    const tdrt_slot &slot = table.slots[alias.slot];
    state.push_back({alias.name, slot.dtype, slot.rank, slot.dims});
    stateSlots.push_back(alias.slot);
  }
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
