//===- Sites.cpp - the tables of copies and of waits ----------------------===//

#include "Dialect/TD/Analysis/Reporting/UserNames.h"
#include "Dialect/TD/IR/Locations.h"
#include "Page.h"

using namespace tdc;
using llvm::Twine;

static void writeWhy(Page &page, const CopyGroup &group) {
  const td::CopySite &site = group.first();
  auto say = [&](const Twine &text) {
    if (std::string line = text.str(); !line.empty())
      page.out.element("div", {}, line);
  };
  if (group.sites.size() == 1)
    page.out.element("div", {}, [&] {
      page.out.text("made on ");
      page.line(site.location);
      if (std::string text = page.words.quote(site.location); !text.empty()) {
        page.out.text(": ");
        page.out.element("code", {}, text);
      }
    });
  say(page.words.getReader(site));
  say(page.words.getRuns(site));
  say(page.words.getTime(site));
}

static void writeRow(Page &page, size_t number, const CopyGroup &group) {
  const td::CopySite &site = group.first();
  page.out.element("tr", {{"id", "copy-" + Twine(number)}}, [&] {
    page.out.element("th", {{"scope", "row"}}, Twine(number));
    page.out.element("td", {}, page.words.getSubject(group));
    page.out.element("td", {},
                     spelling(site.from) + " \u2192 " + spelling(site.to));
    page.out.element("td", {}, [&] {
      page.copies(page.getPath(group, "copies"), group.total.copies);
      if (group.sites.size() == 1 && group.total.copies.getFormula() != "1") {
        page.out.text(" of ");
        page.bytes(page.getPath(group, "bytesOfOne"), getBytesOfOne(site));
      }
    });
    page.out.element("td", {}, [&] {
      page.bytes(page.getPath(group, "bytes"), group.total.bytes);
    });
    page.out.element("td", {}, [&] { writeWhy(page, group); });
  });
}

void tdc::writeSites(Page &page) {
  if (page.report.sites.empty())
    return;
  section(page, "Every copy", [&] {
    page.out.element("table", {}, [&] {
      writeHeads(page, {"#", "value", "direction", "copies", "total", "why"});
      for (auto [i, group] : llvm::enumerate(page.words.getGroups()))
        writeRow(page, i + 1, group);
    });
  });
}

void tdc::writeWaits(Page &page) {
  if (page.report.waits.empty())
    return;
  section(page, "Where the host waits for the device", [&] {
    page.out.element("table", {}, [&] {
      writeHeads(page,
                 {"line", "op", "in every iteration of", "times", "advice"});
      for (auto [i, wait] : llvm::enumerate(page.report.waits)) {
        const td::CopySite &site = *wait.site;
        page.out.element("tr", {}, [&, i = i, &wait = wait] {
          page.out.element("td", {}, [&] {
            page.line(td::getUserLocation(site.reader->getLoc()));
          });
          page.out.element("td", {{"class", "name"}},
                           td::getUserName(site.reader));
          page.out.element("td", {}, [&] {
            page.line(td::getUserLocation(site.loop->getLoc()));
          });
          page.out.element("td", {}, [&] {
            page.number("waits." + Twine(i) + ".times",
                        getCopies(site).getFormula());
          });
          page.out.element("td", {}, wait.advice);
        });
      }
    });
  });
}
