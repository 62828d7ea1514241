"""What transformers saves by keeping keys and values, for bench/prefix-reuse.ts: a batch of 8 texts of 30 tokens that differ from token 15 on.

    python bench/torch-prefix.py LAYERS WIDTH

Needs torch and transformers. Processor time with the keys and values of what the texts share over that of the whole texts, with a prompt of 200
tokens and without one; medians of 5 pairs. One thread. The cache is dynamic: a static one is filled to a fixed length, and a batch must not
change what the next one continues.
"""

import statistics
import sys
import time
import warnings

import torch
import transformers
from transformers import DynamicCache, LlamaConfig, LlamaModel

warnings.filterwarnings("ignore")
torch.set_num_threads(1)
layers, width = map(int, sys.argv[1:])
torch.manual_seed(1)
model = LlamaModel(
    LlamaConfig(
        vocab_size=30522,
        hidden_size=width,
        intermediate_size=4 * width,
        num_hidden_layers=layers,
        num_attention_heads=width // 64,
        max_position_embeddings=1024,
    )
).eval()
TEXTS, TOKENS, CUT = 8, 30, 15


def seconds(run):
    begun = time.process_time()
    with torch.inference_mode():
        run()
    return time.process_time() - begun


for prompt in (0, 200):
    ids = torch.randint(100, 30000, (1, prompt + TOKENS)).repeat(TEXTS, 1)
    ids[:, prompt + CUT :] = torch.randint(100, 30000, (TEXTS, TOKENS - CUT))
    with torch.inference_mode():
        shared = model(input_ids=ids[:1, : prompt + CUT], use_cache=True).past_key_values

    def continued():
        past = DynamicCache()
        for layer, part in enumerate(shared.layers):
            past.update(part.keys.expand(TEXTS, -1, -1, -1), part.values.expand(TEXTS, -1, -1, -1), layer)
        return model(input_ids=ids[:, prompt + CUT :], past_key_values=past, use_cache=True)

    whole = lambda: model(input_ids=ids, use_cache=False)
    ratios = []
    for pair in range(6):
        without = seconds(whole)
        ratio = seconds(continued) / without
        if pair > 0:
            ratios.append(ratio)
    print(
        f"torch {torch.__version__}, transformers {transformers.__version__}, prompt of {prompt}: "
        f"{statistics.median(ratios):.3f} ({min(ratios):.3f} to {max(ratios):.3f}), whole {without:.2f} s"
    )
