//===- Scopes.cpp - the names of a program --------------------------------===//

#include "Checker.h"
#include "Declarations.h"
#include "Frontend/Characters.h"
#include "Frontend/Parser.h"
#include "Prelude.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

using namespace tdc;
using namespace tdc::sema;

Binding *Scopes::lookup(llvm::StringRef name) {
  return scope ? scope->lookup(name) : nullptr;
}

void Scopes::pushScope() {
  auto *inner = new Scope;
  inner->parent = scope;
  scope = inner;
}

void Scopes::popScope() {
  for (auto &entry : scope->names) {
    const Binding &binding = entry.second;
    if (binding.warnUnused && !binding.used && !binding.val.isError() &&
        !c.isPrelude(binding.declared.file) && !c.isWalkedAside())
      c.warning(DiagCode::TD210, binding.declared,
                "unused `let " + entry.first() + "`")
          .label("never read")
          .fix(FixIt::Choice, "`let _ = …` says that it is meant",
               {{binding.declared, "_"}});
  }
  Scope *outer = scope->parent;
  delete scope;
  scope = outer;
}

void Scopes::bind(llvm::StringRef name, SourceRange range, Val val,
                  bool isVar) {
  if (name == "_")
    return;
  nameTensor(val, name, range);
  c.observe(range, val);
  if (range.isValid()) {
    c.sharing.track(val, range);
    c.sharing.name(val, range);
  }
  Binding &binding = scope->names[name];
  binding = Binding();
  binding.val = std::move(val);
  binding.declared = range;
  binding.isVar = isVar;
}

void Scopes::nameTensor(const Val &val, llvm::StringRef name,
                        SourceRange range) {
  if (val.is(ValKind::Tensor) && val.value && !c.isPrelude(range.file))
    c.emit().nameTensor(val.value, name);
}

void Scopes::useNamesIn(SourceRange range) {
  if (c.isPrelude(range.file))
    return;
  for (llvm::StringRef rest = c.text(range); !rest.empty();) {
    rest = rest.drop_until(isNameChar);
    llvm::StringRef word = rest.take_while(isNameChar);
    rest = rest.drop_front(word.size());
    Binding *binding = lookup(word);
    if (!binding)
      continue;
    binding->used = true;
    if (binding->val.is(ValKind::Tensor) && binding->val.value)
      c.emit().readElsewhere(binding->val.value);
  }
}

void Checker::bindTarget(const ast::Target &target, Val val, bool isVar,
                         bool warnUnused) {
  if (!target.isTuple()) {
    // The program has no text for a batch of a loop but its name.
    bool isNamedOnly = !val.range.isValid() && val.is(ValKind::Tensor);
    scopes.bind(target.name, target.range, std::move(val), isVar);
    if (target.name == "_")
      return;
    Binding &binding = scopes.scope->names[target.name];
    if (isNamedOnly)
      binding.val.range = target.range;
    if (warnUnused)
      binding.warnUnused = true;
    return;
  }
  Vals parts;
  bool good = unpack(val, target.elements.size(), target.range, parts);
  for (size_t i = 0; i != target.elements.size(); ++i)
    bindTarget(*target.elements[i], good ? parts[i] : Val(), isVar, warnUnused);
}

//===----------------------------------------------------------------------===//
// Names beyond blocks
//===----------------------------------------------------------------------===//

static Val declaredValue(const ast::Decl &decl, FileScope *file) {
  if (auto *fn = llvm::dyn_cast<ast::FnDecl>(&decl)) {
    Val val = makeVal(ValKind::Function);
    auto info = std::make_shared<FunctionInfo>();
    info->decl = fn;
    info->file = file;
    val.data = std::move(info);
    return val;
  }
  Val val = makeVal(ValKind::Class);
  auto info = std::make_shared<ClassInfo>();
  info->decl = llvm::cast<ast::ModelDecl>(&decl);
  info->file = file;
  val.data = std::move(info);
  return val;
}

