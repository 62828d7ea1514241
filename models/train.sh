#!/usr/bin/env bash
# Trains models like the bundled ones, from the project's root. ../shared/data/sst2 holds SST-2 as tab-separated files (text, label); dev
# chooses the weights to keep, test is not touched. The bundled models also learnt the answers of teachers and a moving average of their
# weights, with a cosine schedule and beta2 0.98, which robust no longer has.
# Half an hour on two cores. A killed step goes on where it stopped with `--resume` added.
set -euo pipefail
cd "$(dirname "$0")/.."
out=${1:?usage: models/train.sh folder}
sst2=../shared/data/sst2

train() {
  npx --no robust train --data $sst2/train.tsv --data $sst2/train-sentences.tsv --validation $sst2/dev.tsv \
    --label-map 0=NEGATIVE --label-map 1=POSITIVE --batch-size 64 --optimizer weight-decay=0.05 \
    --regularize label-smoothing=0.1 --metric evaluate-every=500 --arch storage=fp16 --seed 42 "$@"
}

train --arch distilbert:layers=4:dim=256:heads=4:vocabulary=8000:embedding-dropout=0.2:dropout=0.2 --epochs 5 --lr 5e-4 \
  --regularize token-dropout=0.1 -o "$out/distilbert"
train --arch bert:layers=2:dim=128:heads=2:vocabulary=6000 --epochs 5 --lr 1e-3 --regularize token-dropout=0.1 -o "$out/bert-mini"
train --arch char-bilstm:dim=128:embedding-dropout=0.2:dropout=0.5 --epochs 3 --lr 1e-3 --regularize token-dropout=0.15 \
  --adversarial augment:typos --no-compare -o "$out/char-bilstm"
