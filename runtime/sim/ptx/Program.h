//===- Program.h - decoded kernels ----------------------------------------===//
//
// A kernel as the warps of a block execute it. Each instruction is a function
// that computes it for the 32 lanes of a warp; its operands are places in the
// warp's register file, where the values of one register for all lanes lie side
// by side. Immediates are registers too, filled before the kernel starts, so
// that an operand is an operand.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_SIM_PTX_PROGRAM_H
#define TDC_SIM_PTX_PROGRAM_H

#include "ptx/Module.h"
#include "ptx/Syntax.h"

namespace tdc::sim {

inline constexpr unsigned kLanes = 32;
inline constexpr unsigned kMaxWarps = 32; ///< 1024 threads

struct Warp;
struct Instruction;
using Handler = void (*)(Warp &, const Instruction &);

/// What an instruction does to the flow of control.
enum class Control : uint8_t {
  None,
  Branch,        ///< to `target`
  IndexedBranch, ///< to the element of a table that an operand says
  Exit,
  Barrier, ///< of warps: the handler arrives, the warp may have to wait
  Trap
};

/// Which lanes have to execute an instruction together (the .sync and .aligned
/// of PTX ISA 9.7).
enum class Members : uint8_t {
  Any,     ///< no rule
  Operand, ///< the member mask that is the last operand
  Live,    ///< all that have not ended
  All      ///< all 32
};

/// An operand of an instruction: where the values of its 32 lanes begin in the
/// register file, in bytes. A predicate is one word with a bit per lane. As
/// offsets are multiples of four, bit 0 can say something about the operand.
using Slot = uint32_t;
inline constexpr Slot kNoSlot = ~0u;
/// In the slot of a predicate: it is negated.
inline constexpr Slot kNegated = 1;
/// In the slot of an address: the register has 32 bits.
inline constexpr Slot kNarrow = 1;

struct Instruction {
  Handler execute;
  const Slot *operands;    ///< results first, vectors flattened
  int64_t displacement[2]; ///< of the first and the second address
  Slot guard;              ///< kNoSlot: always executed
  uint32_t target;         ///< of a branch: instruction or table
  uint32_t line;           ///< of the PTX
  syntax::SourceLocation source;
  uint32_t parameter;  ///< what Form::parameter says
  uint16_t operations; ///< floating-point, of each lane
  uint8_t numOperands;
  /// Of the registers that a load, a store or a conversion writes and reads:
  /// what is moved may be narrower.
  uint8_t resultBytes, sourceBytes;
  Control control;
  Members members;
  bool isAccess; ///< of memory: here another warp may go on
  bool isMatrix; ///< tensor cores do its operations
};

/// A register whose lanes have the same value from the start.
struct Constant {
  Slot slot;
  Width width;
  uint64_t bits;
};

enum class SpecialRegister : uint8_t {
  TidX,
  TidY,
  TidZ,
  NtidX,
  NtidY,
  NtidZ,
  CtaidX,
  CtaidY,
  CtaidZ,
  NctaidX,
  NctaidY,
  NctaidZ,
  LaneId,
  WarpId,
  NumWarps,
  SmId,
  NumSms,
  LaneMaskEq,
  LaneMaskLe,
  LaneMaskLt,
  LaneMaskGe,
  LaneMaskGt,
  DynamicSharedBytes
};

struct SpecialUse {
  Slot slot;
  SpecialRegister which;
};

struct Kernel {
  KernelInfo info;
  std::vector<Instruction> code;
  std::vector<Slot> operands;       ///< Instruction::operands points here
  std::vector<std::string> opcodes; ///< of each instruction, for messages
  std::vector<std::vector<uint32_t>> branchTables;
  uint32_t registerBytes = 0; ///< of one warp
  std::vector<Constant> constants;
  std::vector<SpecialUse> specials;
  uint32_t dynamicSharedOffset = 0;
  bool usesDynamicShared = false;
  std::array<unsigned, 3> requiredBlock = {}; ///< .reqntid, 0 for none
  std::map<unsigned, std::string> files;
};

} // namespace tdc::sim

#endif // TDC_SIM_PTX_PROGRAM_H
