//===- Decoder.cpp - a parsed kernel to an executable one -----------------===//
//
// Finds the form of each instruction, checks its operands against the form and
// assigns offsets in the register file to registers, immediates and addresses.
//
//===----------------------------------------------------------------------===//

#include "ptx/Decoder.h"
#include "ptx/Forms.h"
#include "ptx/Lexer.h"
#include "ptx/Limits.h"
#include <cstring>
#include <deque>
#include <optional>

namespace tdc::sim {

namespace {

using syntax::Operand;
using syntax::Statement;
using syntax::Variable;

uint32_t bytesOf(Width width) {
  switch (width) {
  case Width::Predicate:
    return 4;
  case Width::Bits16:
    return 2 * kLanes;
  case Width::Bits32:
    return 4 * kLanes;
  case Width::Bits64:
    return 8 * kLanes;
  }
  __builtin_unreachable();
}

const char *nameOf(Width width) {
  switch (width) {
  case Width::Predicate:
    return "a predicate";
  case Width::Bits16:
    return "16 bits";
  case Width::Bits32:
    return "32 bits";
  case Width::Bits64:
    return "64 bits";
  }
  __builtin_unreachable();
}

uint64_t alignUp(uint64_t offset, uint64_t alignment) {
  return (offset + alignment - 1) / alignment * alignment;
}

const std::map<std::string, SpecialRegister> &specialRegisters() {
  static const std::map<std::string, SpecialRegister> registers = {
      {"%tid.x", SpecialRegister::TidX},
      {"%tid.y", SpecialRegister::TidY},
      {"%tid.z", SpecialRegister::TidZ},
      {"%ntid.x", SpecialRegister::NtidX},
      {"%ntid.y", SpecialRegister::NtidY},
      {"%ntid.z", SpecialRegister::NtidZ},
      {"%ctaid.x", SpecialRegister::CtaidX},
      {"%ctaid.y", SpecialRegister::CtaidY},
      {"%ctaid.z", SpecialRegister::CtaidZ},
      {"%nctaid.x", SpecialRegister::NctaidX},
      {"%nctaid.y", SpecialRegister::NctaidY},
      {"%nctaid.z", SpecialRegister::NctaidZ},
      {"%laneid", SpecialRegister::LaneId},
      {"%warpid", SpecialRegister::WarpId},
      {"%nwarpid", SpecialRegister::NumWarps},
      {"%smid", SpecialRegister::SmId},
      {"%nsmid", SpecialRegister::NumSms},
      {"%lanemask_eq", SpecialRegister::LaneMaskEq},
      {"%lanemask_le", SpecialRegister::LaneMaskLe},
      {"%lanemask_lt", SpecialRegister::LaneMaskLt},
      {"%lanemask_ge", SpecialRegister::LaneMaskGe},
      {"%lanemask_gt", SpecialRegister::LaneMaskGt},
      {"%dynamic_smem_size", SpecialRegister::DynamicSharedBytes}};
  return registers;
}

uint64_t float64To32(uint64_t bits) {
  double wide;
  memcpy(&wide, &bits, sizeof wide);
  float narrow = float(wide);
  uint32_t result;
  memcpy(&result, &narrow, sizeof result);
  return result;
}

uint64_t float32To64(uint64_t bits) {
  uint32_t word = uint32_t(bits);
  float narrow;
  memcpy(&narrow, &word, sizeof narrow);
  double wide = narrow;
  memcpy(&bits, &wide, sizeof bits);
  return bits;
}

class Decoder {
public:
  Decoder(const syntax::Function &function, const syntax::Module &module,
          const std::map<std::string, uint64_t> &addresses, int target,
          Skips &skips)
      : function(function), module(module), addresses(addresses),
        target(target), skips(skips) {}

  Kernel run() {
    kernel.info.name = function.name;
    kernel.files = module.files;
    kernel.requiredBlock = function.required;
    unsigned required =
        function.required[0] * function.required[1] * function.required[2];
    unsigned limit = required ? required : function.maxThreads;
    kernel.info.maxThreads = limit ? std::min(limit, kMaxThreads) : kMaxThreads;
    unsigned registers = function.maxRegisters;
    kernel.info.fittingThreads =
        limit ? kernel.info.maxThreads
              : getMaxThreads(registers ? registers : kMostRegisters);
    layOutParameters();
    for (const Variable &variable : function.variables)
      place(variable);
    for (Width width : function.registers)
      slots.push_back(newSlot(width));
    for (const Statement &statement : function.statements)
      decodeStatement(statement);
    appendExit();
    finish();
    return std::move(kernel);
  }

private:
  //===--------------------------------------------------------------------===//
  // Variables and registers
  //===--------------------------------------------------------------------===//

