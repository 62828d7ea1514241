/**
 * @file Compares the synonyms that the attacks offer under the constraints `default` with human judgements. Prints the precision on lexical
 * substitution in context, for which raters judged (SWORDS) or wrote (CoInCo, SemEval-2007) substitutes of a word in its sentence, and the
 * agreement of the chosen senses with WiC.
 *
 *     npm run bench dist/bench/substitutes.js            # -- --list N prints what was offered and not accepted, of the design sets only
 *
 * Weights and thresholds were chosen on the sets marked "design", which share no document with the others.
 */
import { readFileSync } from 'node:fs';
import { noRepeat } from '../src/constraints/edits.js';
import { presetConstraints } from '../src/constraints/presets.js';
import { keepStopWords } from '../src/constraints/words.js';
import { Draft, wordsOf } from '../src/core/draft.js';
import type { WordClass } from '../src/core/language.js';
import { random } from '../src/core/random.js';
import { withArticleAgreement } from '../src/language/article-agreement.js';
import { baseForms } from '../src/language/english/base-forms.js';
import { english } from '../src/language/english/index.js';
import { senseShares } from '../src/language/english/synonyms.js';
import { WORD_CLASSES, wordnet } from '../src/language/english/wordnet.js';

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

interface Offer {
  readonly text: string;
  readonly weight: number;
  /** Share of the raters who accept it. */
  readonly share: number;
}

