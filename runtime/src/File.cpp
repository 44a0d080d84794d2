//===- File.cpp - the system calls under files ----------------------------===//

#include "File.h"
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace tdrt;

namespace {

/// Small tensors are written together.
constexpr size_t kBuffer = 256 << 10;

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
  if (lstat(path, &info) == 0) {
    if (S_ISLNK(info.st_mode)) {
      // Replace what the link points to, not the link.
      if (char *real = realpath(path, nullptr)) {
        target = real;
        free(real);
      }
    }
  } else if (errno != ENOENT) {
    failSystem("cannot be written");
  }
  if (stat(target.c_str(), &info) == 0 && !S_ISREG(info.st_mode))
    failKind(info.st_mode);
  size_t slash = target.rfind('/');
  folder = slash == std::string::npos ? "." : target.substr(0, slash + 1);
  std::string name =
      slash == std::string::npos ? target : target.substr(slash + 1);
  temporary =
      (slash == std::string::npos ? "" : folder) + "." + name + ".tdc-tmp";
  buffer.reserve(kBuffer);
  while (!lockTemporary())
    ;
  if (retry([&] { return ftruncate(descriptor, 0); }) != 0)
    abandon("cannot be written");
  // Before there is anything in it that others may not read.
  keepMode();
}

OutputFile::~OutputFile() {
  if (descriptor >= 0)
    discard();
}

void OutputFile::discard() {
  unlink(temporary.c_str());
  close(descriptor);
}

void OutputFile::abandon(const char *what) {
  int error = errno;
  discard();
  errno = error;
  failSystem(what);
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

bool OutputFile::lockTemporary() {
  descriptor = retry([&] {
    return open(temporary.c_str(),
                O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
  });
  if (descriptor < 0)
    failSystem("cannot be written");
  // Where locks do not work, as on some network disks, go on without.
  if (retry([&] { return flock(descriptor, LOCK_EX); }) != 0 &&
      errno != ENOLCK && errno != EOPNOTSUPP)
    abandon("cannot be locked");
  struct stat mine, named;
  if (fstat(descriptor, &mine) != 0)
    abandon("cannot be written");
  if (!S_ISREG(mine.st_mode)) {
    close(descriptor);
    failKind(mine.st_mode);
  }
  bool isNamed = stat(temporary.c_str(), &named) == 0;
  if (!isNamed && errno != ENOENT)
    abandon("cannot be written");
  if (isNamed && mine.st_ino == named.st_ino && mine.st_dev == named.st_dev)
    return true;
  // The one who held the lock has renamed it: it is the target now.
  close(descriptor);
  return false;
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
  while (size > 0) {
    size_t part = size < SSIZE_MAX ? size : SSIZE_MAX;
    ssize_t n = retry([&] { return ::write(descriptor, data, part); });
    if (n < 0)
      failSystem("cannot be written");
    data += n;
    size -= n;
  }
}

void OutputFile::keepMode() {
  struct stat info;
  if (stat(target.c_str(), &info) != 0) {
    if (errno != ENOENT)
      abandon("its mode cannot be kept");
    return;
  }
  // The owner can be kept only by a privileged user: a wish, not a condition.
  // It comes first, because changing it clears the set-id bits of the mode.
  if (fchown(descriptor, info.st_uid, info.st_gid) != 0)
    errno = 0;
  if (fchmod(descriptor, info.st_mode & 07777) != 0)
    abandon("its mode cannot be kept");
}

void OutputFile::commit() {
  flush();
  if (retry([&] { return fsync(descriptor); }) != 0)
    failSystem("cannot be brought to the disk");
  if (rename(temporary.c_str(), target.c_str()) != 0)
    failSystem("cannot be renamed from its temporary name");
  int fd = descriptor;
  descriptor = -1;
  // Closing drops the lock; the data is on the disk already.
  close(fd);
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
