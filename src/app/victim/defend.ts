/** @file `--defend name:option=value`: the victim behind its defences. */
import { createHash } from 'node:crypto';
import type { Approximation, Classifier } from '../../core/classifier.js';
import { must, RobustError } from '../../core/errors.js';
import type { Language } from '../../core/language.js';
import { NO_TIME_LIMIT, type TimeLimit } from '../../core/patience.js';
import { labelOf, parseOptions, splitSpec } from '../../core/plugin-options.js';
import type { TagObserver } from '../../core/tags/evidence.js';
import { type Defence, type DefencePlugin, defences, withDefences } from '../../defence/index.js';
import type { LoadedModel } from '../../model/load.js';
import { remembering } from '../../model/loaded-model.js';
import { checkOffered } from '../language.js';
import { codeHash } from '../plugins/load-plugin.js';
import { pluginNamed } from '../plugins/registry.js';
import { taggerBehind } from './defended-tagger.js';

/** Replaces a hidden word: the unknown token of most tokenizers. A certificate is true for any word. */
export const MASK = '[UNK]';
/** Answers remembered in front of a vote. */
const CACHED_ANSWERS = 4096;

export interface DefendedVictim {
  readonly classifier: Classifier;
  /** That of the model, behind the same defences. */
  readonly approximation?: Approximation;
  /** Asks past every cache. Present where the hashes of the model and the defences do not fix the answers. */
  readonly unpinned?: Pick<Classifier, 'classify'>;
  /** Present if the model tags: its tags of a text as it is before the defences. */
  readonly tags?: TagObserver;
  /** "+spelling+ranmask:rate=0.5" */
  readonly suffix: string;
  readonly conditions: string;
  /** The rewriting defences that have changed nothing yet, and the number of texts they have read. */
  idle(): { readonly name: string; readonly read: number }[];
  /** A hash of the defences, and of the texts they learnt from. */
  readonly fingerprint: string;
}

/** A defence as asked for, its options parsed, and the file of texts it learns from. */
export interface ChosenDefence {
  readonly plugin: DefencePlugin;
  readonly options: unknown;
  readonly name: string;
  readonly texts: string | undefined;
}

/** Throws RobustError for a name or an option that does not exist, and for a defence given twice, and for a module that holds none. */
export async function chooseDefences(
  specs: readonly string[],
  patience: TimeLimit = NO_TIME_LIMIT,
): Promise<ChosenDefence[]> {
  const chosen: ChosenDefence[] = [];
  for (const spec of specs) {
    const { name, given } = splitSpec(spec);
    const plugin = await pluginNamed('defence', name, patience);
    const { texts, ...own } = Object.fromEntries(given);
    const options = parseOptions(plugin, new Map(Object.entries(own)));
    chosen.push({ plugin, options, name: labelOf(plugin.name, given), texts });
  }
  const twice = chosen.find(({ name }, at) => chosen.findIndex((other) => other.name === name) !== at);
  if (twice !== undefined)
    throw new RobustError(`--defend: ${twice.name} is given twice`, {
      code: 'DEFENCE_INVALID',
      hint: 'Give each once.',
    });
  return chosen;
}

/** The defences ready to work. `read` gives the texts of a file. */
export async function makeDefences(
  chosen: readonly ChosenDefence[],
  vocabulary: readonly string[],
  seed: number,
  language: Language,
  read: (file: string) => Promise<string[]>,
): Promise<Defence[]> {
  const made: Defence[] = [];
  for (const { plugin, options, name, texts } of chosen) {
    checkOffered(`--defend: ${plugin.name}`, plugin.language, language);
    const material = { vocabulary, texts: texts === undefined ? [] : await read(texts), mask: MASK, seed, language };
    made.push({ name, ...plugin.create(options, material) });
  }
  return made;
}

/** The model behind defences; undefined without any. */
export async function defend(
  specs: readonly string[],
  model: LoadedModel,
  seed: number,
  language: Language,
  read: (file: string) => Promise<string[]>,
  patience?: TimeLimit,
): Promise<DefendedVictim | undefined> {
  if (specs.length === 0) return undefined;
  const chosen = await chooseDefences(specs, patience);
  const learnt = createHash('sha256').update((await codeHash(specs)) ?? '');
  const made = await makeDefences(
    chosen,
    model.onnx?.encoder.words() ?? model.tags?.words?.() ?? [],
    seed,
    language,
    async (file) => {
      const texts = await read(file);
      for (const text of texts) learnt.update(`${text}\n`);
      return texts;
    },
  );
  const counts = new Map<string, { read: number; changed: number }>();
  const counted = made.map((defence): Defence => {
    const { rewrite } = defence;
    if (rewrite === undefined) return defence;
    const count = { read: 0, changed: 0 };
    counts.set(defence.name, count);
    return {
      ...defence,
      rewrite: (text) => {
        const read = rewrite(text);
        count.read += 1;
        if (read !== text) count.changed += 1;
        return read;
      },
    };
  });
  const behind = (victim: Classifier): Classifier => {
    const defended = withDefences(victim, counted, seed);
    const ask = async (text: string) => must((await defended.classify([text]))[0]);
    return { labels: model.labels, classify: remembering(ask, CACHED_ANSWERS) };
  };
  const { approximation, labels, tags } = model;
  const shared = {
    suffix: made.map(({ name }) => `+${name}`).join(''),
    idle: () => [...counts].flatMap(([name, { read, changed }]) => (changed === 0 && read > 0 ? [{ name, read }] : [])),
    conditions: made.map(({ conditions }) => conditions).join('; then '),
    fingerprint: JSON.stringify([specs, learnt.digest('hex')]),
  };
  if (tags) {
    const tagger = taggerBehind({ ...model, tags }, counted, CACHED_ANSWERS);
    return { ...shared, classifier: tagger, tags: tagger.tags };
  }
  const own = chosen.some(({ plugin }) => !defences.includes(plugin));
  const again = model.remote?.again ?? model.again ?? (own ? model.classify : undefined);
  return {
    classifier: behind(model),
    ...(again && { unpinned: behind({ labels, classify: again }) }),
    ...(approximation && { approximation: { ...approximation, ...behind(approximation) } }),
    ...shared,
  };
}

/**
 * Rewrites a text by the defences before a model of that vocabulary learns it. Throws RobustError for a defence that votes: the model then
 * reads several texts.
 */
export async function readingThrough(
  specs: readonly string[],
  vocabulary: readonly string[],
  seed: number,
  language: Language,
  read: (file: string) => Promise<string[]>,
  patience?: TimeLimit,
): Promise<(text: string) => string> {
  const made = await makeDefences(await chooseDefences(specs, patience), vocabulary, seed, language, read);
  const voting = made.find(({ vote }) => vote !== undefined);
  if (voting !== undefined)
    throw new RobustError(
      `--defend: expected defences that rewrite a text to train behind, got ${voting.name}, which votes`,
      {
        code: 'DEFENCE_INVALID',
        hint: 'Versions with words hidden are learnt with --regularize token-dropout=NUMBER.',
      },
    );
  return (text) => made.reduce((now, { rewrite }) => rewrite?.(now) ?? now, text);
}