/** Substitutes offered for the target, best first. */
async function offered({ text, offset, accepted }: Target): Promise<Offer[]> {
  const draft = Draft.of(text);
  const at = wordsOf(text).findIndex(({ start, text: word }) => start + word.length > offset);
  if (at < 0) return [];
  const inContext = english.synonyms.inContext(draft, at);
  if (!constraints.every(({ editable }) => editable?.(draft, at, english) ?? true)) return [];
  const drafts = inContext.map((each) => withArticleAgreement(draft.replace(at, each.text), at, english));
  const verdicts = await Promise.all(constraints.map(({ accepts }) => accepts?.(drafts, draft, english)));
  return inContext.flatMap(({ text: word, lemma, weight }, i) => {
    if (verdicts.some((verdict) => verdict?.[i] === false)) return [];
    const forms = [lemma.toLowerCase(), ...alike(word.toLowerCase())];
    return [{ text: word, weight, share: Math.max(...forms.map((form) => accepted.get(form) ?? 0)) }];
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

const accepts = (found: readonly { share: number }[], least: number): readonly [number, number] => [
  found.filter(({ share }) => share > 0 && share >= least).length,
  found.length,
];
const table = (...columns: readonly string[]): void =>
  console.log(`\n| ${columns.join(' | ')} |\n|${columns.map((_, at) => (at < 2 ? '---|' : '---:|')).join('')}`);

const listed = process.argv.includes('--list') ? Number(process.argv[process.argv.indexOf('--list') + 1]) : 0;
/** Least weights of what is offered; 0 is the default's own. */
const STRICTER = [0, 0.55, 0.65, 0.75];
table(
  'set',
  'role',
  'weight',
  'targets',
  'with an offer',
  'offered',
  'by anyone',
  'by half',
  'first, by anyone',
  'first, by half',
  'first 3, by half',
);
for (const [name, role, targets] of SETS) {
  const all: (readonly [Target, readonly Offer[]])[] = [];
  for (const target of targets) all.push([target, await offered(target)]);
  for (const least of STRICTER) {
    const some = all
      .map(([, found]) => found.filter(({ weight }) => weight >= least))
      .filter(({ length }) => length > 0);
    const precision = (share: number, first: number): string =>
      ratio(
        some.map((found) => accepts(found.slice(0, first), share)),
        name,
      );
    console.log(
      `| ${name} | ${role} | ${least === 0 ? 'default' : least} | ${all.length} | ${some.length} | ${some.flat().length} | ${precision(0, 99)} | ${precision(0.5, 99)} | ${precision(0, 1)} | ${precision(0.5, 1)} | ${precision(0.5, 3)} |`,
    );
  }
  if (role !== 'design') continue;
  const shown = random(42, name).shuffle(all.filter(([, { length }]) => length > 0));
  for (const [{ text, offset }, found] of shown.slice(0, listed)) {
    const around = `${text.slice(Math.max(0, offset - 50), offset)}*${text.slice(offset, offset + 50)}`;
    console.log(
      `${around.replaceAll(/\s+/g, ' ')} -> ${found.map((each) => `${each.text} ${each.share.toFixed(1)}`).join(', ')}`,
    );
  }
}

// An upper bound: the substitutes that people wrote for the same words, judged by SWORDS' raters.
const written = new Map(
  coinco().map((target) => [
    `${target.text.replaceAll(/\s/g, '')} ${target.text.slice(target.offset).split(/\W/)[0]}`,
    target,
  ]),
);
table('set', 'written by', 'substitutes', 'accepted by anyone', 'by half');
for (const [name, part] of [
  ['swords dev', 'dev'],
  ['swords test', 'test'],
] as const) {
  const byWriters = new Map<number, (readonly [number, number, number])[]>();
  for (const { text, offset, accepted } of swords(part)) {
    const word = text.slice(offset).split(/\W/)[0];
    const whole = text.replaceAll(/\s/g, '');
    const found = [...written].find(
      ([key]) => key.endsWith(` ${word}`) && whole.includes(key.slice(0, key.lastIndexOf(' '))),
    );
    for (const [substitute, share] of found?.[1].accepted ?? []) {
      const writers = Math.min(4, Math.round(6 * share));
      const judged = accepted.get(substitute) ?? 0;
      const of = byWriters.get(writers) ?? [];
      of.push([Number(judged > 0), Number(judged >= 0.5), 1]);
      byWriters.set(writers, of);
    }
  }
  for (const [writers, judged] of [...byWriters].sort(([a], [b]) => a - b)) {
    const share = (column: 0 | 1): string =>
      ratio(
        judged.map((each) => [each[column], 1]),
        `${name} ${writers}`,
      );
    console.log(
      `| ${name} | ${writers}${writers === 4 ? ' or more' : ''} of 6 people | ${judged.length} | ${share(0)} | ${share(1)} |`,
    );
  }
}

// Senses chosen by the words around (Lesk 1986, simplified, with the counts of senses as the prior): same sense or not? Without WordNet's
// examples, since WiC's sentences are among them.
const bags = new Map<string, ReadonlySet<string>>();
const stems = (text: string): string[] =>
  wordsOf(text).flatMap(({ text: word }) =>
    english.stopWords.has(word) ? [] : [alike(word.toLowerCase()).at(-1) as string],
  );
function senseOf(word: string, wordClass: WordClass, sentence: string): string | undefined {
  const around = new Set(stems(sentence));
  let best: { id: string; score: number } | undefined;
  for (const [id, share] of senseShares(word, wordClass)) {
    const synset = wordnet.synset(id);
    const bag =
      bags.get(id) ??
      new Set(
        stems(
          [synset, ...wordnet.related(synset, 'hypernym'), ...wordnet.related(synset, 'similar')]
            .map(({ gloss, words }) => `${gloss.split('; "')[0]} ${words.join(' ')}`)
            .join(' '),
        ),
      );
    bags.set(id, bag);
    const overlap = [...bag].filter((each) => each !== word && around.has(each)).length;
    const score = Math.log(share) + 2 * overlap;
    if (best === undefined || score > best.score) best = { id, score };
  }
  return best?.id;
}
table('set', 'sense', 'pairs', 'accuracy');
for (const part of ['train', 'dev', 'test']) {
  const [, ...lines] = readFileSync(`${SHARED}/wic/${part}.tsv`, 'utf8').trimEnd().split('\n');
  const right = lines.map((line): readonly [number, number] => {
    const [label, word, pos, , first, second] = line.split('\t') as [string, string, string, string, string, string];
    const wordClass = pos === 'N' ? 'noun' : 'verb';
    const same = senseOf(word, wordClass, first) === senseOf(word, wordClass, second);
    return [Number(same === (label === 'T')), 1];
  });
  console.log(`| wic ${part} | by the words around | ${lines.length} | ${ratio(right, `wic ${part}`)} |`);
}
