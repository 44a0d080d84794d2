#!/usr/bin/env python3
"""Runs every test of tdc, in stages with a time budget each. Called by tdc.sh.

usage: test.py [--full] [--only STAGE[,STAGE...]] [--enforce]
  --full      the whole op matrix, all PTX, more random programs and longer fuzzing
  --only      only these stages; `races` and `coverage` run only if they are named
  --enforce   end a stage at twice its budget, as CI does. Without it slow stages are
              finished and reported as over budget

A stage's tests are counted one by one from the report files of the test programs;
a program that ends without its report counts as one failure, and so does a stage
that is aborted. The last line is "N passed, N failed".
"""

import argparse
import collections
import concurrent.futures
import importlib.util
import json
import os
import re
import select
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parent.parent
DEV = ROOT / "build/dev"
SANITIZE = ROOT / "build/sanitize"
TSAN = ROOT / "build/tsan"
RELEASE = ROOT / "build/release"
FUZZERS = (ROOT / "runtime/fuzz", ROOT / "test/Fuzz")
MODULES = DEV / "ptx"  # modules that tests loaded on simulated GPUs
CORES = len(os.sched_getaffinity(0))
TAIL = 40  # lines of output shown for a program that failed
HANG = 3600  # seconds without any output after which a program counts as hung
LONGEST = 12 * 3600  # seconds that a stage may take if nothing is enforced
KEPT = 1 << 24  # bytes of the end of a program's output that are kept

Count = collections.namedtuple("Count", "passed failed skipped")


class StageBroken(Exception):
    """The stage cannot continue; the text is the reason."""


class Stage:
    """A running stage: its deadline, and the tests counted so far."""

    def __init__(self, budget, full, enforces):
        self.full = full
        self.deadline = time.monotonic() + (2 * budget if enforces else LONGEST)
        # One lit test takes up to a minute on two quiet cores.
        self.test_limit = 300 if enforces else HANG
        self.passed = self.failed = self.skipped = 0

    def add(self, count):
        self.passed += count.passed
        self.failed += count.failed
        self.skipped += count.skipped

    def record(self, name, ok, output=""):
        """Counts one test that is not in any report file."""
        if ok:
            self.passed += 1
            return
        self.failed += 1
        print(f"FAILED: {name}")
        print_tail(output)

    def run(self, *command, env=None):
        """Runs a command and its children in a process group of their own. Returns
        (exit status, output); the status is None if the stage's time was up or the
        command hung, and then the whole group has been ended."""
        process = subprocess.Popen(
            [str(word) for word in command], cwd=ROOT, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True,
            env={**os.environ, **(env or {})})
        output = bytearray()
        try:
            while select.select([process.stdout], [], [], self.get_patience())[0]:
                part = os.read(process.stdout.fileno(), 1 << 16)
                if not part:
                    break
                output += part
                del output[:-KEPT]
            else:
                raise subprocess.TimeoutExpired(command, HANG)
            status = process.wait(self.get_patience())
            reason = ""
        except subprocess.TimeoutExpired:
            reason = f"\nstopped: no output for {HANG} s" if self.get_patience() else \
                "\nstopped: the stage took too long"
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            status = None
        process.stdout.close()
        return status, output.decode(errors="replace") + reason

    def get_patience(self):
        """Seconds for which a command may remain silent from now."""
        return min(max(self.deadline - time.monotonic(), 0), HANG)

    def must_run(self, *command):
        """As run(), for a step that the rest of the stage needs."""
        status, output = self.run(*command)
        if status != 0:
            print_tail(output)
            raise StageBroken(" ".join(str(word) for word in command))
        return output


def print_tail(output):
    for line in output.splitlines()[-TAIL:]:
        print(f"  | {line}")


# --- reports ------------------------------------------------------------------


def read_json(path):
    try:
        return json.loads(path.read_text())
    except (OSError, ValueError):
        return None


