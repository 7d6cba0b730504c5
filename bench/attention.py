#!/usr/bin/env python3
"""The library's attention beside cuDNN's (through torch) and, where it is
installed, FlashAttention-4's: in turns, in one run, on random normal data.

    python3 pack/attention.py [--dims 64,128,256] [--lengths 1024,4096] [--rounds 1]
        [--backward | --rescale-threshold 8]
    python3 pack/attention.py --grouped [--lengths 2048,32768] [--rounds 1]
        [--backward | --rescale-threshold 8]
    python3 pack/attention.py --decode
    python3 pack/attention.py --fp8 [--dims 128,256] [--lengths 1024,4096] [--rounds 1]
    python3 pack/attention.py --error [--dims 64,128,256] [--lengths 1024,4096]
        [--rescale-threshold 8]

Forward, or the gradients of all three inputs, bf16, 16k tokens in all, hidden
2048; `--grouped`: batch 2, 64 heads of which 8 share keys, d 128. A line for each of
the others and of ours, the library's choice: microseconds cold (L2 overwritten) and hot
(back to back), and of ours the speed over that of the faster of the others. Of gradients
there are several configurations; the best of a problem has a star. Results are checked
by `bench-attention`; a wrong one is named.

`--decode`: few queries and many keys in pages of 16, d 128, and latent ones of d 576 in
pages of 64, ours alone: for each configuration, the library's choice first, microseconds,
GB/s and the share of the memory's bandwidth, cold and hot, and TFLOP/s.

`--fp8`: forward of e4m3 beside our own of bf16, the same problems, the library's choices:
microseconds cold and hot, TFLOP/s, and the speed over that of bf16. cuDNN's is not to be
had through torch.

`--error`: O of each, of the same inputs, bf16, beside that of double: the root of the mean
square of the difference over that of O, and the largest difference over it. Inputs are
normal, or one channel of K, or of all three, is 100 times as large.

`--rescale-threshold 8`: ours of forward and `--error` with a maximum that may lag behind so
many powers of two."""
import argparse
import math
import pathlib
import statistics
import subprocess
import tempfile

import torch
import torch.nn.functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel

try:
    from flash_attn.cute import flash_attn_func as flash_attention
except Exception:
    flash_attention = None

# Of the gradients: bm, bn, stages, warpgroups, apart, deterministic, cluster.
BACKWARD = {
    64: [(128, 128, 2, 2, 0, 0, 1), (64, 128, 4, 2, 0, 0, 1), (64, 128, 4, 2, 0, 1, 1)],
    128: [(64, 128, 2, 2, 0, 0, 1), (64, 64, 3, 2, 1, 0, 1), (64, 128, 2, 2, 0, 1, 1)],
    256: [(48, 64, 2, 3, 1, 0, 2), (48, 64, 2, 3, 1, 0, 1), (48, 64, 2, 3, 1, 1, 2)],
}
TOKENS, HIDDEN = 16384, 2048
# Relative errors: weights, their gradients and results are rounded to bf16, or
# weights to e4m3.
WRONG = {"bf16": 6e-3, "e4m3": 4e-2, "gradients": 1e-2, "files": math.inf}


