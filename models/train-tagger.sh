#!/usr/bin/env bash
# Trains a small tagger of personal data, from the project's root: for trying --task tags offline with the bundled data set `notes`.
# It learns the synthetic texts of ../shared/data/presidio-synth (MIT), none of which is in `notes`, with types named as there; what `notes`
# does not tag (places, titles, ages, domains) is no entity. Less than 1 MB; docs/research/tags.md has its figures.
set -euo pipefail
cd "$(dirname "$0")/.."
out=${1:?usage: models/train-tagger.sh FOLDER}

npx --no robust train --task tags --data ../shared/data/presidio-synth/train.jsonl \
  --label-map STREET_ADDRESS=ADDRESS --label-map ORGANIZATION=ORGANISATION --label-map DATE_TIME=DATE --label-map PHONE_NUMBER=PHONE \
  --label-map EMAIL_ADDRESS=EMAIL --label-map IBAN_CODE=IBAN --label-map IP_ADDRESS=IP --label-map GPE=O --label-map TITLE=O \
  --label-map AGE=O --label-map NRP=O --label-map DOMAIN_NAME=O --label-map ZIP_CODE=O --label-map US_DRIVER_LICENSE=O \
  --arch char-bilstm:dim=48:embedding-dropout=0.1:dropout=0.3:storage=fp16 --regularize token-dropout=0.1 \
  --batch-size 16 --lr 4e-3 --epochs 10 --seed 42 -o "$out"
