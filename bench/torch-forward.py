"""The forward pass of a DistilBERT with random weights in PyTorch, for bench/torch.ts.

    python bench/torch-forward.py LAYERS DIM HEADS FFN VOCABULARY POSITIONS

Needs torch and transformers. Prints a line of JSON (versions, the precisions there are), then for each line "PRECISION TEXTS TOKENS"
of its input the milliseconds of processor time that a batch took. One thread.
"""

import json
import sys
import time
import warnings

import torch
import transformers
from transformers import DistilBertConfig, DistilBertForSequenceClassification

warnings.filterwarnings("ignore")
torch.set_num_threads(1)
layers, dim, heads, ffn, vocabulary, positions = map(int, sys.argv[1:])


def model():
    torch.manual_seed(1)
    config = DistilBertConfig(
        n_layers=layers, dim=dim, n_heads=heads, hidden_dim=ffn, vocab_size=vocabulary, max_position_embeddings=positions
    )
    return DistilBertForSequenceClassification(config).eval()


models = {"fp32": model(), "bf16": model().to(torch.bfloat16)}
try:
    models["int8"] = torch.ao.quantization.quantize_dynamic(model(), {torch.nn.Linear}, torch.qint8)
except Exception as error:  # Some builds have no 8-bit kernels.
    print(error, file=sys.stderr)
print(json.dumps({"torch": torch.__version__, "transformers": transformers.__version__, "precisions": list(models)}), flush=True)

for line in sys.stdin:
    precision, texts, tokens = line.split()
    ids = (torch.arange(int(texts) * int(tokens)) * 7 % 80 + 5).reshape(int(texts), int(tokens))
    mask = torch.ones_like(ids)
    begun = time.process_time()
    with torch.inference_mode():
        models[precision](input_ids=ids, attention_mask=mask)
    print(1000 * (time.process_time() - begun), flush=True)
