//===- File.cpp - system calls for files ----------------------------------===//

#include "base/File.h"
#include "base/Descriptor.h"
#include "base/XXH64.h"
#include <cerrno>
#include <climits>
#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace tdrt;

namespace {

/// Buffer size in bytes: small tensors are written together.
constexpr size_t kBuffer = 256 << 10;

/// Symbolic links that are followed at most, as many as the kernel follows.
constexpr int kMostLinks = 40;

const char *kindOfFile(mode_t mode) {
  if (S_ISDIR(mode))
    return "a folder";
  if (S_ISFIFO(mode))
    return "a pipe";
  if (S_ISCHR(mode) || S_ISBLK(mode))
    return "a device";
  return "a socket";
}

[[noreturn]] void failKind(mode_t mode) {
  failFile(703, -1,
           std::string("it is ") + kindOfFile(mode) + ", not a regular file");
}

/// Repeats a call that a signal interrupted.
template <class Call> auto retry(Call call) {
  for (;;) {
    auto result = call();
    if (result != -1 || errno != EINTR)
      return result;
  }
}

} // namespace

void tdrt::failWith(const std::string &path, FileFault &&fault) {
  std::string text = inQuotes(path) + ": ";
  if (fault.offset >= 0)
    text += "byte " + std::to_string(fault.offset) + ": ";
  fail(fault.code, text + fault.message);
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

InputFile::InputFile(const char *path) {
  // O_NONBLOCK: opening a pipe must not wait for its writer.
  descriptor = retry(
      [&] { return open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY); });
  if (descriptor < 0) {
    if (errno == ENXIO)
      failKind(S_IFSOCK);
    failFile(702, -1, "cannot be opened: " + systemText(errno));
  }
  struct stat info;
  int error = fstat(descriptor, &info) == 0 ? 0 : errno;
  if (error || !S_ISREG(info.st_mode)) {
    close(descriptor);
    if (error)
      failFile(702, -1, "cannot be opened: " + systemText(error));
    failKind(info.st_mode);
  }
  length = info.st_size;
}

InputFile::~InputFile() { close(descriptor); }

void InputFile::read(uint64_t offset, void *to, uint64_t size) const {
  char *at = static_cast<char *>(to);
  while (size > 0) {
    size_t part = size < SSIZE_MAX ? size : SSIZE_MAX;
    ssize_t n = pread(descriptor, at, part, static_cast<off_t>(offset));
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0)
      failFile(704, offset, "cannot be read: " + systemText(errno));
    if (n == 0)
      failFile(704, offset, "the file became shorter while it was read");
    at += n;
    offset += n;
    size -= n;
  }
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

OutputFile::OutputFile(const char *path) : target(path) {
  struct stat info;
  bool isThere = stat(path, &info) == 0;
  if (!isThere && errno != ENOENT)
    failSystem("cannot be written");
  buffer.reserve(kBuffer);
  if (isThere && openStream(info))
    return;
  if (isThere && !S_ISREG(info.st_mode))
    failKind(info.st_mode);
  followLinks();
  size_t slash = target.rfind('/');
  folder = slash == std::string::npos ? "./" : target.substr(0, slash + 1);
  openTemporary(isThere ? &info : nullptr);
}

OutputFile::~OutputFile() {
  if (descriptor >= 0)
    discard();
}

void OutputFile::discard() {
  if (!temporary.empty())
    unlink(temporary.c_str());
  close(descriptor);
}

void OutputFile::failSystem(const char *what) {
  int error = errno;
  failFile(751, -1, std::string(what) + ": " + systemText(error));
}

void OutputFile::failUnsynced(int error) {
  failFile(753, -1,
           "is written, but its folder cannot be brought to the disk: " +
               systemText(error));
}

