//===- TDSLFrontEnd.cpp - the front end of .tdsl programs -----------------===//

#include "Frontend/TDSLFrontEnd.h"
#include "Frontend/Parser.h"
#include "Versions.h"
#include "llvm/ADT/StringExtras.h"

using namespace tdc;

/// The words of a type on one line.
static std::string spell(const SourceManager &sources,
                         const ast::TypeExpr *type) {
  if (!type)
    return "";
  llvm::SmallVector<llvm::StringRef> words;
  llvm::SplitString(sources.getText(type->range), words);
  return llvm::join(words, " ");
}

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

  std::vector<Signature> getSignatures() const override {
    std::vector<Signature> signatures;
    for (const ast::Stmt *item : tree->items) {
      auto *fn = llvm::dyn_cast<ast::FnDecl>(item);
      if (!fn || !fn->isExport)
        continue;
      Signature &made = signatures.emplace_back();
      made.name = fn->name.text.str();
      for (const ast::Param &param : fn->params)
        made.parameters.push_back(spell(*sources, param.type));
      made.result = spell(*sources, fn->result);
    }
    return signatures;
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
