//===- CheckpointFormat.h - the metadata that tdc adds to safetensors -----===//
//
// A checkpoint is a .safetensors file that every reader of the format can read.
// tdc's additions are in __metadata__, in this order:
//
//   tdc.version           version of tdc that wrote it
//   <alias>               another name of a tied parameter: its tensor's key
//   tdc.xxh64.<key>       XXH64 of a tensor's data, 16 hexadecimal digits
//   tdc.seed, tdc.random  seed and counter of the random stream
//   tdc.value.<name>      "int 5", "float 1.8p+0" (hexadecimal), "bool true"
//   tdc.checksum          XXH64 of all entries before it: key NUL value NUL
//
// Seed, counter and values are in checkpoints only, not in pure weights.
// Optimizer state has keys that begin with "opt.", and positions of loaders
// have keys that begin with "loader.". Tensors are stored by decreasing element
// size, so each is aligned to its element.
//
//===----------------------------------------------------------------------===//

#ifndef TDRT_CHECKPOINT_CHECKPOINTFORMAT_H
#define TDRT_CHECKPOINT_CHECKPOINTFORMAT_H

#include "tdc_files.h"
#include "tdc_runtime.h"
#include <string>

namespace tdrt {

constexpr char kVersionKey[] = "tdc.version";
constexpr char kSumPrefix[] = "tdc.xxh64.";
constexpr char kSeedKey[] = "tdc.seed";
constexpr char kRandomKey[] = "tdc.random";
constexpr char kValuePrefix[] = "tdc.value.";
constexpr char kChecksumKey[] = "tdc.checksum";
/// The keys of the parts of a checkpoint that are not models.
constexpr const char *kPartPrefixes[] = {"opt.", "loader."};
constexpr size_t kNumParts = 3;

/// The value of kChecksumKey for the entries before it.
std::string metadataChecksum(const SafetensorsHeader &header);

/// Convert a scalar to text and back; parseValue returns false if the text is
/// not a value of `type`. Floats are hexadecimal: exact, and independent of the
/// locale.
std::string valueText(int32_t type, const tdrt_value &value);
bool parseValue(const std::string &text, int32_t type, tdrt_value &value);

/// Slot `index` of a program. Throws Failure TR399 if it is not on the cpu: the
/// program itself must copy others to and from the cpu.
const tdrt_slot &getFileSlot(const tdrt_program &program, int32_t index);

/// Throws FileFault TR742 if the metadata of a file that tdc wrote does not
/// have its correct checksum, or not one checksum for each tensor. Files of
/// other programs have no checksums and pass.
void checkMetadata(const SafetensorsHeader &header);

} // namespace tdrt

#endif // TDRT_CHECKPOINT_CHECKPOINTFORMAT_H
