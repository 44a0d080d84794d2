//===- Arrays.cpp - arrays of Python and tensors of tdc -------------------===//

#include "Arrays.h"
#include <algorithm>
#include <cstring>
#include <nanobind/stl/string.h>

namespace tdsl {

using DtypeCode = nb::dlpack::dtype_code;

namespace {

/// A row for each tdc_dtype, in their order.
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
};

nb::dlpack::dtype getDLPack(int32_t dtype) {
  const Dtype &row = kDtypes[dtype];
  return {uint8_t(row.code), row.bits, 1};
}

/// The framework whose array a value is; NumPy for everything else.
Framework findFramework(nb::handle value) {
  nb::object module = nb::getattr(value.type(), "__module__", nb::none());
  const char *name = nullptr;
  if (!nb::try_cast(module, name))
    return Framework::NumPy;
  // Arrays of JAX are those of jaxlib, parameters those of torch.nn.
  auto isIn = [&](const char *package) {
    size_t length = strlen(package);
    return !strncmp(name, package, length) &&
           (name[length] == '\0' || name[length] == '.');
  };
  if (isIn("torch"))
    return Framework::PyTorch;
  return isIn("jaxlib") ? Framework::JAX : Framework::NumPy;
}

/// Page-locked memory is the cpu's too.
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

/// PyTorch makes arrays of NumPy in a third of the time that its DLPack takes,
/// which does not say where memory has the negative of each element, as that of
/// `z.conj().imag` has: NumPy gets no array of that.
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
  // Python knows what to do with bf16 of NumPy, numbers, lists and mistakes.
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
  if (tensor.dtype == TDC_BF16) { // which NumPy does not have
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
