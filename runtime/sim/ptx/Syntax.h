//===- Syntax.h - the parts of a PTX module as written --------------------===//
//
// The parser's output, which the decoder reads: declarations and statements.
// Registers are already numbered, since their names obey the scopes of `{ }`;
// opcodes are still text.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_SIM_PTX_SYNTAX_H
#define TDC_SIM_PTX_SYNTAX_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace tdc::sim {

/// Where an address points (PTX ISA 5.1, "State Spaces").
enum class Space : uint8_t { Generic, Global, Shared, Local, Param, Const };

/// Size of a register's value; 8-bit registers are kept in 16 bits.
enum class Width : uint8_t { Predicate, Bits16, Bits32, Bits64 };

namespace syntax {

struct Operand {
  enum class Kind : uint8_t {
    Register, ///< `index`
    Special,  ///< `name`, a special register such as %tid.x
    Symbol,   ///< `name`, a variable or a label, and `displacement`
    Integer,  ///< `bits`
    Float32,  ///< `bits`
    Float64,  ///< `bits`
    Vector,   ///< `parts`
    Address,  ///< `parts[0]` and `displacement`
    Sink      ///< `_`: the result is discarded
  };
  Kind kind;
  bool isNegated = false; ///< `!p`
  unsigned index = 0;
  uint64_t bits = 0;
  int64_t displacement = 0; ///< in bytes
  std::string name;
  std::vector<Operand> parts;
};

struct SourceLocation {
  unsigned file = 0; ///< of a .file directive, 0 for none
  unsigned line = 0;
};

struct Statement {
  std::string opcode;
  /// In the order of the text; `d|p` counts as two.
  std::vector<Operand> operands;
  bool hasGuard = false;
  Operand guard;
  int line; ///< of the PTX
  SourceLocation source;
};

struct Variable {
  std::string name;
  Space space;
  uint64_t bytes; ///< 0 for an array without a size
  unsigned alignment;
  bool isExtern = false;
  std::vector<std::byte> initial; ///< empty: zeros
  int line;
};

struct Function {
  std::string name;
  int line;
  std::vector<Variable> parameters;
  std::vector<Variable> variables; ///< .shared and .local
  std::vector<Width> registers;
  std::vector<Statement> statements;
  std::map<std::string, unsigned> labels; ///< index of the statement
  std::map<std::string, std::vector<std::string>> branchTargets;
  unsigned maxThreads = 0;               ///< .maxntid, 0 for none
  std::array<unsigned, 3> required = {}; ///< .reqntid, 0 for none
  unsigned maxRegisters = 0;             ///< .maxnreg, 0 for none
};

struct Module {
  double version = 0; ///< of the PTX ISA
  std::string target; ///< sm_80
  std::vector<Function> functions;
  std::vector<Variable> variables;
  std::map<unsigned, std::string> files;
};

} // namespace syntax
} // namespace tdc::sim

#endif // TDC_SIM_PTX_SYNTAX_H
