/** @file What follows `cmd:`: the words of a command, or a file that describes one. A command is code that the user named; no shell reads it. */
import { existsSync } from 'node:fs';
import { RE2JS } from 're2js';
import { z } from 'zod';
import { messageOf, RobustError } from '../core/errors.js';
import { milliseconds } from './units.js';

const PREFIX = /^cmd:/i;

export const isCommand = (spec: string): boolean => PREFIX.test(spec);

/** The command, or the file that describes it. Throws RobustError. */
export function commandIn(spec: string): { readonly words: readonly string[] } | { readonly path: string } {
  const written = spec.replace(PREFIX, '').trim();
  const described = /\.(ya?ml|json)$/i.test(written) && (!/\s/.test(written) || existsSync(written));
  return described ? { path: written } : { words: wordsOf(written) };
}

/** The words as a POSIX shell would split them. Throws RobustError ADDRESS_INVALID for quotes that are left open, and for what only a shell does. */
function wordsOf(written: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  let end = 0;
  for (const { 0: all, index, groups = {} } of written.matchAll(PARTS)) {
    if (index !== end) break;
    end += all.length;
    const { single, double, escaped, plain } = groups;
    if (plain !== undefined && word === undefined && /^(\||\|\||&&|&|;|\d?[<>].*)$/.test(plain))
      throw needsShell(plain);
    const letters = single ?? double?.replaceAll(/\\(["\\$`])/g, '$1') ?? escaped ?? plain;
    if (letters !== undefined) word = (word ?? '') + letters;
    else if (word !== undefined) words.push(word);
    if (letters === undefined) word = undefined;
  }
  if (word !== undefined) words.push(word);
  if (end === written.length && words.length > 0) return words;
  throw new RobustError(
    words.length === 0 && end === written.length
      ? 'cmd: expected a command, got nothing'
      : `cmd: expected a quote at the end of ${written.slice(end)}, got none`,
    { code: 'ADDRESS_INVALID', hint: "For example: --model 'cmd:python3 victim.py' (docs/reference/process.md)." },
  );
}

const PARTS = /'(?<single>[^']*)'|"(?<double>(?:[^"\\]|\\[\s\S])*)"|\\(?<escaped>[\s\S])|(?<plain>[^\s'"\\]+)|\s+/g;

const needsShell = (got: string): RobustError =>
  new RobustError(`cmd: expected the words of one command, got "${got}", which only a shell understands`, {
    code: 'ADDRESS_INVALID',
    hint: `Name the shell: --model "cmd:sh -c 'a | b'"; or quote the word if it is meant as it is.`,
  });

const text = z.string().min(1);
const time = z.union([
  z.number().positive(),
  z.string().refine((written) => (milliseconds(written) ?? 0) > 0, 'expected a time such as "30s" or "2m"'),
]);

/** What a program is besides its command, for those that do not say it themselves. */
export const ANSWERED = {
  labels: z.array(text).min(1).optional(),
  scores: z.enum(['probabilities', 'logits', 'labels']).optional(),
  task: z
    .enum(['single', 'argmax', 'threshold', 'multi-label', 'multilabel', 'regression', 'tags', 'redact'])
    .optional(),
  /** It reads pairs of texts. */
  pairs: z.boolean().optional(),
  /** The labels that a detector detects, and from which score on. */
  positive: z.union([text.transform((one) => [one]), z.array(text).min(1)]).optional(),
  threshold: z.number().min(0).max(1).optional(),
};

/** A pattern with the groups `label`, `score` or both. */
const pattern = z.string().check((context) => {
  try {
    const { label, score } = RE2JS.compile(context.value).namedGroups();
    if (label !== undefined || score !== undefined) return;
    context.issues.push(fault(context.value, 'expected the group (?<label>...) or (?<score>...), got neither'));
  } catch (error) {
    context.issues.push(fault(context.value, `expected a regular expression of RE2, got one with ${messageOf(error)}`));
  }
});

const fault = (input: string, message: string) => ({ code: 'custom', input, message }) as const;

export const programSettings = z
  .strictObject({
    command: z.union([text.transform(wordsOf), z.array(z.string()).min(1)]),
    /** The variables of the environment that the program gets besides the usual ones. */
    env: z.array(z.string().regex(/^[A-Za-z_]\w*$/, 'expected the name of an environment variable')).default([]),
    /** Most texts a request. */
    batch: z.int().min(1).max(4096).optional(),
    /** For one answer. */
    timeout: time.optional(),
    /** Processes at once. @default 1; with `each` one per core */
    replicas: z.int().min(1).max(256).optional(),
    /** For the first line of the program. */
    start: time.default('60s'),
    /** One process a text. */
    each: z.boolean().default(false),
    /** A text a line in, a line out. */
    lines: z.boolean().default(false),
    /** Exit code -> label. */
    exit: z.record(z.string().regex(/^\d+$/, 'expected an exit code'), text).optional(),
    /** Where the output holds the label, its score, or both. */
    stdout: pattern.optional(),
    ...ANSWERED,
  })
  .superRefine(({ each, lines, exit, stdout, ...rest }, context) => {
    const say = (path: string, message: string) => context.addIssue({ code: 'custom', path: [path], message });
    if (each && lines) say('lines', 'expected each or lines, got both');
    if (exit && !each) say('exit', 'expected each: true beside it: one process a text');
    if (stdout && !each && !lines) say('stdout', 'expected each: true or lines: true beside it');
    const plain = each || lines;
    if (plain && !exit && !rest.labels) say('labels', 'expected the names of the labels, got none');
    if (plain && rest.pairs) say('pairs', 'expected a program that speaks JSON lines for pairs of texts');
    if (plain && /^(tags|redact)$/.test(rest.task ?? ''))
      say('task', 'expected a program that speaks JSON lines for spans');
    const said = plain ? [] : (['scores', 'task', 'pairs', 'positive', 'threshold'] as const);
    for (const key of said)
      if (rest[key] !== undefined) say(key, 'expected it in the first line that the program writes');
  });

export type ProgramSettings = z.infer<typeof programSettings> & {
  /** Where it runs. */
  readonly folder: string;
  /** The files that its command names -> their SHA-256. */
  readonly files: Readonly<Record<string, string>>;
};
