//===- Calls.cpp - packed arguments and results ---------------------------===//

#include "Calls.h"
#include "Interpreter/Tensor.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

namespace json = llvm::json;

namespace tdc {

static int64_t getNumBytes(const tdrt_tensor &tensor) {
  return countElements({tensor.dims, size_t(tensor.rank)}) *
         byteSize(DType(tensor.dtype));
}

namespace {
/// A list of calls and the data of their arguments.
class Calls {
public:
  bool read(llvm::StringRef callsFile, llvm::StringRef dataFile) {
    auto text = llvm::MemoryBuffer::getFile(callsFile);
    auto bytes = llvm::MemoryBuffer::getFile(dataFile, /*IsText=*/false,
                                             /*RequiresNullTerminator=*/false);
    if (!text || !bytes)
      return fail("cannot read the list of calls or its data");
    data = std::move(*bytes);
    llvm::Expected<json::Value> parsed = json::parse((*text)->getBuffer());
    if (!parsed)
      return fail(llvm::toString(parsed.takeError()));
    root = std::move(*parsed);
    return root.getAsArray() || fail("the list of calls is no list");
  }

  const json::Array &getList() const { return *root.getAsArray(); }

  /// The arguments of one call; `dims` holds their sizes.
  bool getArguments(const json::Object &call, std::vector<Extents> &dims,
                    llvm::SmallVectorImpl<tdrt_tensor> &arguments) const {
    const json::Array *in = call.getArray("in");
    if (!in)
      return fail("a call has no list of arguments");
    for (const json::Value &value : *in) {
      const json::Object *row = value.getAsObject();
      const json::Array *sizes = row ? row->getArray("dims") : nullptr;
      auto dtype = row ? row->getString("dtype") : std::nullopt;
      auto at = row ? row->getInteger("at") : std::nullopt;
      auto type = dtype ? parseDType(*dtype) : std::nullopt;
      if (!sizes || !type || !at)
        return fail("an argument is not described");
      Extents &own = dims.emplace_back();
      for (const json::Value &size : *sizes)
        own.push_back(size.getAsInteger().value_or(0));
      arguments.push_back({const_cast<char *>(data->getBufferStart()) + *at,
                           int32_t(*type), int32_t(own.size()), own.data()});
      if (*at < 0 ||
          *at + getNumBytes(arguments.back()) > int64_t(data->getBufferSize()))
        return fail("an argument is not within its file");
    }
    return true;
  }

private:
  static bool fail(const llvm::Twine &message) {
    llvm::errs() << "error: " << message << "\n";
    return false;
  }

  std::unique_ptr<llvm::MemoryBuffer> data;
  json::Value root = nullptr;
};

/// The results of all calls.
class Results {
public:
  bool open(llvm::StringRef file) {
    std::error_code error;
    bytes.emplace(file, error);
    if (!error)
      lines.emplace((file + ".json").str(), error);
    if (error)
      llvm::errs() << "error: cannot write '" << file
                   << "': " << error.message() << "\n";
    return !error;
  }

  void add(int32_t status, llvm::ArrayRef<tdrt_tensor> results) {
    json::OStream line(*lines);
    line.object([&] {
      if (status)
        return line.attribute("status", status);
      line.attributeArray("out", [&] {
        for (const tdrt_tensor &result : results)
          addTensor(line, result);
      });
    });
    *lines << '\n';
  }

private:
  void addTensor(json::OStream &line, const tdrt_tensor &tensor) {
    line.object([&] {
      line.attribute("dtype", spelling(DType(tensor.dtype)));
      line.attributeArray("dims", [&] {
        for (int32_t d = 0; d < tensor.rank; ++d)
          line.value(tensor.dims[d]);
      });
      line.attribute("at", int64_t(bytes->tell()));
    });
    bytes->write(static_cast<const char *>(tensor.data), getNumBytes(tensor));
    bytes->write_zeros(-bytes->tell() % 64);
  }

  std::optional<llvm::raw_fd_ostream> bytes, lines;
};
} // namespace

bool runCalls(llvm::StringRef callsFile, llvm::StringRef dataFile,
              llvm::StringRef resultsFile, CallFunction call) {
  Calls calls;
  Results results;
  if (!calls.read(callsFile, dataFile) || !results.open(resultsFile))
    return false;
  for (const json::Value &value : calls.getList()) {
    const json::Object *row = value.getAsObject();
    std::vector<Extents> dims;
    // The arguments point to the sizes, so `dims` must not reallocate.
    if (const json::Array *in = row ? row->getArray("in") : nullptr)
      dims.reserve(in->size());
    llvm::SmallVector<tdrt_tensor> arguments, out;
    if (!row || !calls.getArguments(*row, dims, arguments))
      return false;
    int32_t status = call(row->getString("fn").value_or(""), arguments, out);
    results.add(status, out);
  }
  return true;
}

} // namespace tdc