FileScope *Scopes::loadFile(FileId id, bool isPreludeFile) {
  if (FileScope *known = filesById.lookup(id))
    return known;
  files.push_back(std::make_unique<FileScope>());
  FileScope *result = files.back().get();
  result->id = id;
  if (isPreludeFile)
    c.addPreludeFile(id);
  filesById[id] = result;
  for (llvm::StringRef word : {"cpu", "cuda", "device", "auto"})
    if (!isPreludeFile && c.sources.getText(id).contains(word))
      c.devices.noteNamed();
  if (files.size() == 1)
    return result; // the program itself is parsed already
  unsigned before = c.countReports();
  result->program = parseFile(c.sources, id, c.context, c.getDiags());
  c.training.unfreezes |= result->program->unfreezes;
  c.control.keptNames.insert_range(result->program->keptNames);
  result->hasSyntaxErrors = c.countReports() != before;
  if (result->hasSyntaxErrors)
    c.stopEmitting();
  return result;
}

/// Declares the functions and models of a file in its own scope.
static void declareItems(Checker &checker, FileScope *file) {
  for (const ast::Stmt *item : file->program->items) {
    const ast::Identifier *name = nullptr;
    if (auto *fn = llvm::dyn_cast<ast::FnDecl>(item))
      name = &fn->name;
    else if (auto *model = llvm::dyn_cast<ast::ModelDecl>(item))
      name = &model->name;
    if (!name)
      continue;
    auto [entry, fresh] = file->scope.names.try_emplace(name->text);
    if (!fresh) {
      checker
          .error(DiagCode::TD204, name->range,
                 "`" + name->text + "` is declared twice")
          .note("the first one is here", entry->second.declared);
      continue;
    }
    entry->second.val = declaredValue(*llvm::cast<ast::Decl>(item), file);
    entry->second.declared = name->range;
  }
}

std::optional<Val> Scopes::findPrelude(llvm::StringRef name) {
  for (const PreludeFile &candidate : getPreludeFiles()) {
    if (!llvm::is_contained(candidate.names, name))
      continue;
    FileScope *found = nullptr;
    for (auto &known : files)
      if (c.isPrelude(known->id) &&
          c.sources.getName(known->id) == candidate.name)
        found = known.get();
    if (!found) {
      found = loadFile(c.sources.add(candidate.name, candidate.text), true);
      declareItems(c, found);
    }
    Binding *binding = found->scope.lookup(name);
    return binding ? std::optional<Val>(binding->val) : std::nullopt;
  }
  return std::nullopt;
}

static Val nativeClass(NativeModel native) {
  Val val = makeVal(ValKind::Class);
  auto info = std::make_shared<ClassInfo>();
  info->native = native;
  val.data = std::move(info);
  return val;
}

static Val moduleValue(llvm::StringRef name) {
  Val val = makeVal(ValKind::Namespace);
  auto info = std::make_shared<NamespaceInfo>();
  info->name = name.str();
  val.data = std::move(info);
  return val;
}

static Val builtinValue(const Builtin *builtin) {
  Val val = makeVal(ValKind::Builtin);
  auto info = std::make_shared<BuiltinInfo>();
  info->builtin = builtin;
  val.data = std::move(info);
  return val;
}

std::optional<Val> Scopes::findGlobal(llvm::StringRef name) {
  // `int`, `float` and `bool` are functions, and dtypes where one is wanted.
  if (std::optional<DType> dtype = parseDType(name); dtype && name != "bool")
    return makeDType(*dtype);
  if (name == "cpu" || name == "cuda") {
    Place place;
    place.kind = name == "cpu" ? Place::Kind::Cpu : Place::Kind::Cuda;
    Val device = makeDevice(place, c.here);
    device.as<DeviceInfo>().isWord = name == "cuda";
    return device;
  }
  if (name == "auto")
    return c.devices.autoDevice(c.here);
  if (name == "here") {
    auto [place, placed] = c.places.ambientPlace();
    return makeDevice(place, placed);
  }
  if (name == "inf")
    return makeFloat(std::numeric_limits<double>::infinity());
  if (name == "nan")
    return makeFloat(std::numeric_limits<double>::quiet_NaN());
  if (name == "none")
    return makeVal(ValKind::None);
  if (name == "pi")
    return makeFloat(3.141592653589793);
  if (name == "Sequential")
    return nativeClass(NativeModel::Sequential);
  if (name == "ModuleList")
    return nativeClass(NativeModel::ModuleList);
  if (name == "Module")
    return nativeClass(NativeModel::Module);
  if (name == "DataParallel")
    return nativeClass(NativeModel::DataParallel);
  if (name == "nn" || name == "optim" || name == "F" || name == "init" ||
      name == "special" || name == "lr_scheduler" || name == "copy")
    return moduleValue(name);
  return findFunction(name);
}

