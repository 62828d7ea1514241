/**
 * @file Compares the synonyms that the attacks offer under the constraints `default` with human judgements. Prints the precision on lexical
 * substitution in context, for which raters judged (SWORDS) or wrote (CoInCo, SemEval-2007) substitutes of a word in its sentence.
 *
 *     npm run bench dist/bench/substitutes.js
 *
 * Weights and thresholds were chosen on the sets marked "design", which share no document with the others.
 */
import { readFileSync } from 'node:fs';
import { noRepeat } from '../src/constraints/edits.js';
import { presetConstraints } from '../src/constraints/presets.js';
import { keepStopWords } from '../src/constraints/words.js';
import { Draft, wordsOf } from '../src/core/draft.js';
import { random } from '../src/core/random.js';
import { withArticleAgreement } from '../src/language/article-agreement.js';
import { baseForms } from '../src/language/english/base-forms.js';
import { english } from '../src/language/english/index.js';
import { WORD_CLASSES } from '../src/language/english/wordnet.js';

const SHARED = '../shared/data';

interface Target {
  readonly document: string;
  readonly text: string;
  readonly offset: number;
  /** Substitute -> the share of raters who accepted it. */
  readonly accepted: ReadonlyMap<string, number>;
}

const rows = <T>(path: string): T[] =>
  readFileSync(`${SHARED}/${path}`, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as T);

interface Swords {
  readonly context: string;
  readonly offset: number;
  readonly coinco_ids: readonly string[];
  readonly substitutes: readonly (readonly [string, number, number])[];
}

const documentOf = (id = ''): string => id.split(':')[0] as string;

const swords = (part: string): Target[] =>
  rows<Swords>(`swords/${part}.jsonl`).map(({ context, offset, coinco_ids: [id], substitutes }) => ({
    document: documentOf(id),
    text: context,
    offset,
    accepted: new Map(substitutes.map(([word, yes, asked]) => [word.toLowerCase(), yes / asked])),
  }));

interface CoInCo {
  readonly id: string;
  readonly sentence: string;
  readonly tokens: readonly string[];
  readonly targets: readonly { readonly i: number; readonly subs: Readonly<Record<string, number>> }[];
}

const shares = (subs: Readonly<Record<string, number>>, asked: number): Map<string, number> =>
  new Map(Object.entries(subs).map(([word, count]) => [word.toLowerCase(), count / asked]));

/** Offsets of tokens in their sentence; those that it does not hold as they stand are left out. */
function coinco(): Target[] {
  return rows<CoInCo>('coinco/all.jsonl').flatMap(({ id, sentence, tokens, targets }) => {
    let from = 0;
    const offsets = tokens.map((token) => {
      const at = sentence.indexOf(token, from);
      if (at >= 0) from = at + token.length;
      return at;
    });
    return targets.flatMap(({ i, subs }) =>
      (offsets[i] ?? -1) < 0
        ? []
        : [{ document: documentOf(id), text: sentence, offset: offsets[i] as number, accepted: shares(subs, 6) }],
    );
  });
}

interface SemEval {
  readonly item: string;
  readonly context: string;
  readonly offset: number;
  readonly subs: Readonly<Record<string, number>>;
}

const semeval = (): Target[] =>
  rows<SemEval>('semeval2007-lst/all.jsonl').map(({ item, context, offset, subs }) => ({
    document: item,
    text: context,
    offset,
    accepted: shares(subs, 5),
  }));

const testDocuments = new Set(swords('test').map(({ document }) => document));
const SETS: readonly (readonly [name: string, role: string, targets: readonly Target[]])[] = [
  ['swords dev', 'design', swords('dev')],
  ['coinco, documents not in swords test', 'design', coinco().filter(({ document }) => !testDocuments.has(document))],
  ['swords test', 'held out', swords('test')],
  ['coinco, documents in swords test', 'held out', coinco().filter(({ document }) => testDocuments.has(document))],
  ['semeval2007-lst', 'held out', semeval()],
];

const constraints = presetConstraints('default', [noRepeat, keepStopWords]);
const alike = (text: string): string[] => [text, ...WORD_CLASSES.flatMap((wordClass) => baseForms(text, wordClass))];

/** Of the substitutes offered for the target, best first: the share of the raters who accept each. */
async function offered({ text, offset, accepted }: Target): Promise<number[]> {
  const draft = Draft.of(text);
  const at = wordsOf(text).findIndex(({ start, text: word }) => start + word.length > offset);
  if (at < 0) return [];
  const inContext = english.synonyms.inContext(draft, at);
  if (!constraints.every(({ editable }) => editable?.(draft, at, english) ?? true)) return [];
  const drafts = inContext.map((each) => withArticleAgreement(draft.replace(at, each.text), at, english));
  const verdicts = await Promise.all(constraints.map(({ accepts }) => accepts?.(drafts, draft, english)));
  return inContext.flatMap(({ text: word, lemma }, i) => {
    if (verdicts.some((verdict) => verdict?.[i] === false)) return [];
    const forms = [lemma.toLowerCase(), ...alike(word.toLowerCase())];
    return [Math.max(...forms.map((form) => accepted.get(form) ?? 0))];
  });
}

const BOOTSTRAPS = 1000;

/** A ratio of sums with a 95 % interval by bootstrap over targets. */
function ratio(parts: readonly (readonly [right: number, all: number])[], name: string): string {
  const of = (drawn: readonly (readonly [number, number])[]): number => {
    let [right, all] = [0, 0];
    for (const [r, a] of drawn) {
      right += r;
      all += a;
    }
    return right / all;
  };
  const stream = random(42, name);
  const drawn = Array.from({ length: BOOTSTRAPS }, () => of(parts.map(() => stream.pick(parts)))).sort((a, b) => a - b);
  const at = (share: number): string => (drawn[Math.floor(share * (BOOTSTRAPS - 1))] as number).toFixed(2);
  return `${of(parts).toFixed(3)} (${at(0.025)}-${at(0.975)})`;
}

const accepts = (found: readonly number[], least: number): readonly [number, number] => [
  found.filter((share) => share > 0 && share >= least).length,
  found.length,
];

console.log(`| set | role | targets | offered | by anyone | by half | first one, by half |
|---|---|---:|---:|---:|---:|---:|`);
for (const [name, role, targets] of SETS) {
  const all = await Promise.all(targets.map(offered));
  const some = all.filter(({ length }) => length > 0);
  const precision = (share: number, first: number): string =>
    ratio(
      some.map((found) => accepts(found.slice(0, first), share)),
      name,
    );
  console.log(
    `| ${name} | ${role} | ${all.length} | ${some.flat().length} | ${precision(0, 99)} | ${precision(0.5, 99)} | ${precision(0.5, 1)} |`,
  );
}