  void layOutParameters() {
    uint64_t offset = 0;
    for (const Variable &parameter : function.parameters) {
      offset = alignUp(offset, parameter.alignment);
      kernel.info.parameters.push_back(
          {uint32_t(offset), uint32_t(parameter.bytes)});
      symbols[parameter.name] = {offset, Space::Param};
      offset += parameter.bytes;
      unsigned most =
          module.version < 8.1 ? kParameterBytesBefore81 : kParameterBytes;
      if (offset > most)
        refusePtx(parameter.line, "the parameters of a kernel may have " +
                                      std::to_string(most) + " bytes together");
    }
    kernel.info.parameterBytes = uint32_t(offset);
  }

  /// Gives a .shared or .local variable its offset. Those of the module are
  /// placed when the kernel first names them.
  void place(const Variable &variable) {
    if (variable.isExtern || variable.bytes == 0) {
      // Dynamic shared memory: all such variables begin where the rest ends.
      kernel.usesDynamicShared = true;
      dynamicAlignment = std::max(dynamicAlignment, variable.alignment);
      dynamicNames.push_back(variable.name);
      symbols[variable.name] = {0, Space::Shared};
      return;
    }
    uint32_t &bytes = variable.space == Space::Shared ? kernel.info.sharedBytes
                                                      : kernel.info.localBytes;
    uint64_t offset = alignUp(bytes, variable.alignment);
    unsigned most =
        variable.space == Space::Shared ? kSharedBytes : kLocalBytes;
    if (offset > most || variable.bytes > most - offset)
      refusePtx(variable.line,
                "'" + variable.name + "' is too large: a " +
                    (variable.space == Space::Shared ? "block" : "thread") +
                    " has " + std::to_string(most) + " bytes");
    symbols[variable.name] = {offset, variable.space};
    bytes = uint32_t(offset + variable.bytes);
  }

  Slot newSlot(Width width) {
    // Rows of 32 bytes keep vector loads within a cache line.
    if (width != Width::Predicate)
      kernel.registerBytes = uint32_t(alignUp(kernel.registerBytes, 32));
    Slot slot = kernel.registerBytes;
    kernel.registerBytes += bytesOf(width);
    if (kernel.registerBytes > 1u << 30)
      refusePtx(function.line, "too many registers");
    return slot;
  }

  Slot constant(Width width, uint64_t bits) {
    if (width == Width::Predicate)
      bits = bits != 0;
    else if (width != Width::Bits64)
      bits &= (uint64_t(1) << (width == Width::Bits32 ? 32 : 16)) - 1;
    auto [entry, isNew] = constants.try_emplace({width, bits}, 0);
    if (isNew) {
      entry->second = newSlot(width);
      kernel.constants.push_back({entry->second, width, bits});
    }
    return entry->second;
  }

  Slot trash(Width width) {
    std::optional<Slot> &slot = trashSlots[unsigned(width)];
    if (!slot)
      slot = newSlot(width);
    return *slot;
  }

  Slot special(const Operand &operand) {
    auto found = specialRegisters().find(operand.name);
    if (found == specialRegisters().end())
      refuse("the register " + operand.name + " is not simulated");
    auto [entry, isNew] = specials.try_emplace(found->second, 0);
    if (isNew) {
      entry->second = newSlot(Width::Bits32);
      kernel.specials.push_back({entry->second, found->second});
    }
    return entry->second;
  }

  struct Symbol {
    uint64_t address;
    Space space;
  };

  Symbol lookUp(const std::string &name) {
    auto known = symbols.find(name);
    if (known == symbols.end()) {
      if (auto found = addresses.find(name); found != addresses.end()) {
        known =
            symbols.emplace(name, Symbol{found->second, Space::Global}).first;
      } else {
        for (const Variable &variable : module.variables)
          if (variable.name == name && (variable.space == Space::Shared ||
                                        variable.space == Space::Local))
            place(variable);
        known = symbols.find(name);
      }
    }
    if (known == symbols.end())
      refuse("no register or variable '" + name + "'");
    return known->second;
  }

  //===--------------------------------------------------------------------===//
  // Statements
  //===--------------------------------------------------------------------===//

  [[noreturn]] void refuse(const std::string &message) const {
    refusePtx(statement->line, statement->opcode + ": " + message);
  }

