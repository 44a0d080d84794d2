//===- Schedule.h - the parts of td-schedule ------------------------------===//

#ifndef TDC_LIB_DIALECT_TD_TRANSFORMS_SCHEDULE_SCHEDULE_H
#define TDC_LIB_DIALECT_TD_TRANSFORMS_SCHEDULE_SCHEDULE_H

#include "Dialect/TD/IR/BytesByGPU.h"
#include "Dialect/TD/IR/TD.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tdc::td {

/// Whether all of these GPUs have room for the bytes; if so, the room is
/// reserved.
using HasRoom = llvm::function_ref<bool(const BytesByGPU &bytes)>;

/// Pipelines the uploads of a loop: a tensor that an iteration uploads, and
/// that can be made without the previous iteration, is made and copied during
/// the previous iteration, while its kernels run.
void prefetch(mlir::scf::ForOp loop, HasRoom hasRoom);

/// Pipelines the downloads of a loop: the host reads a tensor that it reads
/// back from a GPU in each iteration one iteration later, after the kernels of
/// that iteration are queued.
void readLate(mlir::scf::ForOp loop, HasRoom hasRoom);

/// Overlaps downloads with kernels of the block that do not depend on them: the
/// host waits after these kernels.
void deferDownloads(mlir::Block &block, HasRoom hasRoom);

/// Overlaps copies between GPUs with the kernels of both.
void beginPeerCopies(mlir::Block &block, HasRoom hasRoom);

/// Removes redundant waits of the block: copies of one queue finish in order,
/// so a wait for one covers all copies that started before it. Waits for
/// uploads stay.
void joinWaits(mlir::Block &block);

/// Marks a copy in a loop as not pipelined: `why` is one of not_pipelined, `by`
/// the op that is the reason if it is not the copy itself.
void leaveNotPipelined(ToDeviceOp copy, llvm::StringRef why,
                       mlir::Operation *by = nullptr);

/// Creates the td.copy_start that copies `input` in place of a transfer; the
/// transfer itself is not erased. `after` is null except for uploads,
/// `iteration` is null if there is only one buffer.
CopyStartOp startCopy(mlir::OpBuilder &builder, ToDeviceOp transfer,
                      mlir::Value input, mlir::Value after = {},
                      mlir::Value iteration = {});

/// The bytes of tensors, summed by GPU.
BytesByGPU countBytes(llvm::ArrayRef<mlir::RankedTensorType> tensors);

/// Whether the op copies a tensor from the cpu to a GPU, in the GPU's queue of
/// kernels.
bool isUpload(mlir::Operation *op);

/// Whether the op copies a tensor from a GPU to the cpu.
bool isDownload(mlir::Operation *op);

/// Whether the op runs in a GPU's queue, so that the host does not wait for it.
bool isQueued(mlir::Operation *op);

} // namespace tdc::td

#endif // TDC_LIB_DIALECT_TD_TRANSFORMS_SCHEDULE_SCHEDULE_H
