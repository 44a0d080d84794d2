//===- PyTorchNames.cpp - names of PyTorch that the language lacks --------===//
//
// A name of PyTorch is not a misspelt name: the report says that it is not
// built yet, or what to write instead.
//
//===----------------------------------------------------------------------===//

#include "PyTorchNames.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"

using namespace tdc;

/// Functions and methods, of `torch`, `nn.functional` and tensors.
static constexpr llvm::StringLiteral kFunctions =
    "argwhere as_strided as_strided_scatter bartlett_window bincount binomial "
    "blackman_window chain_matmul cholesky cholesky_inverse cholesky_solve "
    "ctc_loss det eig eigh fractional_max_pool2d fractional_max_pool3d "
    "frobenius_norm frombuffer gru "
    "hamming_window hann_window igamma igammac inv "
    "inverse istft logdet lp_pool1d lp_pool2d lp_pool3d lstm lu lu_solve "
    "masked_select matrix_exp matrix_norm matrix_rank multi_dot "
    "multi_head_attention_forward nextafter nonzero pinv pinverse poisson "
    "polar qr randint_like slogdet solve stft stride svd "
    "triangular_solve unique unique_consecutive view_as_complex "
    "view_as_real weights";

/// Layers, losses, optimizers and schedules.
static constexpr llvm::StringLiteral kClasses =
    "ASGD Adafactor AdaptiveLogSoftmaxWithLoss BatchSampler CTCLoss "
    "ConcatDataset CrossMapLRN2d CyclicLR DistributedSampler "
    "FractionalMaxPool2d FractionalMaxPool3d GRU GRUCell LBFGS LPPool1d "
    "LPPool2d LPPool3d LSTM LSTMCell RNN RNNCell RReLU RandomSampler Rprop "
    "SequentialSampler SparseAdam StackDataset SyncBatchNorm";

/// Methods of models and optimizers, and functions of `init`.
static constexpr llvm::StringLiteral kMethods =
    "init.dirac_ init.eye_ init.orthogonal_ init.sparse_ model.add_module "
    "model.register_buffer model.register_forward_hook "
    "model.register_parameter opt.add_param_group";

/// Parameters, not built yet, of functions and layers that are there.
static constexpr struct {
  llvm::StringLiteral owners, names;
} kParameters[] = {
    {"nansum nanmean", "dtype"},
    {"gather", "sparse_grad"},
    {".to clone contiguous", "memory_format"},
    {"zeros ones empty full randn rand randint randperm arange eye linspace "
     "logspace tril_indices triu_indices new_zeros new_ones new_full",
     "layout pin_memory"},
    {"tensor", "pin_memory"},
    {"randint randperm", "generator"},
    {"zeros_like ones_like full_like rand_like randn_like",
     "layout memory_format"},
    {"relu relu6 silu mish leaky_relu elu selu celu hardtanh hardsigmoid "
     "hardswish threshold dropout dropout1d dropout2d dropout3d alpha_dropout "
     "feature_alpha_dropout",
     "inplace"},
    {"Linear Bilinear Embedding EmbeddingBag PReLU LayerNorm RMSNorm GroupNorm "
     "BatchNorm1d BatchNorm2d BatchNorm3d InstanceNorm1d InstanceNorm2d "
     "InstanceNorm3d MultiheadAttention Transformer TransformerEncoderLayer "
     "TransformerDecoderLayer",
     "device"},
    {"cross_entropy nll_loss binary_cross_entropy "
     "binary_cross_entropy_with_logits mse_loss l1_loss smooth_l1_loss kl_div "
     "poisson_nll_loss soft_margin_loss multilabel_soft_margin_loss "
     "margin_ranking_loss hinge_embedding_loss cosine_embedding_loss "
     "triplet_margin_loss multi_margin_loss multilabel_margin_loss "
     "CrossEntropyLoss NLLLoss BCELoss BCEWithLogitsLoss MSELoss L1Loss "
     "SmoothL1Loss KLDivLoss PoissonNLLLoss SoftMarginLoss "
     "MultiLabelSoftMarginLoss MarginRankingLoss HingeEmbeddingLoss "
     "CosineEmbeddingLoss TripletMarginLoss MultiMarginLoss "
     "MultiLabelMarginLoss",
     "reduce size_average"},
    {"repeat_interleave", "output_size"},
    {"SGD Adam AdamW Adamax NAdam RAdam RMSprop Adagrad Adadelta",
     "differentiable capturable"},
    {"Adam", "decoupled_weight_decay"},
    {"Muon", "ns_coefficients"},
    {"StepLR MultiStepLR ConstantLR LinearLR ExponentialLR PolynomialLR "
     "CosineAnnealingLR CosineAnnealingWarmRestarts LambdaLR MultiplicativeLR "
     "OneCycleLR SequentialLR",
     "last_epoch"},
    {"DataLoader", "batch_sampler collate_fn in_order multiprocessing_context "
                   "persistent_workers pin_memory_device prefetch_factor "
                   "timeout worker_init_fn"},
    {"WeightedRandomSampler SubsetRandomSampler", "generator"},
    {"load", "map_location weights_only"},
};