std::optional<Val> Scopes::findFunction(llvm::StringRef name) {
  // A name that begins with `_` is for the prelude's own code.
  if (name.starts_with("_") && !c.isPrelude(file->id))
    return std::nullopt;
  if (const Builtin *builtin = findBuiltin(name))
    return builtinValue(builtin);
  return findPrelude(name);
}

std::optional<Val> Scopes::findInModule(llvm::StringRef module,
                                        llvm::StringRef name) {
  if (module == "copy" && name != "deepcopy")
    return std::nullopt;
  if (module == "init")
    return findGlobal(("init." + name).str());
  // PyTorch's modules in modules; all but `init` share one set of names.
  if (name == "functional" || name == "utils" || name == "parallel" ||
      name == "lr_scheduler")
    return moduleValue(name);
  return findGlobal(name);
}

std::optional<Val> Scopes::findMethod(llvm::StringRef name) {
  // `x.float()` differs from `float(x)`.
  if (const Builtin *method = findBuiltin(("." + name).str()))
    return builtinValue(method);
  // Python's functions of types; `x.type(dtype)` is PyTorch's `x.to(dtype)`.
  if (name == "type" || name == "isinstance")
    return std::nullopt;
  std::optional<Val> found = findFunction(name);
  bool isModel = found && found->is(ValKind::Class);
  return isModel ? std::nullopt : found;
}

static constexpr llvm::StringLiteral kImported =
    "an import gives functions, models and `let`s of numbers and texts, and "
    "runs no statement";

/// Whether a statement of the file declares a variable of this name.
static bool declaresVariable(const FileScope &file, llvm::StringRef name) {
  return file.program &&
         llvm::any_of(file.program->items, [&](const ast::Stmt *item) {
           auto *let = llvm::dyn_cast<ast::LetStmt>(item);
           return let && !let->target->isTuple() && let->target->name == name;
         });
}

std::vector<llvm::StringRef> Scopes::variablesHere() const {
  std::vector<llvm::StringRef> names;
  for (const Scope *s = scope; s; s = s->parent)
    for (auto &entry : s->names)
      if (!isExit(entry.first()) && !entry.second.val.isError())
        names.push_back(entry.first());
  llvm::sort(names);
  return names;
}

/// `// …` after a statement, which is parsed as a division.
static bool offerComment(Checker &c, Diagnostic &report, SourceRange name) {
  llvm::StringRef before = c.sources.getText(name.file).take_front(name.begin);
  if (!before.ends_with(" // "))
    return false;
  SourceRange slashes = {name.file, name.begin - 3, name.begin - 1};
  report.note("`//` divides; a comment starts with `#`")
      .fix(FixIt::Safe, "`# …`", {{slashes, "#"}});
  return true;
}

