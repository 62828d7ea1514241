/**
 * @file `robust.json`: what a Hugging Face config.json cannot say about a classifier. It lies beside the model file and wins
 * over config.json where both speak.
 */
import { z } from 'zod';
import { ModelError } from '../core/errors.js';
import { nearest } from '../core/suggest.js';

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
  /** What an unknown word becomes: nothing, or this id. */
  unknown: z.union([z.literal('drop'), z.int().min(0)]).default('drop'),
  /** Ids per text; null where the graph takes any number. */
  length: z.int().min(1).nullable().default(null),
  padId: z.int().min(0).default(0),
  pad: side.default('end'),
  truncate: side.default('end'),
});

const stringInput = z.strictObject({
  /** The graph takes the text itself: a STRING tensor [texts, 1] or [texts]. */
  kind: z.literal('string'),
  name: name.optional(),
});

const manifest = z.strictObject({
  $schema: z.string().optional(),
  schemaVersion: z.literal(1).default(1),
  /** File name of the model, beside the manifest. */
  model: name.optional(),
  /** Label names in the order of the output's columns. */
  labels: z.array(name).min(2).optional(),
  input: z.discriminatedUnion('kind', [tokenizerInput, wordIndexInput, stringInput]).optional(),
  output: z
    .strictObject({
      name: name.optional(),
      activation: z.enum(['softmax', 'sigmoid', 'log-softmax', 'none']).optional(),
      /** Divide each row by its sum. */
      normalise: z.boolean().optional(),
    })
    .optional(),
  /** Exactly one label holds for each text, the one of the highest score, however the scores were made. */
  decision: z.strictObject({ kind: z.literal('argmax') }).optional(),
});

export type Manifest = z.infer<typeof manifest>;
export type InputSpec = NonNullable<Manifest['input']>;
export type WordIndexSpec = z.infer<typeof wordIndexInput>;
export type Activation = 'softmax' | 'sigmoid' | 'log-softmax' | 'none';

const KNOWN_KEYS = [manifest, tokenizerInput, wordIndexInput, stringInput, manifest.shape.output.unwrap()].flatMap(
  (schema) => Object.keys(schema.shape),
);

/** Checks a manifest's content. Throws ModelError (MANIFEST_INVALID) that lists every fault at once. */
export function parseManifest(value: unknown, path: string): Manifest {
  const parsed = manifest.safeParse(value);
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.flatMap((issue) => {
    const at = issue.path.join('.');
    if (issue.code !== 'unrecognized_keys') return [`${at || 'the manifest'}: ${issue.message}`];
    return issue.keys.map((key) => {
      const near = nearest(key, KNOWN_KEYS);
      return `${[...issue.path, key].join('.')}: unknown key${near === undefined ? '' : `, did you mean "${near}"?`}`;
    });
  });
  throw new ModelError(`${path}: ${faults.join('; ')}`, {
    code: 'MANIFEST_INVALID',
    hint: `The keys of the manifest: ${[...new Set(KNOWN_KEYS)].join(', ')}.`,
    cause: parsed.error,
  });
}
