//===- Style.h - style sheets of pages and pictures -----------------------===//

#ifndef TDC_MARKUP_STYLE_H
#define TDC_MARKUP_STYLE_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace tdc {

/// Style sheets: the colours of devices in the light and the dark scheme, and
/// all other styles.
extern const char *const kColours, *const kStyle;

/// The class that gives an element the colour of a device, by its index.
std::string getColour(unsigned device);

/// The value of a colour in the light scheme, "#9a4a00" for "device0".
std::string getLightColour(llvm::StringRef name);

} // namespace tdc

#endif // TDC_MARKUP_STYLE_H