  void decodeStatement(const Statement &next) {
    statement = &next;
    instruction = {};
    instruction.line = uint32_t(next.line);
    instruction.source = next.source;
    instruction.guard = kNoSlot;
    if (next.hasGuard)
      instruction.guard = predicate(next.guard);

    const std::string opcode = simplifyOpcode(next.opcode);
    const std::vector<Form> *forms = FormTable::get().find(opcode);
    if (!forms)
      refuse("this instruction is not simulated");
    std::vector<const Operand *> operands;
    const Form *form = match(*forms, operands);
    if (!form)
      refuse("operands of another number or form expected");
    if (form->target > target)
      refuse("needs .target sm_" + std::to_string(form->target));

    instruction.execute = form->execute;
    instruction.control = form->control;
    instruction.members = form->members;
    instruction.isAccess = form->isAccess;
    instruction.parameter = form->parameter;
    instruction.operations = form->operations;
    instruction.isMatrix = form->isMatrix;
    firstOperand = kernel.operands.size();
    numAddresses = 0;
    auto at = operands.begin();
    for (const OperandForm &expected : form->operands)
      for (unsigned i = 0; i < expected.count; ++i)
        decodeOperand(expected, **at++);
    instruction.numOperands = uint8_t(kernel.operands.size() - firstOperand);
    for (Skip &one : skips)
      if (next.opcode.compare(0, one.prefix.size(), one.prefix) == 0 &&
          ++one.count == one.number)
        skip();
    append(next.opcode);
  }

  /// The first form that matches the kinds of the statement's operands. `flat`
  /// receives the operands, vectors replaced by their elements.
  const Form *match(const std::vector<Form> &forms,
                    std::vector<const Operand *> &flat) const {
    for (const Form &form : forms)
      if (matches(form, flat))
        return &form;
    return nullptr;
  }

  bool matches(const Form &form, std::vector<const Operand *> &flat) const {
    flat.clear();
    if (form.operands.size() != statement->operands.size())
      return false;
    for (size_t i = 0; i < form.operands.size(); ++i) {
      const Operand &operand = statement->operands[i];
      const OperandForm &expected = form.operands[i];
      bool isAddress = operand.kind == Operand::Kind::Address;
      if (isAddress != (expected.kind == OperandForm::Kind::Address))
        return false;
      if (operand.kind != Operand::Kind::Vector) {
        if (expected.count > 1 || !fitsPredicate(expected, operand))
          return false;
        flat.push_back(&operand);
        continue;
      }
      if (operand.parts.size() != expected.count)
        return false;
      for (const Operand &part : operand.parts)
        flat.push_back(&part);
      if (expected.count > 1 && !fitsVector(expected, operand))
        return false;
    }
    return true;
  }

  /// The last operand of cp.async is a number or a predicate.
  bool fitsPredicate(const OperandForm &expected,
                     const Operand &operand) const {
    return operand.kind != Operand::Kind::Register ||
           (function.registers[operand.index] == Width::Predicate) ==
               (expected.width == Width::Predicate);
  }

  /// mov.b64 {a, b, c, d} and mov.b64 {a, b} differ in their registers' widths.
  bool fitsVector(const OperandForm &expected, const Operand &vector) const {
    if (expected.kind == OperandForm::Kind::AnyResult ||
        expected.kind == OperandForm::Kind::AnySource)
      return true;
    for (const Operand &part : vector.parts)
      if (part.kind == Operand::Kind::Register &&
          function.registers[part.index] != expected.width)
        return false;
    return true;
  }

  void decodeOperand(const OperandForm &expected, const Operand &operand) {
    switch (expected.kind) {
    case OperandForm::Kind::Result:
    case OperandForm::Kind::AnyResult:
      return push(result(expected, operand));
    case OperandForm::Kind::Source:
    case OperandForm::Kind::AnySource:
      return push(source(expected, operand));
    case OperandForm::Kind::Address:
      return push(address(operand));
    case OperandForm::Kind::Immediate:
      if (operand.kind != Operand::Kind::Integer)
        refuse("a number expected");
      return push(constant(expected.width, operand.bits));
    case OperandForm::Kind::Label: {
      auto found = function.labels.find(operand.name);
      if (found == function.labels.end())
        refuse("no label '" + operand.name + "'");
      instruction.target = found->second;
      return;
    }
    case OperandForm::Kind::BranchTable: {
      auto found = function.branchTargets.find(operand.name);
      if (found == function.branchTargets.end())
        refuse("no .branchtargets '" + operand.name + "'");
      instruction.target = uint32_t(kernel.branchTables.size());
      std::vector<uint32_t> &table = kernel.branchTables.emplace_back();
      for (const std::string &label : found->second)
        table.push_back(function.labels.at(label));
      return;
    }
    }
  }

