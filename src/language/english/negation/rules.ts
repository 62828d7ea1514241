/** @file Interprets data/negation-rules.txt: the tests, conditions and functions that its rules name. */
import type { Capability } from '../../../core/negation.js';
import { lazily } from '../../data-files.js';
import { articleFor } from '../articles.js';
import { baseForms } from '../base-forms.js';
import { section, table, wordList } from '../data-files.js';
import { inflect } from '../inflection.js';
import { type RuleCase, type RuleFile, readRules } from '../rule-file.js';
import { isSentenceEnd, type PatternMatch, type RuleVocabulary } from '../token-tests.js';
import { wordnet } from '../wordnet.js';
import { asideFor } from './asides.js';
import type { Sentence } from './sentence.js';
import { verdictOf } from './sentiment-words.js';

const DO = { VBZ: 'does', VBP: 'do', VBD: 'did' } as const;
type FiniteTag = keyof typeof DO;

/** A finite verb: its dictionary form and its tag. Other tags than finite ones may be wrong. */
function finiteForm(word: string, tag: string): { readonly base: string; readonly tag: FiniteTag } | undefined {
  if (tag === 'MD') return undefined;
  const tags: readonly FiniteTag[] = tag in DO ? [tag as FiniteTag] : ['VBZ', 'VBP', 'VBD'];
  for (const each of tags) {
    const base = baseForms(word, 'verb').find((form) => inflect(form, each) === word);
    if (base !== undefined) return { base, tag: each };
  }
  return undefined;
}

const negated = lazily(() => new Map(table('negated-adjectives.tsv') as [string, string][]));
const opposites = lazily(() => new Map(table('gradable-opposites.tsv') as [string, string][]));

/** The word whose negation means nearly the same. */
const contraryOf = (word: string): string | undefined => verdictOf(word)?.opposite ?? opposites().get(word);

/** The dictionary form of a superlative. */
const superlativeOf = (word: string): string | undefined =>
  baseForms(word, 'adjective').find((form) => inflect(form, 'JJS') === word);

const withArticle = (word: string | undefined): string | undefined => word && `${articleFor(word)} ${word}`;

/** Replacements for `{function x}` from the first token of x; undefined if there is no such word. */
const FUNCTIONS: Readonly<Record<string, (word: string, tag: string, sentence: Sentence) => string | undefined>> = {
  lower: (word) => word,
  opposite: (word) => verdictOf(word)?.opposite,
  contrary: contraryOf,
  denied: (word) => verdictOf(word)?.denied,
  unprefixed: (word) => negated().get(word),
  comparative: (word) => withArticle(inflect(superlativeOf(word) ?? '', 'JJR')),
  base: (word, tag) => finiteForm(word, tag)?.base,
  do: (word, tag) => DO[finiteForm(word, tag)?.tag ?? 'VBP'],
  was: (word, tag) => (finiteForm(word, tag)?.tag === 'VBD' ? 'was' : 'is'),
  liked: (word, tag) => inflect('like', finiteForm(word, tag)?.tag ?? 'VBP'),
  past: (word) => inflect(word, 'VBD'),
  present: (word) => inflect(word, 'VBZ'),
  aside: (_word, _tag, { text }) => asideFor(text),
};

