//===- CheckObserver.h - follows a check, for editors ---------------------===//
//
// An editor shows what the checker knows: the type and the place of a name, the
// members of a value, the copies that the compiler adds. The checker tells them
// while it walks the program. Code is walked once for each call, for each kind
// of machine, and in loops several times, so a range may have several meanings.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_FRONTEND_CHECKOBSERVER_H
#define TDC_FRONTEND_CHECKOBSERVER_H

#include "Frontend/Source.h"
#include <string>
#include <vector>

namespace tdc {

/// What an expression or a name is at one point of the walk.
struct Meaning {
  std::string text;     ///< "f32[B, 10] @cuda:0", "a model Net"
  SourceRange declared; ///< of a function, a model or a part; else invalid

  bool operator==(const Meaning &o) const {
    return text == o.text && declared == o.declared;
  }
};

/// Ranges are in files of the program, not in the prelude.
class CheckObserver {
public:
  virtual ~CheckObserver() = default;

  /// Whether further meanings of a range are of use: they cost time.
  virtual bool wants(SourceRange range) = 0;
  virtual void found(SourceRange range, Meaning meaning) = 0;

  /// Whether the members of the value of an expression are of use.
  virtual bool wantsMembers(SourceRange range) = 0;
  virtual void foundMembers(SourceRange range,
                            std::vector<std::string> names) = 0;

  /// The compiler brings the tensor or model at a range to another device,
  /// which the program does not say.
  virtual void brought(SourceRange range, std::string place) = 0;

  /// Whether the check is to end early: its diagnostics are of no use then.
  virtual bool isCancelled() const = 0;
};

} // namespace tdc

#endif // TDC_FRONTEND_CHECKOBSERVER_H
