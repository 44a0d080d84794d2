//===- TDSLFrontEnd.h - the front end of `.tdsl` --------------------------===//

#ifndef TDC_FRONTEND_TDSLFRONTEND_H
#define TDC_FRONTEND_TDSLFRONTEND_H

#include "Frontend/FrontEnd.h"

namespace tdc {

std::unique_ptr<FrontEnd> createTDSLFrontEnd();

} // namespace tdc

#endif // TDC_FRONTEND_TDSLFRONTEND_H
