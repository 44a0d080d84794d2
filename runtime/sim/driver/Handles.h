//===- Handles.h - handles of the driver's objects ------------------------===//
//
// A handle is a number that was never an address of anything: using one as a
// pointer crashes. Each wrong handle is detected and reported with its reason:
// a made-up one, one of another kind, and one of a destroyed object.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_SIM_DRIVER_HANDLES_H
#define TDC_SIM_DRIVER_HANDLES_H

#include "Fault.h"
#include <iterator>
#include <map>
#include <memory>
#include <string>

namespace tdc::sim {

enum class HandleKind : uint64_t {
  Context = 1,
  Stream,
  Event,
  Module,
  Function,
  Graph,
  Executable
};

inline const char *getName(HandleKind kind) {
  switch (kind) {
  case HandleKind::Context:
    return "context";
  case HandleKind::Stream:
    return "stream";
  case HandleKind::Event:
    return "event";
  case HandleKind::Module:
    return "module";
  case HandleKind::Function:
    return "function";
  case HandleKind::Graph:
    return "graph";
  case HandleKind::Executable:
    return "executable graph";
  }
  return "object";
}

/// The bits of a handle: no address of x86-64 has bit 62 set and bit 63 not.
inline constexpr uint64_t kHandleMark = uint64_t(1) << 62;
inline constexpr unsigned kHandleKindShift = 48;

/// The handle of object `number` of a kind; numbers start at 1.
template <class Handle> Handle makeHandle(HandleKind kind, uint64_t number) {
  return reinterpret_cast<Handle>(
      kHandleMark | static_cast<uint64_t>(kind) << kHandleKindShift | number);
}

/// Describes a handle that refers to no live object of `kind`, after `made`
/// objects of that kind were made: "event 3 is no stream".
inline std::string describeHandle(uint64_t handle, HandleKind kind,
                                  uint64_t made) {
  std::string none = std::string(" is no ") + getName(kind);
  uint64_t number = handle & ((uint64_t(1) << kHandleKindShift) - 1);
  auto given =
      static_cast<HandleKind>((handle ^ kHandleMark) >> kHandleKindShift);
  if (!handle)
    return "null" + none;
  if (given == kind && number > 0 && number <= made)
    return std::string(getName(kind)) + " " + std::to_string(number) +
           " was destroyed";
  if (given >= HandleKind::Context && given <= HandleKind::Executable)
    return std::string(getName(given)) + " " + std::to_string(number) + none;
  return "what is given as " + std::string(getName(kind)) + none;
}

/// Owns the objects of one kind.
template <class Object, class Handle> class HandleTable {
public:
  explicit HandleTable(HandleKind kind) : kind(kind) {}

  /// The number of the next object.
  uint64_t getNext() const { return made + 1; }

  Handle add(std::unique_ptr<Object> object) {
    auto handle = makeHandle<Handle>(kind, ++made);
    objects.emplace(handle, std::move(object));
    return handle;
  }

  /// Throws CUDA_ERROR_INVALID_HANDLE for a handle that is not in this table.
  Object &get(Handle handle) const {
    auto position = objects.find(handle);
    if (position == objects.end())
      fault(CUDA_ERROR_INVALID_HANDLE,
            describeHandle(reinterpret_cast<uint64_t>(handle), kind, made));
    return *position->second;
  }

  void remove(Handle handle) {
    get(handle);
    objects.erase(handle);
  }

  template <class Condition> void removeIf(Condition condition) {
    for (auto position = objects.begin(); position != objects.end();)
      position = condition(*position->second) ? objects.erase(position)
                                              : std::next(position);
  }

  template <class Condition> uint64_t count(Condition condition) const {
    uint64_t number = 0;
    for (auto &[handle, object] : objects)
      number += condition(*object);
    return number;
  }

  size_t size() const { return objects.size(); }
  auto begin() const { return objects.begin(); }
  auto end() const { return objects.end(); }

private:
  HandleKind kind;
  uint64_t made = 0;
  std::map<Handle, std::unique_ptr<Object>> objects;
};

} // namespace tdc::sim

#endif // TDC_SIM_DRIVER_HANDLES_H