def run_lit(stage, build, *folders):
    """lit over folders of test/, with the tools of one build folder."""
    report = build / "lit.json"
    report.unlink(missing_ok=True)
    MODULES.mkdir(parents=True, exist_ok=True)
    targets = [build / "test" / folder for folder in folders] if folders else [build / "test"]
    lit = shutil.which("lit", path="/usr/lib/llvm-22/bin") or "lit-22"
    options = ["-v", f"-j{CORES}", "-o", report]
    if not folders:
        options += ["--filter-out", ":: Examples/"]
    # lit can end a test that hangs only with psutil; without it the limit on
    # silence ends lit, and the test is not known.
    if importlib.util.find_spec("psutil"):
        options += ["--timeout", str(stage.test_limit)]
    status, output = stage.run(sys.executable, lit, *options, *targets,
                               env={"TDC_SIM_MODULES": str(MODULES)})
    tests = (read_json(report) or {}).get("tests", [])
    if not tests:
        stage.record("lit", False, output)
        return
    codes = collections.Counter(test["code"] for test in tests)
    good = codes["PASS"] + codes["XFAIL"] + codes["FLAKYPASS"]
    skipped = codes["UNSUPPORTED"] + codes["SKIPPED"] + codes["EXCLUDED"]
    failed = len(tests) - good - skipped
    if failed or status != 0:
        print(output)
    # lit failed without a failed test: it was aborted.
    stage.add(Count(good, failed or int(status != 0), skipped))


def run_unittests(stage, build, env=None):
    """Every ctest entry of a build folder, run directly for its report; entries
    that a preset does not build have no command."""
    listing = json.loads(stage.must_run("ctest", "--test-dir", build, "--show-only=json-v1"))
    tests = [test for test in listing["tests"] if "command" in test]
    reports = build / "unit-reports"
    shutil.rmtree(reports, ignore_errors=True)
    reports.mkdir(parents=True)

    def is_gtest(name):
        return (build / "unit" / name).exists()

    def run_one(test):
        report = reports / f"{test['name']}.json"
        outcome = stage.run(*test["command"], f"--gtest_output=json:{report}", env=env)
        return test["name"], outcome, read_json(report)

    with concurrent.futures.ThreadPoolExecutor(CORES) as pool:
        for name, (status, output), report in pool.map(run_one, tests):
            if report is None:
                # A program without gtest is one test, its exit status.
                stage.record(name, status == 0 and not is_gtest(name), output)
                continue
            failed = report["failures"] + report.get("errors", 0)
            skipped = sum(case.get("result") == "SKIPPED"
                          for suite in report["testsuites"] for case in suite["testsuite"])
            ran = report["tests"] - report.get("disabled", 0)
            if failed or status != 0:
                print_tail(output)
            stage.add(Count(ran - failed - skipped, failed or int(status != 0), skipped))


# --- stages -------------------------------------------------------------------


def build(stage):
    stage.must_run("cmake", "--preset", "dev")
    stage.must_run("cmake", "--build", "--preset", "dev", "--target", "all", "unittests")
    stage.record("build", True)


def lint(stage):
    _, output = stage.run(sys.executable, "scripts/lint.py")
    print(output, end="")
    summary = re.search(r"^lint: (\d+) passed, (\d+) failed$", output, re.MULTILINE)
    if not summary:
        raise StageBroken("scripts/lint.py")
    stage.add(Count(int(summary[1]), int(summary[2]), 0))


def lit(stage):
    shutil.rmtree(MODULES, ignore_errors=True)
    run_lit(stage, DEV)


def unit(stage):
    run_unittests(stage, DEV)


def examples(stage):
    run_lit(stage, DEV, "Examples")


def random(stage):
    """Random programs at all levels of the compiler, their gradients, loops with updates, large
    attentions, models on several GPUs, programs with edits or in other layouts, and
    determinism."""
    python = ROOT / "build/venv/bin/python"
    path = f"{DEV / 'bin'}{os.pathsep}{os.environ['PATH']}"
    more = 5 if stage.full else 1
    for script, count in (("random_programs", 200 * more), ("random_gradients", 70 * more),
                          ("random_updates", 25 * more), ("random_attentions", 16 * more),
                          ("random_parallel", 12 * more),
                          ("mutated_programs", 250 * more),
                          ("reformatted_programs", 500 * more), ("determinism", 20)):
        _, output = stage.run(python, f"test/Random/{script}.py", "--count", count,
                              env={"PATH": path})
        print(output, end="")
        summary = re.search(r"^\w+: (\d+) passed, (\d+) failed$", output, re.MULTILINE)
        if not summary:
            raise StageBroken(f"test/Random/{script}.py")
        stage.add(Count(int(summary[1]), int(summary[2]), 0))


def ptx(stage):
    """The GPU code of all earlier tests: ptxas accepts it, and no kernel spills."""
    _, output = stage.run(sys.executable, "scripts/ptxas.py",
                          "--part", 100 if stage.full else 10, MODULES)
    print(output, end="")
    summary = re.search(r"^ptx: (\d+) passed, (\d+) failed$", output, re.MULTILINE)
    if not summary:
        raise StageBroken("scripts/ptxas.py")
    stage.add(Count(int(summary[1]), int(summary[2]), 0))


