//===- FileFormats.h - which files can be read and written ----------------===//

#ifndef TDC_LIB_FRONTEND_SEMA_FILEFORMATS_H
#define TDC_LIB_FRONTEND_SEMA_FILEFORMATS_H

#include "Builtins.h"
#include "Frontend/Emitter.h"

namespace tdc::sema {

/// What a file holds: tensors (.npy, .npz and others), or the state of models
/// and optimizers (.safetensors).
enum class FileContents : uint8_t { Tensor, State };

/// Whether a path has, as far as it is known now, the ending of the format that
/// is written; TD222 if not.
bool canWrite(Checker &c, const Val &path, FileContents contents);
/// Whether a path can be read; TD222 if not, for a file of PyTorch with the
/// line of Python that converts it.
bool canRead(Checker &c, const Val &path, FileContents contents);

/// Reads a `strict=` or `cast=` of a call that restores a file into
/// `tolerance`. False for any other keyword, nothing after a report.
std::optional<bool> readTolerance(Checker &c, const CallArgs::Keyword &keyword,
                                  Emitter::Tolerance &tolerance);

} // namespace tdc::sema

#endif // TDC_LIB_FRONTEND_SEMA_FILEFORMATS_H
