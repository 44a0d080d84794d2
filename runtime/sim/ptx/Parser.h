//===- Parser.h - PTX text to its syntax ----------------------------------===//

#ifndef TDC_SIM_PTX_PARSER_H
#define TDC_SIM_PTX_PARSER_H

#include "ptx/Syntax.h"
#include <string_view>

namespace tdc::sim {

/// Throws Fault CUDA_ERROR_INVALID_PTX with the line and what was expected
/// there.
syntax::Module parsePtx(std::string_view text);

} // namespace tdc::sim

#endif // TDC_SIM_PTX_PARSER_H
