//===- tdc_files.h - files, for compiler and runtime ----------------------===//
//
// These functions read the headers of files that hold tensors, and make every
// check before memory is allocated for the data. The runtime uses them to load;
// the compiler uses them to check that a file has the declared type, if the
// file exists already. Both write files by the same function. No context is
// needed. No function throws: a FileFault says what is wrong.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_FILES_H
#define TDC_FILES_H

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace tdrt {

/// An error in a file: the number of a code in tdc_errors.def, the byte offset
/// at which it was detected (-1 if there is none) and the message for the user,
/// without the path. The default is no error.
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
  bool anyDtype = false; ///< numbers as text: read as any dtype
  std::string dtypeText; ///< as the file names it
  std::vector<int64_t> dims;
  bool columnMajor = false;
  /// Byte offset of the data in the file, or in the decompressed file.
  uint64_t offset = 0;
  uint64_t bytes = 0; ///< of the tensor
};

struct SafetensorsHeader {
  std::vector<FileTensor> tensors; ///< in the order of their data
  std::vector<std::pair<std::string, std::string>> metadata; ///< in file order

  /// The tensor, or the metadata, of a key; null if there is none. Only after
  /// index(). A key of the metadata that has a tensor's key as its value is an
  /// alias of the tensor: safetensors.torch.save_model, and tdc, write tied
  /// parameters so.
  const FileTensor *find(const std::string &key) const;
  const std::string *findMetadata(const std::string &key) const;

  /// Prepares find() and findMetadata(): a hostile header can have so many keys
  /// that a linear search for each tensor takes hours.
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

/// Reads the description of one tensor, without its data. The path's ending
/// gives the format; `key` picks one tensor of an .npz or .safetensors file.
FileFault inspectTensorFile(const char *path, const char *key,
                            FileTensor &tensor) noexcept;

/// Reads the header of a .safetensors file.
FileFault inspectSafetensors(const char *path,
                             SafetensorsHeader &header) noexcept;

/// Checks that a tensor of a file has the given type: TR701 if not, TR726 if no
/// program can hold its dtype. A dim of -1 fits every size.
FileFault checkTensorType(const FileTensor &tensor, int32_t dtype, int32_t rank,
                          const int64_t *dims) noexcept;

/// Writes a file whole or not at all, as programs do: through symbolic links,
/// with the mode of the file that it replaces, and in place to pipes and
/// devices.
FileFault writeFile(const char *path, const char *text, uint64_t size) noexcept;

/// Checks that writeFile() can make or replace a regular file, without changing
/// it: TR703 or TR751 if not.
FileFault checkWritable(const char *path) noexcept;

} // namespace tdrt

#endif // TDC_FILES_H
