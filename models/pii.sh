#!/usr/bin/env bash
# Trains a small tagger of personal data (1.5 MB), from the project's root: for trying `--task tags` offline, on the bundled data set `notes`.
# It learns sentences made of pii-templates.txt; none is of `notes`, which chooses nothing. Minutes on one core; docs/research/tags.md
# has its figures.
set -euo pipefail
cd "$(dirname "$0")/.."
out=${1:?usage: models/pii.sh FOLDER}
texts=$(mktemp -d)
trap 'rm -r "$texts"' EXIT

node models/pii-texts.js 40 > "$texts/train.jsonl"
node models/pii-texts.js 4 18 > "$texts/dev.jsonl"
npx --no robust train --task tags --data "$texts/train.jsonl" --validation "$texts/dev.jsonl" --arch char-bilstm:dim=128:dropout=0.4:embedding-dropout=0.2 \
  --batch-size 16 --lr 2e-3 --epochs 8 --regularize token-dropout=0.1 --seed 42 -o "$out"
npx --no robust evaluate --model "$out" --task tags --data notes --num-examples 0
