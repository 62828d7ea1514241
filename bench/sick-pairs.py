"""Pairs beside SICK's own that a model of entailment may learn first (docs/reference/decisions.md has the figures).

    python3 bench/sick-pairs.py FOLDER       # writes FOLDER/{breaking-nli,similarity,made}.tsv; reads ../shared/data

breaking-nli: all of it. similarity: STS-B, of 4 or more entailment, of 3 or less neutral; no pair with a sentence of SICK's trial or test part.
made: of the sentences of SICK's train part each beside itself (entailment), beside another one (neutral), beside its negation, where a rule makes one
(contradiction), and that beside another one (neutral); and pairs that are no entailment the other way round. Lots are of seed 42.
"""
import csv
import os
import random
import re
import sys

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'shared', 'data')
OUT = sys.argv[1]
random.seed(42)


def rows(*path):
    with open(os.path.join(DATA, *path)) as file:
        return list(csv.DictReader(file, delimiter='\t', quoting=csv.QUOTE_NONE))


def plain(sentence):
    return sentence.lower().strip('. ')


def write(name, pairs):
    with open(os.path.join(OUT, name), 'w') as file:
        file.write('sentence_A\tsentence_B\tentailment_judgment\n')
        for pair in pairs:
            file.write('\t'.join(cell.replace('\t', ' ').replace('"', "'") for cell in pair) + '\n')


def negation(sentence):
    found = re.match(r'^(An?|The|Some|One) (.*?) (is|are) (\w+ing\b.*)$', sentence)
    if not found:
        return None
    article, who, verb, rest = found.groups()
    if random.random() < 0.5 and article in ('A', 'An', 'One'):
        return f'There is no {who} {rest}'
    return f'{article} {who} {verb} not {rest}'


train = [(row['sentence_A'], row['sentence_B'], row['entailment_judgment']) for row in rows('sick', 'train.tsv')]
held = {plain(row[side]) for part in ('trial', 'test') for row in rows('sick', f'{part}.tsv') for side in ('sentence_A', 'sentence_B')}
write('breaking-nli.tsv', [(row['sentence1'], row['sentence2'], row['gold_label'].upper()) for row in rows('breaking-nli', 'all.tsv')])

similarity = []
for part in ('dev', 'test', 'train'):
    for row in rows('stsb', f'{part}.tsv'):
        first, second, score = row['sentence1'], row['sentence2'], float(row['score'])
        if plain(first) in held or plain(second) in held or len(first) > 140 or len(second) > 140:
            continue
        if score >= 4 or score <= 3:
            similarity.append((first, second, 'ENTAILMENT' if score >= 4 else 'NEUTRAL'))
write('similarity.tsv', similarity)

sentences = sorted({sentence for first, second, _ in train for sentence in (first, second)})
made = [(sentence, sentence, 'ENTAILMENT') for sentence in sentences]
made += [(sentence, random.choice(sentences), 'NEUTRAL') for sentence in sentences]
for sentence in sentences:
    denied = negation(sentence)
    if denied is None:
        continue
    pair = (sentence, denied) if random.random() < 0.5 else (denied, sentence)
    made.append((*pair, 'CONTRADICTION'))
    made.append((denied, random.choice(sentences), 'NEUTRAL'))
made += [(second, first, label) for first, second, label in train if label != 'ENTAILMENT']
write('made.tsv', made)
