//===- JSON.cpp - prints a report as JSON ---------------------------------===//
//
// The names of the fields are described in docs/Placement.md.
//
//===----------------------------------------------------------------------===//

#include "llvm/Support/JSON.h"
#include "Dialect/TD/Analysis/Reporting/UserNames.h"
#include "Dialect/TD/IR/CarryingLoop.h"
#include "Dialect/TD/IR/Locations.h"
#include "Words.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace json = llvm::json;

namespace tdc {

using td::CopySite;
using td::RunFactor;

namespace {

class Writer {
public:
  Writer(llvm::raw_ostream &os, const Report &report)
      : os(os), json(os, 2), report(report) {
    // Loops and branches are numbered in the order of `tdc emit
    // --phase=placed`.
    mlir::ModuleOp module = report.module;
    unsigned loops = 0, branches = 0;
    module->walk<mlir::WalkOrder::PreOrder>([&](mlir::Operation *op) {
      if (td::CarryingLoop(op))
        indices[op] = loops++;
      else if (llvm::isa<mlir::scf::IfOp>(op))
        indices[op] = branches++;
    });
  }

  void write() {
    json.object([&] {
      json.attribute("summary", Words(report).getSummary());
      json.attribute("file", report.file);
      json.attributeArray("devices", [&] {
        for (const Place &device : report.devices)
          json.value(spelling(device));
      });
      writeRecords("sizes", report.sizes);
      write("placed", report.placed);
      write("exports", report.exports);
      json.attributeArray("sites", [&] {
        for (auto [i, site] : llvm::enumerate(report.sites))
          json.object([&, i = i, &site = site] { write(i + 1, site); });
      });
      json.attributeArray("waits", [&] {
        for (const HostWait &wait : report.waits)
          json.object([&] {
            writeLocation(td::getUserLocation(wait.site->reader->getLoc()));
            writeLine("loop", wait.site->loop);
            write("times", getCopies(*wait.site));
            json.attribute("advice", wait.advice);
          });
      });
      writeRecords("steps", report.steps);
      json.attribute("replicaBytes", report.replicaBytes);
      writeRecords("lines", report.lines);
      writeRecords("arithmetic", report.arithmetic);
      writeRecords("peaks", report.memory.peaks);
      json.attribute("pinned", report.memory.pinnedBytes);
      writeRecords("memory", report.memory.points);
      writeRecords("lanes", report.lanes);
      if (!report.notMeasured.empty())
        json.attribute("notMeasured", report.notMeasured);
      writeComparison();
    });
    os << "\n";
  }

private:
  static int64_t getLine(mlir::FileLineColLoc location) {
    return location ? location.getLine() : 0;
  }
  template <typename Records>
  void writeRecords(llvm::StringRef name, const Records &records) {
    json.attributeArray(name, [&] {
      for (const auto &record : records)
        json.object([&] { write(record); });
    });
  }

  void writeLocation(mlir::FileLineColLoc location) {
    json.attribute("line", getLine(location));
    if (location)
      writeFile(location.getFilename());
  }
  void writeLine(llvm::StringRef file, unsigned line) {
    json.attribute("line", line);
    if (line)
      writeFile(file);
  }
  void writeLine(llvm::StringRef name, mlir::Operation *op) {
    json.attribute(name, getLine(td::getUserLocation(op->getLoc())));
  }
  void writeFile(llvm::StringRef file) {
    if (file != report.file)
      json.attribute("file", file);
  }

  void write(llvm::StringRef name, const Amount &amount) {
    json.attributeObject(name, [&] {
      if (amount.rest.empty())
        json.attribute("number", amount.known);
      else
        json.attribute("number", nullptr);
      json.attribute("formula", amount.getFormula());
      json.attribute("exact", amount.isExact);
    });
  }

  void write(td::CopyCount count) {
    json.attribute("copies", count.copies);
    json.attribute("bytes", count.bytes);
  }

  void write(llvm::StringRef name, const Total &total) {
    json.attributeObject(name, [&] {
      write("copies", total.copies);
      write("bytes", total.bytes);
    });
  }

  void write(const FileSize &size) {
    json.attribute("name", size.name);
    json.attribute("size", size.size);
    json.attribute("dataFile", size.file);
    writeLine(report.sources.getName(size.range.file),
              report.sources.getLineColumn(size.range).line);
  }

  void write(int64_t id, const CopySite &site) {
    json.attribute("id", id);
    json.attribute("what", site.what);
    writeLocation(site.location);
    json.attribute("src", spelling(site.from));
    json.attribute("dst", spelling(site.to));
    json.attribute("kind", site.kind == CopySite::OnDemand    ? "on demand"
                           : site.isImplied && site.isForHost ? "implicit"
                                                              : "static");
    json.attribute("written", !site.isImplied);
    if (site.role)
      json.attribute("role", td::stringifyCopyRole(*site.role));
    if (site.reader)
      json.attributeObject("reader", [&] {
        json.attribute("op", td::getUserName(site.reader));
        writeLocation(td::getUserLocation(site.reader->getLoc()));
      });
    write("bytesOfOne", getBytesOfOne(site));
    write("copies", getCopies(site));
    write("bytes", getBytes(site));
    auto writeAll = [&](llvm::ArrayRef<RunFactor> factors) {
      for (const RunFactor &factor : factors)
        json.object([&] { write(factor); });
    };
    json.attributeArray("runs", [&] { writeAll(site.factors); });
    if (!site.otherFactors.empty())
      json.attributeArray("otherRuns", [&] {
        for (llvm::ArrayRef<RunFactor> factors : site.otherFactors)
          json.array([&] { writeAll(factors); });
      });
    if (site.blocked != CopySite::Nothing)
      json.attributeObject("blockedBy", [&] {
        json.attribute("reason", site.getBlockedName());
        writeLine("loop", site.loop);
        if (site.definedAt)
          json.attribute("line", getLine(site.definedAt));
      });
    if (std::optional<CopyTime> time = report.getTime(site))
      json.attributeObject("time", [&] { write(*time); });
  }