bool OutputFile::openStream(const struct stat &info) {
  // `/dev/stdout` may be a regular file to which standard output was
  // redirected. Its data goes to the current position of standard output, like
  // a print.
  for (int stream : {STDOUT_FILENO, STDERR_FILENO}) {
    struct stat own;
    if (fstat(stream, &own) != 0 || own.st_dev != info.st_dev ||
        own.st_ino != info.st_ino)
      continue;
    descriptor = retry([&] { return fcntl(stream, F_DUPFD_CLOEXEC, 0); });
    if (descriptor < 0)
      failSystem("cannot be written");
    return true;
  }
  if (!S_ISFIFO(info.st_mode) && !S_ISCHR(info.st_mode))
    return false;
  descriptor = retry(
      [&] { return open(target.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY); });
  if (descriptor < 0)
    failSystem("cannot be written");
  return true;
}

void OutputFile::followLinks() {
  // realpath() fails if the file does not exist yet.
  for (int links = 0; links < kMostLinks; ++links) {
    char text[PATH_MAX];
    ssize_t size = readlink(target.c_str(), text, sizeof text);
    if (size < 0 && (errno == EINVAL || errno == ENOENT))
      return;
    if (size < 0)
      failSystem("cannot be written");
    bool isAbsolute = size > 0 && text[0] == '/';
    target.replace(isAbsolute ? 0 : target.rfind('/') + 1, std::string::npos,
                   text, size);
  }
  errno = ELOOP;
  failSystem("cannot be written");
}

void OutputFile::openTemporary(const struct stat *replaced) {
  // A file that keeps the replaced file's mode must not be opened by others
  // before it has that mode.
  mode_t mode = replaced ? 0600 : 0666;
  do {
    uint64_t number = 0;
    if (retry([&] { return getrandom(&number, sizeof number, 0); }) < 0)
      failSystem("cannot be written");
    temporary = folder + ".tdc-tmp-" + hexText(number);
    descriptor = retry([&] {
      return open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
                  mode);
    });
  } while (descriptor < 0 && errno == EEXIST);
  if (descriptor < 0)
    failSystem("cannot be written");
  if (replaced)
    keepMode(*replaced);
}

void OutputFile::write(const void *data, uint64_t size) {
  const char *bytes = static_cast<const char *>(data);
  if (buffer.size() + size > kBuffer)
    flush();
  if (size >= kBuffer)
    writeAll(bytes, size);
  else
    buffer.insert(buffer.end(), bytes, bytes + size);
}

void OutputFile::flush() {
  writeAll(buffer.data(), buffer.size());
  buffer.clear();
}

void OutputFile::writeAll(const char *data, uint64_t size) {
  errno = tdrt::writeAll(descriptor, data, size);
  if (errno)
    failSystem("cannot be written");
}

void OutputFile::keepMode(const struct stat &replaced) {
  // Only a privileged process can keep the owner, so failing is no error. The
  // owner is set first, because changing it clears the set-id bits of the mode.
  if (fchown(descriptor, replaced.st_uid, replaced.st_gid) != 0)
    errno = 0;
  if (fchmod(descriptor, replaced.st_mode & 07777) == 0)
    return;
  int error = errno;
  discard();
  errno = error;
  failSystem("its mode cannot be kept");
}

void OutputFile::commit() {
  flush();
  if (isStream())
    return;
  if (retry([&] { return fsync(descriptor); }) != 0)
    failSystem("cannot be brought to the disk");
  if (rename(temporary.c_str(), target.c_str()) != 0)
    failSystem("cannot be renamed from its temporary name");
  int fd = descriptor;
  descriptor = -1;
  close(fd); // the data is on the disk already
  int folderFd = retry(
      [&] { return open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); });
  if (folderFd < 0)
    failUnsynced(errno);
  // Some file systems cannot sync a folder; the rename is as durable as they
  // make it.
  bool synced = retry([&] { return fsync(folderFd); }) == 0 ||
                errno == EINVAL || errno == EROFS;
  int error = errno;
  close(folderFd);
  if (!synced)
    failUnsynced(error);
}

FileFault tdrt::writeFile(const char *path, const char *text,
                          uint64_t size) noexcept {
  return caught([&] {
    OutputFile file(path);
    file.write(text, size);
    file.commit();
  });
}

FileFault tdrt::checkWritable(const char *path) noexcept {
  return caught([&] {
    struct stat info;
    if (stat(path, &info) == 0 && !S_ISREG(info.st_mode))
      failKind(info.st_mode);
    // The destructor removes it again.
    OutputFile file(path);
  });
}