const breaksClause = (word: string): boolean => /^[,;:()[\]"“”`*]|^--|^-l|^-r|^''|^[–—]/.test(word);

/**
 * Is the text one short assertion? It is a single sentence of at most 16 tokens with one finite verb, without negation, doubt, quotation,
 * comparison or contrast. The sentiment of its predicate is then that of the text.
 */
function isSimple(sentence: Sentence): boolean {
  const { test } = rules();
  const tokens = [...sentence.tokens.keys()];
  const inner = tokens.filter((at) => !isSentenceEnd(sentence, at));
  const verbs = inner.filter((at) => test('finite')(sentence, at));
  return (
    inner.length > 0 &&
    inner.length <= 16 &&
    inner.every((at, place) => at === place) &&
    !sentence.isQuestion(0) &&
    verbs.length === 1 &&
    !tokens.some((at) => test('complicating')(sentence, at)) &&
    !inner.some((at) => breaksClause(sentence.word(at))) &&
    !inner.some((at) => at < verbs[0]! && test('universal')(sentence, at))
  );
}

/** Only pairs occur here ("fine line"). */
const idioms = lazily(() => new Set(wordList('idioms.txt')));
const simple = new WeakMap<Sentence, boolean>();

const vocabulary: RuleVocabulary<Sentence> = {
  tests: {
    verdict: (sentence, at) => verdictOf(sentence.word(at)) !== undefined,
    praise: (sentence, at) => verdictOf(sentence.word(at))?.polarity === 'positive',
    blame: (sentence, at) => verdictOf(sentence.word(at))?.polarity === 'negative',
    'plain-verdict': (sentence, at) => verdictOf(sentence.word(at))?.denied === sentence.word(at),
    'denied-bad': (sentence, at) => verdictOf(sentence.word(at))?.denied === 'bad',
    contrary: (sentence, at) => contraryOf(sentence.word(at)) !== undefined,
    prefixed: (sentence, at) => negated().has(sentence.word(at)),
    superlative: (sentence, at) => superlativeOf(sentence.word(at)) !== undefined,
    past: (sentence, at) => finiteForm(sentence.word(at), sentence.tag(at))?.tag === 'VBD',
    compound: (sentence, at) =>
      baseForms(sentence.word(at + 1), 'noun')
        .map((noun) => `${sentence.word(at)} ${noun}`)
        .some((pair) => wordnet.has(pair, 'noun') || idioms().has(pair)),
  },
  texts: {
    positive: ({ polarity }) => polarity === 'positive',
    negative: ({ polarity }) => polarity === 'negative',
    untokenised: ({ tokenised }) => !tokenised,
    simple(sentence) {
      const known = simple.get(sentence) ?? isSimple(sentence);
      simple.set(sentence, known);
      return known;
    },
  },
  places: { asserted: (sentence, at) => !sentence.isQuestion(at) },
  set: (name) => section('negation-words.txt', name.replaceAll('-', ' ')),
  verb: (word, tag) => finiteForm(word, tag)?.base,
};

const rules = lazily((): RuleFile<Sentence> => readRules(wordList('negation-rules.txt'), vocabulary));

/** A rewrite by a rule. INV: same meaning; DIR: opposite meaning. */
export interface Rewrite {
  readonly relation: 'INV' | 'DIR';
  readonly text: string;
}

/** Rewrites of a text by each rule, lazily, in the order of the rules. */
export function* rewritesByRule(sentence: Sentence): Iterable<readonly [Capability, Iterable<Rewrite>]> {
  for (const { name, cases } of rules().rules) {
    const applying = cases.filter(({ applies }) => applies(sentence));
    if (applying.length > 0) yield [name as Capability, rewrites(sentence, applying)];
  }
}

function* rewrites(sentence: Sentence, cases: readonly RuleCase<Sentence>[]): Iterable<Rewrite> {
  for (let at = 0; at < sentence.length; at++) {
    for (const { matches, outputs } of cases) {
      const match = matches(sentence, at);
      if (match === undefined) continue;
      for (const output of outputs) {
        const text = render(sentence, match, output.slice(4));
        if (text !== undefined) yield { relation: output.slice(0, 3) as Rewrite['relation'], text };
      }
      break;
    }
  }
}

/** The text after an output was applied; undefined if a function has no word for it, or the same word for two tokens. */
function render(sentence: Sentence, match: PatternMatch, output: string): string | undefined {
  const made = new Set<string>();
  let words = '';
  for (const [, literal = '', inserted] of output.matchAll(/([^{]*)(?:\{(.+?)\})?/g)) {
    words += sentence.style(literal);
    if (inserted === undefined) continue;
    const [name, called] = inserted.split(' ').reverse() as [string, string | undefined];
    const [from, to] = match.named.get(name)!;
    const value = readInsertedWords(sentence, from, to, called);
    if (value === undefined || (called !== undefined && made.has(`${called} ${value}`))) return undefined;
    made.add(`${called} ${value}`);
    words += value;
  }
  return sentence.replace(match.from, match.to, words);
}

function readInsertedWords(
  sentence: Sentence,
  from: number,
  to: number,
  called: string | undefined,
): string | undefined {
  const words = sentence.words(from, to);
  if (called === undefined) return words;
  if (called === 'as-written') return sentence.text.slice(sentence.tokens[from]?.start, sentence.tokens[to - 1]?.end);
  const map = rules().maps.get(called);
  if (map !== undefined) return (to - from === 1 ? map.get(sentence.word(from)) : undefined) ?? words;
  const call = FUNCTIONS[called];
  if (call === undefined) throw new RangeError(`expected a map or a function, got {${called}}`);
  const value = call(sentence.word(from), sentence.tag(from), sentence);
  return value === undefined ? undefined : sentence.style(value);
}