void Scopes::reportUnknown(llvm::StringRef name, SourceRange range) {
  bool isImported = file->id != files.front()->id;
  if (isImported && declaresVariable(*file, name)) {
    c.error(DiagCode::TD201, range,
            "`" + name + "` does not exist in an imported file")
        .label("make it a parameter")
        .note(kImported);
    return;
  }
  ModelInstance *model = !c.models.building.empty() ? c.models.building.back()
                         : c.frames.empty()         ? nullptr
                                                    : c.frames.back().self;
  if (model && model->find(name)) {
    c.error(DiagCode::TD201, range, "unknown name `" + name + "`")
        .label("a member of `" + model->typeName + "`")
        .fix(FixIt::Safe, "`self." + name + "`", {{range.start(), "self."}});
    return;
  }
  if (llvm::StringRef dtype = getDtypeOfPyTorch(name); !dtype.empty()) {
    c.error(DiagCode::TD201, range, "unknown name `" + name + "`")
        .label("the dtype is called `" + dtype + "`")
        .fix(FixIt::Safe, "`" + dtype + "`", {{range, dtype.str()}});
    return;
  }
  if (reportPyTorchName(name, range, ""))
    return;
  Diagnostic &report =
      c.error(DiagCode::TD201, range, "unknown name `" + name + "`")
          .label("nothing here has this name");
  if (offerComment(c, report, range) || c.errorCount > kMostExplained ||
      noteOtherBlock(report, name, range) || offerOfScript(report, name, range))
    return;
  std::vector<llvm::StringRef> candidates = variablesHere();
  // Any three letters are near the name of some function.
  if (name.size() > 3) {
    llvm::append_range(candidates, getBuiltinNames());
    for (const PreludeFile &prelude : getPreludeFiles())
      for (llvm::StringRef candidate : prelude.names)
        if (!candidate.starts_with("_"))
          candidates.push_back(candidate);
  }
  offerNearest(report, name, range, candidates);
}

//===----------------------------------------------------------------------===//
// Imports
//===----------------------------------------------------------------------===//

void Scopes::importItems(const ast::ImportDecl &import) {
  if (import.isFile) {
    c.unsupported(import.range, "import of a file that is not a module");
    return;
  }
  std::string relative = import.path.text.str();
  std::replace(relative.begin(), relative.end(), '.', '/');
  relative += ".tdsl";
  std::vector<std::string> folders;
  folders.push_back(
      llvm::sys::path::parent_path(c.sources.getName(file->id)).str());
  llvm::append_range(folders, c.options.importPaths);
  llvm::ErrorOr<FileId> opened =
      std::make_error_code(std::errc::no_such_file_or_directory);
  for (const std::string &folder : folders) {
    llvm::SmallString<128> path(folder);
    llvm::sys::path::append(path, relative);
    opened = c.sources.open(path);
    if (opened)
      break;
  }
  if (!opened) {
    c.error(DiagCode::TD209, import.path.range,
            "there is no module `" + import.path.text + "`")
        .note("looked for `" + relative + "` next to this file");
    // The names that it would have declared are not reported.
    for (const ast::Identifier &name : import.names)
      poison(name.text, name.range);
    poison(import.alias.text.empty() ? import.path.text.rsplit('.').second
                                     : import.alias.text,
           import.path.range);
    poison(import.path.text, import.path.range);
    return;
  }
  bool isNew = !filesById.lookup(*opened);
  FileScope *module = loadFile(*opened, false);
  if (isNew && module->program) {
    Restore<FileScope *> savedFile(file, module);
    Restore<Scope *> savedScope(scope, &module->scope);
    declareItems(c, module);
    // An import runs no statement but constant `let`s.
    for (const ast::Stmt *item : module->program->items) {
      if (auto *inner = llvm::dyn_cast<ast::ImportDecl>(item))
        importItems(*inner);
      auto *let = llvm::dyn_cast<ast::LetStmt>(item);
      if (let && !let->isVar && isConstantExpr(*let->value))
        c.execLet(*let);
    }
    for (auto &entry : module->scope.names)
      entry.second.warnUnused = false;
  }
  if (import.names.empty()) {
    Val val = moduleValue(import.path.text);
    val.as<NamespaceInfo>().file = module;
    llvm::StringRef name = import.alias.text.empty()
                               ? import.path.text.rsplit('.').second
                               : import.alias.text;
    if (name.empty())
      name = import.path.text;
    bind(name, import.path.range, val, false);
    return;
  }
  for (const ast::Identifier &name : import.names) {
    auto found = module->scope.names.find(name.text);
    if (found == module->scope.names.end()) {
      reportNotInFile(DiagCode::TD209, *module, import.path.text, name);
      bind(name.text, name.range, Val(), false);
      continue;
    }
    bind(name.text, name.range, found->second.val, false);
  }
}

