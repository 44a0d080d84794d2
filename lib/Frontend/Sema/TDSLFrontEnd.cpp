//===- TDSLFrontEnd.cpp - the front end of .tdsl programs -----------------===//

#include "Frontend/TDSLFrontEnd.h"
#include "Frontend/Parser.h"
#include "Versions.h"

using namespace tdc;

namespace {

class TDSLFrontEnd final : public FrontEnd {
public:
  void parse(SourceManager &from, FileId program,
             DiagnosticEngine &diags) override {
    sources = &from;
    file = program;
    tree = parseFile(*sources, file, context, diags);
  }

  llvm::StringRef getHelp() const override { return tree->doc; }

  llvm::SmallVector<ProgramArgument> getArguments() const override {
    llvm::SmallVector<ProgramArgument> arguments;
    for (const ast::Stmt *item : tree->items) {
      auto *arg = llvm::dyn_cast<ast::ArgDecl>(item);
      if (!arg)
        continue;
      arguments.push_back({arg->name.text, std::nullopt});
      if (arg->defaultValue)
        arguments.back().defaultText =
            sources->getText(arg->defaultValue->range);
    }
    return arguments;
  }

  Machines check(const CheckOptions &options, DiagnosticEngine &diags,
                 Emitter &emitter) override {
    return sema::checkVersions(*sources, context, file, *tree, options, diags,
                               emitter);
  }

private:
  SourceManager *sources = nullptr;
  FileId file = 0;
  ast::Context context;
  const ast::Program *tree = nullptr;
};

} // namespace

std::unique_ptr<FrontEnd> tdc::createTDSLFrontEnd() {
  return std::make_unique<TDSLFrontEnd>();
}
