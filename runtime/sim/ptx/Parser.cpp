//===- Parser.cpp - PTX text to its syntax --------------------------------===//
//
// PTX ISA, chapters 4 "Syntax", 5 "State Spaces, Types, and Variables" and 11
// "Directives". Debug sections and hints to ptxas are skipped.
//
//===----------------------------------------------------------------------===//

#include "ptx/Parser.h"
#include "Fault.h"
#include "ptx/Lexer.h"
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <unordered_map>

namespace tdc::sim {

namespace {

using namespace syntax;

/// Size of a type's value in bytes; 0 for an unknown type.
unsigned bytesOfType(std::string_view type) {
  static const std::unordered_map<std::string_view, unsigned> bytes = {
      {".u8", 1},  {".s8", 1},  {".b8", 1},  {".u16", 2},   {".s16", 2},
      {".b16", 2}, {".f16", 2}, {".u32", 4}, {".bf16", 2},  {".s32", 4},
      {".b32", 4}, {".f32", 4}, {".u64", 8}, {".f16x2", 4}, {".bf16x2", 4},
      {".s64", 8}, {".b64", 8}, {".f64", 8}};
  auto found = bytes.find(type);
  return found == bytes.end() ? 0 : found->second;
}

class Parser {
public:
  explicit Parser(std::string_view text) : tokens(tokenize(text)) {}

  Module run() {
    while (peek().kind != TokenKind::End)
      parseTopLevel();
    if (module.target.empty())
      refuse("no .target");
    return std::move(module);
  }

private:
  //===--------------------------------------------------------------------===//
  // Tokens
  //===--------------------------------------------------------------------===//

  const Token &peek(size_t ahead = 0) const {
    return tokens[std::min(at + ahead, tokens.size() - 1)];
  }
  const Token &take() {
    const Token &token = peek();
    at = std::min(at + 1, tokens.size() - 1);
    return token;
  }
  bool isNext(std::string_view text) const {
    return peek().text == text && peek().kind != TokenKind::String;
  }
  bool takeIf(std::string_view text) {
    if (!isNext(text))
      return false;
    take();
    return true;
  }
  void expect(std::string_view text) {
    if (!takeIf(text))
      refuse("'" + std::string(text) + "' expected");
  }
  std::string_view expectWord(const char *what) {
    if (peek().kind != TokenKind::Word)
      refuse(std::string(what) + " expected");
    return take().text;
  }
  uint64_t expectInteger() {
    if (peek().kind != TokenKind::Integer)
      refuse("a number expected");
    return take().bits;
  }

  [[noreturn]] void refuse(const std::string &message) const {
    std::string got = peek().kind == TokenKind::End
                          ? "the end of the text"
                          : "'" + std::string(peek().text) + "'";
    refusePtx(peek().line, message + ", got " + got);
  }

  void skipRestOf(int line) {
    while (peek().kind != TokenKind::End && peek().line == line)
      take();
  }
  void skipBraces() {
    int depth = 0;
    do {
      depth += isNext("{") ? 1 : isNext("}") ? -1 : 0;
      if (peek().kind == TokenKind::End)
        refuse("'}' expected");
      take();
    } while (depth);
  }

  //===--------------------------------------------------------------------===//
  // The module
  //===--------------------------------------------------------------------===//

  void parseTopLevel() {
    if (takeIf(";"))
      return;
    int line = peek().line;
    if (takeIf(".version")) {
      module.version = std::strtod(std::string(take().text).c_str(), nullptr);
      return skipRestOf(line);
    }
    if (takeIf(".target")) {
      module.target = std::string(expectWord("a target"));
      return skipRestOf(line);
    }
    if (takeIf(".address_size")) {
      if (expectInteger() != 64)
        refuse("only .address_size 64 is simulated");
      return;
    }
    if (isNext(".file"))
      return parseFile();
    if (isNext(".loc"))
      return skipRestOf(line);
    if (takeIf(".section")) {
      while (!isNext("{") && peek().kind != TokenKind::End)
        take();
      return skipBraces();
    }
    if (takeIf(".pragma"))
      return skipPragma();
    bool isExtern = false;
    while (isNext(".visible") || isNext(".weak") || isNext(".common") ||
           isNext(".extern"))
      isExtern |= take().text == ".extern";
    if (isNext(".entry"))
      return parseEntry();
    if (isNext(".func"))
      refuse("functions that are called (.func) are not simulated: a compiler "
             "has to inline them");
    if (auto space = takeSpace()) {
      Variable variable = parseVariable(*space);
      variable.isExtern = isExtern;
      expect(";");
      module.variables.push_back(std::move(variable));
      return;
    }
    refuse("a directive expected");
  }

