//===- MemoryTest.cpp - the memories of the simulated devices -------------===//

#include "memory/Memory.h"
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <gtest/gtest.h>
#include <set>
#include <unistd.h>

using namespace tdc::sim;

namespace {

constexpr uint64_t kMiB = 1 << 20;

/// The code and the message of the Fault that `body` throws.
template <class Body> Fault getFault(Body body) {
  try {
    body();
  } catch (const Fault &fault) {
    return fault;
  }
  return {CUDA_SUCCESS, "nothing was thrown"};
}

bool contains(const std::string &text, const char *part) {
  return text.find(part) != std::string::npos;
}

TEST(Memory, AddressesAreUnique) {
  Memory memory(2, kMiB);
  int local = 0;
  auto host = reinterpret_cast<uint64_t>(&local);
  EXPECT_EQ(memory.getDevice(host), kHost);
  EXPECT_EQ(memory.find(host), nullptr);
  EXPECT_EQ(memory.findBefore(host), nullptr);
  for (int device : {0, 1}) {
    const Allocation &allocation = memory.allocate(device, 100);
    EXPECT_EQ(allocation.address % 512, 0u);
    EXPECT_EQ(memory.getDevice(allocation.address), device);
    EXPECT_EQ(memory.find(allocation.address + 99), &allocation);
    EXPECT_EQ(memory.find(allocation.address + 100), nullptr);
    EXPECT_EQ(memory.findBefore(allocation.address + 100), &allocation);
    EXPECT_EQ(memory.find(allocation.address - 1), nullptr);
  }
}

TEST(MemoryDeathTest, HostsCannotUseAddressesOfDevices) {
  Memory memory(1, kMiB);
  uint64_t address = memory.allocate(0, 100).address;
  EXPECT_DEATH(*reinterpret_cast<volatile char *>(address) = 1, "");
}

TEST(Memory, FreshBytesAreNaNs) {
  Memory memory(1, 64 * kMiB);
  // A small one, and one large enough to share its pages.
  for (uint64_t bytes : {uint64_t(1000), 40 * kMiB + 8}) {
    const Allocation &allocation = memory.allocate(0, bytes);
    uint64_t word;
    memcpy(&word, allocation.data, sizeof word);
    EXPECT_EQ(word, kPattern);
    memcpy(&word, allocation.data + bytes - sizeof word, sizeof word);
    EXPECT_EQ(word, kPattern);
    EXPECT_EQ(allocation.written[0], 0);
    EXPECT_EQ(allocation.written[bytes - 1], 0);
    memory.release(allocation.address);
  }
  double wide;
  float narrow[2];
  memcpy(&wide, &kPattern, sizeof wide);
  memcpy(narrow, &kPattern, sizeof narrow);
  EXPECT_TRUE(std::isnan(wide));
  EXPECT_TRUE(std::isnan(narrow[0]));
  EXPECT_TRUE(std::isnan(narrow[1]));
}

TEST(Memory, SharedPatternIsCopiedWhenWritten) {
  Memory memory(1, 128 * kMiB);
  const Allocation &first = memory.allocate(0, 32 * kMiB);
  const Allocation &second = memory.allocate(0, 32 * kMiB);
  memset(first.data, 0, first.bytes);
  uint64_t word;
  memcpy(&word, second.data, sizeof word);
  EXPECT_EQ(word, kPattern);
  memcpy(&word, first.data, sizeof word);
  EXPECT_EQ(word, 0u);
}

uint64_t getResidentBytes() {
  FILE *file = fopen("/proc/self/statm", "r");
  char text[128] = {};
  EXPECT_NE(fgets(text, sizeof text, file), nullptr);
  fclose(file);
  char *afterTotal = nullptr; // the second number is the resident size
  strtoul(text, &afterTotal, 10);
  return strtoul(afterTotal, nullptr, 10) * sysconf(_SC_PAGESIZE);
}

TEST(Memory, UnusedMemoryCostsLittle) {
  Memory memory(1, uint64_t(256) << 30);
  uint64_t before = getResidentBytes();
  const Allocation &allocation = memory.allocate(0, uint64_t(200) << 30);
  EXPECT_EQ(static_cast<int>(allocation.data[allocation.bytes - 1]), 0x7f);
  EXPECT_LT(getResidentBytes() - before, 200 * kMiB);
}

TEST(Memory, AddressesAreNotUsedAgain) {
  Memory memory(1, kMiB);
  std::set<uint64_t> seen;
  uint64_t end = 0;
  for (int i = 0; i < 1000; ++i) {
    uint64_t address = memory.allocate(0, 1000).address;
    EXPECT_TRUE(seen.insert(address).second);
    EXPECT_GE(address, end + 4096) << "no gap";
    end = address + 1000;
    memory.release(address);
    const Allocation *freed = memory.find(address);
    ASSERT_NE(freed, nullptr);
    EXPECT_FALSE(freed->isLive);
    EXPECT_EQ(freed->data, nullptr);
  }
}

TEST(Memory, MoreAddressesAreTakenWhenTheFirstAreUsedUp) {
  uint64_t half = uint64_t(600) << 30;
  Memory memory(1, half);
  std::set<uint64_t> seen;
  for (int i = 0; i < 4; ++i) {
    uint64_t address = memory.allocate(0, half).address;
    EXPECT_EQ(memory.getDevice(address), 0);
    EXPECT_EQ(memory.getDevice(address + half - 1), 0);
    EXPECT_TRUE(seen.insert(address).second);
    memory.release(address);
  }
}

TEST(Memory, CapacityAndPeak) {
  Memory memory(2, 1000);
  uint64_t first = memory.allocate(0, 600).address;
  memory.allocate(1, 1000);
  Fault fault = getFault([&] { memory.allocate(0, 401); });
  EXPECT_EQ(fault.code, CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(fault.message,
            "device 0 has 400 bytes free of 1000 bytes, not 401 bytes");
  memory.allocate(0, 400);
  memory.release(first);
  EXPECT_EQ(memory.getUsed(0), 400u);
  EXPECT_EQ(memory.getPeak(0), 1000u);
  EXPECT_EQ(memory.getLiveCount(0), 1u);
  EXPECT_EQ(memory.getLive(0).size(), 1u);
  EXPECT_EQ(getFault([&] { memory.allocate(0, 0); }).code,
            CUDA_ERROR_INVALID_VALUE);
}

TEST(Memory, WhatIsFreedMustBeTheStartOfALiveAllocation) {
  Memory memory(1, kMiB);
  uint64_t address = memory.allocate(0, 64).address;
  Fault inside = getFault([&] { memory.release(address + 4); });
  EXPECT_EQ(inside.code, CUDA_ERROR_INVALID_VALUE);
  EXPECT_TRUE(contains(inside.message, "lies in allocation 1 (64 bytes)"))
      << inside.message;
  EXPECT_EQ(getFault([&] { memory.releaseHost(address); }).code,
            CUDA_ERROR_INVALID_VALUE);
  memory.release(address);
  Fault twice = getFault([&] { memory.release(address); });
  EXPECT_EQ(twice.code, CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(twice.message,
            "allocation 1 (64 bytes) of device 0 is freed a second time");
  EXPECT_EQ(getFault([&] { memory.release(12345); }).code,
            CUDA_ERROR_INVALID_VALUE);
}

TEST(Memory, PinnedMemoryIsRealMemory) {
  Memory memory(1, kMiB);
  const Allocation &pinned = memory.allocate(kHost, 4096);
  EXPECT_EQ(reinterpret_cast<uint64_t>(pinned.data), pinned.address);
  EXPECT_EQ(pinned.written, nullptr);
  EXPECT_EQ(memory.find(pinned.address + 5), &pinned);
  EXPECT_EQ(getFault([&] { memory.release(pinned.address); }).code,
            CUDA_ERROR_INVALID_VALUE);
  memory.releaseHost(pinned.address);
  EXPECT_EQ(getFault([&] { memory.releaseHost(pinned.address); }).message,
            "allocation 1 (4096 bytes) of the host is freed a second time");
  EXPECT_EQ(memory.findMistake(pinned.address, 1),
            "lies in allocation 1 (4096 bytes) of the host, which was freed");
  // No other allocation gets its addresses, so that a use of it is recognised.
  for (int i = 0; i < 100; ++i) {
    uint64_t other = memory.allocate(kHost, 4096).address;
    EXPECT_NE(other, pinned.address);
    memory.releaseHost(other);
    void *pages = mapZeros(4096);
    EXPECT_NE(pages, reinterpret_cast<void *>(pinned.address));
    unmap(pages, 4096);
  }
}

TEST(MemoryDeathTest, FreedPinnedMemoryCannotBeUsed) {
  Memory memory(1, kMiB);
  uint64_t address = memory.allocate(kHost, 4096).address;
  memory.releaseHost(address);
  EXPECT_DEATH(*reinterpret_cast<volatile char *>(address) = 1, "");
}

TEST(Memory, MistakesAreDescribed) {
  Memory memory(2, kMiB);
  uint64_t address = memory.allocate(1, 400).address;
  uint64_t pinned = memory.allocate(kHost, 16).address;
  EXPECT_EQ(memory.findMistake(address, 400), "");
  EXPECT_EQ(memory.findMistake(address + 396, 4), "");
  EXPECT_EQ(memory.findMistake(pinned, 16), "");
  EXPECT_EQ(memory.findMistake(address + 384, 32),
            "ends 16 bytes past the end of allocation 1 (400 bytes) of "
            "device 1");
  EXPECT_EQ(memory.findMistake(address + 401, 4),
            "begins 1 byte past the end of allocation 1 (400 bytes) of "
            "device 1");
  EXPECT_EQ(memory.findMistake(address - 8, 4),
            "lies before the first allocation of device 1");
  EXPECT_EQ(memory.findMistake(pinned + 16, 4),
            "is not in the memory of any device");
  EXPECT_EQ(memory.findMistake(0, 4), "is not in the memory of any device");
  memory.release(address);
  EXPECT_EQ(memory.findMistake(address, 4),
            "lies in allocation 1 (400 bytes) of device 1, which was freed");
}

} // namespace
