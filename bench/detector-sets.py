"""Splits of public data on which a detector's false positive rate of 1 % can be measured (docs/reference/decisions.md has the figures).

    python3 bench/detector-sets.py FOLDER        # writes FOLDER/{sms,mail,tweets}-{train,calibration,test}.tsv and trec.tsv; reads ../shared/data

Texts that differ only in letter case, digits and spacing are kept once, those whose copies have two labels are dropped. Each part is a random draw
with seed 42: a third of the texts to train, a third to find the threshold by, a third to test.
"""
import csv
import json
import os
import random
import re
import sys

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'shared', 'data')
OUT = sys.argv[1]


def open_data(*path, encoding='utf-8'):
    return open(os.path.join(DATA, *path), encoding=encoding)


def tsv(*path):
    with open_data(*path) as file:
        return [(row['label'], row['text']) for row in csv.DictReader(file, delimiter='\t', quoting=csv.QUOTE_NONE)]


def jsonl(*path):
    with open_data(*path) as file:
        return [(row['label'], f"{row.get('subject', '')} {row['text']}".strip()) for row in map(json.loads, file)]


def distinct(rows):
    labels, first = {}, {}
    for label, text in rows:
        key = re.sub(r'[\d\s]+', ' ', text.lower()).strip()
        labels.setdefault(key, set()).add(label)
        first.setdefault(key, (label, ' '.join(text.split())))
    return [first[key] for key, found in labels.items() if len(found) == 1]


def write(name, rows):
    with open(os.path.join(OUT, f'{name}.tsv'), 'w', encoding='utf-8') as file:
        file.write('label\ttext\n')
        file.writelines(f'{label}\t{text}\n' for label, text in rows)
    print(name, len(rows), {label: sum(1 for each, _ in rows if each == label) for label in sorted({l for l, _ in rows})})


os.makedirs(OUT, exist_ok=True)
SETS = {
    'sms': tsv('sms-spam', 'sms.tsv'),
    'mail': jsonl('spamassassin', 'train.jsonl') + jsonl('spamassassin', 'test.jsonl'),
    'tweets': tsv('germeval2018-de', 'train.tsv') + tsv('germeval2018-de', 'test.tsv'),
}
for name, rows in SETS.items():
    rows = distinct(rows)
    random.Random(42).shuffle(rows)
    third = len(rows) // 3
    write(f'{name}-train', rows[:third])
    write(f'{name}-calibration', rows[third : 2 * third])
    write(f'{name}-test', rows[2 * third :])
with open_data('trec', 'train.txt', encoding='latin-1') as file:
    write('trec', distinct([('benign', line.split(' ', 1)[1].strip()) for line in file]))