  /// .file 1 "name" [, time, size]
  void parseFile() {
    take();
    unsigned number = unsigned(expectInteger());
    std::string name;
    // LLVM writes the directory before the name when it has one.
    while (peek().kind == TokenKind::String) {
      std::string part(take().text);
      if (name.empty() || part[0] == '/')
        name = part;
      else
        name.append("/").append(part);
    }
    module.files[number] = name.substr(name.rfind('/') + 1);
    while (takeIf(","))
      expectInteger();
  }

  void skipPragma() {
    while (!takeIf(";")) {
      if (peek().kind == TokenKind::End)
        refuse("';' expected");
      take();
    }
  }

  std::optional<Space> takeSpace() {
    static const std::pair<const char *, Space> spaces[] = {
        {".global", Space::Global},
        {".shared", Space::Shared},
        {".local", Space::Local},
        {".param", Space::Param},
        {".const", Space::Const}};
    for (auto [name, space] : spaces)
      if (takeIf(name))
        return space;
    return std::nullopt;
  }

  /// [.align N] .type name[sizes] [= values]; the state space is read already.
  Variable parseVariable(Space space) {
    Variable variable;
    variable.space = space;
    variable.line = peek().line;
    variable.alignment = 0;
    unsigned element = 0;
    while (peek().kind == TokenKind::Directive) {
      if (takeIf(".align")) {
        variable.alignment = unsigned(expectInteger());
        if (!variable.alignment ||
            (variable.alignment & (variable.alignment - 1)))
          refuse("an alignment is a power of two");
      } else if (takeIf(".ptr")) {
        // The state space that a pointer points to does not affect the
        // parameter itself.
        while (isNext(".global") || isNext(".shared") || isNext(".local") ||
               isNext(".const") || isNext(".param"))
          take();
        if (takeIf(".align"))
          expectInteger();
      } else if (unsigned bytes = bytesOfType(peek().text)) {
        element = bytes;
        take();
      } else {
        refuse("a type expected");
      }
    }
    if (!element)
      refuse("a type expected");
    if (!variable.alignment)
      variable.alignment = element;
    variable.name = std::string(expectWord("a name"));
    variable.bytes = element;
    while (takeIf("[")) {
      variable.bytes *= isNext("]") ? 0 : expectInteger();
      expect("]");
      if (variable.bytes > uint64_t(1) << 40)
        refuse("'" + variable.name + "' is too large");
    }
    if (takeIf("=")) {
      parseValues(variable, element);
      variable.initial.resize(variable.bytes);
    }
    return variable;
  }

  /// Converts the f64 bits of a decimal number to a float of `bytes` bytes.
  static uint64_t asFloat(uint64_t bits, unsigned bytes) {
    if (bytes == 8)
      return bits;
    double wide;
    memcpy(&wide, &bits, sizeof wide);
    float narrow = float(wide);
    uint32_t word;
    memcpy(&word, &narrow, sizeof word);
    return word;
  }

  void parseValues(Variable &variable, unsigned element) {
    if (takeIf("{")) {
      if (!takeIf("}")) {
        do
          parseValues(variable, element);
        while (takeIf(","));
        expect("}");
      }
      return;
    }
    bool isNegative = takeIf("-");
    const Token &token = take();
    uint64_t bits = token.bits;
    if (token.kind == TokenKind::Integer)
      bits = isNegative ? -bits : bits;
    else if (token.kind == TokenKind::Float32 && element == 4)
      bits ^= uint64_t(isNegative) << 31;
    else if (token.kind == TokenKind::Float64 && element >= 4)
      bits = asFloat(isNegative ? bits ^ uint64_t(1) << 63 : bits, element);
    else
      refuse("only numbers of the variable's type are simulated as initial "
             "values");
    for (unsigned i = 0; i < element; ++i)
      variable.initial.push_back(std::byte(bits >> (8 * i)));
    if (variable.initial.size() > variable.bytes)
      refuse("too many initial values for '" + variable.name + "'");
  }

