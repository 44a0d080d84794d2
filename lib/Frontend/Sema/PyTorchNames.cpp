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
    "acos acosh adaptive_avg_pool3d adaptive_max_pool3d addbmm addcdiv "
    "addcmul addr affine_grid allclose alpha_dropout aminmax angle arccos "
    "arccosh arcsin arcsinh arctan arctan2 arctanh argsort argwhere "
    "as_strided as_strided_scatter asin asinh atan atan2 atanh atleast_1d "
    "atleast_2d atleast_3d avg_pool3d baddbmm bartlett_window batch_norm "
    "bernoulli bilinear bincount binomial bitwise_left_shift "
    "bitwise_right_shift blackman_window block_diag broadcast_shapes "
    "broadcast_tensors bucketize cartesian_prod cdist chain_matmul "
    "channel_shuffle cholesky cholesky_inverse cholesky_solve column_stack "
    "combinations corrcoef cosh cosine_embedding_loss "
    "count_nonzero cov cross ctc_loss cummax cummin "
    "cumulative_trapezoid deg2rad det diag_embed diagflat diagonal_scatter "
    "diff digamma dist dropout1d dropout2d dropout3d dsplit dstack eig "
    "eigh embedding_bag equal erfc erfinv fliplr flipud float_power fmod "
    "fractional_max_pool2d fractional_max_pool3d frexp frobenius_norm "
    "frombuffer gaussian_nll_loss gcd grid_sample gru gumbel_softmax "
    "hamming_window hann_window heaviside hinge_embedding_loss histc "
    "histogram histogramdd hsplit hstack hypot i0 igamma igammac index_add "
    "index_fill index_reduce instance_norm inv inverse isclose "
    "isin isneginf isposinf isreal istft kron kthvalue lcm ldexp lerp "
    "lgamma linspace local_response_norm logaddexp logaddexp2 logcumsumexp "
    "logdet logspace lp_pool1d lp_pool2d lp_pool3d lstm lu lu_solve "
    "margin_ranking_loss masked_scatter masked_select matrix_exp "
    "matrix_norm matrix_power matrix_rank max_pool3d max_unpool1d "
    "max_unpool2d max_unpool3d median meshgrid msort multi_dot "
    "multi_head_attention_forward multi_margin_loss multilabel_margin_loss "
    "multilabel_soft_margin_loss multinomial mvlgamma nan_to_num nanmean "
    "nanmedian nanquantile nansum nextafter nonzero pairwise_distance "
    "pdist pinv pinverse pixel_shuffle pixel_unshuffle poisson "
    "poisson_nll_loss polar polygamma qr quantile rad2deg randint_like "
    "ravel renorm rot90 row_stack rrelu scatter scatter_reduce "
    "searchsorted select_scatter sgn signbit sinc sinh slice_scatter "
    "slogdet soft_margin_loss solve sort split_with_sizes std_mean stft "
    "stride svd take take_along_dim tensor_split tensordot tolist topk "
    "trapezoid trapz triangular_solve tril_indices triplet_margin_loss "
    "triplet_margin_with_distance_loss triu_indices unbind unflatten "
    "unique unique_consecutive unravel_index upsample upsample_bilinear "
    "upsample_nearest vander var_mean vector_norm view_as_complex "
    "view_as_real vsplit vstack weights";

/// Layers, losses, optimizers and schedules.
static constexpr llvm::StringLiteral kClasses =
    "ASGD Adadelta Adafactor Adagrad Adamax AdaptiveAvgPool3d "
    "AdaptiveLogSoftmaxWithLoss AdaptiveMaxPool3d AlphaDropout AvgPool3d "
    "BatchNorm1d BatchNorm2d BatchNorm3d Bilinear CTCLoss ChannelShuffle "
    "ConstantLR CosineAnnealingLR CosineAnnealingWarmRestarts "
    "CosineEmbeddingLoss CrossMapLRN2d CyclicLR Dropout1d Dropout2d "
    "Dropout3d EmbeddingBag ExponentialLR FeatureAlphaDropout "
    "FractionalMaxPool2d FractionalMaxPool3d GRU GRUCell GaussianNLLLoss "
    "Generator GroupNorm HingeEmbeddingLoss InstanceNorm1d InstanceNorm2d "
    "InstanceNorm3d LBFGS LPPool1d LPPool2d LPPool3d LSTM LSTMCell "
    "LambdaLR LinearLR LocalResponseNorm MarginRankingLoss MaxPool3d "
    "MaxUnpool1d MaxUnpool2d MaxUnpool3d MultiLabelMarginLoss "
    "MultiLabelSoftMarginLoss MultiMarginLoss MultiStepLR "
    "MultiheadAttention MultiplicativeLR Muon NAdam OneCycleLR "
    "PairwiseDistance PixelShuffle PixelUnshuffle PoissonNLLLoss "
    "PolynomialLR RAdam RMSprop RNN RNNCell RReLU ReduceLROnPlateau Rprop "
    "SequentialLR SoftMarginLoss Softmax2d SparseAdam StepLR SyncBatchNorm "
    "Transformer TransformerDecoder TransformerDecoderLayer "
    "TransformerEncoder TransformerEncoderLayer TripletMarginLoss "
    "TripletMarginWithDistanceLoss Unflatten UpsamplingBilinear2d "
    "";

