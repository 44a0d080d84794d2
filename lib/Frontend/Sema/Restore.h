//===- Restore.h - temporary values of variables --------------------------===//

#ifndef TDC_LIB_FRONTEND_SEMA_RESTORE_H
#define TDC_LIB_FRONTEND_SEMA_RESTORE_H

#include <utility>

namespace tdc::sema {

/// Restores a variable at the end of a scope.
template <typename T> class Restore {
public:
  explicit Restore(T &variable) : variable(variable), saved(variable) {}
  Restore(T &variable, T value) : variable(variable), saved(variable) {
    variable = std::move(value);
  }
  ~Restore() { variable = std::move(saved); }
  /// Restores another value instead.
  void replace(T value) { saved = std::move(value); }

private:
  T &variable;
  T saved;
};

} // namespace tdc::sema

#endif // TDC_LIB_FRONTEND_SEMA_RESTORE_H