Val Scopes::reportNotInFile(DiagCode code, const FileScope &module,
                            llvm::StringRef path, const ast::Identifier &name) {
  if (module.hasSyntaxErrors)
    return c.fail();
  bool isLeftOut = declaresVariable(module, name.text);
  Diagnostic &report =
      c.error(code, name.range,
              "`" + path + "` " + (isLeftOut ? "gives no `" : "has no `") +
                  name.text + "`");
  std::vector<llvm::StringRef> names;
  for (auto &entry : module.scope.names)
    names.push_back(entry.first());
  llvm::sort(names);
  if (isLeftOut)
    report.label(kImported);
  else
    offerNearest(report, name.text, name.range, names);
  return c.fail();
}

bool sema::isConstantExpr(const ast::Expr &expr) {
  using namespace ast;
  switch (expr.kind) {
  case ExprKind::Int:
  case ExprKind::Float:
  case ExprKind::Bool:
  case ExprKind::String:
  case ExprKind::Device:
  case ExprKind::Name:
    return true;
  case ExprKind::Unary:
    return isConstantExpr(*llvm::cast<UnaryExpr>(expr).operand);
  case ExprKind::Binary:
    return isConstantExpr(*llvm::cast<BinaryExpr>(expr).lhs) &&
           isConstantExpr(*llvm::cast<BinaryExpr>(expr).rhs);
  case ExprKind::Tuple:
    return llvm::all_of(llvm::cast<TupleExpr>(expr).elements,
                        [](const Expr *e) { return isConstantExpr(*e); });
  case ExprKind::List:
    return llvm::all_of(llvm::cast<ListExpr>(expr).elements,
                        [](const Expr *e) { return isConstantExpr(*e); });
  default:
    return false;
  }
}

//===----------------------------------------------------------------------===//
// The program
//===----------------------------------------------------------------------===//

void Checker::run(FileId id, const ast::Program &program) {
  if (countReports() != 0)
    stopEmitting();
  scopes.file = scopes.loadFile(id, false);
  scopes.file->program = &program;
  training.unfreezes = program.unfreezes;
  control.keptNames.insert_range(program.keptNames);
  scopes.scope = &scopes.file->scope;
  declareItems(*this, scopes.file);
  for (const ast::Directive &directive : program.directives)
    if (directive.key == "placement") {
      if (std::optional<Placement> mode = parsePlacement(directive.value))
        places.placement = *mode;
      else
        error(DiagCode::TD222, directive.range,
              "there is no placement mode `" + directive.value + "`")
            .label("it is one of " + llvm::join(getPlacementNames(), ", "));
    }
  if (options.placement)
    places.placement = *options.placement;
  if (places.placement == Placement::Optimize)
    emit().optimizePlacement();
  if (places.placement == Placement::Off)
    emit().keepTransfers();
  // Command-line arguments are declared first: `--help` lists them all.
  for (const ast::Stmt *item : program.items)
    if (auto *arg = llvm::dyn_cast<ast::ArgDecl>(item))
      execArg(*arg);
  control.execStatements(program.items);
  // An exported function is called after the statements have run.
  for (const ast::Stmt *item : program.items)
    if (auto *fn = llvm::dyn_cast<ast::FnDecl>(item); fn && fn->isExport)
      calls.execExport(*fn);
  calls.checkUncalled();
  lints.finish();
  models.nameAliases();
  // A walk that failed without a report gets one: nothing is dropped silently.
  if (getFailure().isValid() && countReports() == 0)
    unsupported(getFailure(), "this");
  for (auto &entry : scopes.file->scope.names)
    if (entry.second.warnUnused && !entry.second.used &&
        !entry.second.val.isError())
      warning(DiagCode::TD210, entry.second.declared,
              "unused `let " + entry.first() + "`")
          .label("never read")
          .fix(FixIt::Choice, "`let _ = …` says that it is meant",
               {{entry.second.declared, "_"}});
}
