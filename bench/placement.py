#!/usr/bin/env python3
"""Times the passes of placement on a training step of N layers.

    placement.py [--tdc-opt PATH] [--rounds N] [--optimize]

This script makes the module: a loop over batches in a loop over epochs, per layer
twelve parameters of the size of a transformer's with forward, backward and Adam.
Times are medians, divided by the times of MLIR's own canonicalize and cse on the
same module in the same run. If that quotient and the time per layer are constant
from row to row, the passes are linear.
"""

import argparse
import pathlib
import re
import statistics
import subprocess
import tempfile

PASSES = ["--td-normalize", "--td-choose-devices", "--td-place",
          "--td-verify-placement"]
PEERS = ["--canonicalize", "--cse"]
PARAMETERS = 12
CPU, GPU = "#td.dev<cpu>", "#td.dev<cuda, 0>"


def tensor(place, rows=64):
    return f"tensor<{rows}x64xf32, {place}>"


def module(layers, optimize):
    """td IR in its form after td-resolve."""
    host, device = tensor(CPU), tensor(GPU)
    count = PARAMETERS * layers + 6
    lines = [f"module attributes {{{'td.optimize' if optimize else ''}}} {{"]
    for i in range(count):
        lines.append(f'td.slot @w{i} param "w{i}" of "net" : tensor<64x64xf32>')
        for name in ("m", "v"):
            lines.append(f'td.slot @{name}{i} moment "{name}{i}" of "net" : '
                         f"{tensor(GPU)}")
    lines += ["func.func @main() {", "%c0 = arith.constant 0 : i64",
              "%c1 = arith.constant 1 : i64", "%c100 = arith.constant 100 : i64",
              "%seed, %call = td.next_random"]
    for i in range(count):
        lines += [f"%r{i} = td.random normal %seed, %call : {host}",
                  f"%start{i} = td.sin %r{i} : {host}",
                  f"td.write %start{i}, @w{i} : {host}",
                  f"td.move @w{i} to <cuda, 0>"]
    data = tensor(CPU, 6400)
    lines += [f"%noise = td.random normal %seed, %call : {data}",
              f"%data = td.sin %noise : {data}",
              '%epochs = td.arg "epochs" : i64',
              "scf.for %epoch = %c0 to %epochs step %c1 : i64 {",
              "scf.for %batch = %c0 to %c100 step %c1 : i64 {",
              f"%x = td.slice %data[%batch] dim 0 step 1 : {data} to {host}",
              f"%h0 = td.to_device %x : {host} to {device}"]
    for i in range(count):
        lines += [f"%w{i} = td.read @w{i} : {device}",
                  f"%a{i} = td.matmul %h{i}, %w{i} : {device}, {device} -> "
                  f"{device}",
                  f"%b{i} = td.tanh %a{i} : {device}",
                  f"%h{i + 1} = td.add %b{i}, %h{i} : {device}"]
    scalar = f"tensor<f32, {GPU}>"
    lines.append(f"%loss = td.reduce sum %h{count} [0, 1] : {device} to {scalar}")
    gradient = f"%h{count}"
    for i in reversed(range(count)):
        lines += [f"%p{i} = td.mul {gradient}, %b{i} : {device}",
                  f"%q{i} = td.sub {gradient}, %p{i} : {device}",
                  f"%t{i} = td.permute %q{i} [1, 0] : {device} to {device}",
                  f"%dw{i} = td.matmul %h{i}, %t{i} : {device}, {device} -> "
                  f"{device}",
                  f"%dh{i} = td.matmul %q{i}, %w{i} : {device}, {device} -> "
                  f"{device}"]
        gradient = f"%dh{i}"
    for i in range(count):
        lines += [f"%m{i} = td.read @m{i} : {device}",
                  f"%v{i} = td.read @v{i} : {device}",
                  f"%mn{i} = td.add %m{i}, %dw{i} : {device}",
                  f"%sq{i} = td.mul %dw{i}, %dw{i} : {device}",
                  f"%vn{i} = td.add %v{i}, %sq{i} : {device}",
                  f"%rt{i} = td.sqrt %vn{i} : {device}",
                  f"%st{i} = td.div %mn{i}, %rt{i} : {device}",
                  f"%wn{i} = td.sub %w{i}, %st{i} : {device}",
                  f"td.write %mn{i}, @m{i} : {device}",
                  f"td.write %vn{i}, @v{i} : {device}",
                  f"td.write %wn{i}, @w{i} : {device}"]
    there = f"tensor<f32, {CPU}>"
    lines += [f"%back = td.to_device %loss : {scalar} to {there}",
              f'%text = td.format "{{}}\\0A"(%back) : {there}',
              "td.print %text", "}", "}", "return", "}", "}"]
    return "\n".join(lines), count


def milliseconds(tool, path, passes):
    """The time of the passes, without parsing and printing."""
    done = subprocess.run([tool, path, *passes, "--mlir-timing",
                           "--mlir-timing-display=list", "-o", "/dev/null"],
                          capture_output=True, text=True, check=True)
    return 1000 * sum(
        float(seconds) for seconds, name in re.findall(
            r"^\s*([\d.]+) \([^)]*\)\s+(\w+)$", done.stderr, re.MULTILINE)
        if name.startswith("TD") or name in ("Canonicalizer", "CSE"))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tdc-opt", default="tdc-opt")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--optimize", action="store_true")
    options = parser.parse_args()
    print("| layers | parameters | ms | ms per layer | canonicalize and cse = 1 |"
          "\n| ---: | ---: | ---: | ---: | ---: |")
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "step.mlir"
        for layers in (6, 12, 24, 48):
            text, count = module(layers, options.optimize)
            path.write_text(text)
            own, peer = [], []
            for _ in range(options.rounds):
                own.append(milliseconds(options.tdc_opt, path, PASSES))
                peer.append(milliseconds(options.tdc_opt, path, PEERS))
            time, other = statistics.median(own), statistics.median(peer)
            print(f"| {layers} | {count} | {time:.1f} | {time / layers:.2f} | "
                  f"{time / other:.2f} |")


if __name__ == "__main__":
    main()
