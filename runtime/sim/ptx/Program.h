//===- Program.h - decoded kernels ----------------------------------------===//
//
// A kernel as the warps of a block execute it. Each instruction is a function
// that computes it for the 32 lanes of a warp. Its operands are offsets in the
// warp's register file, where the values of one register for all lanes are
// contiguous. Immediates are registers too, filled before the kernel starts, so
// that all operands are alike.
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

/// The effect of an instruction on control flow.
enum class Control : uint8_t {
  None,
  Branch,        ///< to `target`
  IndexedBranch, ///< to an entry of a table, selected by an operand
  Exit,
  Barrier, ///< of warps: the handler arrives, the warp may have to wait
  Trap
};

/// The lanes that must execute an instruction together (the .sync and .aligned
/// of PTX ISA 9.7).
enum class Members : uint8_t {
  Any,     ///< no rule
  Operand, ///< those in the member mask, the last operand
  Live,    ///< all that have not ended
  All      ///< all 32
};

/// An operand of an instruction: the offset in the register file, in bytes,
/// where the values of its 32 lanes begin. A predicate is one word with a bit
/// per lane. As offsets are multiples of four, bit 0 is free for a flag of the
/// operand.
using Slot = uint32_t;
inline constexpr Slot kNoSlot = ~0u;
/// In the slot of a predicate: the predicate is negated.
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
  uint32_t parameter;  ///< Form::parameter
  uint16_t operations; ///< floating-point, of each lane
  uint8_t numOperands;
  /// Bytes of the registers that a load, a store or a conversion writes and
  /// reads; the value itself may be narrower.
  uint8_t resultBytes, sourceBytes;
  Control control;
  Members members;
  bool isAccess; ///< accesses memory: another warp may run after it
  bool isMatrix; ///< tensor cores execute its operations
};

/// A register that has the same value in all lanes from the start.
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
