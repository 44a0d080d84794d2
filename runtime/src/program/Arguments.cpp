//===- Arguments.cpp - the program's command line -------------------------===//

#include "base/Nearest.h"
#include "program/Context.h"
#include <charconv>
#include <cstring>

using namespace tdrt;

namespace {

const char *typeName(const tdrt_arg &arg) {
  static const char *const names[] = {"int", "float", "bool", "str"};
  return arg.kind == TDRT_ARG_DEVICE ? "device" : names[arg.type];
}

/// Whether the argument's value was fixed when the program was compiled.
bool isFixed(const tdrt_arg &arg) { return arg.kind == TDRT_ARG_FIXED; }

/// Parses `text` as one number; a leading `+` is allowed, as in the language.
template <class T> bool parseNumber(const char *text, T &value) {
  const char *end = text + strlen(text);
  if (*text == '+' && text[1] != '-')
    ++text;
  auto result = std::from_chars(text, end, value);
  return text != end && result.ec == std::errc() && result.ptr == end;
}

/// Whether `text` is a number that is out of the range of T.
template <class T> bool isTooLarge(const char *text) {
  const char *end = text + strlen(text);
  T value;
  auto result = std::from_chars(text + (*text == '+'), end, value);
  return result.ec == std::errc::result_out_of_range && result.ptr == end;
}

bool isTooLarge(const tdrt_arg &arg, const char *text) {
  return (arg.type == TDRT_INT && isTooLarge<int64_t>(text)) ||
         (arg.type == TDRT_FLOAT && isTooLarge<double>(text));
}

/// Whether `program` has a version for machines with GPUs (`usesGpus`), or one
/// for machines without.
bool hasVersion(const tdrt_program &program, bool usesGpus) {
  for (const tdrt_program *one = &program; one; one = one->otherwise)
    if ((one->cuda_devices > 0) == usesGpus)
      return true;
  return false;
}

/// Whether `text` is a device that `program` has code for, or `auto`.
bool isDevice(const tdrt_program &program, const char *text) {
  return strcmp(text, "auto") == 0 ||
         (strcmp(text, "cpu") == 0 && hasVersion(program, false)) ||
         ((strcmp(text, "cuda") == 0 || strcmp(text, "cuda:0") == 0) &&
          hasVersion(program, true));
}

/// Parses `text` as a value of the argument's type. A str is not copied: the
/// value points to `text`.
bool parseArgument(const tdrt_program &program, const tdrt_arg &arg,
                   const char *text, tdrt_value &value) {
  switch (arg.type) {
  case TDRT_INT:
    return parseNumber(text, value.i);
  case TDRT_FLOAT:
    return parseNumber(text, value.f);
  case TDRT_BOOLEAN:
    value.i = strcmp(text, "true") == 0;
    return value.i || strcmp(text, "false") == 0;
  default:
    value.s = text;
    if (arg.kind != TDRT_ARG_DEVICE)
      return true;
    if (strcmp(text, "cuda:0") == 0) // programs know one name of the first GPU
      value.s = "cuda";
    return isDevice(program, text);
  }
}

/// Whether `text` is the value that `arg` was fixed to; `cuda` equals `cuda:0`.
bool isFixedValue(const tdrt_program &program, const tdrt_arg &arg,
                  const char *text) {
  if (arg.type == TDRT_INT || arg.type == TDRT_FLOAT) {
    tdrt_value given, known;
    return parseArgument(program, arg, text, given) &&
           parseArgument(program, arg, arg.default_text, known) &&
           given.i == known.i; // the bits, also of a float
  }
  std::string fixed = arg.default_text;
  return fixed == text || (fixed == "cuda:0" && strcmp(text, "cuda") == 0) ||
         (fixed == "cuda" && strcmp(text, "cuda:0") == 0);
}

std::string option(const std::string &name) { return inQuotes("--" + name); }

class CommandLine {
public:
  CommandLine(const tdrt_program &program, std::vector<tdrt_value> &values,
              std::vector<std::string> &texts)
      : program(program), values(values), texts(texts),
        given(program.num_args) {
    values.resize(program.num_args);
    texts.resize(program.num_args);
  }

