"""Serves one checkpoint after the other, each in a process of its own that has torch already: REQUESTS OUTPUT FOLDER..."""
import os
import sys

import torch
from transformers import AutoModelForSequenceClassification, AutoTokenizer

from robust_text import serve

torch.set_num_threads(1)
requests, output, *folders = sys.argv[1:]
for folder in folders:
    name = os.path.basename(folder)
    if os.fork() == 0:
        os.dup2(os.open(f"{requests}/{name}", os.O_RDONLY), 0)
        os.dup2(os.open(f"{output}/{name}", os.O_WRONLY | os.O_CREAT), 1)
        model = AutoModelForSequenceClassification.from_pretrained(folder)
        serve(model, tokenizer=AutoTokenizer.from_pretrained(folder))
        sys.stderr.flush()
        os._exit(0)
    os.wait()
