//===- tdc_files.h - files, for compiler and runtime ----------------------===//
//
// The headers of files that hold tensors, read with every check made before a
// byte is allocated for the data. The runtime loads with it; the compiler
// checks with it that a file has the declared type, when the file is there
// already. Both write files by the same function. Needs no context. Nothing
// here throws: a FileFault says what is wrong.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_FILES_H
#define TDC_FILES_H

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace tdrt {

/// What is wrong with a file: a number of tdc_errors.def, the byte at which it
/// was noticed (-1 if there is none) and words for the user, without the path.
struct FileFault {
  int32_t code = 0;
  int64_t offset = -1;
  std::string message;

  /// Is there a fault?
  explicit operator bool() const { return code != 0; }
};

/// A tensor in a file.
struct FileTensor {
  std::string key;       ///< "" in a file that holds one tensor
  int32_t dtype = -1;    ///< TDRT_F64 ...; -1 if the program cannot hold it
  bool anyDtype = false; ///< numbers of a text: dtype is what is wanted of them
  std::string dtypeText; ///< as the file names it
  std::vector<int64_t> dims;
  bool columnMajor = false;
  /// Where the data begins: in the file, or in what decompressing it gives.
  uint64_t offset = 0;
  uint64_t bytes = 0; ///< of the tensor
};

struct SafetensorsHeader {
  std::vector<FileTensor> tensors; ///< in the order of their data
  std::vector<std::pair<std::string, std::string>> metadata; ///< in file order

  /// Null if there is none. Only after index(). A name that the metadata has
  /// for another one is an alias: it is how safetensors.torch.save_model, and
  /// tdc, write tied parameters.
  const FileTensor *find(const std::string &key) const;
  const std::string *findMetadata(const std::string &key) const;

  /// Prepares the finding: a hostile header has so many keys that going through
  /// them for each tensor takes hours.
  void index();

private:
  /// Positions in `tensors` and `metadata`, in the order of the keys.
  std::vector<uint32_t> tensorOrder, metadataOrder;
};

/// The longest headers that are read, in bytes.
constexpr uint64_t kMaxNpyHeader = 64 << 10;
constexpr uint64_t kMaxSafetensorsHeader = 100'000'000;

/// Parses the start of an .npy file: `size` bytes at `data` of a file of
/// `fileSize`, where size is at least min(fileSize, kMaxNpyHeader + 12).
FileFault parseNpyHeader(const char *data, uint64_t size, uint64_t fileSize,
                         FileTensor &tensor) noexcept;

/// Parses the JSON header of a .safetensors file of `fileSize` bytes: `size`
/// bytes at `json`, which follow the 8 bytes of the length.
FileFault parseSafetensorsHeader(const char *json, uint64_t size,
                                 uint64_t fileSize,
                                 SafetensorsHeader &header) noexcept;

/// Reads what there is to know of one tensor without its data. The format is
/// that of the path's ending; `key` picks one tensor of an .npz or .safetensors
/// file.
FileFault inspectTensorFile(const char *path, const char *key,
                            FileTensor &tensor) noexcept;

/// Reads the header of a .safetensors file.
FileFault inspectSafetensors(const char *path,
                             SafetensorsHeader &header) noexcept;

/// Whether a tensor of a file has the type wanted: TR701 if not, TR715 or TR726
/// if its dtype cannot be held. A dim of -1 fits every size.
FileFault checkTensorType(const FileTensor &tensor, int32_t dtype, int32_t rank,
                          const int64_t *dims) noexcept;

/// Writes a file whole or not at all, as programs do: through symbolic links,
/// with the mode of the file that it replaces, and to pipes and devices as they
/// are.
FileFault writeFile(const char *path, const char *text, uint64_t size) noexcept;

} // namespace tdrt

#endif // TDC_FILES_H
