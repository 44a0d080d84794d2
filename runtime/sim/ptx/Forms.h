//===- Forms.h - the opcodes that can be executed -------------------------===//
//
// A form is one opcode with one choice of qualifiers and one pattern of
// operands. The table is filled by the families of execute/, is searched by the
// decoder, and is walked by the test that holds every form to a reference.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_SIM_PTX_FORMS_H
#define TDC_SIM_PTX_FORMS_H

#include "ptx/Program.h"
#include <initializer_list>
#include <string_view>
#include <unordered_map>

namespace tdc::sim {

struct OperandForm {
  enum class Kind : uint8_t {
    Result,     ///< a register that is written
    Source,     ///< a register that is read, or an immediate
    AnyResult,  ///< as wide as the program likes, at least `width`
    AnySource,  ///< the same for what is read
    Address,    ///< in a register of 32 or 64 bits
    Immediate,  ///< an integer, given to the handler as a register
    Label,      ///< of an instruction
    BranchTable ///< the label of .branchtargets
  };
  Kind kind;
  Width width = Width::Bits32;
  unsigned count = 1; ///< more: written as {a, b}
};

struct Form {
  Handler execute = nullptr;
  std::vector<OperandForm> operands;
  Control control = Control::None;
  Members members = Members::Any;
  bool isAccess = false;
  uint16_t operations = 0; ///< floating-point, of a lane
  bool isMatrix = false;   ///< whether tensor cores do them
  uint32_t parameter = 0;  ///< of the family
  int target = 80;         ///< the lowest .target that has it
};

class FormTable {
public:
  /// Filled once, by all families.
  static const FormTable &get();

  /// Another way to write an opcode may differ in its operands.
  void add(const std::string &opcode, Form form);
  void add(std::initializer_list<std::string_view> partsOfOpcode, Form form);
  /// Null if the opcode is unknown. `opcode` is without the qualifiers that
  /// change nothing here (see simplifyOpcode).
  const std::vector<Form> *find(const std::string &opcode) const;
  const std::unordered_map<std::string, std::vector<Form>> &all() const {
    return forms;
  }

private:
  std::unordered_map<std::string, std::vector<Form>> forms;
};

/// Without the qualifiers that tell hardware how to cache or order what is
/// executed in order here anyway: ld.relaxed.gpu.global.L1::no_allocate.b32 is
/// ld.global.b32. What is no qualifier of the opcode stays, and is not found.
std::string simplifyOpcode(const std::string &opcode);

// The families, each in a file of execute/ with its name.
void addAsyncCopyForms(FormTable &table);
void addAtomicForms(FormTable &table);
void addCompareForms(FormTable &table);
void addControlForms(FormTable &table);
void addConvertForms(FormTable &table);
void addFloatForms(FormTable &table);
void addHalfForms(FormTable &table);
void addIntegerForms(FormTable &table);
void addLoadStoreForms(FormTable &table);
void addMatrixForms(FormTable &table);
void addMoveForms(FormTable &table);
void addWarpForms(FormTable &table);

} // namespace tdc::sim

#endif // TDC_SIM_PTX_FORMS_H
