"""Saves the models of configurations.json and decoders.json, and a small one of each other family, with the installed transformers: FILE.

FILE has a line a case: the config as saved, the shapes of the saved weights where they differ from the case of that name, the logits.
"""

import inspect
import json
import os
import sys
import tempfile

import numpy
import torch
import transformers as T
from safetensors.numpy import load_file, save_file

T.logging.set_verbosity_error()
T.logging.disable_progress_bar()
torch.set_num_threads(1)
HERE = os.path.dirname(os.path.abspath(__file__))
HEADS = dict(
    ForSequenceClassification=T.AutoModelForSequenceClassification,
    ForMaskedLM=T.AutoModelForMaskedLM,
    ForCausalLM=T.AutoModelForCausalLM,
    LMHeadModel=T.AutoModelForCausalLM,
)
INPUTS = ('input_ids', 'attention_mask', 'token_type_ids')
IDS = [[17, 27, 4, 36, 11, 5, 15, 9, 2], [3, 39, 24, 25, 32, 2, 0, 0, 0]]


def small(kind, **more):
    return dict(
        model_type=kind,
        architectures=[f'{kind}ForSequenceClassification'],
        **dict(vocab_size=40, hidden_size=12, num_attention_heads=3, num_hidden_layers=2, intermediate_size=10),
        **dict(max_position_embeddings=24, pad_token_id=0, id2label={0: 'a', 1: 'b', 2: 'c'}),
        **more,
    )


T5 = dict(d_model=12, d_kv=4, d_ff=10, num_layers=2, num_heads=3, eos_token_id=2, decoder_start_token_id=0)
OTHERS = [
    small('longformer', attention_window=4, type_vocab_size=1),
    small('ernie', use_task_id=True),
    small('megatron-bert'),
    small('rembert', input_embedding_size=8, output_embedding_size=8),
    small('roformer', embedding_size=8),
    small('convbert', embedding_size=12, head_ratio=1, num_groups=1, conv_kernel_size=3),
    small('deberta', relative_attention=True, pos_att_type=['c2p', 'p2c']),
    small('big_bird', attention_type='original_full'),
    small('nomic_bert'),
    small('eurobert', num_key_value_heads=1),
    small('luke', entity_vocab_size=9, entity_emb_size=6, type_vocab_size=1),
    small('xmod', languages=['en_XX'], default_language='en_XX', type_vocab_size=1),
    small('t5', **T5),
    small('mt5', **T5),
    small('umt5', **T5),
]


def values(name, shape):
    """The formula of checkpoints.ts."""
    hashed = 2166136261
    for byte in name.encode():
        hashed = ((hashed ^ byte) * 16777619) & 0xFFFFFFFF
    x = (numpy.arange(numpy.prod(shape, dtype=int), dtype=numpy.uint64) + hashed) & 0xFFFFFFFF
    for shift, factor in ((16, 0x7FEB352D), (15, 0x846CA68B)):
        x = ((x ^ (x >> shift)) * factor) & 0xFFFFFFFF
    unit = (x ^ (x >> 16)) / 2**32 - 0.5
    norm = len(shape) == 1 and name.endswith('weight')
    return (1 + 0.4 * unit if norm else 0.7 * unit).astype(numpy.float32).reshape(shape)


@torch.no_grad()
def saved(case):
    """The case as this release saves it, loads it again and answers."""
    given = dict(case['config'])
    kind = given.pop('model_type')
    head = next(each for each in HEADS if given['architectures'][0].endswith(each))
    # What this release does not read, or computes otherwise than the next.
    if T.__version__ < '5' and ('rope_parameters' in given or (kind, given.get('hidden_act')) == ('gemma', 'gelu')):
        raise ValueError('a config of transformers 5')
    # What Gemma 2 computes depends on it, and no release saves it.
    eager = kind != 'gemma2' or 'attn_implementation' in given
    attention = dict(attn_implementation='eager') if eager else {}
    config = T.AutoConfig.for_model(kind, **given)
    place = tempfile.mkdtemp()
    HEADS[head].from_config(config, **attention).save_pretrained(place)
    path = os.path.join(place, 'model.safetensors')
    weights = {name: values(name, weight.shape) for name, weight in load_file(path).items()}
    save_file(weights, path, metadata={'format': 'pt'})
    model = HEADS[head].from_pretrained(place, **attention).eval()
    takes = set(inspect.signature(model.forward).parameters)
    if getattr(config, 'type_vocab_size', 2) < 2:
        takes.discard('token_type_ids')
    fed = {key: torch.tensor(case[key]) for key in INPUTS if key in case and key in takes}
    logits = model(**fed).logits
    with open(os.path.join(place, 'config.json')) as file:
        written = {**json.load(file), **(attention if kind == 'gemma2' else {})}
    shapes = {name: list(weight.shape) for name, weight in weights.items()}
    return written, shapes, list(logits.shape), [float(f'{x:.7g}') for x in logits.flatten().tolist()]


def main(file):
    cases = []
    for name in ('configurations.json', 'decoders.json'):
        with open(os.path.join(HERE, name)) as given:
            cases += json.load(given)['cases']
    for config in OTHERS:
        rows = dict(input_ids=IDS, attention_mask=[[1] * 9, [1] * 6 + [0] * 3], token_type_ids=[[0] * 4 + [1] * 5] * 2)
        cases.append(dict(name=config['model_type'], config=config, tensors={}, **rows))
    lines = []
    for case in cases:
        try:
            config, tensors, shape, logits = saved(case)
        except Exception as error:
            print(f"{case['name']}: {type(error).__name__}: {str(error)[:200]}", file=sys.stderr)
            continue
        found = dict(name=case['name'], config=config)
        if tensors != case['tensors']:
            found['tensors'] = tensors
        if not case['tensors']:
            found.update({key: case[key] for key in INPUTS})
        found.update(shape=shape, logits=logits if len(logits) <= 60 else logits[:30] + logits[-30:])
        lines.append(json.dumps(found, separators=(',', ':')))
    source = f'Hugging Face transformers {T.__version__}, torch {torch.__version__}; by saves.py'
    with open(file, 'w') as out:
        out.write(f'{{"source": "{source}", "cases": [\n' + ',\n'.join(lines) + '\n]}\n')


if __name__ == '__main__':
    main(sys.argv[1])
