//===- OptimizerKinds.cpp - what optimizers take and keep -----------------===//
//
// Settings, defaults and names of moments are those of torch.optim; Lion's are
// its authors'.
//
//===----------------------------------------------------------------------===//

#include "OptimizerKinds.h"
#include "llvm/ADT/STLExtras.h"

using namespace tdc::sema;

static constexpr Setting kLearningRate = {"lr", Setting::NotNegative, 1e-3};
static constexpr Setting kBetas = {"betas", Setting::Shares, 0.9, 0.999};
static constexpr Setting kEps = {"eps", Setting::NotNegative, 1e-8};
static constexpr Setting kNoDecay = {"weight_decay", Setting::NotNegative, 0};
static constexpr Setting kMaximize = {"maximize", Setting::Flag, 0};
static constexpr Setting kDecoupled = {"decoupled_weight_decay", Setting::Flag,
                                       0};

static constexpr Setting kSGDSettings[] = {
    kLearningRate,
    {"momentum", Setting::NotNegative, 0},
    {"dampening", Setting::Number, 0},
    kNoDecay,
    {"nesterov", Setting::Flag, 0},
    kMaximize,
};
static constexpr Moment kSGDMoments[] = {
    {"momentum_buffer", "momentum"},
    {"started", "dampening", /*isNumber=*/true},
};

static constexpr Setting kAdamSettings[] = {
    kLearningRate, kBetas, kEps, kNoDecay, {"amsgrad", Setting::Flag, 0},
    kMaximize,
};
static constexpr Setting kAdamWSettings[] = {
    kLearningRate,
    kBetas,
    kEps,
    {"weight_decay", Setting::NotNegative, 1e-2},
    {"amsgrad", Setting::Flag, 0},
    kMaximize,
};
static constexpr Moment kAdamMoments[] = {
    {"exp_avg"}, {"exp_avg_sq"}, {"max_exp_avg_sq", "amsgrad"}};

static constexpr Setting kAdamaxSettings[] = {
    {"lr", Setting::NotNegative, 2e-3}, kBetas, kEps, kNoDecay, kMaximize,
};
static constexpr Moment kAdamaxMoments[] = {{"exp_avg"}, {"exp_inf"}};

static constexpr Setting kNAdamSettings[] = {
    {"lr", Setting::NotNegative, 2e-3},
    kBetas,
    kEps,
    kNoDecay,
    {"momentum_decay", Setting::NotNegative, 4e-3},
    kDecoupled,
    kMaximize,
};
static constexpr Moment kNAdamMoments[] = {
    {"exp_avg"},
    {"exp_avg_sq"},
    {"mu_product", "", /*isNumber=*/true, /*initial=*/1},
};

static constexpr Setting kRAdamSettings[] = {
    kLearningRate, kBetas, kEps, kNoDecay, kDecoupled, kMaximize,
};
static constexpr Moment kRAdamMoments[] = {{"exp_avg"}, {"exp_avg_sq"}};

static constexpr Setting kRMSpropSettings[] = {
    {"lr", Setting::NotNegative, 1e-2},
    {"alpha", Setting::NotNegative, 0.99},
    kEps,
    kNoDecay,
    {"momentum", Setting::NotNegative, 0},
    {"centered", Setting::Flag, 0},
    kMaximize,
};
static constexpr Moment kRMSpropMoments[] = {
    {"square_avg"}, {"momentum_buffer", "momentum"}, {"grad_avg", "centered"}};

static constexpr Setting kAdagradSettings[] = {
    {"lr", Setting::NotNegative, 1e-2},
    {"lr_decay", Setting::NotNegative, 0},
    kNoDecay,
    {"initial_accumulator_value", Setting::NotNegative, 0},
    {"eps", Setting::NotNegative, 1e-10},
    kMaximize,
};
static constexpr Moment kAdagradMoments[] = {
    {"sum", "", /*isNumber=*/false, 0, "initial_accumulator_value"}};

static constexpr Setting kAdadeltaSettings[] = {
    {"lr", Setting::NotNegative, 1},
    {"rho", Setting::NotNegative, 0.9},
    {"eps", Setting::NotNegative, 1e-6},
    kNoDecay,
    kMaximize,
};
static constexpr Moment kAdadeltaMoments[] = {{"square_avg"}, {"acc_delta"}};

static constexpr Setting kLionSettings[] = {
    {"lr", Setting::NotNegative, 1e-4},
    {"betas", Setting::Shares, 0.9, 0.99},
    kNoDecay,
    kMaximize,
};
static constexpr Moment kLionMoments[] = {{"exp_avg"}};

static constexpr Setting kMuonSettings[] = {
    kLearningRate,
    {"weight_decay", Setting::NotNegative, 0.1},
    {"momentum", Setting::NotNegative, 0.95},
    {"nesterov", Setting::Flag, 1},
    {"eps", Setting::NotNegative, 1e-7},
    {"ns_steps", Setting::Count, 5},
    {"adjust_lr_fn", Setting::Word, 0},
};
static constexpr Moment kMuonMoments[] = {{"momentum_buffer"}};

static const OptimizerKind kinds[] = {
    {"SGD", "sgd", "", kSGDSettings, kSGDMoments},
    {"Adam", "adam", "adam_rates", kAdamSettings, kAdamMoments},
    {"AdamW", "adamw", "adam_rates", kAdamWSettings, kAdamMoments},
    {"Adamax", "adamax", "adamax_rates", kAdamaxSettings, kAdamaxMoments},
    {"NAdam", "nadam", "nadam_rates", kNAdamSettings, kNAdamMoments},
    {"RAdam", "radam", "radam_rates", kRAdamSettings, kRAdamMoments},
    {"RMSprop", "rmsprop", "", kRMSpropSettings, kRMSpropMoments},
    {"Adagrad", "adagrad", "adagrad_rates", kAdagradSettings, kAdagradMoments},
    {"Adadelta", "adadelta", "", kAdadeltaSettings, kAdadeltaMoments},
    {"Lion", "lion", "", kLionSettings, kLionMoments},
    {"Muon", "muon", "", kMuonSettings, kMuonMoments, /*onlyMatrices=*/true},
};

const Setting *OptimizerKind::findSetting(llvm::StringRef name) const {
  const Setting *found = llvm::find_if(
      settings, [&](const Setting &setting) { return setting.name == name; });
  return found == settings.end() ? nullptr : found;
}

const OptimizerKind &tdc::sema::getOptimizerKind(llvm::StringRef name) {
  return *llvm::find_if(
      kinds, [&](const OptimizerKind &kind) { return kind.name == name; });
}