  //===--------------------------------------------------------------------===//
  // Kernels
  //===--------------------------------------------------------------------===//

  void parseEntry() {
    take();
    function = {};
    source = {};
    function.line = peek().line;
    function.name = std::string(expectWord("the name of a kernel"));
    if (takeIf("(") && !takeIf(")")) {
      do {
        expect(".param");
        function.parameters.push_back(parseVariable(Space::Param));
      } while (takeIf(","));
      expect(")");
    }
    while (peek().kind == TokenKind::Directive)
      parsePerformanceDirective();
    if (takeIf(";")) // a declaration
      return;
    parseBody();
    for (const auto &[name, targets] : function.branchTargets)
      for (const std::string &target : targets)
        if (!function.labels.count(target))
          refusePtx(function.line, "no label '" + target + "'");
    module.functions.push_back(std::move(function));
  }

  void parsePerformanceDirective() {
    std::string_view name = take().text;
    if (name == ".pragma")
      return skipPragma();
    if (name != ".maxntid" && name != ".reqntid" && name != ".minnctapersm" &&
        name != ".maxnreg" && name != ".maxnctapersm" && name != ".noreturn")
      refusePtx(peek().line,
                "the directive " + std::string(name) + " is not simulated");
    if (name == ".noreturn")
      return;
    std::array<unsigned, 3> values = {1, 1, 1};
    unsigned count = 0;
    do {
      if (count == 3)
        refuse("at most three numbers");
      values[count++] = unsigned(expectInteger());
    } while (takeIf(","));
    if (name == ".maxntid")
      function.maxThreads = values[0] * values[1] * values[2];
    if (name == ".reqntid")
      function.required = values;
    if (name == ".maxnreg")
      function.maxRegisters = values[0];
  }

  void parseBody() {
    expect("{");
    scopes.assign(1, {});
    while (!scopes.empty()) {
      if (takeIf("{")) {
        scopes.emplace_back();
      } else if (takeIf("}")) {
        scopes.pop_back();
      } else if (takeIf(";")) {
        // An empty statement.
      } else if (peek().kind == TokenKind::Directive) {
        parseBodyDirective();
      } else if (peek().kind == TokenKind::Word && peek(1).text == ":") {
        parseLabel();
      } else {
        parseStatement();
      }
    }
  }

  void parseBodyDirective() {
    if (takeIf(".reg"))
      return parseRegisters();
    if (isNext(".loc")) {
      int line = take().line;
      source.file = unsigned(expectInteger());
      source.line = unsigned(expectInteger());
      return skipRestOf(line);
    }
    if (takeIf(".pragma"))
      return skipPragma();
    if (isNext(".file"))
      return parseFile();
    int line = peek().line;
    if (auto space = takeSpace()) {
      if (*space != Space::Shared && *space != Space::Local)
        refusePtx(line, "only .shared and .local variables are simulated "
                        "inside of a kernel");
      function.variables.push_back(parseVariable(*space));
      return expect(";");
    }
    refuse("a directive of a kernel's body expected");
  }

  /// .reg .b32 %r<8>, %x;
  void parseRegisters() {
    std::string_view type = take().text;
    Width width = Width::Predicate;
    if (type != ".pred") {
      switch (bytesOfType(type)) {
      case 1:
      case 2:
        width = Width::Bits16;
        break;
      case 4:
        width = Width::Bits32;
        break;
      case 8:
        width = Width::Bits64;
        break;
      default:
        refusePtx(peek().line, "registers of type " + std::string(type) +
                                   " are not simulated");
      }
    }
    do {
      std::string name(expectWord("the name of a register"));
      if (!takeIf("<")) {
        addRegister(name, width);
        continue;
      }
      uint64_t count = expectInteger();
      if (count > 1 << 20)
        refuse("too many registers");
      for (uint64_t i = 0; i < count; ++i)
        addRegister(name + std::to_string(i), width);
      expect(">");
    } while (takeIf(","));
    expect(";");
  }