class Ours:
    def __init__(self):
        program = pathlib.Path(__file__).resolve().parent / "bin/bench-attention"
        self.process = subprocess.Popen(
            [program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, kind, line):
        """Microseconds cold and hot, and of the forward the configuration that ran."""
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline().strip()
        if not answer or answer.startswith("error"):
            raise RuntimeError(answer or "bench-attention has ended")
        error, cold, hot, *chosen = answer.split(maxsplit=3)
        if not float(error) < WRONG[kind]:
            raise RuntimeError(f"WRONG: relative error {error}")
        return float(cold), float(hot), *chosen

    def forward(self, problem, kind="bf16"):
        return self.ask(kind, f"{kind} {problem}")

    def gradients(self, problem, configuration):
        *numbers, deterministic, cluster = configuration
        dynamic = int("causal" in problem and not deterministic and cluster == 1)
        return self.ask("gradients", f"backward {problem} : " + " ".join(
            map(str, (*numbers, deterministic, dynamic, cluster))))

    def result(self, problem, q, k, v):
        """O of tensors of B x H x S x d."""
        with tempfile.TemporaryDirectory() as folder:
            at = pathlib.Path(folder)
            for name, tensor in zip("QKV", (q, k, v)):
                at.joinpath(name).write_bytes(tensor.transpose(1, 2).contiguous().view(
                    torch.uint8).cpu().numpy().tobytes())
            self.ask("files", f"files {folder} {problem}")
            o = bytearray(at.joinpath("O").read_bytes())
        b, h, length, d = q.shape
        return torch.frombuffer(o, dtype=torch.bfloat16).view(b, length, h, d).transpose(
            1, 2).to(q.device)


def text(causal, d, b, h, hk, length, threshold=0):
    """A problem as bench-attention takes it."""
    return (f"{'causal ' if causal else ''}d{d} b{b} h{h} hk{hk} q{length} k{length}"
            f"{f' rescale{threshold}' if threshold else ''}")


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


def forwards(causal, q, k, v):
    """What each of the others makes of tensors of B x S x H x d, by its name."""

    def cudnn():
        with sdpa_kernel(SDPBackend.CUDNN_ATTENTION):
            return F.scaled_dot_product_attention(
                *(t.transpose(1, 2) for t in (q, k, v)), is_causal=causal,
                enable_gqa=q.shape[2] != k.shape[2])

    def flash():
        return flash_attention(q, k, v, causal=causal)

    return {"cuDNN": cudnn, **({"FlashAttention-4": flash} if flash_attention else {})}


def peers(backward, causal, d, b, h, hk, length):
    """What prepares a launch of each of the others, by its name."""
    q, k, v = (torch.randn(b, length, heads, d, device="cuda").bfloat16().requires_grad_(backward)
               for heads in (h, hk, hk))

    def gradients(forward):
        result = forward()
        result = result[0] if isinstance(result, tuple) else result
        gradient = torch.randn_like(result)
        return lambda: torch.autograd.grad(result, (q, k, v), gradient, retain_graph=True)

    return {name: (lambda f=forward: gradients(f)) if backward else (lambda f=forward: f)
            for name, forward in forwards(causal, q, k, v).items()}


# name: b, hk, heads that share keys, queries, keys.
DECODING = {
    "1 x 8k": (1, 8, 8, 1, 8192),
    "8 x 8k": (8, 8, 8, 1, 8192),
    "32 x 8k": (32, 8, 8, 1, 8192),
    "128 x 32k": (128, 8, 8, 1, 32768),
    "8 tokens, 8 x 8k": (8, 8, 8, 8, 8192),
    "256 tokens, 1 x 32k": (1, 2, 8, 256, 32768),
}
# group, splits, bm, bn, stages, warpgroups, queries, ctas, apart, eager, cluster, dynamic, early;
# none is the library's choice.
DECODING_CONFIGURATIONS = [
    (),
    (8, 0, 64, 64, 10, 1, 2, 1, 0, 0, 1, 0, 0),
    (8, 0, 64, 64, 4, 1, 1, 2, 0, 0, 1, 0, 0),
    (8, 0, 64, 64, 4, 1, 1, 2, 0, 0, 1, 1, 0),
    (8, 2, 64, 64, 11, 1, 1, 1, 0, 0, 1, 0, 0),
    (8, 16, 64, 64, 11, 1, 1, 1, 0, 0, 1, 0, 0),
    (8, 4, 128, 64, 10, 2, 1, 1, 0, 0, 1, 0, 0),
]
# Multi-head latent attention, d 576 of which V is 512: name: b, heads, queries, keys.
LATENT = {
    "latent, 32 x 8k": (32, 128, 1, 8192),
    "latent, 132 x 8k": (132, 128, 1, 8192),
    "latent, 2 tokens, 32 x 8k": (32, 128, 2, 8192),
    "latent, 1 x 32k": (1, 128, 1, 32768),
    "latent, 16 heads, 64 x 8k": (64, 16, 1, 8192),
}
PEAK = {"H200": 4800, "H100": 3350}  # GB/s, by the data sheets


def latent_configurations(heads):
    """The library's choice, and both orders of its products, with multicast and
    without, in as many parts as are likely."""
    group = 1 << (heads - 1).bit_length()
    return [()] + [(group, splits, 64, 64, 2, 2, 1, 1, 1, eager, cluster, 0, 0)
                   for splits in (0, 2, 8, 16, 32) for eager in (0, 1)
                   for cluster in ((1, 2) if group > 64 else (1,))]


def decoding_problems():
    """Of each: its name, its line, bytes, operations and configurations."""
    d, page = 128, 16
    for name, (b, hk, g, sq, sk) in DECODING.items():
        yield (name, f"{'causal ' if sq > 1 else ''}d{d} b{b} h{hk * g} hk{hk} q{sq} k{sk} "
               f"page{page}", 4 * b * hk * d * (sk + g * sq),
               4 * b * hk * g * sq * sk * d, DECODING_CONFIGURATIONS)
    d, dv, page = 576, 512, 64
    for name, (b, heads, sq, sk) in LATENT.items():
        yield (name, f"latent {'causal ' if sq > 1 else ''}d{d} dv{dv} b{b} h{heads} hk1 "
               f"q{sq} k{sk} page{page}",
               2 * b * (d * sk + heads * sq * (d + dv)), 2 * b * heads * sq * sk * (d + dv),
               latent_configurations(heads))


def decode(ours):
    device = torch.cuda.get_device_name()
    peak = next((gbs for name, gbs in PEAK.items() if name in device), None)
    for name, problem, bytes_moved, operations, configurations in decoding_problems():
        for configuration in configurations:
            given = " : " + " ".join(map(str, configuration)) if configuration else ""
            try:
                cold, hot, chosen = ours.forward(problem + given)
            except RuntimeError as error:
                print(f"{name:25s} {configuration} {error}", flush=True)
                continue
            rates = [bytes_moved / us / 1e3 for us in (cold, hot)]
            shares = [f"{100 * rate / peak:4.0f} %" if peak else "" for rate in rates]
            print(f"{name:25s} {chosen:44s} "
                  f"cold {cold:8.1f} us {rates[0]:6.0f} GB/s {shares[0]}  "
                  f"hot {hot:8.1f} us {rates[1]:6.0f} GB/s {shares[1]}  "
                  f"{operations / hot / 1e6:5.0f} TFLOP/s"
                  f"{'' if configuration else '  chosen'}", flush=True)


def fp8(ours, dims, lengths, rounds):
    for d in dims:
        for causal in (False, True):
            for length in lengths:
                b, h = TOKENS // length, HIDDEN // d
                operations = 4 * b * h * length**2 * d / (2 if causal else 1)
                times = {"bf16": [], "e4m3": []}
                for _ in range(rounds):
                    for kind, all in times.items():
                        all.append(ours.forward(text(causal, d, b, h, h, length), kind))
                medians = {kind: [statistics.median(t[i] for t in all) for i in (0, 1)]
                           for kind, all in times.items()}
                for kind, (cold, hot) in medians.items():
                    base = medians["bf16"]
                    print(f"d{d} {'causal' if causal else 'full  '} {length:6d} {kind} "
                          f"{times[kind][0][2]:24s} {cold:8.1f} {hot:8.1f} us "
                          f"{operations / hot / 1e6:5.0f} TFLOP/s  "
                          f"cold {base[0] / cold:.3f} hot {base[1] / hot:.3f}", flush=True)


def truth(causal, q, k, v):
    """O of B x H x S x d in double, a head at a time."""
    o = torch.empty(q.shape, dtype=torch.float64, device=q.device)
    hidden = torch.ones(q.shape[2], q.shape[2], device=q.device).triu(1).bool()
    for head in range(q.shape[0] * q.shape[1]):
        of, keys, values = (t.flatten(0, 1)[head].double() for t in (q, k, v))
        scores = of @ keys.T / math.sqrt(q.shape[3])
        if causal:
            scores.masked_fill_(hidden, -math.inf)
        o.flatten(0, 1)[head] = scores.softmax(1) @ values
    return o


def errors(ours, dims, lengths, threshold):
    for d in dims:
        for causal in (False, True):
            for length in lengths:
                for large in ("", "K", "QKV"):
                    b, h = TOKENS // length, HIDDEN // d
                    tensors = [torch.randn(b, h, length, d, device="cuda").bfloat16()
                               for _ in "QKV"]
                    for name, tensor in zip("QKV", tensors):
                        if name in large:
                            tensor[..., 0] *= 100
                    expected = truth(causal, *tensors)
                    size = expected.square().mean().sqrt()
                    results = {"ashlar": lambda: ours.result(
                        text(causal, d, b, h, h, length, threshold), *tensors)}
                    others = forwards(causal, *(t.transpose(1, 2) for t in tensors))
                    results["cuDNN"] = others["cuDNN"]
                    if "FlashAttention-4" in others:
                        def flash():
                            o = others["FlashAttention-4"]()
                            return (o[0] if isinstance(o, tuple) else o).transpose(1, 2)
                        results["FlashAttention-4"] = flash
                    for name, result in results.items():
                        try:
                            off = (result().double() - expected).abs() / size
                        except Exception as error:
                            print(name, repr(error)[:200], flush=True)
                            continue
                        print(f"d{d} {'causal' if causal else 'full  '} {length:6d} "
                              f"{'100 in ' + large if large else 'normal':10s} {name:18s} "
                              f"{off.square().mean().sqrt():.2e} largest {off.max():.2e}",
                              flush=True)


def cublas():
    """TFLOP/s of a product of torch's, by which cards compare."""
    a, b = (torch.randn(8192, 8192, device="cuda", dtype=torch.bfloat16) for _ in range(2))
    _, hot = cold_and_hot(lambda: a @ b)
    return 2 * 8192**3 / hot / 1e6


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    numbers = lambda text: [int(n) for n in text.split(",")]
    parser.add_argument("--dims", type=numbers)
    parser.add_argument("--lengths", type=numbers)
    parser.add_argument("--grouped", action="store_true")
    parser.add_argument("--decode", action="store_true")
    parser.add_argument("--fp8", action="store_true")
    parser.add_argument("--error", action="store_true")
    parser.add_argument("--rescale-threshold", type=int, default=0)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--backward", action="store_true")
    options = parser.parse_args()
    if options.rescale_threshold and (options.decode or options.fp8 or options.backward):
        parser.error("--rescale-threshold is for the forward of bf16 and for --error")
    backward = options.backward
    ours = Ours()
    print(torch.cuda.get_device_name(), "torch", torch.__version__,
          "cuDNN", torch.backends.cudnn.version(), flush=True)
    if options.decode:
        return decode(ours)
    if options.fp8:
        return fp8(ours, options.dims or [128, 256],
                   options.lengths or [1024, 2048, 4096, 8192, 16384], options.rounds)
    if options.error:
        return errors(ours, options.dims or [64, 128, 256], options.lengths or [1024, 4096],
                      options.rescale_threshold)
    if backward:
        print(f"cuBLAS, bf16, 8192x8192x8192, hot: {cublas():.0f} TFLOP/s", flush=True)
    grouped = options.grouped
    best = []
    for d in options.dims or ([128] if grouped else [64, 128, 256]):
        for causal in (False, True):
            for length in options.lengths or (
                    [2048, 4096, 8192, 16384, 32768] if grouped
                    else [1024, 2048, 4096, 8192, 16384]):
                b, h, hk = (2, 64, 8) if grouped else (TOKENS // length, HIDDEN // d, HIDDEN // d)
                problem = (backward, causal, d, b, h, hk, length)
                operations = (10 if backward else 4) * b * h * length**2 * d / (2 if causal else 1)
                ask = text(causal, d, b, h, hk, length, options.rescale_threshold)
                rows = {c: [] for c in BACKWARD[d]} if backward else {None: []}
                others = {}
                for _ in range(options.rounds):
                    for name, prepare in peers(*problem).items():
                        try:
                            others.setdefault(name, []).append(cold_and_hot(prepare()))
                        except Exception as error:
                            others.pop(name, None)
                            print(name, repr(error)[:200], flush=True)
                    for configuration in rows:
                        try:
                            rows[configuration].append(
                                ours.gradients(ask, configuration) if backward
                                else ours.forward(ask))
                        except RuntimeError as error:
                            print(configuration, error, flush=True)
                def line(name, us, rest=""):
                    print(f"d{d} {'causal' if causal else 'full  '} {length:6d} {name:24s} "
                          f"{us[0]:8.1f} {us[1]:8.1f} us {operations / us[1] / 1e6:4.0f} TFLOP/s"
                          f"{rest}", flush=True)

                medians = {name: [statistics.median(t[i] for t in times) for i in (0, 1)]
                           for name, times in others.items()}
                for name, us in medians.items():
                    line(name, us)
                theirs = [min((us[i] for us in medians.values()), default=math.nan)
                          for i in (0, 1)]
                ratios = {c: [theirs[i] / statistics.median(t[i] for t in times) for i in (0, 1)]
                          for c, times in rows.items() if times}
                if not ratios:
                    continue
                star = max(ratios, key=lambda c: math.prod(ratios[c]))
                best.append(ratios[star])
                for c, (cold, hot) in ratios.items():
                    us = [statistics.median(t[i] for t in rows[c]) for i in (0, 1)]
                    name = "%dx%d s%d w%d a%d d%d m%d" % c if backward else rows[c][0][2]
                    line(name, us, f"  cold {cold:.3f} hot {hot:.3f}"
                         f"{' *' if backward and c == star else ''}")
    for i, name in enumerate(("cold", "hot")):
        column = [ratio[i] for ratio in best]
        print(f"{name}: geometric mean {math.exp(sum(map(math.log, column)) / len(column)):.3f}, "
              f"worst {min(column):.3f} of {len(column)}")


if __name__ == "__main__":
    main()
