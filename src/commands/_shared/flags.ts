/** @file Flags that mean the same in every command that has them. */
import { Flags } from '@oclif/core';
import { UsageError } from '../../core/errors.js';

const badNumber = (expected: string, got: string): UsageError =>
  new UsageError(`expected ${expected}, got "${got}"`, { code: 'USAGE' });

/** A whole number of at least `min`, of which the flag's name is told by the caller. */
export const wholeNumber = (flag: string, min: number) =>
  Flags.custom<number>({
    parse: async (text) => {
      const number = Number(text);
      if (!/^\d+$/.test(text) || !Number.isSafeInteger(number) || number < min) {
        throw badNumber(`--${flag} to be a whole number of at least ${min}`, text);
      }
      return number;
    },
  });

/** A number from 0 to 1. */
export const fraction = (flag: string) =>
  Flags.custom<number>({
    parse: async (text) => {
      const number = Number(text);
      if (text.trim() === '' || !(number >= 0 && number <= 1)) {
        throw badNumber(`--${flag} to be a number from 0 to 1`, text);
      }
      return number;
    },
  });

/** Seconds, of which 0 means any time. */
const seconds = (flag: string) =>
  Flags.custom<number>({
    parse: async (text) => {
      const number = Number(text);
      if (text.trim() === '' || !(number >= 0 && number < Number.POSITIVE_INFINITY)) {
        throw badNumber(`--${flag} to be a number of seconds, 0 for any time`, text);
      }
      return number;
    },
  });

/** Of one answer of a module, or of an attack of the user's own. */
export const TIMEOUT = 60;

/** `data=model`, split at the first equals sign. */
const renaming = Flags.custom<readonly [string, string]>({
  parse: async (text) => {
    const at = text.indexOf('=');
    if (at < 1 || at === text.length - 1) throw badNumber('--label-map to be data=model', text);
    return [text.slice(0, at), text.slice(at + 1)] as const;
  },
});

const DATA = { helpGroup: 'data' };

/** Whoever has it reads a configuration. */
export const configFlag = Flags.string({
  helpGroup: 'running',
  char: 'c',
  helpValue: 'file',
  description: 'settings [default: robust.config.yaml, .json, .js or .ts, here or in a folder above]',
});

/** The victim and the labelled texts. */
export const victimFlags = {
  config: configFlag,
  model: Flags.string({
    char: 'm',
    default: 'distilbert',
    description:
      'the classifier: a bundled name, a folder with an ONNX model, an .onnx file, an .mjs module, or hf:org/name[@revision] from the Hugging Face Hub',
  }),
  data: Flags.string({
    char: 'd',
    default: 'reviews',
    description: 'labelled texts: a bundled name, or a .tsv, .csv, .jsonl or .parquet file',
  }),
  'num-examples': wholeNumber(
    'num-examples',
    0,
  )({
    char: 'n',
    default: 200,
    description: 'use the first so many examples; 0 = all',
  }),
  'text-column': Flags.string({ ...DATA, description: 'column of the texts, where its name does not say it' }),
  'label-column': Flags.string({ ...DATA, description: 'column of the labels' }),
  'id-column': Flags.string({ ...DATA, description: 'column of the ids; rows are numbered without it' }),
  'label-map': renaming({
    ...DATA,
    multiple: true,
    multipleNonGreedy: true,
    helpValue: 'data=model',
    description: 'a label of the data and the label of the model it means; repeat',
  }),
  force: Flags.boolean({ ...DATA, description: 'go on although the labels look permuted' }),
  offline: Flags.boolean({
    ...DATA,
    description: 'never use the network: a model from the Hub comes from its cache; so does HF_HUB_OFFLINE=1',
  }),
};

/** What stands between the text and the model. */
export const defendFlag = {
  defend: Flags.string({
    helpGroup: 'data',
    multiple: true,
    multipleNonGreedy: true,
    helpValue: 'name[:option=value]',
    description: 'put a defence before the model (robust list defences); texts=FILE lets it learn from texts; repeat',
  }),
};

/** How, not what: none of them changes a result. */
export const speedFlags = {
  isolate: Flags.boolean({
    helpGroup: 'running',
    allowNo: true,
    description:
      'run the model in processes of its own, so that a crash of onnxruntime is an error (MODEL_CRASHED) and not the end of the run [default: for hf: models]',
  }),
  workers: wholeNumber(
    'workers',
    1,
  )({
    helpGroup: 'running',
    description: 'threads that run the model [default: one a core]',
  }),
  timeout: seconds('timeout')({
    helpGroup: 'running',
    helpValue: 'seconds',
    description: `how long one answer of an .mjs module may take, or an attack of your own may neither ask nor end; 0: any time [default: ${TIMEOUT}]`,
  }),
  'no-progress': Flags.boolean({ helpGroup: 'output', description: 'no progress on stderr' }),
};

export const outputFlag = Flags.string({
  helpGroup: 'output',
  char: 'o',
  multiple: true,
  multipleNonGreedy: true,
  helpValue: 'file',
  description:
    'write the report to this file; its ending picks the format: .md, .html, .json, .csv, .xml (JUnit), .sarif, .prom (OpenMetrics) or .yaml (model card); repeat',
});

export const allowPartial = Flags.boolean({
  helpGroup: 'running',
  description: 'go on although shards or lines of the journal are missing; no gate passes such a run',
});
