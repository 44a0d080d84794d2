//===- Forms.h - the opcodes that can be executed -------------------------===//
//
// A form is one opcode with one choice of qualifiers and one pattern of
// operands. The families of execute/ fill the table, the decoder searches it,
// and a test compares every form with a reference.
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
    AnyResult,  ///< any register of at least `width`
    AnySource,  ///< the same for a source
    Address,    ///< in a register of 32 or 64 bits
    Immediate,  ///< an integer, given to the handler as a register
    Label,      ///< of an instruction
    BranchTable ///< the label of .branchtargets
  };
  Kind kind;
  Width width = Width::Bits32;
  unsigned count = 1; ///< more than 1: written as {a, b}
};

struct Form {
  Handler execute = nullptr;
  std::vector<OperandForm> operands;
  Control control = Control::None;
  Members members = Members::Any;
  bool isAccess = false;
  uint16_t operations = 0; ///< floating-point operations of a lane
  bool isMatrix = false;   ///< whether tensor cores execute them
  uint32_t parameter = 0;  ///< meaning defined by the family
  int target = 80;         ///< the lowest .target that has it
};

class FormTable {
public:
  /// Filled once, by all families.
  static const FormTable &get();

  /// Adds a form. An opcode may have several forms, with different operands.
  void add(const std::string &opcode, Form form);
  void add(std::initializer_list<std::string_view> partsOfOpcode, Form form);
  /// The forms of an opcode; null if it is unknown. `opcode` is without the
  /// qualifiers that have no effect here (see simplifyOpcode).
  const std::vector<Form> *find(const std::string &opcode) const;
  const std::unordered_map<std::string, std::vector<Form>> &all() const {
    return forms;
  }

private:
  std::unordered_map<std::string, std::vector<Form>> forms;
};

/// Removes the qualifiers that tell hardware how to cache or order accesses,
/// which are executed in order here anyway:
/// ld.relaxed.gpu.global.L1::no_allocate.b32 becomes ld.global.b32. Unknown
/// qualifiers stay, so that the opcode is not found.
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