static llvm::StringSet<> wordsOf(llvm::ArrayRef<llvm::StringRef> lists) {
  llvm::StringSet<> words;
  for (llvm::StringRef list : lists) {
    llvm::SmallVector<llvm::StringRef> parts;
    list.split(parts, ' ');
    for (llvm::StringRef part : parts)
      words.insert(part);
  }
  return words;
}

bool sema::isLater(llvm::StringRef name) {
  static const llvm::StringSet<> names =
      wordsOf({kFunctions, kClasses, kMethods});
  return names.contains(name);
}

// As in the table of docs/Language.md.
llvm::StringRef sema::getUntilBuilt(llvm::StringRef name) {
  return llvm::StringSwitch<llvm::StringRef>(name)
      .Cases({"GRU", "LSTM", "RNN", "gru", "lstm"},
             "a model of `Linear` layers, and a loop over time")
      .Case("CyclicLR", "assign to `opt.lr` in the loop")
      .Cases({"ASGD", "Adafactor", "LBFGS", "Rprop", "SparseAdam"},
             "another optimizer, such as `Adam`, `RMSprop` or `Adagrad`")
      .Case("RandomSampler", "`shuffle=true`")
      .Cases({"masked_select", "nonzero"},
             "`where(mask, x, 0.0)` or `x.masked_fill(mask, 0.0)`")
      .Default("");
}

bool sema::isLaterParameter(llvm::StringRef owner, llvm::StringRef name) {
  return llvm::any_of(kParameters, [&](const auto &row) {
    return wordsOf({row.owners}).contains(owner) &&
           wordsOf({row.names}).contains(name);
  });
}

llvm::StringRef sema::getOwnName(llvm::StringRef name) {
  return llvm::StringSwitch<llvm::StringRef>(name)
      .Case("absolute", "abs")
      .Case("asarray", "as_tensor")
      .Case("scalar_tensor", "tensor")
      .Cases({"concat", "concatenate"}, "cat")
      .Case("divide", "div")
      .Case("empty_like", "zeros_like")
      .Case("fix", "trunc")
      .Case("ger", "outer")
      .Case("greater", "gt")
      .Case("greater_equal", "ge")
      .Case("less", "lt")
      .Case("less_equal", "le")
      .Case("multiply", "mul")
      .Case("ndimension", "dim")
      .Case("negative", "neg")
      .Case("nelement", "numel")
      .Case("not_equal", "ne")
      .Case("subtract", "sub")
      .Default("");
}

llvm::StringRef sema::getOwnParameter(llvm::StringRef name) {
  return llvm::StringSwitch<llvm::StringRef>(name)
      .Case("axis", "dim")
      .Case("keepdims", "keepdim")
      .Cases({"learning_rate", "rate"}, "lr")
      .Case("batchsize", "batch_size")
      .Default("");
}

// A name that begins with a dot is the name of a method only, as among the
// builtins.
llvm::StringRef sema::getOtherWay(llvm::StringRef name) {
  return llvm::StringSwitch<llvm::StringRef>(name)
      .Case(".astype", "x.to(dtype)")
      .Case(".byte", "x.to(u8)")
      .Case(".char", "x.to(i8)")
      .Case(".copy", "x.clone()")
      .Case("device", "cuda:0 if cuda.is_available() else cpu")
      .Case(".grad", "grad(loss, x)")
      .Case(".new_empty", "x.new_zeros(sizes)")
      .Case("input", "arg name: str")
      .Case("no_grad", "with no_grad { … }")
      .Case(".numpy", "save(\"x.npy\", x)")
      .Case("set_grad_enabled", "with no_grad { … }")
      .Case("open", "load(path)")
      .Case("opt.load_state_dict", "restore(path, model=model, opt=opt)")
      .Case("opt.state_dict", "save(path, model=model, opt=opt)")
      .Case("Parameter", "param w: f32[3, 4] = …")
      .Case(".resize_", "x.reshape(sizes)")
      .Case(".short", "x.to(i16)")
      .Case(".t", "x.T")
      .Cases({"Tensor", "FloatTensor", "LongTensor"}, "tensor([…])")
      .Case(".type", "x.to(dtype)")
      .Case(".type_as", "x.to(other.dtype)")
      .Default("");
}

llvm::StringRef sema::getAdvice(llvm::StringRef name) {
  return llvm::StringSwitch<llvm::StringRef>(name)
      .Cases(
          {"DistributedDataParallel", "DDP", "FullyShardedDataParallel", "FSDP",
           "init_process_group"},
          "one program drives all GPUs of a machine: `DataParallel(net)`, or "
          "a model on each of them; docs/GPUs.md has both")
      .Case("dict", "a program has no dictionaries; lists, tuples and fields "
                    "of a model hold values")
      .Cases({"requires_grad", "requires_grad_"},
             "`grad(y, x)` gives the gradient of y with respect to any float "
             "tensor x; `model.freeze()` excludes the parameters of a model")
      .Default("");
}
