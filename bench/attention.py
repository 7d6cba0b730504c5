#!/usr/bin/env python3
"""The library's attention beside cuDNN's (through torch) and, where it is
installed, FlashAttention-4's: in turns, in one run, on random normal data.

    python3 pack/attention.py [--dims 64,128,256] [--lengths 1024,4096] [--rounds 1]
        [--backward]

Forward, or the gradients of all three inputs, bf16, 16k tokens in all, hidden
2048. A line for each of our
configurations: microseconds cold (L2 overwritten) and hot (back to back), and
our speed over that of the faster of the others; the best of a problem has a
star. Results are checked by `bench-attention`; a wrong one is named."""
import argparse
import math
import pathlib
import statistics
import subprocess

import torch
import torch.nn.functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel

try:
    from flash_attn.cute import flash_attn_func as flash_attention
except Exception:
    flash_attention = None

# bm, bn, stages, warpgroups, eager: of each head dimension, full and causal.
CONFIGURATIONS = {
    64: [(128, 128, 4, 2, 0), (192, 96, 4, 3, 0)],
    128: [(128, 128, 4, 2, 0), (128, 112, 4, 2, 0)],
    256: [(128, 48, 4, 2, 1), (128, 64, 4, 2, 1)],
}
# Of the gradients: bm, bn, stages, warpgroups, apart, deterministic.
BACKWARD = {
    64: [(128, 128, 2, 2, 0, 0), (64, 128, 4, 2, 0, 0), (128, 128, 2, 2, 0, 1)],
    128: [(64, 128, 2, 2, 0, 0), (64, 64, 3, 2, 1, 0), (64, 128, 2, 2, 0, 1)],
    256: [(64, 64, 2, 2, 1, 0), (64, 64, 2, 2, 1, 1)],
}
TOKENS, HIDDEN = 16384, 2048
# Relative errors: weights, their gradients and results are rounded to bf16.
WRONG = {False: 6e-3, True: 1e-2}


class Ours:
    def __init__(self):
        program = pathlib.Path(__file__).resolve().parent / "bin/bench-attention"
        self.process = subprocess.Popen(
            [program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def measure(self, backward, causal, d, b, h, length, configuration):
        line = [int(causal), d, d, b, h, h, length, length]
        if backward:
            line += [*CONFIGURATIONS[d][0], "backward"]
        line += configuration
        self.process.stdin.write(" ".join(map(str, line)) + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline().strip()
        if not answer or answer.startswith("error"):
            raise RuntimeError(answer or "bench-attention has ended")
        error, cold, hot = map(float, answer.split())
        if not error < WRONG[backward]:
            raise RuntimeError(f"WRONG: relative error {error:.1e}")
        return cold, hot


flush = None


def event():
    return torch.cuda.Event(enable_timing=True)


def cold_and_hot(launch):
    global flush
    if flush is None:
        flush = torch.empty(256 << 20, dtype=torch.int8, device="cuda")
    launch()
    torch.cuda.synchronize()
    pairs = []
    for i in range(15):
        flush.fill_(i)
        start, end = event(), event()
        start.record()
        launch()
        end.record()
        pairs.append((start, end))
    torch.cuda.synchronize()
    cold = statistics.median(a.elapsed_time(b) for a, b in pairs) * 1e3
    count = max(3, min(100, int(6e3 / cold)))
    times = []
    for _ in range(5):
        start, end = event(), event()
        start.record()
        for _ in range(count):
            launch()
        end.record()
        torch.cuda.synchronize()
        times.append(start.elapsed_time(end) * 1e3 / count)
    return cold, statistics.median(times)


def peers(backward, causal, d, b, h, length):
    q, k, v = (torch.randn(b, length, h, d, device="cuda").bfloat16().requires_grad_(backward)
               for _ in range(3))

    def cudnn():
        with sdpa_kernel(SDPBackend.CUDNN_ATTENTION):
            return F.scaled_dot_product_attention(
                *(t.transpose(1, 2) for t in (q, k, v)), is_causal=causal)

    def flash():
        return flash_attention(q, k, v, causal=causal)

    def gradients(forward):
        result = forward()
        result = result[0] if isinstance(result, tuple) else result
        gradient = torch.randn_like(result)
        return lambda: torch.autograd.grad(result, (q, k, v), gradient, retain_graph=True)

    yield "cuDNN", gradients(cudnn) if backward else cudnn
    if flash_attention:
        yield "FlashAttention-4", gradients(flash) if backward else flash


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    numbers = lambda text: [int(n) for n in text.split(",")]
    parser.add_argument("--dims", type=numbers, default=[64, 128, 256])
    parser.add_argument("--lengths", type=numbers, default=[1024, 2048, 4096, 8192, 16384])
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--backward", action="store_true")
    options = parser.parse_args()
    backward = options.backward
    configurations = BACKWARD if backward else CONFIGURATIONS
    ours = Ours()
    print(torch.cuda.get_device_name(), "torch", torch.__version__,
          "cuDNN", torch.backends.cudnn.version(), flush=True)
    best = []
    for d in options.dims:
        for causal in (False, True):
            for length in options.lengths:
                b, h = TOKENS // length, HIDDEN // d
                operations = (10 if backward else 4) * b * h * length**2 * d / (2 if causal else 1)
                rows = {c: [] for c in configurations[d]}
                others = {name: [] for name, _ in peers(backward, causal, d, b, h, length)}
                for _ in range(options.rounds):
                    for name, launch in peers(backward, causal, d, b, h, length):
                        others[name].append(cold_and_hot(launch))
                    for configuration in rows:
                        try:
                            rows[configuration].append(
                                ours.measure(backward, causal, d, b, h, length, configuration))
                        except RuntimeError as error:
                            print(configuration, error, flush=True)
                theirs = [min(statistics.median(t[i] for t in times) for times in others.values())
                          for i in (0, 1)]
                ratios = {c: [theirs[i] / statistics.median(t[i] for t in times) for i in (0, 1)]
                          for c, times in rows.items() if times}
                if not ratios:
                    continue
                star = max(ratios, key=lambda c: math.prod(ratios[c]))
                best.append(ratios[star])
                for c, (cold, hot) in ratios.items():
                    us = [statistics.median(t[i] for t in rows[c]) for i in (0, 1)]
                    print(f"d{d} {'causal' if causal else 'full  '} {length:6d} "
                          f"{('%dx%d s%d w%d a%d d%d' if backward else '%dx%d s%d w%d e%d') % c:18s} {us[0]:8.1f} {us[1]:8.1f} us "
                          f"{operations / us[1] / 1e6:4.0f} TFLOP/s  cold {cold:.3f} hot {hot:.3f}"
                          f"{' *' if c == star else ''}", flush=True)
    for i, name in enumerate(("cold", "hot")):
        column = [ratio[i] for ratio in best]
        print(f"{name}: geometric mean {math.exp(sum(map(math.log, column)) / len(column)):.3f}, "
              f"worst {min(column):.3f} of {len(column)}")


if __name__ == "__main__":
    main()