  void push(Slot slot) { kernel.operands.push_back(slot); }

  /// The slot of a register after a check of its width.
  Slot registerSlot(const OperandForm &expected, const Operand &operand) {
    Width width = function.registers[operand.index];
    bool isAny = expected.kind == OperandForm::Kind::AnyResult ||
                 expected.kind == OperandForm::Kind::AnySource;
    // PTX ISA 9.4.1: loads, stores and conversions take wider registers.
    if (isAny ? width < expected.width || width == Width::Predicate
              : width != expected.width)
      refuse(std::string("an operand of ") + nameOf(expected.width) +
             " expected, '" + operand.name + "' has " + nameOf(width));
    if (isAny)
      noteWidth(expected, width);
    return slots[operand.index];
  }

  void noteWidth(const OperandForm &expected, Width width) {
    uint8_t bytes = uint8_t(bytesOf(width) / kLanes);
    uint8_t &known = expected.kind == OperandForm::Kind::AnyResult
                         ? instruction.resultBytes
                         : instruction.sourceBytes;
    if (known && known != bytes)
      refuse("registers of one width expected");
    known = bytes;
  }

  Slot result(const OperandForm &expected, const Operand &operand) {
    if (operand.kind == Operand::Kind::Register && !operand.displacement)
      return registerSlot(expected, operand);
    if (operand.kind == Operand::Kind::Sink) {
      if (expected.kind == OperandForm::Kind::Result)
        return trash(expected.width);
      // As wide as the other results, which may come after this one.
      Width width = expected.width;
      for (const Operand &part : statement->operands[0].parts)
        if (part.kind == Operand::Kind::Register)
          width = function.registers[part.index];
      noteWidth(expected, width);
      return trash(width);
    }
    refuse("a register expected");
  }

  Slot predicate(const Operand &operand) {
    if (operand.kind != Operand::Kind::Register)
      refuse("a predicate expected");
    Slot slot =
        registerSlot({OperandForm::Kind::Source, Width::Predicate}, operand);
    return operand.isNegated ? slot | kNegated : slot;
  }

  Slot source(const OperandForm &expected, const Operand &operand) {
    if (expected.width == Width::Predicate &&
        operand.kind == Operand::Kind::Register)
      return predicate(operand);
    if (operand.isNegated)
      refuse("only a predicate can be negated");
    switch (operand.kind) {
    case Operand::Kind::Register:
      if (operand.displacement)
        refuse("a sum is no operand");
      return registerSlot(expected, operand);
    case Operand::Kind::Special: {
      Slot slot = special(operand);
      if (expected.width != Width::Bits32)
        refuse(operand.name + " has 32 bits");
      return slot;
    }
    case Operand::Kind::Symbol: {
      Symbol symbol = lookUp(operand.name);
      if (expected.width != Width::Bits64 &&
          !(expected.width == Width::Bits32 && symbol.space != Space::Global))
        refuse("an address has 64 bits");
      return symbolSlot(operand, symbol, expected.width, operand.displacement);
    }
    case Operand::Kind::Integer:
      return immediate(expected, operand.bits);
    case Operand::Kind::Float32:
      return immediate(expected, expected.width == Width::Bits64
                                     ? float32To64(operand.bits)
                                     : operand.bits);
    case Operand::Kind::Float64:
      return immediate(expected, expected.width == Width::Bits32
                                     ? float64To32(operand.bits)
                                     : operand.bits);
    case Operand::Kind::Vector:
    case Operand::Kind::Address:
    case Operand::Kind::Sink:
      refuse("a register or a number expected");
    }
    __builtin_unreachable();
  }

  Slot immediate(const OperandForm &expected, uint64_t bits) {
    if (expected.kind != OperandForm::Kind::AnySource)
      return constant(expected.width, bits);
    // As wide as the registers in the same vector, else as narrow as possible.
    Width width = expected.width;
    for (const Operand &operand : statement->operands)
      for (const Operand &part : operand.parts)
        if (operand.kind == Operand::Kind::Vector &&
            part.kind == Operand::Kind::Register)
          width = function.registers[part.index];
    noteWidth(expected, width);
    return constant(width, bits);
  }

