//===- Arrays.cpp - converts Python's arrays and tdc's tensors ------------===//

#include "Arrays.h"
#include <algorithm>
#include <cstring>
#include <nanobind/stl/string.h>

namespace tdsl {

using DtypeCode = nb::dlpack::dtype_code;

namespace {

/// A dtype. kDtypes has a row for each tdc_dtype, in their order.
struct Dtype {
  const char *name;
  DtypeCode code;
  uint8_t bits;
};

constexpr Dtype kDtypes[] = {
    {"f64", DtypeCode::Float, 64}, {"f32", DtypeCode::Float, 32},
    {"f16", DtypeCode::Float, 16}, {"bf16", DtypeCode::Bfloat, 16},
    {"i64", DtypeCode::Int, 64},   {"i32", DtypeCode::Int, 32},
    {"i16", DtypeCode::Int, 16},   {"i8", DtypeCode::Int, 8},
    {"u8", DtypeCode::UInt, 8},    {"bool", DtypeCode::Bool, 8},
    {"u16", DtypeCode::UInt, 16},  {"u32", DtypeCode::UInt, 32},
    {"u64", DtypeCode::UInt, 64},
};

nb::dlpack::dtype getDLPack(int32_t dtype) {
  const Dtype &row = kDtypes[dtype];
  return {uint8_t(row.code), row.bits, 1};
}

/// The framework that a value is an array of; NumPy for other values.
Framework findFramework(nb::handle value) {
  nb::object module = nb::getattr(value.type(), "__module__", nb::none());
  const char *name = nullptr;
  if (!nb::try_cast(module, name))
    return Framework::NumPy;
  // The module of JAX arrays is in jaxlib; that of parameters is torch.nn.
  auto isIn = [&](const char *package) {
    size_t length = strlen(package);
    return !strncmp(name, package, length) &&
           (name[length] == '\0' || name[length] == '.');
  };
  if (isIn("torch"))
    return Framework::PyTorch;
  return isIn("jaxlib") ? Framework::JAX : Framework::NumPy;
}

/// Whether an array is in cpu memory; page-locked memory is, too.
bool isOnCPU(const nb::ndarray<nb::ro> &array) {
  constexpr int kCUDAHost = 3;
  return array.device_type() == nb::device::cpu::value ||
         array.device_type() == kCUDAHost;
}

nb::object getHelper(const char *name) {
  return nb::module_::import_("tdsl._arrays").attr(name);
}

} // namespace

const char *getDtypeName(int32_t dtype) { return kDtypes[dtype].name; }

std::string Place::getText() const {
  std::string name = std::string("`") + type.name + "`";
  return function ? "input " + name + " of `" + function + "`" : name;
}

/// Converts a PyTorch tensor to a NumPy array, which takes a third of the time
/// of DLPack. A tensor may have the "negative" bit, as `z.conj().imag` has: its
/// memory has the negative of each element. DLPack does not tell that, and
/// `.numpy()` refuses it, so the bit is resolved first.
static nb::object readTorch(nb::handle value) {
  if (PyObject *made = PyObject_CallMethod(value.ptr(), "numpy", nullptr))
    return nb::steal(made);
  PyErr_Clear();
  return nb::hasattr(value, "resolve_neg") ? value.attr("resolve_neg")()
                                           : nb::borrow(value);
}

Input::Input(nb::handle value, const Place &place)
    : framework(findFramework(value)), dtype(place.type.dtype) {
  nb::object source = nb::borrow(value);
  if (framework == Framework::PyTorch) {
    if (nb::cast<bool>(nb::getattr(value, "requires_grad", nb::bool_(false))))
      throw nb::type_error((place.getText() +
                            " requires grad, and results have none: pass it "
                            "with .detach()")
                               .c_str());
    source = readTorch(value);
  }
  if (nb::try_cast(source, array, /*convert=*/false) && isOnCPU(array) &&
      array.dtype() == getDLPack(dtype))
    return;
  // Python code handles bf16 of NumPy, numbers, lists and errors.
  nb::object read =
      getHelper("read")(value, getDtypeName(dtype), place.getText());
  array = nb::cast<decltype(array)>(read, /*convert=*/false);
}

tdc_tensor Input::get() const {
  return {const_cast<void *>(array.data()), dtype, int32_t(array.ndim()),
          array.shape_ptr(), array.stride_ptr()};
}

template <class Kind>
static nb::object wrap(const tdc_tensor &tensor, nb::dlpack::dtype dtype,
                       nb::handle owner) {
  size_t shape[16];
  std::copy_n(tensor.shape, tensor.rank, shape);
  return nb::cast(nb::ndarray<Kind, nb::device::cpu>(
      tensor.data, tensor.rank, shape, owner, nullptr, dtype));
}

nb::object makeArray(tdc::Tensor &&made, Framework framework) {
  auto *held = new tdc::Tensor(std::move(made));
  nb::capsule owner(held, [](void *memory) noexcept {
    delete static_cast<tdc::Tensor *>(memory);
  });
  const tdc_tensor &tensor = held->get();
  nb::dlpack::dtype dtype = getDLPack(tensor.dtype);
  if (framework == Framework::JAX)
    return wrap<nb::jax>(tensor, dtype, owner);
  if (tensor.dtype == TDC_BF16) { // NumPy has no bf16
    if (framework == Framework::PyTorch)
      return wrap<nb::pytorch>(tensor, dtype, owner);
    return getHelper("as_bfloat16")(
        wrap<nb::numpy>(tensor, {uint8_t(DtypeCode::UInt), 16, 1}, owner));
  }
  nb::object array = wrap<nb::numpy>(tensor, dtype, owner);
  if (framework == Framework::PyTorch)
    return nb::module_::import_("torch").attr("from_numpy")(array);
  return array;
}

} // namespace tdsl