/// Methods of models and optimizers.
static constexpr llvm::StringLiteral kMethods =
    "model.add_module model.apply model.bfloat16 model.buffers model.children "
    "model.double model.float model.half model.modules model.named_buffers "
    "model.named_children model.named_modules model.named_parameters "
    "model.register_buffer model.register_forward_hook "
    "model.register_parameter opt.add_param_group";

/// Parameters, not built yet, of functions and layers that are there.
static constexpr struct {
  llvm::StringLiteral owners, names;
} kParameters[] = {
    {"add sub", "alpha"},
    {"div", "rounding_mode"},
    {"sum mean prod norm cumsum cumprod softmax log_softmax softmin", "dtype"},
    {"gather", "sparse_grad"},
    {".to clone contiguous", "memory_format"},
    {"zeros ones empty full randn rand randint randperm arange eye",
     "layout pin_memory"},
    {"tensor", "pin_memory"},
    {"randint randperm", "generator"},
    {"eye", "device"},
    {"zeros_like ones_like full_like rand_like randn_like",
     "device layout memory_format"},
    {"relu relu6 silu mish leaky_relu elu selu celu hardtanh hardsigmoid "
     "hardswish threshold dropout",
     "inplace"},
    {"embedding Embedding",
     "max_norm norm_type padding_idx scale_grad_by_freq sparse"},
    {"Embedding LayerNorm RMSNorm PReLU", "device dtype"},
    {"Linear", "device"},
    {"cross_entropy nll_loss CrossEntropyLoss NLLLoss",
     "ignore_index reduce size_average weight"},
    {"binary_cross_entropy binary_cross_entropy_with_logits BCELoss "
     "BCEWithLogitsLoss",
     "reduce size_average weight"},
    {"binary_cross_entropy_with_logits BCEWithLogitsLoss", "pos_weight"},
    {"mse_loss l1_loss smooth_l1_loss kl_div MSELoss L1Loss SmoothL1Loss "
     "KLDivLoss",
     "reduce size_average"},
    {"mse_loss l1_loss huber_loss", "weight"},
    {"scaled_dot_product_attention", "enable_gqa"},
    {"max_pool1d max_pool2d adaptive_max_pool1d adaptive_max_pool2d MaxPool1d "
     "MaxPool2d AdaptiveMaxPool1d AdaptiveMaxPool2d",
     "return_indices"},
    {"repeat_interleave", "output_size"},
    {"interpolate Upsample", "align_corners antialias recompute_scale_factor"},
    {"clip_grad_norm_", "error_if_nonfinite foreach"},
    {"clip_grad_value_", "foreach"},
    {"SGD", "dampening"},
    {"SGD Adam AdamW", "differentiable foreach fused maximize"},
    {"Adam AdamW", "amsgrad capturable"},
    {"Adam", "decoupled_weight_decay"},
    {"DataLoader", "batch_sampler collate_fn generator in_order "
                   "multiprocessing_context persistent_workers pin_memory "
                   "pin_memory_device prefetch_factor sampler timeout "
                   "worker_init_fn"},
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
      .Cases({"BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "GroupNorm",
              "batch_norm"},
             "`LayerNorm` or `RMSNorm`")
      .Cases({"GRU", "LSTM", "RNN", "gru", "lstm"},
             "a model of `Linear` layers, and a loop over time")
      .Cases({"MultiheadAttention", "TransformerDecoderLayer",
              "TransformerEncoderLayer"},
             "`scaled_dot_product_attention` between `Linear` layers")
      .Cases({"CosineAnnealingLR", "ExponentialLR", "LambdaLR", "LinearLR",
              "MultiStepLR", "OneCycleLR", "ReduceLROnPlateau", "StepLR"},
             "assign to `opt.lr` in the loop")
      .Cases({"Adadelta", "Adagrad", "Adamax", "LBFGS", "NAdam", "RAdam",
              "RMSprop"},
             "`SGD`, `Adam` or `AdamW`")
      .Case("linspace", "`arange(5).to(f32) * 0.25`")
      .Cases({"masked_select", "nonzero"},
             "`where(mask, x, 0.0)` or `x.masked_fill(mask, 0.0)`")
      .Case("topk", "`max(x, dim)` for the largest elements")
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
      .Cases({"as_tensor", "asarray", "scalar_tensor"}, "tensor")
      .Case("broadcast_to", "expand")
      .Cases({"concat", "concatenate"}, "cat")
      .Cases({"divide", "true_divide"}, "div")
      .Case("empty_like", "zeros_like")
      .Case("fix", "trunc")
      .Case("ger", "outer")
      .Case("greater", "gt")
      .Case("greater_equal", "ge")
      .Case("less", "lt")
      .Case("less_equal", "le")
      .Case("multiply", "mul")
      .Case("mv", "matmul")
      .Case("ndimension", "dim")
      .Case("negative", "neg")
      .Case("nelement", "numel")
      .Case("not_equal", "ne")
      .Case("subtract", "sub")
      .Case("swapaxes", "transpose")
      .Case("vdot", "dot")
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
      .Case("addmm", "input + mat1 @ mat2")
      .Case("addmv", "input + mat @ vec")
      .Case(".astype", "x.to(dtype)")
      .Case("bitwise_and", "a & b")
      .Case("bitwise_not", "~a")
      .Case("bitwise_or", "a | b")
      .Case("bitwise_xor", "a ^ b")
      .Case(".byte", "x.to(u8)")
      .Case(".char", "x.to(i8)")
      .Case(".copy", "x.clone()")
      .Case("clamp_max", "clamp(x, max=…)")
      .Case("clamp_min", "clamp(x, min=…)")
      .Case("device", "cuda:0 if cuda.is_available() else cpu")
      .Case(".fill_", "x = full_like(x, value)")
      .Case(".grad", "grad(loss, x)")
      .Case(".narrow", "x[start:start + length]")
      .Case(".new_full", "full(sizes, value, dtype=x.dtype, device=x.device)")
      .Case(".new_ones", "ones(sizes, dtype=x.dtype, device=x.device)")
      .Cases({".new_empty", ".new_zeros"},
             "zeros(sizes, dtype=x.dtype, device=x.device)")
      .Case("input", "arg name: str")
      .Case("model.load_state_dict", "model.load(path)")
      .Case("model.requires_grad_", "model.freeze()` or `model.unfreeze()")
      .Case("model.state_dict", "model.save(path)")
      .Case("no_grad", "with no_grad { … }")
      .Case(".numpy", "save(\"x.npy\", x)")
      .Case("open", "load(path)")
      .Case("opt.load_state_dict", "restore(path, model=model, opt=opt)")
      .Case("opt.param_groups", "opt.lr")
      .Case("opt.state_dict", "save(path, model=model, opt=opt)")
      .Case("Parameter", "param w: f32[3, 4] = …")
      .Case(".select", "x[index]")
      .Case(".short", "x.to(i16)")
      .Case(".t", "x.T")
      .Cases({"Tensor", "FloatTensor", "LongTensor"}, "tensor([…])")
      .Case(".type", "x.to(dtype)")
      .Case(".type_as", "x.to(other.dtype)")
      .Cases({".view_as", ".reshape_as"}, "x.reshape(other.shape)")
      .Case(".zero_", "x = zeros_like(x)")
      .Default("");
}

llvm::StringRef sema::getAdvice(llvm::StringRef name) {
  return llvm::StringSwitch<llvm::StringRef>(name)
      .Cases({"DistributedDataParallel", "DDP", "DataParallel",
              "FullyShardedDataParallel", "FSDP", "init_process_group"},
             "one program drives all GPUs: a model on each, `nets[i].to("
             "f\"cuda:{i}\")`, and a step of each with the mean of their "
             "gradients; docs/GPUs.md has an example")
      .Cases({"requires_grad", "requires_grad_"},
             "`grad(y, x)` gives the gradient of y with respect to any float "
             "tensor x; `model.freeze()` excludes the parameters of a model")
      .Default("");
}
