//===- OutputFileTest.cpp - files that appear whole or not at all ---------===//

#include "File.h"
#include "TestProgram.h"
#include <dirent.h>
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

TEST(OutputFileTest, KeepsTheMode) {
  TemporaryFolder folder;
  writeFile(folder / "a", "old");
  chmod((folder / "a").c_str(), 0640);
  replace(folder / "a", "new");
  struct stat info;
  ASSERT_EQ(stat((folder / "a").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777, 0640u);
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

// A name without a folder is in the current one.
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

TEST(OutputFileTest, LinkToNothing) {
  TemporaryFolder folder;
  ASSERT_EQ(symlink("absent", (folder / "link").c_str()), 0);
  replace(folder / "link", "new");
  EXPECT_EQ(readFile(folder / "link"), "new");
}

// What is no file under the temporary name is not written into.
TEST(OutputFileTest, PipeUnderTheTemporaryName) {
  TemporaryFolder folder;
  std::string pipe = folder / ".a.tdc-tmp";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  int reader = open(pipe.c_str(), O_RDONLY | O_NONBLOCK);
  EXPECT_EQ(codeOf(folder / "a"), 703);
  close(reader);
}

TEST(OutputFileTest, UsesAnAbandonedTemporaryFile) {
  TemporaryFolder folder;
  writeFile(folder / ".a.tdc-tmp", std::string(1000, 'z'));
  replace(folder / "a", "new");
  EXPECT_EQ(readFile(folder / "a"), "new");
  EXPECT_EQ(countFiles(folder.path), 1);
}

TEST(OutputFileTest, Refusals) {
  TemporaryFolder folder;
  EXPECT_EQ(codeOf(folder.path), 703);
  EXPECT_EQ(codeOf("/dev/null"), 703);
  EXPECT_EQ(codeOf(folder / "no/such/folder"), 751);
  EXPECT_EQ(codeOf(folder / std::string(255, 'n')), 751);
  ASSERT_EQ(mkfifo((folder / "pipe").c_str(), 0600), 0);
  EXPECT_EQ(codeOf(folder / "pipe"), 703);
  // A link planted under the temporary name is not followed.
  writeFile(folder / "victim", "mine");
  ASSERT_EQ(symlink("victim", (folder / ".a.tdc-tmp").c_str()), 0);
  EXPECT_EQ(codeOf(folder / "a"), 751);
  EXPECT_EQ(readFile(folder / "victim"), "mine");
}

TEST(OutputFileTest, FullDiskLeavesTheOldFile) {
  TemporaryFolder folder;
  replace(folder / "a", "old");
  pid_t child = fork();
  if (child == 0) {
    // A limit on file sizes fails writes as a full disk does.
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
  // all: the child is somebody else.
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

TEST(OutputFileTest, WritersTakeTurns) {
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