  void addRegister(const std::string &name, Width width) {
    auto [entry, isNew] =
        scopes.back().emplace(name, unsigned(function.registers.size()));
    if (!isNew)
      refuse("register '" + name + "' is declared twice");
    function.registers.push_back(width);
  }

  void parseLabel() {
    std::string name(take().text);
    expect(":");
    if (takeIf(".branchtargets")) {
      std::vector<std::string> &targets = function.branchTargets[name];
      do
        targets.emplace_back(expectWord("a label"));
      while (takeIf(","));
      return expect(";");
    }
    unsigned index = unsigned(function.statements.size());
    if (!function.labels.emplace(name, index).second)
      refuse("label '" + name + "' is defined twice");
  }

  void parseStatement() {
    Statement statement;
    statement.source = source;
    statement.line = peek().line;
    if (takeIf("@")) {
      bool isNegated = takeIf("!");
      statement.guard = parseOperand();
      statement.guard.isNegated = isNegated;
      statement.hasGuard = true;
    }
    statement.opcode = std::string(expectWord("an instruction"));
    if (!isNext(";")) {
      do {
        statement.operands.push_back(parseOperand());
        if (takeIf("|"))
          statement.operands.push_back(parseOperand());
      } while (takeIf(","));
    }
    expect(";");
    function.statements.push_back(std::move(statement));
  }

  Operand parseOperand() {
    Operand operand{};
    if (takeIf("!")) {
      operand = parseOperand();
      operand.isNegated = true;
      return operand;
    }
    if (takeIf("{")) {
      operand.kind = Operand::Kind::Vector;
      do
        operand.parts.push_back(parseOperand());
      while (takeIf(","));
      expect("}");
      return operand;
    }
    if (takeIf("[")) {
      operand.kind = Operand::Kind::Address;
      operand.parts.push_back(parseOperand());
      operand.displacement = operand.parts[0].displacement;
      operand.parts[0].displacement = 0;
      if (isNext(","))
        refuse("addresses of tensors are not simulated");
      expect("]");
      return operand;
    }
    if (peek().kind == TokenKind::Word)
      return parseName();
    bool isNegative = takeIf("-");
    const Token &token = peek();
    operand.bits = token.bits;
    if (token.kind == TokenKind::Integer) {
      operand.kind = Operand::Kind::Integer;
      operand.bits = isNegative ? -token.bits : token.bits;
    } else if (token.kind == TokenKind::Float32) {
      operand.kind = Operand::Kind::Float32;
      operand.bits ^= uint64_t(isNegative) << 31;
    } else if (token.kind == TokenKind::Float64) {
      operand.kind = Operand::Kind::Float64;
      operand.bits ^= uint64_t(isNegative) << 63;
    } else {
      refuse("an operand expected");
    }
    take();
    return operand;
  }

  /// A register, or a symbol; either may have a displacement.
  Operand parseName() {
    Operand operand{};
    operand.name = std::string(take().text);
    if (operand.name == "_") {
      operand.kind = Operand::Kind::Sink;
      return operand;
    }
    operand.kind = Operand::Kind::Symbol;
    for (auto scope = scopes.rbegin(); scope != scopes.rend(); ++scope)
      if (auto found = scope->find(operand.name); found != scope->end()) {
        operand.kind = Operand::Kind::Register;
        operand.index = found->second;
        break;
      }
    if (operand.kind == Operand::Kind::Symbol && operand.name[0] == '%')
      operand.kind = Operand::Kind::Special;
    if (takeIf("+")) {
      bool isNegative = takeIf("-");
      int64_t displacement = int64_t(expectInteger());
      operand.displacement = isNegative ? -displacement : displacement;
    } else if (takeIf("-")) {
      operand.displacement = -int64_t(expectInteger());
    }
    return operand;
  }

  std::vector<Token> tokens;
  size_t at = 0;
  Module module;
  Function function;
  SourceLocation source;
  std::vector<std::unordered_map<std::string, unsigned>> scopes;
};

} // namespace

syntax::Module parsePtx(std::string_view text) { return Parser(text).run(); }

} // namespace tdc::sim
