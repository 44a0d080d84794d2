//===- Style.h - style sheets of pages and pictures -----------------------===//

#ifndef TDC_MARKUP_STYLE_H
#define TDC_MARKUP_STYLE_H

#include <string>

namespace tdc {

/// Style sheets: the colours of devices in the light and the dark scheme, and
/// all other styles.
extern const char *const kColours, *const kStyle;

/// The class that gives an element the colour of a device, by its index.
std::string getColour(unsigned device);

} // namespace tdc

#endif // TDC_MARKUP_STYLE_H
