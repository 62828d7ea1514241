/**
 * @file `robust.json`: what a Hugging Face config.json cannot say about a classifier. It lies beside the model file and wins
 * over config.json where both speak.
 */
import { z } from 'zod';
import { ModelError } from '../../core/errors.js';
import { isObject, type JsonObject } from '../../core/json.js';
import { faultTexts, readBy } from '../../core/read-by.js';
import { AGGREGATIONS } from '../../core/tags/decode.js';
import { programSettings, remoteSettings } from '../../remote/index.js';

const name = z.string().min(1);
const side = z.enum(['end', 'start']);

const tokenizerInput = z.strictObject({
  /** tokenizer.json, beside the manifest. */
  kind: z.literal('tokenizer'),
  /** The graph's input of token ids; found by its usual names if not given. */
  name: name.optional(),
  /** Most tokens the model takes, special ones included. */
  maximum: z.int().min(1).optional(),
});

const wordIndexInput = z.strictObject({
  /** Each word is looked up in a vocabulary. */
  kind: z.literal('word-index'),
  name: name.optional(),
  /** File with a JSON object, word -> id. */
  vocabulary: name,
  /** Regular expression (flags gu, without back references and look-ahead); each match is deleted before anything else. */
  remove: z.string().optional(),
  lowercase: z.boolean().default(false),
  /** "do n't" -> "don't", as in text that was split in the Penn Treebank manner. */
  joinContractions: z.boolean().default(false),
  /** Characters that become spaces before the text is split at spaces. */
  separators: z.string().default(''),
  /** Treatment of unknown words: dropped, or replaced by this id. */
  unknown: z.union([z.literal('drop'), z.int().min(0)]).default('drop'),
  /** Ids per text; null where the graph takes any number. */
  length: z.int().min(1).nullable().default(null),
  padId: z.int().min(0).default(0),
  pad: side.default('end'),
  truncate: side.default('end'),
});

/** Options of scikit-learn's vectorizers, with their defaults. */
const bag = {
  /** The graph's input: a dense float tensor [texts, features]. */
  name: name.optional(),
  lowercase: z.boolean().default(true),
  /** Words, runs of characters, or runs of characters within words. */
  analyzer: z.enum(['word', 'char', 'char_wb']).default('word'),
  /** Regular expression of words, in the syntax of Python's re. */
  tokenPattern: z.string().default('(?u)\\b\\w\\w+\\b'),
  /** Words that are left out before n-grams are made. */
  stopWords: z.array(z.string()).default([]),
  /** Least and most words (characters) of a term. */
  ngrams: z.tuple([z.int().min(1), z.int().min(1)]).default([1, 1]),
  /** Count each term once. */
  binary: z.boolean().default(false),
};
const norm = z.enum(['l1', 'l2', 'none']).default('l2');

const countsInput = z.strictObject({
  /** How often each term of the vocabulary occurs. */
  kind: z.literal('counts'),
  ...bag,
  /** File with a JSON object, term -> column. */
  vocabulary: name,
});

const tfidfInput = z.strictObject({
  /** The same, weighed by how rare a term is. */
  kind: z.literal('tfidf'),
  ...bag,
  vocabulary: name,
  /** File with a JSON array, a weight for each column; null for none. */
  idf: name.nullable(),
  /** 1 + ln of the count instead of the count. */
  sublinear: z.boolean().default(false),
  norm,
});

const hashingInput = z.strictObject({
  /** The hash of a term names its column. */
  kind: z.literal('hashing'),
  ...bag,
  /** That of scikit-learn: 32 bits, signed, seed 0. */
  function: z.literal('murmur3'),
  /** Columns. */
  buckets: z
    .int()
    .min(1)
    .max(2 ** 24),
  /** Let the hash's sign decide whether a term counts as 1 or -1. */
  alternateSign: z.boolean().default(true),
  norm,
});

const stringInput = z.strictObject({
  /**
   * The graph takes the text itself: a STRING tensor [texts, 1] or [texts]; of pairs two such inputs, or a tensor [texts, 2]. Two inputs
   * are named in the order of `--columns pair`.
   */
  kind: z.literal('string'),
  name: z.union([name, z.tuple([name, name])]).optional(),
});

const share = z.number().min(0).max(1);

