#!/usr/bin/env bash
# Trains a small guard against prompt injections, from the project's root: for trying the suites `guardrail` and `encodings` offline.
# FOLDER/model is a classifier, FOLDER/guard.yaml the pipeline with the shield in front. It learns sentences made of detector-templates.txt
# and guard-templates.txt, every third of them in disguises, the train part of ../shared/data/prompt-injections, and questions of
# TREC as benign texts; none is of the bundled data set `prompts`. A minute on two cores; docs/research/detectors.md has its figures.
set -euo pipefail
cd "$(dirname "$0")/.."
out=${1:?usage: models/guard.sh FOLDER}
mkdir -p "$out"
out=$(cd "$out" && pwd)
texts=$(mktemp -d)
trap 'rm -r "$texts"' EXIT

node models/detector-texts.js 12 guard-templates.txt > "$texts/made.tsv"
awk 'NR == 1 || NR % 3 == 0' "$texts/made.tsv" > "$texts/others.tsv"
npx --no robust augment -d "$texts/others.tsv" -n 0 -a split-words:max-fraction=1 -a leet:max-fraction=1 -a homoglyphs:max-words=1000 \
  -a diacritics:max-fraction=1 -a code-switching -a line-breaks -a quoted --columns text=text:label=label --seed 42 -o "$texts/copies.tsv"
# Each copy is of one disguise; a fifth of them keeps most texts plain.
awk 'NR == 1 || NR % 5 == 0' "$texts/copies.tsv" > "$texts/dressed.tsv"
awk 'NR == 1 || NR % 3 != 0' "$texts/made.tsv" > "$texts/texts.tsv"
awk 'NR <= 1500 { sub(/^[^ ]+ /, ""); gsub(/\t/, " "); print $0 "\tbenign" }' \
  ../shared/data/trec/train.txt | iconv -c -t utf-8 >> "$texts/texts.tsv"
node -e '
  for (const line of require("node:fs").readFileSync(0, "utf8").trimEnd().split("\n")) {
    const { text, label } = JSON.parse(line);
    console.log(`${text.replaceAll(/\s+/g, " ")}\t${label === "injection" ? "attack" : "benign"}`);
  }' < ../shared/data/prompt-injections/train.jsonl >> "$texts/texts.tsv"

node models/guard.js "$out/model" "$texts/texts.tsv" "$texts/dressed.tsv"
cat > "$out/guard.yaml" << YAML
positive: attack
negative: benign
stages:
  - normalise: shield
  - rescan: true
  - { name: words, model: ./model, positive: attack, threshold: 0.5 }
combine: any
YAML