def sanitize(stage):
    """Front end and runtime under ASan and UBSan: unit tests, then fuzzing."""
    stage.must_run("cmake", "--preset", "sanitize")
    stage.must_run("cmake", "--build", "--preset", "sanitize")
    run_unittests(stage, SANITIZE)
    seconds = 120 if stage.full else 20

    def fuzz(program):
        grown = SANITIZE / "corpus" / program.name
        grown.mkdir(parents=True, exist_ok=True)
        # Seeds and options are in the folder of the fuzzer's source.
        folder = next((folder for folder in FUZZERS
                       if (folder / "corpus" / program.name).is_dir()), None)
        if not folder:
            return program.name, (1, "it has no folder of seeds")
        options = folder / "options.txt"
        return program.name, stage.run(
            program, f"-max_total_time={seconds}", "-timeout=10", "-rss_limit_mb=2048",
            f"-artifact_prefix={SANITIZE}/{program.name}-",
            *(options.read_text().split() if options.exists() else []),
            grown, folder / "corpus" / program.name)

    programs = sorted((SANITIZE / "fuzz").glob("*")) if (SANITIZE / "fuzz").is_dir() else []
    with concurrent.futures.ThreadPoolExecutor(CORES) as pool:
        for name, (status, output) in pool.map(fuzz, programs):
            runs = re.search(r"^Done (\d+) runs", output, re.MULTILINE)
            print(f"fuzz: {name}: {runs[1] if runs else '?'} runs in {seconds} s")
            stage.record(f"fuzz {name}", status == 0, output)


def release(stage):
    """The single-file tdc: it is static, starts, and trains the first example."""
    stage.must_run("cmake", "--preset", "release")
    stage.must_run("cmake", "--build", "--preset", "release", "--target", "dist")
    tdc = RELEASE / "bin/tdc"
    size = tdc.stat().st_size / 1e6
    stage.record(f"release binary of {size:.0f} MB, at most 80", size <= 80)
    linked = stage.must_run("ldd", tdc)
    foreign = [line for line in linked.splitlines()
               if not re.search(r"linux-vdso|ld-linux|lib(c|m|dl|pthread)\.so", line)]
    stage.record("release binary needs only libc and libm", not foreign, "\n".join(foreign))
    library = RELEASE / "lib/libtdc.so"
    size = library.stat().st_size / 1e6
    stage.record(f"release library of {size:.0f} MB, at most 80", size <= 80)
    shown = stage.must_run("nm", "-D", "--defined-only", library)
    foreign = [line for line in shown.splitlines() if not re.search(r" T tdc_\w+$", line)]
    stage.record("release library shows tdc.h only", not foreign, "\n".join(foreign))
    for command in (["--version"], ["run", "examples/simple_model.tdsl"]):
        status, output = stage.run(tdc, *command)
        stage.record(f"release: tdc {' '.join(command)}", status == 0, output)


def package(stage):
    """The install tree and the wheel, used as by other projects: a program that compiles
    repeatedly, and the tests of the Python package."""
    stage.must_run("scripts/wheel.sh")
    prefix = RELEASE / "install"
    _, flags = stage.run("pkg-config", "--cflags", "--libs", "tdc",
                         env={"PKG_CONFIG_PATH": str(prefix / "lib/pkgconfig")})
    cycles = 2000 if stage.full else 50
    for name, option, limit in (("growth", "-g", ["1024"]), ("leaks", "-fsanitize=leak", [])):
        soak = RELEASE / f"soak-{name}"
        stage.must_run("clang-22", option, "test/Unit/CAPI/soak.c", *flags.split(), "-o", soak)
        status, output = stage.run(soak, "examples/embed/net.tdsl", cycles, *limit)
        print(f"soak for {name}: {output}", end="")
        stage.record(f"no {name} in {cycles} cycles", status == 0, output)

    wheel, = (RELEASE / "wheel").glob("*.whl")
    size = wheel.stat().st_size / 1e6
    stage.record(f"wheel of {size:.1f} MB, at most 30", size <= 30)
    packages, report = RELEASE / "packages", RELEASE / "python.xml"
    shutil.rmtree(packages, ignore_errors=True)
    report.unlink(missing_ok=True)
    stage.must_run("build/venv/bin/pip", "install", "--quiet", "--disable-pip-version-check",
                   "--no-deps", "--no-index", "--target", packages, wheel)
    status, output = stage.run(
        "build/venv/bin/python", "-m", "pytest", "-q", "-p", "no:cacheprovider",
        f"--junitxml={report}", "test/Python",
        env={"PYTHONPATH": str(packages), "prefix": str(prefix)})
    if not report.exists():
        raise StageBroken(f"pytest:\n{output}")
    if status != 0:
        print(output)
    suite = ElementTree.parse(report).find("testsuite").attrib
    failed, skipped = int(suite["failures"]) + int(suite["errors"]), int(suite["skipped"])
    stage.add(Count(int(suite["tests"]) - failed - skipped, failed or int(status != 0), skipped))


