#!/usr/bin/env bash
# Trains the bundled detector of prompt injections, from the project's root: models/train-detector.sh FOLDER. It learns sentences made of
# models/detector-templates.txt, the train part of ../shared/data/prompt-injections (deepset/prompt-injections) and the questions of TREC as
# benign texts; none is of the bundled data set `prompts`. A minute on two cores. models/injection/README.md has its figures.
set -euo pipefail
cd "$(dirname "$0")/.."
out=${1:?usage: models/train-detector.sh FOLDER}
texts=$(mktemp -d)
trap 'rm -r "$texts"' EXIT

node models/detector-texts.js > "$texts/made.tsv"
awk 'BEGIN { print "text\tlabel" } { sub(/^[^ ]+ /, ""); gsub(/\t/, " "); print $0 "\tbenign" }' \
  ../shared/data/trec/train.txt | iconv -c -t utf-8 > "$texts/questions.tsv"
sed 's/"label": "injection"/"label": "attack"/' ../shared/data/prompt-injections/train.jsonl > "$texts/injections.jsonl"

npx --no robust train --data "$texts/made.tsv" --data "$texts/injections.jsonl" --data "$texts/questions.tsv" \
  --arch bert:layers=2:dim=128:heads=2:vocabulary=5000 --epochs 2 --lr 1e-3 --regularize token-dropout=0.1:label-smoothing=0.05 \
  --arch storage=fp16 --positive attack --seed 42 --no-compare -o "$out"
