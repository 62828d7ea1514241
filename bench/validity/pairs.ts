/**
 * @file Human judgements as pairs of a text and a rewrite. `kept` says whether people found that the rewrite keeps the label or the meaning;
 * `clear` is false where they were divided.
 */
import { readFileSync } from 'node:fs';
import { Draft, wordsOf } from '../../src/core/draft.js';
import { random } from '../../src/core/random.js';
import { inflect } from '../../src/language/english/inflection.js';
import { tagDraft } from '../../src/language/english/part-of-speech.js';
import { wordnetLemmas } from '../../src/language/english/wordnet-lemmas.js';

const SHARED = '../shared/data';
/** Pairs per set and verdict. */
const MAX_PAIRS = 750;

export interface Pair {
  readonly before: string;
  readonly after: string;
  readonly kept: boolean;
  readonly clear: boolean;
  /** Pairs of one group share a text or a target word. */
  readonly group: string;
  /** Document or sentences that pairs of other sets may share. */
  readonly sources: readonly string[];
}

/** Sets of one family change texts in the same way. */
export type Family = 'one word' | 'sentence' | 'attack';

export interface JudgedSet {
  readonly name: string;
  readonly family: Family;
  readonly pairs: readonly Pair[];
}

type Row = Readonly<Record<string, string>>;

function table(path: string): Row[] {
  const [header = '', ...rows] = readFileSync(`${SHARED}/${path}`, 'utf8').trimEnd().split(/\r?\n/);
  const names = header.split('\t');
  return rows.map((row) => Object.fromEntries(row.split('\t').map((value, at) => [names[at], value])));
}

const jsonLines = <T>(path: string): T[] =>
  readFileSync(`${SHARED}/${path}`, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as T);

/** Letters and digits only, so that two tokenisations of a sentence are equal. */
const normalised = (text: string): string => text.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '');

/** A verdict of people: kept, not kept, or divided. */
type Verdict = 'kept' | 'lost' | 'divided';
const between = (value: number, lost: number, kept: number): Verdict =>
  value >= kept ? 'kept' : value <= lost ? 'lost' : 'divided';

/** A divided pair counts as not kept. */
function pair(before: string, after: string, verdict: Verdict, group?: string, sources?: readonly string[]): Pair {
  return {
    before,
    after,
    kept: verdict === 'kept',
    clear: verdict !== 'divided',
    group: group ?? normalised(before),
    sources: sources ?? [normalised(before), normalised(after)],
  };
}

/** Sentence pairs of a table. */
const sentencePairs = (paths: readonly string[], columns: readonly [string, string], verdict: (row: Row) => Verdict) =>
  paths.flatMap((path) =>
    table(path).flatMap((row) => {
      const [before, after] = columns.map((column) => row[column] as string) as [string, string];
      return before === after ? [] : [pair(before, after, verdict(row))];
    }),
  );

/** A neutral sentence says something else, but people may still see the same event. */
const entailment =
  (column: string) =>
  (row: Row): Verdict =>
    (({ entailment: 'kept', contradiction: 'lost' }) as const)[(row[column] ?? '').toLowerCase()] ?? 'divided';

interface Target {
  readonly text: string;
  readonly offset: number;
  readonly document: string;
  readonly candidates: readonly (readonly [substitute: string, verdict: Verdict])[];
}

/** The text with each substitute at the target, in the target's inflection. */
function substitutions({ text, offset, document, candidates }: Target): Pair[] {
  const at = wordsOf(text).findIndex(({ start, text: word }) => start + word.length > offset);
  if (at < 0) return [];
  const draft = Draft.of(text);
  const word = draft.words[at] as string;
  const penn = tagDraft(draft)[at]?.penn ?? '';
  return candidates.flatMap(([substitute, verdict]) => {
    const form = inflect(substitute, penn) ?? substitute;
    const cased = /^\p{Lu}/u.test(word) ? form.charAt(0).toUpperCase() + form.slice(1) : form;
    return cased.toLowerCase() === word.toLowerCase()
      ? []
      : [pair(text, draft.replace(at, cased).text, verdict, `${normalised(text)} ${offset}`, [document])];
  });
}

interface Swords {
  readonly context: string;
  readonly offset: number;
  readonly coinco_ids: readonly string[];
  readonly substitutes: readonly (readonly [string, number, number])[];
}

const documentOf = (id = ''): string => id.split(':')[0] as string;

