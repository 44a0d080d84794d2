//===- Ledger.cpp - counts copies and the copies that are needed ----------===//

#include "Ledger.h"
#include "Dialect/TD/IR/Locations.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/JSON.h"

namespace tdc {

void Ledger::addCopy(const Tensor &tensor, const Place &device, int64_t line) {
  Link link(spelling(tensor.place), spelling(device));
  links[link].add(tensor.countBytes());
  sites[{line, link}].add(tensor.countBytes());
}

void Ledger::addDemand(const Tensor &tensor, const Place &device) {
  if (tensor.home && *tensor.home != device &&
      demands.insert({tensor.instance, spelling(device)}).second)
    least.add(tensor.countBytes());
}

void Ledger::write(mlir::ModuleOp module,
                   const std::map<std::string, int64_t> &peaks,
                   llvm::raw_ostream &os) const {
  llvm::json::OStream json(os);
  json.object([&] {
    json.attributeArray("copies", [&] {
      for (auto &[link, count] : links)
        json.object([&, &link = link, &count = count] {
          json.attribute("src", link.first);
          json.attribute("dst", link.second);
          json.attribute("logical", count.copies);
          json.attribute("bytes", count.bytes);
        });
    });
    json.attributeArray("sites", [&] {
      for (auto &[site, count] : sites)
        json.object([&, &site = site, &count = count] {
          json.attribute("line", site.first);
          json.attribute("src", site.second.first);
          json.attribute("dst", site.second.second);
          json.attribute("executed", count.copies);
          json.attribute("bytes", count.bytes);
        });
    });
    auto writeControl = [&](bool isLoop) {
      module->walk<mlir::WalkOrder::PreOrder>([&](mlir::Operation *op) {
        if (isLoop ? !llvm::isa<mlir::scf::ForOp, mlir::scf::WhileOp>(op)
                   : !llvm::isa<mlir::scf::IfOp>(op))
          return;
        Runs counted = control.lookup(op);
        mlir::FileLineColLoc location = td::getUserLocation(op->getLoc());
        json.object([&] {
          json.attribute("line", location ? location.getLine() : 0);
          json.attribute(isLoop ? "entries" : "runs", counted.runs);
          json.attribute(isLoop ? "trips" : "taken", counted.taken);
        });
      });
    };
    json.attributeArray("loops", [&] { writeControl(/*isLoop=*/true); });
    json.attributeArray("branches", [&] { writeControl(/*isLoop=*/false); });
    json.attributeObject("peak", [&] {
      for (const auto &[device, bytes] : peaks)
        json.attribute(device, bytes);
    });
    json.attributeObject("k0", [&] {
      json.attribute("copies", least.copies);
      json.attribute("bytes", least.bytes);
    });
  });
  os << "\n";
}

} // namespace tdc