  void write(const CopyTime &time) {
    json.attribute("when", time.when == CopyTime::Ahead        ? "ahead"
                           : time.when == CopyTime::Overlapped ? "overlapped"
                           : time.when == CopyTime::Late ? "late"
                                                         : "not-pipelined");
    if (!time.why.empty())
      json.attribute("reason", time.why);
    if (time.by)
      writeLocation(time.by);
  }

  void write(const CopyStep &step) {
    if (auto function = llvm::dyn_cast_or_null<mlir::func::FuncOp>(step.op)) {
      json.attribute("calls", function.getSymName());
    } else if (step.op) {
      json.attribute("loop", indices.lookup(step.op));
      writeLine("line", step.op);
    }
    write("always", step.always);
    write("sometimes", step.sometimes);
    json.attributeArray("sites", [&] {
      for (const CopySite *site : step.sites)
        json.value(int64_t(site - report.sites.data()) + 1);
    });
  }

  void write(const LineDevices &line) {
    writeLocation(line.location);
    json.attributeArray("devices", [&] {
      for (unsigned device : line.devices)
        json.value(spelling(report.devices[device]));
    });
  }

  void write(const LineArithmetic &line) {
    writeLocation(line.location);
    json.attribute("operations", line.operations);
  }

  void write(const PeakMemory &peak) {
    json.attribute("device", spelling(peak.device));
    write("bytes", getBytes(peak));
    json.attribute("arena", peak.arenaBytes);
    writeLocation(peak.location);
    writeRecords("holders", peak.holders);
  }

  void write(const MemoryHolder &holder) {
    json.attribute("what", holder.what);
    writeLocation(holder.location);
    json.attribute("tensors", holder.tensors);
    json.attribute("bytes", holder.bytes);
  }

  void write(const MemoryPoint &point) {
    writeLocation(point.location);
    json.attributeArray("bytes", [&] {
      for (int64_t bytes : point.bytes)
        json.value(bytes);
    });
  }

  void write(const Lanes &lanes) {
    json.attribute("measured", lanes.isMeasured);
    writeLine(lanes.file, lanes.line);
    json.attribute("length", lanes.length);
    if (std::optional<PeerUse> use = lanes.getPeerUse())
      json.attributeObject("peers", [&] {
        json.attribute("computing", use->computing);
        json.attribute("hidden", use->hidden);
      });
    writeRecords("rows", lanes.rows);
    writeRecords("work", lanes.work);
  }

  void write(const LaneRow &row) {
    json.attribute("device", row.device);
    json.attribute("lane", row.name);
    json.attribute("busy", row.busy);
  }

  void write(const LaneWork &work) {
    json.attribute("row", work.lane);
    json.attribute("what", work.what);
    writeLine(work.file, work.line);
    json.attribute("begin", work.begin);
    json.attribute("length", work.length);
    if (work.bytes)
      json.attribute("bytes", work.bytes);
    if (work.isMemoryBound)
      json.attribute("memoryBound", true);
  }

  void write(const RunFactor &factor) {
    if (factor.kind == RunFactor::Calls) {
      json.attribute("calls",
                     llvm::cast<mlir::func::FuncOp>(factor.op).getSymName());
      return;
    }
    bool isLoop = factor.kind == RunFactor::Loop;
    json.attribute(isLoop ? "loop" : "branch", indices.lookup(factor.op));
    writeLine("line", factor.op);
    if (!isLoop)
      json.attribute("side", factor.isElse ? "else" : "then");
    if (factor.isKnown) {
      json.attribute(isLoop ? "iterations" : "taken", factor.inner);
      json.attribute(isLoop ? "entries" : "runs", factor.outer);
    } else if (factor.most) {
      json.attribute("most", *factor.most);
    }
  }

  void writeComparison() {
    if (report.asWritten)
      write("asWritten", *report.asWritten);
    else
      json.attributeObject("asWritten",
                           [&] { json.attribute("refused", report.refusal); });
    json.attributeArray("removed", [&] {
      for (const Removed &one : report.removed)
        json.object([&] {
          json.attribute("line", one.line);
          writeFile(one.file);
          write("before", one.before);
          write("after", one.after);
        });
    });
    if (!report.isBoundKnown)
      return;
    json.attributeObject("bound", [&] {
      write(report.least);
      json.attribute("exact", report.isBoundExact);
    });
    json.attributeObject("boundOfExports",
                         [&] { write(report.leastOfExports); });
    json.attributeObject("made", [&] { write(report.made); });
    if (report.trialIterations)
      json.attribute("trialIterations", report.trialIterations);
    json.attributeObject("gap", [&] {
      write(report.getGap());
      if (!(report.getGap() == td::CopyCount()))
        json.attribute("cause", report.getCauseOfGap().why);
    });
  }

  llvm::raw_ostream &os;
  json::OStream json;
  const Report &report;
  llvm::DenseMap<mlir::Operation *, unsigned> indices;
};

} // namespace

void printJSON(llvm::raw_ostream &os, const Report &report) {
  Writer(os, report).write();
}

} // namespace tdc