  void parse(int argc, const char *const *argv) {
    bool onlyNames = true;
    for (int i = 1; i < argc; ++i) {
      std::string word = argv[i];
      if (word == "--" && onlyNames) {
        // `tdc run x.tdsl -- --epochs 3`: skip the `--`; all words are
        // arguments of the program.
        onlyNames = false;
        continue;
      }
      if (word == "--help" || word == "-h")
        fail(TDRT_HELP, helpText());
      if (word.compare(0, 2, "--") != 0)
        fail(1,
             "unexpected argument " + inQuotes(word) + ": write --name value");
      size_t equals = word.find('=');
      int32_t index = findArgument(word.substr(2, equals - 2));
      const char *text = nullptr;
      if (equals != std::string::npos)
        text = argv[i] + equals + 1;
      else if (takesNext(index, i + 1 < argc ? argv[i + 1] : nullptr))
        text = argv[++i];
      set(index, text);
    }
    for (int32_t i = 0; i < program.num_args; ++i)
      if (!given[i])
        setDefault(i);
  }

private:
  int32_t findArgument(const std::string &name) {
    std::vector<std::string> names;
    for (int32_t i = 0; i < program.num_args; ++i) {
      const tdrt_arg &arg = program.args[i];
      if (name == arg.name)
        return i;
      names.push_back(arg.name);
    }
    names.push_back("help");
    std::string message = "unknown argument " + option(name);
    if (const std::string *nearest = findNearest(name, names))
      message += ": did you mean " + option(*nearest) + "?";
    else
      message += ": --help lists what there is";
    fail(1, message);
  }

  /// Whether the value is the next word. A bool needs no value; all others do.
  bool takesNext(int32_t index, const char *next) {
    const tdrt_arg &arg = program.args[index];
    if (arg.type == TDRT_BOOLEAN)
      return next && (strcmp(next, "true") == 0 || strcmp(next, "false") == 0);
    if (!next)
      fail(2, "a value is missing after " + option(arg.name));
    return true;
  }

  void set(int32_t index, const char *text) {
    const tdrt_arg &arg = program.args[index];
    given[index] = true;
    if (isFixed(arg) && !isFixedValue(program, arg, text ? text : "true"))
      fail(1, "the argument " + option(arg.name) + " was fixed to " +
                  inQuotes(arg.default_text) +
                  " when the program was built: `tdc build --set " +
                  std::string(arg.name) + "=" + (text ? text : "true") +
                  "` builds another");
    if (!text) {
      values[index].i = 1;
      return;
    }
    // Copied, because the caller's words may be freed before the program reads
    // them.
    texts[index] = text;
    if (parseArgument(program, arg, texts[index].c_str(), values[index]))
      return;
    if (isTooLarge(arg, text))
      fail(3, option(arg.name) + ": " + inQuotes(text) + " is beyond what " +
                  wanted(arg) + " holds");
    fail(3, option(arg.name) + " wants " + wanted(arg) + ", not " +
                inQuotes(text));
  }

  std::string wanted(const tdrt_arg &arg) {
    if (arg.kind == TDRT_ARG_DEVICE) {
      bool hasCpu = hasVersion(program, false);
      if (hasCpu && hasVersion(program, true))
        return "`cpu`, `cuda` or `auto`";
      return std::string(hasCpu ? "`cpu`" : "`cuda`") +
             " or `auto` (there is no code for other devices)";
    }
    return (arg.type == TDRT_INT ? "an " : "a ") + std::string(typeName(arg));
  }

  void setDefault(int32_t index) {
    const tdrt_arg &arg = program.args[index];
    if (!arg.default_text)
      fail(2, "the argument " + option(arg.name) + " is required");
    set(index, arg.default_text);
  }

  std::string helpText() {
    std::string text = std::string("usage: ") + program.name + " [arguments]\n";
    if (program.help && *program.help)
      text += "\n" + std::string(program.help) + "\n";
    text += "\n";
    std::vector<std::string> left;
    size_t width = strlen("--help");
    for (int32_t i = 0; i < program.num_args; ++i) {
      const tdrt_arg &arg = program.args[i];
      left.push_back("--" + std::string(arg.name) + " " + typeName(arg));
      width = std::max(width, left.back().size());
    }
    auto line = [&](const std::string &name, const std::string &help) {
      text +=
          "  " + name + std::string(width - name.size() + 3, ' ') + help + "\n";
    };
    for (int32_t i = 0; i < program.num_args; ++i) {
      const tdrt_arg &arg = program.args[i];
      std::string help = arg.help ? arg.help : "";
      help += help.empty() ? "" : " ";
      std::string value = arg.default_text ? arg.default_text : "";
      if (value.empty())
        value = "\"\""; // shown as quotes
      if (!arg.default_text)
        help += "(required)";
      else if (isFixed(arg))
        help += "(" + value + ", fixed when built)";
      else
        help += "(default " + value + ")";
      line(left[i], help);
    }
    line("--help", "show this text");
    return text;
  }

  const tdrt_program &program;
  std::vector<tdrt_value> &values;
  std::vector<std::string> &texts; ///< the texts of the values
  std::vector<bool> given;
};

} // namespace

void Context::parseArguments(int argc, const char *const *argv) {
  CommandLine(*program, argValues, argTexts).parse(argc, argv);
  args = argValues.data();
}