  /// Dynamic shared memory begins where static memory ends, which is known
  /// when all instructions are decoded.
  Slot symbolSlot(const Operand &operand, const Symbol &symbol, Width width,
                  int64_t displacement) {
    for (const std::string &name : dynamicNames)
      if (operand.name == name) {
        Slot slot = newSlot(width);
        dynamicUses.push_back(kernel.constants.size());
        kernel.constants.push_back({slot, width, uint64_t(displacement)});
        return slot;
      }
    return constant(width, symbol.address + uint64_t(displacement));
  }

  Slot address(const Operand &operand) {
    if (numAddresses == 2)
      refuse("too many addresses");
    int64_t &displacement = instruction.displacement[numAddresses++];
    displacement = operand.displacement;
    const Operand &base = operand.parts[0];
    switch (base.kind) {
    case Operand::Kind::Register: {
      Width width = function.registers[base.index];
      if (width == Width::Bits32)
        return slots[base.index] | kNarrow;
      if (width != Width::Bits64)
        refuse("an address of 32 or 64 bits expected");
      return slots[base.index];
    }
    case Operand::Kind::Symbol: {
      Symbol symbol = lookUp(base.name);
      checkSpace(symbol.space, base.name);
      return symbolSlot(base, symbol, Width::Bits64, 0);
    }
    case Operand::Kind::Integer:
      return constant(Width::Bits64, base.bits);
    default:
      refuse("a register, a variable or a number expected as an address");
    }
  }

  /// Throws Fault if the opcode names another state space than the variable in
  /// brackets has: ld.global of a .shared variable is a mistake of the
  /// programmer.
  void checkSpace(Space space, const std::string &name) const {
    static const std::pair<const char *, Space> spaces[] = {
        {".shared", Space::Shared},
        {".local", Space::Local},
        {".param", Space::Param}};
    for (auto [text, stated] : spaces) {
      bool isStated = statement->opcode.find(text) != std::string::npos;
      if (isStated != (space == stated) &&
          statement->opcode.rfind("cp.", 0) != 0)
        refuse("'" + name + "' is not in the state space of the instruction");
    }
  }

  /// Replaces the instruction by one that does nothing, for a test that checks
  /// that its absence is detected.
  void skip() {
    instruction.execute = [](Warp &, const Instruction &) {};
    instruction.control = Control::None;
    instruction.members = Members::Any;
    instruction.operations = 0;
  }

  void append(const std::string &opcode) {
    operandOf.push_back(firstOperand);
    kernel.code.push_back(instruction);
    kernel.opcodes.push_back(opcode);
  }

  /// Appends an exit: a kernel that runs past its last instruction ends.
  void appendExit() {
    instruction = {};
    instruction.guard = kNoSlot;
    instruction.control = Control::Exit;
    instruction.line = function.statements.empty()
                           ? uint32_t(function.line)
                           : uint32_t(function.statements.back().line);
    firstOperand = kernel.operands.size();
    append("the end of the kernel");
  }

  void finish() {
    kernel.dynamicSharedOffset =
        uint32_t(alignUp(kernel.info.sharedBytes, dynamicAlignment));
    if (kernel.usesDynamicShared)
      kernel.info.sharedBytes = kernel.dynamicSharedOffset;
    for (size_t use : dynamicUses)
      kernel.constants[use].bits += kernel.dynamicSharedOffset;
    kernel.registerBytes = uint32_t(alignUp(kernel.registerBytes, 64));
    for (size_t i = 0; i < kernel.code.size(); ++i)
      kernel.code[i].operands = kernel.operands.data() + operandOf[i];
  }

  const syntax::Function &function;
  const syntax::Module &module;
  const std::map<std::string, uint64_t> &addresses;
  int target;
  Skips &skips;

  Kernel kernel;
  std::vector<Slot> slots; ///< of the registers
  std::map<std::string, Symbol> symbols;
  std::map<std::pair<Width, uint64_t>, Slot> constants;
  std::map<SpecialRegister, Slot> specials;
  std::optional<Slot> trashSlots[4];
  unsigned dynamicAlignment = 1;
  std::vector<std::string> dynamicNames;
  std::vector<size_t> dynamicUses; ///< of kernel.constants
  std::vector<size_t> operandOf;   ///< first operand of each instruction

  const Statement *statement = nullptr;
  Instruction instruction{};
  size_t firstOperand = 0;
  unsigned numAddresses = 0;
};

} // namespace

Kernel decode(const syntax::Function &function, const syntax::Module &module,
              const std::map<std::string, uint64_t> &addresses, int target,
              Skips &skips) {
  return Decoder(function, module, addresses, target, skips).run();
}

} // namespace tdc::sim
