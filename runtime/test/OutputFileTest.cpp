//===- OutputFileTest.cpp - files that appear whole or not at all ---------===//

#include "base/File.h"
#include "support/Failpoints.h"
#include "support/TestProgram.h"
#include <cstring>
#include <dirent.h>
#include <set>
#include <sys/resource.h>
#include <sys/wait.h>

using namespace tdrt_test;

namespace {

int countFiles(const std::string &folder) {
  int count = 0;
  DIR *dir = opendir(folder.c_str());
  while (dirent *entry = readdir(dir))
    count +=
        entry->d_name != std::string(".") && entry->d_name != std::string("..");
  closedir(dir);
  return count;
}

void replace(const std::string &path, const std::string &text) {
  tdrt::OutputFile file(path.c_str());
  file.write(text.data(), text.size());
  file.commit();
}

int32_t codeOf(const std::string &path) {
  try {
    replace(path, "new");
    return 0;
  } catch (const tdrt::FileFault &fault) {
    return fault.code;
  }
}

TEST(OutputFileTest, ReplacesAndLeavesNothing) {
  TemporaryFolder folder;
  replace(folder / "a", "one");
  replace(folder / "a", std::string(3000000, 'x'));
  EXPECT_EQ(readFile(folder / "a").size(), 3000000u);
  EXPECT_EQ(countFiles(folder.path), 1);
}

TEST(OutputFileTest, WithoutCommitNothingHappens) {
  TemporaryFolder folder;
  replace(folder / "a", "old");
  {
    tdrt::OutputFile file((folder / "a").c_str());
    file.write("new", 3);
  }
  EXPECT_EQ(readFile(folder / "a"), "old");
  EXPECT_EQ(countFiles(folder.path), 1);
}

mode_t modeOf(const std::string &path) {
  struct stat info = {};
  EXPECT_EQ(stat(path.c_str(), &info), 0);
  return info.st_mode & 07777;
}

/// The one unfinished file of a writer in the folder.
std::string temporaryIn(const std::string &folder) {
  std::string found;
  DIR *dir = opendir(folder.c_str());
  while (dirent *entry = readdir(dir))
    if (strncmp(entry->d_name, ".tdc-tmp-", 9) == 0)
      found = folder + "/" + entry->d_name;
  closedir(dir);
  return found;
}

TEST(OutputFileTest, KeepsTheMode) {
  TemporaryFolder folder;
  mode_t mask = umask(022);
  for (mode_t mode : {0640, 0600, 0666, 0444}) {
    writeFile(folder / "a", "old");
    chmod((folder / "a").c_str(), mode);
    replace(folder / "a", "new");
    EXPECT_EQ(modeOf(folder / "a"), mode);
    unlink((folder / "a").c_str());
  }
  umask(mask);
}

TEST(OutputFileTest, NewFilesHaveTheModeOfTheUmask) {
  TemporaryFolder folder;
  for (mode_t mask : {022, 077, 0}) {
    mode_t old = umask(mask);
    replace(folder / "a", "new");
    umask(old);
    EXPECT_EQ(modeOf(folder / "a"), 0666 & ~mask);
    unlink((folder / "a").c_str());
  }
}

// A process that opens a file before its mode is restricted could read data
// written later.
TEST(OutputFileTest, AFileOfItsOwnerAloneIsCreatedAsOne) {
  TemporaryFolder folder;
  writeFile(folder / "a", "old");
  chmod((folder / "a").c_str(), 0600);
  mode_t mask = umask(0);
  mode_t created = 0;
  {
    Recording recording;
    tdrt::OutputFile file((folder / "a").c_str());
    created = recording.createdMode;
    EXPECT_EQ(modeOf(temporaryIn(folder.path)), 0600u);
  }
  umask(mask);
  EXPECT_EQ(created, 0600u);
}

TEST(OutputFileTest, HardLinksKeepWhatTheyHad) {
  TemporaryFolder folder;
  writeFile(folder / "a", "old");
  ASSERT_EQ(link((folder / "a").c_str(), (folder / "other").c_str()), 0);
  replace(folder / "a", "new");
  EXPECT_EQ(readFile(folder / "a"), "new");
  EXPECT_EQ(readFile(folder / "other"), "old");
}

// The temporary name cannot be guessed, so no other file can be put there
// first.
TEST(OutputFileTest, EveryTemporaryNameIsAnother) {
  TemporaryFolder folder;
  std::set<std::string> names;
  for (int i = 0; i < 20; ++i) {
    tdrt::OutputFile file((folder / "a").c_str());
    names.insert(temporaryIn(folder.path));
  }
  EXPECT_EQ(names.size(), 20u);
  EXPECT_EQ(names.count(""), 0u);
  EXPECT_EQ(countFiles(folder.path), 0);
}

TEST(OutputFileTest, SomethingUnderTheTemporaryNameIsLeftAlone) {
  TemporaryFolder folder;
  writeFile(folder / "victim", "mine");
  std::string first = folder / ".tdc-tmp-0000000000000000";
  ASSERT_EQ(link((folder / "victim").c_str(), first.c_str()), 0);
  {
    KnownNumbers numbers; // 0, 1, 2 ...
    replace(folder / "a", "new");
  }
  EXPECT_EQ(readFile(folder / "a"), "new");
  EXPECT_EQ(readFile(folder / "victim"), "mine");
  EXPECT_EQ(readFile(first), "mine");
}

TEST(OutputFileTest, FollowsLinks) {
  TemporaryFolder folder;
  mkdir((folder / "elsewhere").c_str(), 0700);
  writeFile(folder / "elsewhere/target", "old");
  ASSERT_EQ(symlink("elsewhere/target", (folder / "link").c_str()), 0);
  replace(folder / "link", "new");
  struct stat info;
  ASSERT_EQ(lstat((folder / "link").c_str(), &info), 0);
  EXPECT_TRUE(S_ISLNK(info.st_mode));
  EXPECT_EQ(readFile(folder / "elsewhere/target"), "new");
}

// A name without a folder is in the current folder.
TEST(OutputFileTest, NameAlone) {
  TemporaryFolder folder;
  pid_t child = fork();
  if (child == 0)
    _exit(chdir(folder.path.c_str()) == 0 ? codeOf("a") : 1);
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(readFile(folder / "a"), "new");
  EXPECT_EQ(countFiles(folder.path), 1);
}

TEST(OutputFileTest, LinksToNothing) {
  TemporaryFolder folder;
  mkdir((folder / "elsewhere").c_str(), 0700);
  std::string absolute = folder / "elsewhere/last";
  ASSERT_EQ(symlink("elsewhere/second", (folder / "first").c_str()), 0);
  ASSERT_EQ(symlink("third", (folder / "elsewhere/second").c_str()), 0);
  ASSERT_EQ(symlink(absolute.c_str(), (folder / "elsewhere/third").c_str()), 0);
  replace(folder / "first", "new");
  struct stat info;
  ASSERT_EQ(lstat(absolute.c_str(), &info), 0);
  EXPECT_TRUE(S_ISREG(info.st_mode));
  ASSERT_EQ(lstat((folder / "first").c_str(), &info), 0);
  EXPECT_TRUE(S_ISLNK(info.st_mode));
  EXPECT_EQ(readFile(folder / "first"), "new");
  EXPECT_EQ(countFiles(folder.path), 2);
  EXPECT_EQ(countFiles(folder / "elsewhere"), 3);
}

TEST(OutputFileTest, LinksInACircle) {
  TemporaryFolder folder;
  ASSERT_EQ(symlink("b", (folder / "a").c_str()), 0);
  ASSERT_EQ(symlink("a", (folder / "b").c_str()), 0);
  EXPECT_EQ(codeOf(folder / "a"), 751);
  EXPECT_EQ(countFiles(folder.path), 2);
}

TEST(OutputFileTest, AnyNameThatAFileMayHave) {
  TemporaryFolder folder;
  EXPECT_EQ(codeOf(folder / std::string(255, 'n')), 0);
  EXPECT_EQ(codeOf(folder / std::string(256, 'n')), 751);
  EXPECT_EQ(countFiles(folder.path), 1);
}

TEST(OutputFileTest, PipesAreWrittenTo) {
  TemporaryFolder folder;
  std::string pipe = folder / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  int reader = open(pipe.c_str(), O_RDONLY | O_NONBLOCK);
  EXPECT_EQ(codeOf(pipe), 0);
  char text[10] = {};
  EXPECT_EQ(read(reader, text, sizeof text), 3);
  EXPECT_STREQ(text, "new");
  close(reader);
  EXPECT_EQ(countFiles(folder.path), 1);
}

TEST(OutputFileTest, DevicesAreWrittenTo) {
  EXPECT_EQ(codeOf("/dev/null"), 0);
  struct stat info;
  ASSERT_EQ(stat("/dev/null", &info), 0);
  EXPECT_TRUE(S_ISCHR(info.st_mode));
  EXPECT_EQ(codeOf("/dev/full"), 751);
}

// A file that is standard output is not replaced: earlier and later output is
// in it as well.
TEST(OutputFileTest, StandardOutputIsAddedTo) {
  TemporaryFolder folder;
  pid_t child = fork();
  if (child == 0) {
    int fd = open((folder / "log").c_str(), O_WRONLY | O_CREAT, 0600);
    bool good = dup2(fd, 1) == 1 && write(1, "before ", 7) == 7;
    good = good && codeOf("/dev/stdout") == 0 && write(1, " after", 6) == 6;
    _exit(good ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(readFile(folder / "log"), "before new after");
  EXPECT_EQ(countFiles(folder.path), 1);
}

TEST(OutputFileTest, Refusals) {
  TemporaryFolder folder;
  EXPECT_EQ(codeOf(folder.path), 703);
  EXPECT_EQ(codeOf(folder / "no/such/folder"), 751);
  ASSERT_EQ(symlink("no/such/folder", (folder / "link").c_str()), 0);
  EXPECT_EQ(codeOf(folder / "link"), 751);
  ASSERT_EQ(mkdir((folder / "box").c_str(), 0700), 0);
  ASSERT_EQ(symlink("box", (folder / "to box").c_str()), 0);
  EXPECT_EQ(codeOf(folder / "to box"), 703);
}

// A file of another user in a sticky folder such as /tmp cannot be renamed
// over.
TEST(OutputFileTest, AnothersFileInAStickyFolder) {
  if (geteuid() != 0)
    GTEST_SKIP() << "only root can give files away";
  TemporaryFolder folder;
  chmod(folder.path.c_str(), 01777);
  writeFile(folder / "a", "old");
  chmod((folder / "a").c_str(), 0666);
  pid_t child = fork();
  if (child == 0) {
    if (setegid(65534) != 0 || seteuid(65534) != 0)
      _exit(1);
    _exit(codeOf(folder / "a") == 751 ? 7 : 8);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 7);
  EXPECT_EQ(readFile(folder / "a"), "old");
  EXPECT_EQ(countFiles(folder.path), 1);
}

TEST(OutputFileTest, FullDiskLeavesTheOldFile) {
  TemporaryFolder folder;
  replace(folder / "a", "old");
  pid_t child = fork();
  if (child == 0) {
    // A limit on file sizes makes writes fail as a full disk does.
    signal(SIGXFSZ, SIG_IGN);
    rlimit limit = {1000, 1000};
    setrlimit(RLIMIT_FSIZE, &limit);
    try {
      replace(folder / "a", std::string(100000, 'x'));
    } catch (const tdrt::FileFault &fault) {
      _exit(fault.code == 751 ? 7 : 8);
    }
    _exit(9);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 7);
  EXPECT_EQ(readFile(folder / "a"), "old");
  EXPECT_EQ(countFiles(folder.path), 1);
}

TEST(OutputFileTest, WhatFailsAfterTheRenameSaysSo) {
  TemporaryFolder folder;
  // A folder that may be written but not read cannot be synced. Root may read
  // everything, so the child runs as another user.
  mkdir((folder / "box").c_str(), 0700);
  writeFile(folder / "box/a", "old");
  chmod(folder.path.c_str(), 0711);
  for (const char *name : {"box", "box/a"})
    if (geteuid() == 0) {
      ASSERT_EQ(chown((folder / name).c_str(), 65534, 65534), 0);
    }
  chmod((folder / "box").c_str(), 0300);
  pid_t child = fork();
  if (child == 0) {
    if (geteuid() == 0 && (setegid(65534) != 0 || seteuid(65534) != 0))
      _exit(1);
    _exit(codeOf(folder / "box/a") == 753 ? 7 : 8);
  }
  int status = 0;
  waitpid(child, &status, 0);
  chmod((folder / "box").c_str(), 0700);
  EXPECT_EQ(WEXITSTATUS(status), 7);
  EXPECT_EQ(readFile(folder / "box/a"), "new");
  EXPECT_EQ(countFiles(folder / "box"), 1);
}

TEST(OutputFileTest, CheckingChangesNothing) {
  TemporaryFolder folder;
  auto check = [&](const char *name) {
    return tdrt::checkWritable((folder / name).c_str()).code;
  };
  EXPECT_EQ(check("a"), 0);
  EXPECT_EQ(countFiles(folder.path), 0);
  replace(folder / "a", "old");
  EXPECT_EQ(check("a"), 0);
  EXPECT_EQ(readFile(folder / "a"), "old");
  EXPECT_EQ(countFiles(folder.path), 1);
  EXPECT_EQ(check("."), 703);
  EXPECT_EQ(check("b/a"), 751);
  EXPECT_EQ(tdrt::checkWritable("/dev/null").code, 703);
}

TEST(OutputFileTest, WritersDoNotMix) {
  TemporaryFolder folder;
  std::vector<pid_t> children;
  for (char c = 'a'; c < 'e'; ++c) {
    pid_t child = fork();
    if (child == 0) {
      for (int i = 0; i < 50; ++i)
        replace(folder / "shared", std::string(100000, c));
      _exit(0);
    }
    children.push_back(child);
  }
  bool running = true;
  while (running) {
    std::string text = readFile(folder / "shared");
    if (!text.empty()) {
      ASSERT_EQ(text, std::string(100000, text[0]));
    }
    running = waitpid(children.back(), nullptr, WNOHANG) == 0;
  }
  for (pid_t child : children) {
    int status = 0;
    if (waitpid(child, &status, 0) > 0) {
      EXPECT_EQ(status, 0);
    }
  }
  EXPECT_EQ(countFiles(folder.path), 1);
}

} // namespace
