//===- Schedule.h - the parts of td-schedule --------------------*- C++ -*-===//

#ifndef TDC_LIB_DIALECT_TD_TRANSFORMS_SCHEDULE_SCHEDULE_H
#define TDC_LIB_DIALECT_TD_TRANSFORMS_SCHEDULE_SCHEDULE_H

#include "Dialect/TD/IR/BytesByGPU.h"
#include "Dialect/TD/IR/TD.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tdc::td {

/// Whether so many bytes more fit on all of these GPUs; if so, they are taken.
using HasRoom = llvm::function_ref<bool(const BytesByGPU &bytes)>;

/// What an iteration of the loop uploads, and can be made without the previous
/// iteration, is made and copied in the previous iteration, beside its kernels.
void prefetch(mlir::scf::ForOp loop, HasRoom hasRoom);

/// What the host reads from a GPU in each iteration of a loop, it reads one
/// iteration later, when the kernels of that are queued.
void readLate(mlir::scf::ForOp loop, HasRoom hasRoom);

/// What the host reads from a GPU is copied beside the kernels that do not
/// depend on it, and waited for behind them.
void deferDownloads(mlir::Block &block, HasRoom hasRoom);

/// What one GPU copies from another runs beside the kernels of both.
void beginPeerCopies(mlir::Block &block, HasRoom hasRoom);

/// Copies of one queue arrive in order: who waited for one has waited for those
/// that began before. Leaves out the waits of the block that say nothing more.
void joinWaits(mlir::Block &block);

/// Says why a copy of a loop stays in its iteration, one of not_pipelined, and
/// which op is the reason where it is another one.
void leaveNotPipelined(ToDeviceOp copy, llvm::StringRef why,
                       mlir::Operation *by = nullptr);

/// What begins to copy `input` in place of a transfer, which stays. `after` is
/// null but for uploads, `iteration` where there is one buffer.
CopyStartOp startCopy(mlir::OpBuilder &builder, ToDeviceOp transfer,
                      mlir::Value input, mlir::Value after = {},
                      mlir::Value iteration = {});

/// The bytes of tensors on their GPUs.
BytesByGPU countBytes(llvm::ArrayRef<mlir::RankedTensorType> tensors);

/// Whether the host gives a GPU a tensor, in the queue of its kernels.
bool isUpload(mlir::Operation *op);

/// Whether the host gets a tensor from a GPU.
bool isDownload(mlir::Operation *op);

/// Whether the op is given to a GPU's queue of kernels, which the host does not
/// wait for.
bool isQueued(mlir::Operation *op);

} // namespace tdc::td

#endif // TDC_LIB_DIALECT_TD_TRANSFORMS_SCHEDULE_SCHEDULE_H