def races(stage):
    """Runtime, simulated GPUs and a compiled program under ThreadSanitizer."""
    stage.must_run("cmake", "--preset", "tsan")
    stage.must_run("cmake", "--build", "--preset", "tsan")
    # TSan delays signals and has an allocator of its own; threads run when tests
    # fork. Tests in which each call fails once use one process each, and no threads.
    run_unittests(stage, TSAN, {
        "GTEST_FILTER": "-Fault*:GpuFault*:*AllocationFails:Kill*:Progress*:*Interrupt*",
        "TSAN_OPTIONS": "die_after_fork=0:allocator_may_return_null=1"})
    # TSan instruments only functions with the attribute.
    code = stage.must_run(DEV / "bin/tdc", "emit", "--phase=llvm", "examples/embed/net.tdsl")
    (TSAN / "net.ll").write_text(code.replace("{ nounwind ", "{ nounwind sanitize_thread "))
    program = TSAN / "shared-calls"
    stage.must_run("clang++-22", "-std=c++17", "-fsanitize=thread", "-Iruntime/include",
                   "runtime/test/SharedCalls.cpp", TSAN / "net.ll",
                   TSAN / "lib/libtdc_rt_cxx.a", *sorted((TSAN / "runtime").glob("*.a")),
                   "-o", program)
    status, output = stage.run(program)
    stage.record("a compiled program called by four threads", status == 0, output)


def coverage(stage):
    """Coverage of the runtime by its tests, per folder."""
    status, output = stage.run(sys.executable, "scripts/coverage.py")
    print_tail(output)
    stage.record("coverage of the runtime", status == 0)


# Budgets in seconds, for 2 cores and an empty ccache; 54 minutes together.
# lint comes after the build: clang-tidy needs the generated headers.
STAGES = [(build, 600), (lint, 120), (lit, 720), (unit, 90), (examples, 120),
          (random, 450), (ptx, 60), (sanitize, 480), (release, 480), (package, 120)]
# Run only if --only names them.
NAMED = [(races, 420), (coverage, 300)]


def main():
    parser = argparse.ArgumentParser(prog="./tdc.sh test", description=__doc__.split("\n\n")[0])
    parser.add_argument("--full", action="store_true",
                        help="the whole op matrix, all PTX, more random programs, longer fuzzing")
    parser.add_argument("--only", metavar="STAGE[,STAGE...]",
                        help="just these: " + ", ".join(f.__name__ for f, _ in STAGES + NAMED))
    parser.add_argument("--enforce", action="store_true",
                        help="end a stage at twice its budget, as CI does")
    options = parser.parse_args()
    chosen = options.only.split(",") if options.only else [f.__name__ for f, _ in STAGES]
    unknown = set(chosen) - {f.__name__ for f, _ in STAGES + NAMED}
    if unknown:
        parser.error(f"no such stage: {', '.join(sorted(unknown))}")
    if options.full:
        os.environ["TDC_TEST_FULL"] = "1"

    sys.stdout.reconfigure(line_buffering=True)
    began = time.monotonic()
    lines, passed, failed = [], 0, 0
    for function, budget in STAGES + NAMED:
        if function.__name__ not in chosen:
            continue
        budget *= 6 if options.full else 1
        print(f"\n== {function.__name__} (budget {budget} s)")
        stage = Stage(budget, options.full, options.enforce)
        stage_began = time.monotonic()
        try:
            function(stage)
        except Exception as problem:  # a broken stage is a failure, not the end
            stage.record(f"stage {function.__name__}: {type(problem).__name__}: {problem}", False)
        seconds = time.monotonic() - stage_began
        late = "  OVER BUDGET" if seconds > budget else ""
        skipped = f", {stage.skipped} skipped" if stage.skipped else ""
        lines.append(f"{function.__name__:9} {seconds:6.1f} s of {budget:4} s  "
                     f"{stage.passed} passed, {stage.failed} failed{skipped}{late}")
        print(lines[-1])
        passed += stage.passed
        failed += stage.failed

    print(f"\n== all stages, {time.monotonic() - began:.0f} s")
    print("\n".join(lines))
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
