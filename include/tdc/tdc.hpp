//===- tdc.hpp - .tdsl programs in a C++17 program of your own ------------===//
//
//   tdc::Module net = tdc::load("net.tdsl").value();  // compiled, has run
//   std::vector<float> x = {0, 0, 1, 0, 0, 1, 1, 1};
//   auto results = net.call("predict", {{x.data(), {4, 2}}}).value();
//   const float *y = results[0].data<float>();
//
// Wraps tdc.h with C++ ownership and without output parameters; tdc.h describes
// everything that this file does not. Header only. Works with and without
// exceptions; only Expected::value() throws one.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_TDC_HPP
#define TDC_TDC_HPP

#include "tdc/tdc.h"
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace tdc {

/// An error. Copies share one tdc_error.
class Error {
public:
  /// Takes ownership of `error`.
  explicit Error(tdc_error *error) : handle(error, tdc_error_free) {}

  tdc_status status() const { return tdc_error_status(handle.get()); }
  /// The whole text, to be printed.
  const char *text() const { return tdc_error_text(handle.get()); }
  size_t size() const { return tdc_error_count(handle.get()); }
  /// Valid as long as this error or a copy of it lives.
  const tdc_diagnostic &operator[](size_t index) const {
    return *tdc_error_get(handle.get(), index);
  }

private:
  std::shared_ptr<tdc_error> handle;
};

/// A value, or the error why there is none.
template <class T> class Expected {
public:
  Expected(T value) : held(std::move(value)) {}
  Expected(Error error) : failure(std::move(error)) {}

  explicit operator bool() const { return held.has_value(); }
  /// Requires a value.
  T &operator*() { return *held; }
  const T &operator*() const { return *held; }
  T *operator->() { return &*held; }
  const T *operator->() const { return &*held; }
  /// Requires that there is no value.
  const Error &error() const { return *failure; }

  /// Returns the value. Without one it throws std::runtime_error with the
  /// error's text or, without exceptions, aborts.
  T &value() & {
    require();
    return *held;
  }
  T value() && {
    require();
    return std::move(*held);
  }

private:
  void require() const {
    if (held)
      return;
#ifdef __cpp_exceptions
    throw std::runtime_error(failure->text());
#else
    std::fputs(failure->text(), stderr);
    std::abort();
#endif
  }

  std::optional<T> held;
  std::optional<Error> failure;
};

/// Success, or an error.
class Status {
public:
  Status() = default;
  Status(Error error) : failure(std::move(error)) {}
  /// Whether it succeeded.
  explicit operator bool() const { return !failure; }
  const Error &error() const { return *failure; }

private:
  std::optional<Error> failure;
};

/// The tdc_dtype of a C++ type. f16 and bf16 have no C++ type.
template <class T> struct DTypeOf;
template <>
struct DTypeOf<double> : std::integral_constant<tdc_dtype, TDC_F64> {};
template <>
struct DTypeOf<float> : std::integral_constant<tdc_dtype, TDC_F32> {};
template <>
struct DTypeOf<int64_t> : std::integral_constant<tdc_dtype, TDC_I64> {};
template <>
struct DTypeOf<int32_t> : std::integral_constant<tdc_dtype, TDC_I32> {};
template <>
struct DTypeOf<int16_t> : std::integral_constant<tdc_dtype, TDC_I16> {};
template <>
struct DTypeOf<int8_t> : std::integral_constant<tdc_dtype, TDC_I8> {};
template <>
struct DTypeOf<uint8_t> : std::integral_constant<tdc_dtype, TDC_U8> {};
template <>
struct DTypeOf<uint16_t> : std::integral_constant<tdc_dtype, TDC_U16> {};
template <>
struct DTypeOf<uint32_t> : std::integral_constant<tdc_dtype, TDC_U32> {};
template <>
struct DTypeOf<uint64_t> : std::integral_constant<tdc_dtype, TDC_U64> {};
template <>
struct DTypeOf<bool> : std::integral_constant<tdc_dtype, TDC_BOOL> {};

/// An input tensor. It points to elements that the caller owns.
class View {
public:
  /// `data` has the elements of the shape in row-major order.
  template <class T>
  View(const T *data, std::vector<int64_t> shape)
      : View(data, DTypeOf<T>::value, std::move(shape)) {}
  /// A view of any dtype; `strides` are in elements.
  View(const void *data, tdc_dtype dtype, std::vector<int64_t> shape,
       std::vector<int64_t> strides = {})
      : data(data), dtype(dtype), shape(std::move(shape)),
        strides(std::move(strides)) {}

  /// Returns a tensor that points into this view.
  tdc_tensor get() const {
    return {const_cast<void *>(data), dtype, static_cast<int32_t>(shape.size()),
            shape.data(), strides.empty() ? nullptr : strides.data()};
  }

private:
  const void *data;
  tdc_dtype dtype;
  std::vector<int64_t> shape, strides;
};

/// A result: a row-major tensor that tdc has allocated.
class Tensor {
public:
  explicit Tensor(tdc_tensor made) : tensor(made) {}
  Tensor(Tensor &&other) noexcept
      : tensor(std::exchange(other.tensor, tdc_tensor{})) {}
  Tensor &operator=(Tensor &&other) noexcept {
    std::swap(tensor, other.tensor);
    return *this;
  }
  ~Tensor() { tdc_tensor_free(&tensor); }

  tdc_dtype dtype() const { return static_cast<tdc_dtype>(tensor.dtype); }
  std::vector<int64_t> shape() const {
    return {tensor.shape, tensor.shape + tensor.rank};
  }
  /// The number of elements.
  int64_t size() const {
    int64_t count = 1;
    for (int32_t i = 0; i < tensor.rank; ++i)
      count *= tensor.shape[i];
    return count;
  }
  /// The elements; null unless the dtype is DTypeOf<T>.
  template <class T> T *data() {
    return dtype() == DTypeOf<T>::value ? static_cast<T *>(tensor.data)
                                        : nullptr;
  }
  template <class T> const T *data() const {
    return const_cast<Tensor *>(this)->data<T>();
  }
  /// The tensor, which this object owns.
  const tdc_tensor &get() const { return tensor; }
  /// The tensor as an input.
  View view() const { return View(tensor.data, dtype(), shape()); }

private:
  tdc_tensor tensor;
};

/// How to compile. Empty strings mean the defaults.
struct Options {
  std::string device, placement, transferGuard, memoryBudget;
  bool noTOps = false, tf32 = false;
  bool checkNumerics = false, strictNumerics = false;
  /// As on a command line: "--epochs", "3".
  std::vector<std::string> arguments;
  /// Called for every error and warning while the program is compiled, maybe on
  /// another thread. A warning is reported nowhere else. It must not throw.
  std::function<void(const tdc_diagnostic &)> report;
};

/// A running program. Movable; several threads may call it at once.
class Module {
public:
  /// Takes ownership of both.
  Module(tdc_program *program, tdc_module *module)
      : program(program, tdc_program_free), module(module, tdc_module_free) {}

  /// Calls an `export fn`.
  Expected<std::vector<Tensor>> call(const char *name,
                                     const std::vector<View> &inputs) const {
    tdc_error *error = nullptr;
    const tdc_function *function;
    if (tdc_find_function(program.get(), name, &function, &error))
      return Error(error);
    std::vector<tdc_tensor> given;
    given.reserve(inputs.size());
    for (const View &input : inputs)
      given.push_back(input.get());
    std::vector<tdc_tensor> made(function->num_outputs);
    if (tdc_call(module.get(), function, given.size(), given.data(),
                 made.size(), made.data(), &error))
      return Error(error);
    std::vector<Tensor> results;
    results.reserve(made.size());
    for (tdc_tensor &tensor : made)
      results.emplace_back(tensor);
    return results;
  }

  /// Returns a copy of a tensor of the state: "net.fc1.weight".
  Expected<Tensor> read(const char *name) const {
    tdc_error *error = nullptr;
    tdc_tensor tensor = {};
    if (tdc_state_read(module.get(), name, &tensor, &error))
      return Error(error);
    return Tensor(tensor);
  }
  Status write(const char *name, const View &view) {
    tdc_tensor tensor = view.get();
    return check([&](tdc_error **error) {
      return tdc_state_write(module.get(), name, &tensor, error);
    });
  }

  Status save(const char *path) {
    return check(
        [&](tdc_error **error) { return tdc_save(module.get(), path, error); });
  }
  Status restore(const char *path) {
    return check([&](tdc_error **error) {
      return tdc_restore(module.get(), path, error);
    });
  }

  const tdc_program *getProgram() const { return program.get(); }
  tdc_module *get() const { return module.get(); }

private:
  template <class Work> static Status check(Work work) {
    tdc_error *error = nullptr;
    return work(&error) ? Status(Error(error)) : Status();
  }

  std::unique_ptr<tdc_program, void (*)(tdc_program *)> program;
  std::unique_ptr<tdc_module, void (*)(tdc_module *)> module;
};

namespace detail {

/// Compiles with `compile`, which calls tdc_compile_file or tdc_compile_text,
/// and opens the program.
template <class Compile>
Expected<Module> load(const Options &options, Compile compile) {
  std::vector<const char *> words;
  words.reserve(options.arguments.size());
  for (const std::string &word : options.arguments)
    words.push_back(word.c_str());
  auto text = [](const std::string &value) {
    return value.empty() ? nullptr : value.c_str();
  };
  tdc_options settings = {};
  settings.size = sizeof(settings);
  settings.device = text(options.device);
  settings.placement = text(options.placement);
  settings.transfer_guard = text(options.transferGuard);
  settings.memory_budget = text(options.memoryBudget);
  settings.no_t_ops = options.noTOps;
  settings.tf32 = options.tf32;
  settings.check_numerics = options.checkNumerics;
  settings.strict_numerics = options.strictNumerics;
  settings.num_arguments = words.size();
  settings.arguments = words.data();
  if (options.report) {
    settings.user = const_cast<Options *>(&options);
    settings.report = [](void *user, const tdc_diagnostic *diagnostic) {
      static_cast<const Options *>(user)->report(*diagnostic);
    };
  }
  tdc_error *error = nullptr;
  tdc_program *program;
  tdc_module *module;
  if (compile(&settings, &program, &error))
    return Error(error);
  if (tdc_open(program, &module, &error)) {
    tdc_program_free(program);
    return Error(error);
  }
  return Module(program, module);
}

} // namespace detail

/// Compiles a file and runs its statements, as Python does with an imported
/// module.
inline Expected<Module> load(const char *path, const Options &options = {}) {
  return detail::load(
      options, [&](auto... rest) { return tdc_compile_file(path, rest...); });
}

/// The same with text. Messages use `name` as the name of the file.
inline Expected<Module> loadText(std::string_view text,
                                 const char *name = "program.tdsl",
                                 const Options &options = {}) {
  return detail::load(options, [&](auto... rest) {
    return tdc_compile_text(text.data(), text.size(), name, rest...);
  });
}

} // namespace tdc

#endif // TDC_TDC_HPP