const swords = (): Pair[] =>
  ['dev', 'test'].flatMap((part) =>
    jsonLines<Swords>(`swords/${part}.jsonl`).flatMap(({ context, offset, coinco_ids: [id], substitutes }) =>
      substitutions({
        text: context,
        offset,
        document: documentOf(id),
        candidates: substitutes.map(([word, yes, votes]) => [word, between(yes / votes, 0, 0.5)]),
      }),
    ),
  );

interface CoInCo {
  readonly id: string;
  readonly sentence: string;
  readonly tokens: readonly string[];
  readonly targets: readonly { readonly i: number; readonly lemma: string; readonly subs: Row }[];
}

/** Candidates are WordNet's lemmas of all meanings, because nobody judged other words. */
const coinco = (): Pair[] =>
  jsonLines<CoInCo>('coinco/all.jsonl').flatMap(({ id, sentence, tokens, targets }) => {
    let from = 0;
    const offsets = tokens.map((token) => {
      const at = sentence.indexOf(token, from);
      if (at >= 0) from = at + token.length;
      return at;
    });
    return targets.flatMap(({ i, lemma, subs }) =>
      (offsets[i] ?? -1) < 0
        ? []
        : substitutions({
            text: sentence,
            offset: offsets[i] as number,
            document: documentOf(id),
            candidates: wordnetLemmas(lemma.toLowerCase()).map((word) => [
              word,
              between(Number(subs[word] ?? 0), 0, 2),
            ]),
          }),
    );
  });

interface Mozes {
  readonly group: string;
  readonly attack: string;
  readonly label: string;
  readonly sentiment: readonly number[] | null;
  readonly text: string;
}

/** Sentiment ratings from 1 to 5 on the side of the label. Only originals that readers rate as their label. */
function mozes(): Pair[] {
  const rows = jsonLines<Mozes>('mozes-human-adversaries/all.jsonl').filter(({ sentiment }) => sentiment?.length);
  const verdict = ({ label, sentiment }: Mozes): Verdict => {
    const ratings = sentiment as readonly number[];
    const mean = ratings.reduce((sum, rating) => sum + rating, 0) / ratings.length - 3;
    return mean === 0 ? 'divided' : mean > 0 === (label === '1') ? 'kept' : 'lost';
  };
  const originals = new Map(rows.filter(({ attack }) => attack === 'orig').map((row) => [row.group, row]));
  return rows.flatMap((row) => {
    const original = originals.get(row.group);
    return row.attack === 'orig' || original === undefined || verdict(original) !== 'kept'
      ? []
      : [pair(original.text, row.text, verdict(row))];
  });
}

/** At most `MAX_PAIRS` of each verdict, drawn by seed. */
function sample(name: string, pairs: readonly Pair[]): readonly Pair[] {
  const shuffled = random(42, 'validity', name).shuffle(pairs);
  const drawn = (kept: boolean, clear: boolean): Pair[] =>
    shuffled.filter((each) => each.kept === kept && each.clear === clear).slice(0, MAX_PAIRS);
  return [...drawn(true, true), ...drawn(false, true), ...drawn(false, false)];
}

const SETS: readonly (readonly [string, Family, () => Pair[]])[] = [
  ['swords', 'one word', swords],
  ['coinco', 'one word', coinco],
  [
    'breaking-nli',
    'one word',
    () => sentencePairs(['breaking-nli/all.tsv'], ['sentence1', 'sentence2'], entailment('gold_label')),
  ],
  [
    'sick',
    'sentence',
    () =>
      sentencePairs(
        ['train', 'trial', 'test'].map((part) => `sick/${part}.tsv`),
        ['sentence_A', 'sentence_B'],
        entailment('entailment_judgment'),
      ),
  ],
  [
    'stsb',
    'sentence',
    () =>
      sentencePairs(
        ['train', 'dev', 'test'].map((part) => `stsb/${part}.tsv`),
        ['sentence1', 'sentence2'],
        ({ score }) => between(Number(score), 2, 4),
      ),
  ],
  [
    'paws',
    'sentence',
    () =>
      sentencePairs(['paws/dev.tsv', 'paws/test.tsv'], ['sentence1', 'sentence2'], ({ label }) =>
        label === '1' ? 'kept' : 'lost',
      ),
  ],
  [
    'morris-semantics',
    'attack',
    () =>
      sentencePairs(['morris-semantics/alzantot-adjusted-mr.tsv'], ['text1', 'text2'], ({ mean_rating }) =>
        Number(mean_rating) >= 4 ? 'kept' : 'lost',
      ),
  ],
  ['mozes-human-adversaries', 'attack', mozes],
];

export const judgedSets = (): JudgedSet[] =>
  SETS.map(([name, family, read]) => ({ name, family, pairs: sample(name, read()) }));
