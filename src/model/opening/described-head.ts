/** @file The files of a classifier or tagger that was made by putting a head on an encoder: its config, and the encoder's tokenizer. */
import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { SentenceReading } from '../../../packages/onnx/src/convert/sentence.js';
import { architectureOf } from '../../../packages/onnx/src/convert/task.js';
import type { JsonObject } from '../../core/json.js';
import { copyFile, writeWhole } from '../../files/write.js';
import { readTokenizer } from '../tokens/formats/read-tokenizer.js';
import { readJsonObject } from './json-file.js';
import { TOKENIZER_FILES } from './layout.js';

const TOKENIZER = 'tokenizer.json';
const TOKENIZER_CONFIG = 'tokenizer_config.json';

interface DescribedHead {
  /** In column order. */
  readonly labels: readonly string[];
  /** @default classify */
  readonly task?: 'classify' | 'tags' | undefined;
  /** @default one label for each text */
  readonly problem?: 'multi_label_classification' | 'regression' | undefined;
  /** How an encoder of sentence-transformers reads texts. */
  readonly reading?: SentenceReading | undefined;
}

/** The tokenizer's files of a folder, absolute. */
export const tokenizerIn = (folder: string): readonly string[] =>
  TOKENIZER_FILES.map((file) => join(folder, file)).filter((file) => existsSync(file));

/** Prepares what describes the model; the function writes it into a folder. Throws ModelError, OutputError. */
export async function describedHead(
  folder: string,
  config: JsonObject,
  { labels, problem, task = 'classify', reading: { maximum, lowercase = false } = {} }: DescribedHead,
): Promise<(aside: string) => void> {
  const path = join(folder, TOKENIZER_CONFIG);
  const tokenizerConfig = existsSync(path) ? await readJsonObject(path) : {};
  const architecture = architectureOf(config);
  const classifier = {
    ...config,
    architectures: architecture && [
      architecture.replace(
        /(Model|For[A-Z]\w*|LMHeadModel)?$/,
        task === 'tags' ? 'ForTokenClassification' : 'ForSequenceClassification',
      ),
    ],
    ...(task === 'classify' && { problem_type: problem ?? 'single_label_classification' }),
    id2label: Object.fromEntries(labels.map((label, at) => [at, label])),
    label2id: Object.fromEntries(labels.map((label, at) => [label, at])),
  };
  const definition = lowercase ? inLowerCase((await readTokenizer(folder)).definition) : undefined;
  return (aside) => {
    for (const file of tokenizerIn(folder)) copyFile(file, join(aside, basename(file)));
    if (definition) writeWhole(join(aside, TOKENIZER), JSON.stringify(definition), TOKENIZER);
    if (maximum !== undefined) {
      const limited = { ...tokenizerConfig, model_max_length: maximum };
      writeWhole(join(aside, TOKENIZER_CONFIG), `${JSON.stringify(limited, null, 2)}\n`, TOKENIZER_CONFIG);
    }
    writeWhole(join(aside, 'config.json'), `${JSON.stringify(classifier, null, 2)}\n`, 'config.json');
  };
}

/** A tokenizer that puts texts in lower case first. */
const inLowerCase = (definition: JsonObject): JsonObject => ({
  ...definition,
  normalizer: {
    type: 'Sequence',
    normalizers: [{ type: 'Lowercase' }, ...(definition.normalizer ? [definition.normalizer] : [])],
  },
});
