//===- Page.cpp - prints a report as an HTML page with pictures -----------===//

#include "Page.h"
#include "Dialect/TD/IR/Locations.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace tdc;
using llvm::Twine;

//===----------------------------------------------------------------------===//
// Shared by all parts
//===----------------------------------------------------------------------===//

unsigned Page::getIndex(const Place &device) const {
  return llvm::find(report.devices, device) - report.devices.begin();
}

std::string Page::getLetter(unsigned device) const {
  const Place &place = report.devices[device];
  if (place == getCpu())
    return "C";
  std::string name = spelling(place);
  return ("G" + llvm::StringRef(name).rsplit(':').second).str();
}

void Page::number(const Twine &path, const Twine &text) {
  out.element("span", {{"class", "number"}, {"data-json", path}}, text);
}

void Page::copies(const Twine &path, const Amount &amount) {
  std::string formula = amount.getFormula();
  if (!amount.isExact)
    out.text("at most ");
  number(path, formula);
  out.text(formula == "1" ? " copy" : " copies");
}

void Page::bytes(const Twine &path, const Amount &amount) {
  number(path, amount.getFormula());
  out.text(" B");
}

void Page::peak(unsigned device, const PeakMemory &peak) {
  out.text(Words::getCertainty(peak));
  bytes("peaks." + Twine(device) + ".bytes", getBytes(peak));
}

void Page::total(const Twine &path, const Total &total) {
  copies(path + ".copies", total.copies);
  out.text(", ");
  bytes(path + ".bytes", total.bytes);
}

void Page::total(const Twine &path, td::CopyCount count) {
  number(path + ".copies", Twine(count.copies));
  out.text(count.copies == 1 ? " copy, " : " copies, ");
  number(path + ".bytes", Twine(count.bytes));
  out.text(" B");
}

std::string Page::getPath(const CopyGroup &group, llvm::StringRef field) const {
  llvm::SmallVector<std::string> paths;
  for (const td::CopySite *site : group.sites)
    paths.push_back("sites." + std::to_string(site - report.sites.data()) +
                    "." + field.str());
  return llvm::join(paths, " ");
}

mlir::FileLineColLoc Page::getLineOf(const td::CopySite &site) {
  mlir::FileLineColLoc reader = site.reader
                                    ? td::getUserLocation(site.reader->getLoc())
                                    : mlir::FileLineColLoc();
  return reader ? reader : site.location;
}

std::string Page::getAnchor(mlir::FileLineColLoc location) const {
  for (FileId id = 1; location && id <= report.sources.getNumFiles(); ++id)
    if (report.sources.getName(id) == location.getFilename().getValue())
      return "file-" + std::to_string(id) + "-line-" +
             std::to_string(location.getLine());
  return "";
}

void Page::line(mlir::FileLineColLoc location) {
  std::string anchor = getAnchor(location);
  if (anchor.empty())
    out.text(words.spell(location));
  else
    out.element("a", {{"href", "#" + anchor}}, words.spell(location));
}

void tdc::section(Page &page, llvm::StringRef heading,
                  Markup::Contents contents) {
  page.out.element("section", {}, [&] {
    page.out.element("h2", {}, heading);
    contents();
  });
}

void tdc::writeHeads(Page &page, llvm::ArrayRef<const char *> names) {
  page.out.element("tr", {}, [&] {
    for (const char *name : names)
      page.out.element("th", {{"scope", "col"}}, name);
  });
}

//===----------------------------------------------------------------------===//
// The page
//===----------------------------------------------------------------------===//

static void writeHead(Page &page) {
  page.out.element("head", {}, [&] {
    page.out.empty("meta", {{"charset", "utf-8"}});
    page.out.empty("meta",
                   {{"name", "viewport"}, {"content", "width=device-width"}});
    page.out.element("title", {},
                     page.words.getProgram() + ": copies between devices");
    page.out.element("style", {}, [&] {
      page.out.raw(kColours);
      page.out.raw(kStyle);
    });
  });
}

/// Writes the devices with their colours and letters.
static void writeLegend(Page &page) {
  page.out.element("p", {{"class", "legend"}}, [&] {
    for (unsigned i = 0; i != page.report.devices.size(); ++i) {
      page.out.element("span", {{"class", "device"}}, [&] {
        page.out.element("span", {{"class", "badge " + getColour(i)}},
                         page.getLetter(i));
        page.out.text(" " + spelling(page.report.devices[i]));
      });
      page.out.text(" ");
    }
  });
}

void tdc::printHTML(llvm::raw_ostream &os, const Report &report) {
  Page page(os, report);
  page.out.raw("<!doctype html>\n");
  page.out.element("html", {{"lang", "en"}}, [&] {
    writeHead(page);
    page.out.element("body", {}, [&] {
      page.out.element("h1", {}, page.words.getProgram());
      page.out.element("p", {}, page.words.getSummary() + ".");
      writeLegend(page);
      writeFigures(page);
      writeSteps(page);
      writeSource(page);
      writeBars(page);
      writeLanes(page);
      writeMemory(page);
      writeSites(page);
      writeWaits(page);
    });
  });
  page.out.raw("\n");
}