/** Exactly one label holds for each text, the one of the highest score, however the scores were made. */
const argmaxDecision = z.strictObject({ kind: z.literal('argmax') });

const thresholdDecision = z.strictObject({
  /** A detector: the labels that it detects, and from which score on. */
  kind: z.literal('threshold'),
  positive: z.union([name.transform((one) => [one]), z.array(name).min(1)]),
  /** A score, or "fpr=0.01": the score that this share of harmless texts reaches. */
  at: z
    .union([share, z.string().regex(/^fpr=(0?\.\d+|\d+(\.\d+)? ?%)$/, 'expected a score from 0 to 1, or fpr=0.01')])
    .default(0.5),
  /** Whether the score of several labels is the largest of theirs or their sum. */
  by: z.enum(['max', 'sum']).default('max'),
});

const multiLabelDecision = z.strictObject({
  /** Any number of labels holds for a text: each from a score on, of all or of its own. */
  kind: z.literal('multi-label'),
  at: z.union([share, z.record(z.string(), share)]).default(0.5),
});

const regressionDecision = z.strictObject({
  /** The model answers one number. */
  kind: z.literal('regression'),
  /** Numbers at least this far apart count as different. @default a tenth of the range of the data's numbers */
  delta: z.number().positive().optional(),
});

const tagsDecision = z.strictObject({
  /** The model tags tokens: spans are found in texts. */
  kind: z.literal('tags'),
  /** How the tokens of a word get one tag. @default simple: each token its own */
  aggregation: z.enum(AGGREGATIONS).optional(),
});

const DECISIONS = [argmaxDecision, thresholdDecision, multiLabelDecision, regressionDecision, tagsDecision] as const;

/** The columns that a data set for this model has. Those of pairs are needed, the others are preferred where a data set has them. */
const columnNames = z
  .strictObject({
    text: name.optional(),
    /** The columns of a model of pairs, in the order in which it reads them. */
    texts: z.tuple([name, name]).optional(),
    /** Column of the labels or numbers; several with commas between them have one label each. */
    label: name.optional(),
  })
  .refine(({ text, texts }) => text === undefined || texts === undefined, {
    error: 'expected "text" or "texts", got both',
  });

const INPUTS = [tokenizerInput, wordIndexInput, countsInput, tfidfInput, hashingInput, stringInput] as const;

const manifest = z.strictObject({
  $schema: z.string().optional(),
  schemaVersion: z.literal(1).default(1),
  /** File name of the model, beside the manifest. */
  model: name.optional(),
  /** Label names in the order of the output's columns. */
  labels: z.array(name).min(1).optional(),
  input: z.discriminatedUnion('kind', INPUTS).optional(),
  output: z
    .strictObject({
      name: name.optional(),
      activation: z.enum(['softmax', 'sigmoid', 'log-softmax', 'none']).optional(),
      /** Divide each row by its sum. */
      normalise: z.boolean().optional(),
    })
    .optional(),
  /** How searches ask it: as it is, or in 8 bits. @default fp32 */
  precision: z.enum(['fp32', 'int8']).optional(),
  /** Meaning of the scores. @default the label with the highest score */
  decision: z.discriminatedUnion('kind', DECISIONS).optional(),
  columns: columnNames.optional(),
});

/** A file that the user named and that describes an endpoint. */
const endpoint = manifest
  .pick({ $schema: true, schemaVersion: true, labels: true, input: true, output: true, decision: true, columns: true })
  .extend({
    /** The model answers over the network. */
    remote: remoteSettings,
    /** The environment variables that `${NAME}` in the address and the headers may read. */
    variables: z.array(z.string().regex(/^[A-Za-z_]\w*$/, 'expected the name of an environment variable')).default([]),
  })
  .refine(({ input }) => !Array.isArray(input?.name), {
    path: ['input', 'name'],
    error: 'expected one name: how an endpoint is given pairs says its protocol',
  });

/** Description that a robust server adds to its protocol's; unknown keys are ignored. */
const announcement = z.object({
  labels: z.array(name).min(1).optional(),
  decision: z.discriminatedUnion('kind', DECISIONS).optional(),
  columns: columnNames.optional(),
  /** Kind of its scores. */
  scores: z.literal('probabilities').optional(),
});

