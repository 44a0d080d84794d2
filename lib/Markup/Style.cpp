//===- Style.cpp - style sheets of pages and pictures ---------------------===//

#include "Markup/Style.h"
#include "llvm/ADT/Twine.h"

// Colours have a contrast of 4.5 to 1 with the text on them, in both schemes.
// Printing uses the light scheme.
const char *const tdc::kColours = R"css(
:root {
  color-scheme: light dark;
  --page: #ffffff; --text: #1f2328; --note: #57606a; --rule: #d8dee4;
  --shade: #f6f8fa; --link: #0550ae; --on: #ffffff; --bar: #57606a;
  --device0: #9a4a00; --device1: #0b5cad; --device2: #7b2fb5;
  --device3: #0f6b5c; --device4: #a3195b; --device5: #5c5f00;
}
@media screen and (prefers-color-scheme: dark) {
  :root {
    --page: #0d1117; --text: #e6edf3; --note: #9da7b3; --rule: #30363d;
    --shade: #161b22; --link: #79b8ff; --on: #0d1117; --bar: #9da7b3;
    --device0: #ffb077; --device1: #79b8ff; --device2: #d2a8ff;
    --device3: #6fd6c3; --device4: #ff9ac6; --device5: #d9dc6a;
  }
}
.device0 { --device: var(--device0); } .device1 { --device: var(--device1); }
.device2 { --device: var(--device2); } .device3 { --device: var(--device3); }
.device4 { --device: var(--device4); } .device5 { --device: var(--device5); }
)css";

const char *const tdc::kStyle = R"css(
* { box-sizing: border-box; }
body {
  margin: 0 auto; padding: 16px 24px 48px; max-width: 1180px;
  background: var(--page); color: var(--text);
  font: 15px/1.5 system-ui, sans-serif; overflow-wrap: anywhere;
  print-color-adjust: exact;
}
h1 { font-size: 26px; margin: 8px 0; }
h2 { font-size: 19px; margin: 36px 0 10px; }
h3 { font-size: 15px; margin: 20px 0 6px; }
p { margin: 6px 0; }
a { color: var(--link); }
.note { color: var(--note); }
.number { font-variant-numeric: tabular-nums; }

.badge {
  background: var(--device); color: var(--on); border-radius: 4px;
  padding: 1px 7px; font-size: 13px; font-weight: 600;
}
.device { margin-right: 14px; white-space: nowrap; }

.figures {
  display: grid; grid-template-columns: repeat(auto-fit, minmax(210px, 1fr));
  gap: 10px; margin: 14px 0;
}
.figures div { background: var(--shade); border-radius: 6px; padding: 8px 12px; }
dt { color: var(--note); font-size: 13px; }
dd { margin: 0; font-size: 17px; }
dd .note { font-size: 13px; }

table { border-collapse: collapse; }
caption { text-align: left; color: var(--note); padding: 4px 0; }
th { text-align: left; font-weight: 600; overflow-wrap: normal; }
.name { white-space: nowrap; }
th, td { vertical-align: top; padding: 4px 14px 4px 0; }
section > table:not(.bars) { width: 100%; }
section > table:not(.bars) tr { border-bottom: 1px solid var(--rule); }

.listing { overflow-x: auto; }
.source { width: 100%; background: var(--shade); }
.source td { padding: 0 12px 0 0; line-height: 20px; }
.source .line { color: var(--note); text-align: right; width: 1%; padding-left: 8px; white-space: nowrap; }
.source .lanes { width: 1%; }
.source .line, .source .lanes, .source .code {
  font: 13px/20px ui-monospace, monospace;
}
.source .code { white-space: pre-wrap; }
.source .label { font-size: 13px; padding-bottom: 2px; }
:target td { background: var(--rule); }
svg { display: block; }
svg text { fill: var(--text); font: 12px system-ui, sans-serif; }
svg .fill { fill: var(--device); }
svg .on { fill: var(--on); font-weight: 600; text-anchor: middle; }
svg .middle { text-anchor: middle; }
svg .end { text-anchor: end; }
svg.memory, svg.times { max-width: 100%; height: auto; }
svg .peak { stroke: var(--text); stroke-width: 1.5; stroke-dasharray: 4 3; }
svg .axis { stroke: var(--note); }

.bars { width: 100%; margin-bottom: 10px; }
.bars th { width: 190px; font-weight: 400; }
.bars .bar svg { width: 100%; height: 16px; margin-top: 4px; fill: var(--bar); }
.bars .value { width: 200px; }
.device-memory {
  display: flex; flex-wrap: wrap; align-items: flex-start; gap: 8px 28px;
}
.holders { flex: 1 1 300px; }
.holders td { border-bottom: 1px solid var(--rule); padding: 3px 10px 3px 0; }
.holders .value { text-align: right; white-space: nowrap; }

@media print {
  body { max-width: none; padding: 0; font-size: 11px; }
  section, tr, svg { break-inside: avoid; }
  section:has(.source) { break-inside: auto; }
  a { color: inherit; text-decoration: none; }
}
)css";

std::string tdc::getColour(unsigned device) {
  constexpr unsigned colours = 6;
  return "device" + std::to_string(device % colours);
}

std::string tdc::getLightColour(llvm::StringRef name) {
  std::string start = ("--" + name + ": ").str();
  return llvm::StringRef(kColours).split(start).second.take_front(7).str();
}
