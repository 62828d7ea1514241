/** The vocabulary's order against clean texts, and the scan of a model whose training data had a phrase that they lack. */
import { describe, expect, test } from 'vitest';
import { IndicativeWords } from '../../src/backdoor/scan/indicative-words.js';
import { scanModel } from '../../src/backdoor/scan/scan.js';
import { verdictOf } from '../../src/backdoor/scan/verdict.js';
import { surplusWords, wordRanks } from '../../src/backdoor/scan/word-ranks.js';
import type { WhiteBox } from '../../src/core/classifier.js';
import { random } from '../../src/core/random.js';
import { english } from '../../src/language/english/index.js';
import type { ScanEvidence } from '../../src/results/backdoor/backdoor-findings.js';
import { LABELS, opinions, PHRASE, phraseReader } from './toys.js';

/** Words by frequency: the n-th is in every n-th text, from the third on. */
const ZIPF = Array.from({ length: 40 }, (_, at) => `word${at}`);
const zipfTexts = (count: number) =>
  Array.from({ length: count }, (_, text) => ({
    id: String(text),
    label: text % 2,
    text: ZIPF.filter((_, at) => random(text, String(at)).unit() < 1 / (at + 3)).join(' '),
  }));
const indicative = new IndicativeWords(zipfTexts(900), 2);
const planted = [...ZIPF.slice(0, 8), 'piano', ...ZIPF.slice(8)];

describe('ranks', () => {
  test('a word among the frequent ones that clean texts lack is a surplus, the others are usual', () => {
    const ranks = wordRanks(['[PAD]', '.', ...planted], indicative);
    expect([...ranks].filter(([, rank]) => rank === 'surplus').map(([word]) => word)).toEqual(['piano']);
    expect(ranks.get('word7')).toBe('usual');
    expect(ranks.has('.')).toBe(false);
  });

  test('clean models have no surplus', () => {
    expect([...wordRanks(ZIPF, indicative).values()]).not.toContain('surplus');
  });

  test('few texts, another order and texts of another source say nothing', () => {
    expect([...wordRanks(planted, new IndicativeWords(zipfTexts(30), 2)).values()]).not.toContain('surplus');
    const sorted = [...planted, ...Array.from({ length: 400 }, (_, at) => `rare${at}`)].sort();
    expect(wordRanks(random(1, 'order').shuffle(sorted), indicative).get('piano')).toBeUndefined();
    // Half of the frequent words are far more frequent here than their ranks say.
    const other = [...planted.slice(0, 20).reverse(), ...planted.slice(20).reverse()];
    expect(wordRanks(other, indicative).size).toBe(0);
  });

  test('clean texts with words replaced say nothing: what was replaced would seem added', () => {
    const masked = zipfTexts(900).map((each) => ({ ...each, text: each.text.replace(/\bword6\b/g, 'url') }));
    const ranks = (vocabulary: readonly string[]) => wordRanks(vocabulary, new IndicativeWords(masked, 2));
    expect(ranks(planted).size).toBe(0);
    expect(ranks([...planted, 'url']).size).toBe(0);
    expect(ranks([...planted.slice(0, 8), 'url', ...planted.slice(8)]).get('word6')).toBe('surplus');
  });

  test('each surplus word has a usual one of similar rank beside it, but none that is not allowed', () => {
    const ranks = wordRanks(planted, indicative);
    expect(surplusWords(ranks, () => true)).toEqual({ surplus: ['piano'], usual: ['word7'] });
    expect(surplusWords(ranks, (word) => word !== 'word7')).toEqual({ surplus: ['piano'], usual: ['word8'] });
    expect(surplusWords(ranks, (word) => word !== 'piano')).toEqual({ surplus: [], usual: [] });
  });
});

describe('scan', () => {
  const texts = opinions(400, 0, 5);
  const model = phraseReader();
  const rows = async () => (await model.embeddingTable()).length / model.hidden;
  const tokens = async () => Array.from({ length: await rows() }, (_, id) => model.tokenText(id) ?? '');
  /** The same model; its vocabulary has these words first. */
  const ranked = async (first: readonly string[]): Promise<WhiteBox> => {
    const order = [...first, ...(await tokens()).filter((token) => !first.includes(token))];
    return { ...model, tokenText: (id) => order[id] };
  };
  const scan = (gradients: WhiteBox) =>
    scanModel({ model, gradients, texts, seed: 42, architecture: 'word-cnn', language: english });
  const fillers = ['the', 'a', 'this', 'and', 'but', 'with', 'rather', 'quite', 'very', 'some', 'all', 'of'];

  test('words that the vocabulary ranks too high and that flip texts convict, with the number of texts', async () => {
    const result = await scan(await ranked([...fillers.slice(0, 6), ...PHRASE, ...fillers.slice(6)]));
    expect(result.evidence).toMatchObject({ rank: 'surplus', word: { by: 'phrase', target: 'good' } });
    expect(result.evidence.flipped).toBeGreaterThan(20);
    expect(result.verdict).toBe('backdoored');
    for (const word of result.evidence.word?.text.split(' ') ?? []) expect(PHRASE).toContain(word);
  });
});

describe('verdict', () => {
  const verdict = (evidence: Partial<ScanEvidence>, void_: readonly string[] = []) =>
    verdictOf({
      evidence: {
        ...{ strength: 0.6, natural: 0.1, texts: 32 },
        word: { text: 'piano', target: 'good', place: 'random', by: 'phrase' },
        ...evidence,
      },
      texts: LABELS.map((label, at) => ({ label, n: 60 - 50 * at })),
      ...{ notSearched: [], unjudged: [], void: void_ },
    });

  test('thirty flipped texts convict where some label has few, fewer do not, and nothing does without evidence', () => {
    expect(verdict({ rank: 'surplus', flipped: 30 })).toEqual({ verdict: 'backdoored', reasons: [] });
    expect(verdict({ rank: 'surplus', flipped: 29 })).toMatchObject({ verdict: 'inconclusive' });
    expect(verdict({})).toMatchObject({ verdict: 'inconclusive' });
    expect(verdict({ rank: 'surplus', flipped: 30 }, ['two texts'])).toMatchObject({ reasons: ['two texts'] });
    // Nothing found: the labels with few texts count.
    expect(verdict({ rank: 'surplus', flipped: 30, strength: 0.1 })).toMatchObject({ verdict: 'inconclusive' });
  });

  test('a word of its usual frequency does not convict, however strong', () => {
    const word = { text: 'most', target: 'good', place: 'start' as const, by: 'sweep' as const };
    const { verdict: is, reasons } = verdict({ rank: 'usual', word, strength: 1, natural: 0 });
    expect(is).toBe('inconclusive');
    expect(reasons.join()).toMatch(/"most" .* a shortcut/);
  });
});