export type Announcement = z.infer<typeof announcement>;

/** Empty for what is no announcement. */
export const parseAnnouncement = (value: unknown): Announcement => announcement.safeParse(value).data ?? {};

export type Manifest = z.infer<typeof manifest>;
export type EndpointManifest = Omit<z.infer<typeof endpoint>, 'variables'>;
/** As a manifest says it. */
export type WrittenDecision = NonNullable<Manifest['decision']>;
/** The columns that a model's data sets have. */
export type WrittenColumns = NonNullable<Manifest['columns']>;
export type InputSpec = NonNullable<Manifest['input']>;
export type WordIndexSpec = z.infer<typeof wordIndexInput>;
type CountsSpec = z.infer<typeof countsInput>;
export type TfidfSpec = z.infer<typeof tfidfInput>;
export type HashingSpec = z.infer<typeof hashingInput>;
/** Texts become rows of numbers. */
export type FeatureSpec = CountsSpec | TfidfSpec | HashingSpec;
export type BagSpec = Pick<CountsSpec, Exclude<keyof typeof bag, 'name'>>;
export type OutputActivation = 'softmax' | 'sigmoid' | 'log-softmax' | 'none';

/** The files an input is made with, beside the manifest: the key that names each -> its name. */
export function filesOf(input: InputSpec): Record<string, string> {
  const vocabulary = 'vocabulary' in input ? { vocabulary: input.vocabulary } : {};
  return 'idf' in input && input.idf !== null ? { ...vocabulary, idf: input.idf } : vocabulary;
}

const KNOWN_KEYS = [
  manifest,
  endpoint,
  ...INPUTS,
  ...DECISIONS,
  columnNames,
  manifest.shape.output.unwrap(),
  remoteSettings,
].flatMap((schema) => Object.keys(schema.shape));

/** One label is the name of a number; what has labels has two. */
function tooFewLabels(value: unknown): string[] {
  const { labels, decision } = isObject(value) ? value : {};
  const isNumber = isObject(decision) && decision.kind === 'regression';
  const lone = Array.isArray(labels) && labels.length === 1 && !isNumber;
  return lone ? ['labels: expected at least two, or one with "decision": { "kind": "regression" }'] : [];
}

/**
 * Checks the manifest of a model's folder. Throws ModelError: MANIFEST_INVALID where it describes an endpoint, since a folder may come from
 * anyone and must not decide where texts are sent; MANIFEST_INVALID with every fault at once.
 */
export function parseManifest(value: unknown, path: string): Manifest {
  if (isObject(value) && 'remote' in value)
    throw new ModelError(
      `${path}: expected the manifest of a local model, got "remote": a model folder cannot be an endpoint`,
      {
        code: 'MANIFEST_INVALID',
        hint: `If you trust this file, name it as the endpoint: --model http:${path}. It then sends your texts to the address in it.`,
      },
    );
  return parseWith(manifest, value, path);
}

/** Checks a file that describes an endpoint. Throws ModelError (MANIFEST_INVALID). */
export function parseEndpoint(value: JsonObject, path: string): z.infer<typeof endpoint> {
  const { input } = value;
  // An endpoint takes texts, so the kind may be left out.
  return parseWith(endpoint, isObject(input) ? { ...value, input: { kind: 'string', ...input } } : value, path);
}

/** Checks a file that describes a program. Throws ModelError (MANIFEST_INVALID). */
export const parseProgram = (value: JsonObject, path: string): z.infer<typeof programSettings> =>
  parseWith(programSettings, value, path, Object.keys(programSettings.shape), []);

function parseWith<T>(
  schema: z.ZodType<T>,
  value: unknown,
  path: string,
  keys: readonly string[] = KNOWN_KEYS,
  few: readonly string[] = tooFewLabels(value),
): T {
  const read = readBy(schema, value);
  if (read.success && few.length === 0) return read.data;
  const faults = read.success ? [] : [faultTexts(read.faults, 'the manifest')];
  throw new ModelError(`${path}: ${[...few, ...faults].join('; ')}`, {
    code: 'MANIFEST_INVALID',
    hint: `The keys of the manifest: ${[...new Set(keys)].join(', ')}.`,
    ...(!read.success && { cause: read.cause }),
  });
}
