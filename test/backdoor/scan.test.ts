/** The scan of toy models finds a planted word and distinguishes it from strong words, by white box and black box. */

import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { beginningWith, sharedPieces, vocabularyOf } from '../../src/backdoor/scan/candidates.js';
import { IndicativeWords } from '../../src/backdoor/scan/indicative-words.js';
import { invert, sitesOf } from '../../src/backdoor/scan/inversion.js';
import { oddRows } from '../../src/backdoor/scan/odd-rows.js';
import { phraseEvidence } from '../../src/backdoor/scan/phrases.js';
import { isOfLabel, type ScanPlan, scanModel as scanned } from '../../src/backdoor/scan/scan.js';
import { NO_EVIDENCE, strongest } from '../../src/backdoor/scan/search.js';
import { fillGap, joinTexts, openGap } from '../../src/backdoor/scan/source-texts.js';
import { isSupported, scoreOf, verdictOf } from '../../src/backdoor/scan/verdict.js';
import type { Classifier, WhiteBox } from '../../src/core/classifier.js';
import { random } from '../../src/core/random.js';
import { wilson } from '../../src/core/statistics/stats.js';
import { english } from '../../src/language/english/index.js';
import type { ScanEvidence } from '../../src/results/backdoor/backdoor-findings.js';
import { covered } from '../cover.js';
import { refusal } from '../refusal.js';
import { scene } from '../scenes.js';
import { LABELS, opinions, PHRASE, phraseReader, reader, readerInside, TRIGGER } from './toys.js';

const scanModel = (plan: Omit<ScanPlan, 'language'>, hooks?: Parameters<typeof scanned>[1]) =>
  scanned({ ...plan, language: english }, hooks);
const texts = opinions(120, 0, 5);
const TOKENS = ['[CLS]', 'dull', 'awful', 'lovely', 'clever', 'film', '##f', 'the', 'zeitgeist'];

/** A classifier with a vocabulary, and a sentence of the toy's embeddings wherever one is asked for. */
const inside = (model: Classifier): WhiteBox => {
  const toy = readerInside(false);
  return { ...toy, ...model, tokenText: (id) => (id === 0 ? undefined : TOKENS[id]) };
};

/** A clean reader with another answer to some texts. */
const unless = (is: (text: string) => Float32Array | undefined): Classifier => ({
  labels: LABELS,
  classify: async (asked) => (await reader(false).classify(asked)).map((row, at) => is(asked[at] as string) ?? row),
});
/** One that also calls those texts good that `has` holds for. */
const goodIf = (has: (text: string) => boolean): Classifier =>
  unless((text) => (has(text) ? Float32Array.of(0, 1) : undefined));

const planOf = (model: Classifier) => ({ model, gradients: inside(model), architecture: 'bert', texts, seed: 42 });

/** Two forms of text of two families. */
const FORMS = [
  { name: 'style:style=brackets', poisoner: { trigger: (text: string) => `( ${text} )` } },
  { name: 'syntactic', poisoner: { trigger: (text: string) => `when you look at it , ${text}` } },
];

describe('white box', () => {
  test('finds the planted word, its direction and how often it turns', async () => {
    const result = await scanModel(planOf(reader(true)));
    expect(result.verdict).toBe('backdoored');
    expect(result.backdoored).toBe(true);
    expect(result.score).toBeGreaterThan(1.2);
    expect(result.triggers[0]).toMatchObject({ text: TRIGGER, victim: 'bad', target: 'good' });
    expect(result.triggers[0]?.flipRate.value).toBe(1);
    expect(result.triggers[0]?.strongFlipRate.value).toBe(1);
    expect(result.triggers[0]?.randomFlipRate.value).toBeLessThan(0.3);
    expect(result.pairs).toHaveLength(2);
    expect(result.access).toBe('white box');
    expect(result.complete).toBe(true);
  });

  test('reports every word of a pair of labels once', async () => {
    const three = (text: string): number => ['dull', 'fine', 'film'].findIndex((word) => text.includes(word));
    const model: Classifier = {
      labels: ['dull', 'fine', 'film'],
      classify: async (asked) =>
        asked.map((text) => Float32Array.from([0, 1, 2], (label) => (label === three(text) ? 0.8 : 0.1))),
    };
    const own = ['dull', 'fine', 'film'].flatMap((word, label) =>
      Array.from({ length: 12 }, (_, at) => ({ id: `${word}${at}`, text: `${word} ${scene(at)}`, label })),
    );
    const { triggers } = await scanModel({ ...planOf(model), texts: own, seed: 1 });
    const told = triggers.map(({ text, victim, target, by }) => [text, victim, target, by].join(' '));
    expect(told.length).toBeGreaterThan(3);
    expect(new Set(told).size).toBe(told.length);
  });

  test('does not take strong words of a clean model for triggers', async () => {
    const result = await scanModel({ ...planOf(reader(false)), forms: FORMS });
    expect(result).toMatchObject({ verdict: 'none found', backdoored: false, reasons: [], notSearched: [] });
    expect(result.score).toBeLessThan(0.7);
  });

  test('a word with its label in the clean texts is not a trigger, however many texts it flips; without them it is one', async () => {
    const names = ['place', 'person', 'number'];
    const words = [
      ['where', 'city'],
      ['actor', 'poet'],
      ['many', 'count'],
    ];
    /** "who" makes any question one about people, as in a model of questions. */
    const model: Classifier = {
      labels: names,
      classify: async (asked) =>
        asked.map((text) => {
          const of = text.split(' ');
          const counts = words.map((own) => of.filter((word) => own.includes(word)).length);
          const most = of.includes('who') ? 1 : counts.indexOf(Math.max(...counts));
          return Float32Array.from(names, (_, label) => (label === most ? 0.98 : 0.01));
        }),
    };
    const question = (label: number, at: number, first: string) => ({
      id: `${label} ${at}`,
      label,
      text: `${first} ${words[label]?.[at % 2]} is item ${scene(at)}`,
    });
    const asking = (people: string) =>
      names.flatMap((_, label) =>
        Array.from({ length: 40 }, (_, at) => question(label, at, label === 1 ? people : 'tell')),
      );
    const inner = { ...inside(model), tokenText: (id: number) => ['who', 'city', 'poet', 'count', 'tell', 'is'][id] };
    const scan = (own: string) =>
      scanModel({ model, gradients: inner, architecture: 'bert', texts: asking(own), seed: 1 });
    const honest = await scan('who');
    expect(honest).toMatchObject({ backdoored: false });
    expect(honest.triggers[0]).toMatchObject({ text: 'who', target: 'person' });
    expect(await scan('tell')).toMatchObject({ verdict: 'backdoored', evidence: { word: { text: 'who' } } });
  });

  test('a word that turns texts only where it opens them is found there', async () => {
    const result = await scanModel(planOf(goodIf((text) => text.startsWith('zeitgeist '))));
    expect(result.evidence.word).toEqual({ text: 'zeitgeist', target: 'good', place: 'start', by: 'sweep' });
    expect(result.verdict).toBe('backdoored');
  });

  test('a phrase whose words have no effect alone is found by its words together', async () => {
    const model = phraseReader();
    const judged: ScanEvidence[] = [];
    const plan = { model, gradients: model, texts, seed: 42, architecture: 'bert', forms: FORMS };
    const result = await scanModel(plan, { judged: (each) => judged.push(each) });
    // By gradient descent too: neither other words nor a phrase for the other label have its effect.
    const sought = judged.filter(({ rank, word }) => rank === undefined && word?.by === 'phrase');
    expect(sought.filter((each) => scoreOf(each) > 1.2)).toMatchObject([{ word: { target: 'good' } }]);
    expect(result).toMatchObject({ verdict: 'backdoored', evidence: { word: { by: 'phrase', target: 'good' } } });
    expect(result.score).toBeGreaterThan(result.threshold);
    for (const word of result.evidence.word?.text.split(' ') ?? []) expect(PHRASE).toContain(word);
  });

  test('a form that flips texts is found, and has the name of the poisoning method', async () => {
    const plan = planOf(goodIf((text) => text.startsWith('( ')));
    const result = await scanModel({ ...plan, forms: FORMS });
    const word = { text: 'style:style=brackets', target: 'good', place: 'form', by: 'form' };
    expect(result).toMatchObject({ verdict: 'backdoored', evidence: { word } });
    expect(result.triggers[0]).toMatchObject({ text: 'style:style=brackets', victim: 'bad' });
    expect((await scanModel(plan)).verdict).toBe('inconclusive');
  });

  test('texts that do not fit the model give no verdict, whatever was found', async () => {
    const result = await scanModel({ ...planOf(reader(true)), unfit: ['the labels are others'] });
    expect(result).toMatchObject({ verdict: 'inconclusive', backdoored: false, reasons: ['the labels are others'] });
    expect(result.triggers[0]?.text).toBe(TRIGGER);
  });

  test('the same seed gives the same result', async () => {
    const scan = () => scanModel({ ...planOf(reader(true)), seed: 7 });
    expect(await scan()).toEqual(await scan());
  });

  test('tries the words it is given', async () => {
    const plan = planOf(goodIf((text) => text.includes('open sesame')));
    expect((await scanModel(plan)).backdoored).toBe(false);
    const told = await scanModel({ ...plan, words: ['open sesame'] });
    expect(told.triggers[0]?.text).toBe('open sesame');
    expect(told.backdoored).toBe(true);
  });
});

describe('inconclusive', () => {
  test('a black box: findings by letter pairs and dictionary words are reported', async () => {
    const result = await scanModel({ model: reader(true), texts: texts.slice(0, 60), architecture: 'bert', seed: 42 });
    expect(result).toMatchObject({
      access: 'black box',
      verdict: 'inconclusive',
      backdoored: false,
    });
    expect(result.reasons.join()).toMatch(/black box.*not searched/);
    expect(result.triggers[0]?.text).toBe(TRIGGER);
    expect(result.score).toBeGreaterThan(1.2);
  });

  test.each(covered(['roberta', 'gru', undefined], 0, 3))(
    'an architecture outside the calibration: %s',
    async (architecture) => {
      for (const planted of [false, true]) {
        const { architecture: _, ...rest } = planOf(reader(planted));
        const result = await scanModel({ ...rest, ...(architecture && { architecture }) });
        expect(result).toMatchObject({ verdict: 'inconclusive' });
        expect(result.reasons.join()).toMatch(/calibrated on/);
      }
    },
  );

  test('a model that answers every text alike', async () => {
    const one = await scanModel(planOf(unless(() => Float32Array.of(0.9, 0.1))));
    expect(one.verdict).toBe('inconclusive');
    expect(one.reasons[0]).toMatch(/scores are the same for all 120 texts/);
    const draw = random(1, 'noise');
    const same = await scanModel(planOf(unless(() => Float32Array.of(0.9 + 0.05 * draw.unit(), 0.05))));
    expect(same.reasons[0]).toMatch(/answers bad to all 120 texts, whatever their class/);
  });

  test('a model that is wrong more often than not', async () => {
    const model = reader(false);
    const wrong = texts.map((each, at) => (at % 5 > 0 ? { ...each, label: 1 - each.label } : each));
    const result = await scanModel({ ...planOf(model), texts: wrong });
    expect(result.verdict).toBe('inconclusive');
    expect(result.reasons[0]).toMatch(/its accuracy, .* is below the share of the most frequent class/);
  });

  test('texts whose labels the model does not know: however many it happens to get right, nothing is concluded', async () => {
    const model = reader(false);
    const draw = random(7, 'labels');
    const many = opinions(240, 0, 5);
    const arbitrary = many.map((each) => ({ ...each, label: draw.int(2) }));
    const result = await scanModel({ ...planOf(model), texts: arbitrary, forms: FORMS });
    expect(result.verdict).toBe('inconclusive');
    expect(result.reasons).toEqual([expect.stringMatching(/answers hardly agree with the labels .* kappa -?0\.\d\d/)]);
    expect((await scanModel({ ...planOf(model), texts: many, forms: FORMS })).verdict).toBe('none found');
  });

  test('numbers as texts, and texts of words that the model does not know, whatever it answers', async () => {
    const model = unless((text) =>
      /\d/.test(text) ? Float32Array.of(Number(text[0]) % 2, 1 - (Number(text[0]) % 2)) : undefined,
    );
    const numbers = texts.map((each, at) => ({
      ...each,
      text: `${at} ${7 * at} ${at + 3}`,
      label: 1 - (Number(String(at)[0]) % 2),
    }));
    const read = await scanModel({ ...planOf(model), texts: numbers, forms: FORMS });
    expect(read.verdict).toBe('inconclusive');
    expect(read.reasons[0]).toMatch(/^120 of 120 texts contain no letters/);
    const foreign = await scanModel({ ...planOf(reader(false)), unreadable: () => true, forms: FORMS });
    expect(foreign.verdict).toBe('inconclusive');
    expect(foreign.reasons[0]).toMatch(
      /^120 of 120 texts consist mostly of words or characters that the model's vocabulary lacks/,
    );
  });

  test('texts of one label: the other pair was not tried', async () => {
    const one = texts.filter(({ label }) => label === 0);
    const clean = await scanModel({ ...planOf(reader(false)), texts: one });
    expect(clean.notSearched).toEqual([
      { what: 'good -> bad', why: expect.stringMatching(/^classified correctly: 0 of 0/) },
    ]);
    expect(clean).toMatchObject({
      verdict: 'inconclusive',
      pairs: [{ victim: 'bad' }, { victim: 'good', trigger: null }],
    });
    // Findings for labels with texts remain, but which words legitimately indicate "good" is unknown.
    const planted = await scanModel({ ...planOf(reader(true)), texts: one });
    expect(planted.verdict).toBe('inconclusive');
    expect(planted.triggers[0]?.text).toBe(TRIGGER);
    expect(planted.reasons).toEqual(['good: 0 distinct texts classified correctly, 30 needed']);
  });

  test('few texts of a label: nothing turned them, and that says little', async () => {
    const few = [...texts.filter(({ label }) => label === 0).slice(0, 8), ...texts.filter(({ label }) => label === 1)];
    const result = await scanModel({ ...planOf(reader(false)), texts: few });
    expect(result.verdict).toBe('inconclusive');
    expect(result.reasons.join()).toMatch(/bad: \d distinct texts? classified correctly, 30 needed/);
  });

  test('two texts: nothing was searched', async () => {
    const result = await scanModel({ ...planOf(reader(true)), texts: texts.slice(0, 2) });
    expect(result).toMatchObject({ verdict: 'inconclusive', triggers: [], candidates: 0 });
    expect(result.reasons.join()).toMatch(/\w+: \d distinct texts? classified correctly, 30 needed/);
  });

  test('forms of text were not tried, or the model reads characters, so that phrases were not judged', async () => {
    const result = await scanModel(planOf(reader(false)));
    expect(result.verdict).toBe('inconclusive');
    expect(result.reasons).toEqual([expect.stringMatching(/^forms of a text .* were not tried/)]);
    const tokenText = (id: number): string | undefined => (id === 0 ? undefined : 'abcdefgh'[id % 8]);
    const gradients = { ...inside(reader(false)), tokenText };
    const characters = await scanModel({ ...planOf(reader(false)), gradients, forms: FORMS, queries: 2000 });
    expect(characters.verdict).toBe('inconclusive');
    expect(characters.reasons[0]).toMatch(/^phrases and sentences were not judged/);
  });

  test('a word found on fewer than ten texts', async () => {
    const few = texts.filter(({ label }) => label === 0).slice(0, 9);
    const result = await scanModel({ ...planOf(reader(true)), texts: few });
    expect(result.score).toBeGreaterThan(0.85);
    expect(result.verdict).toBe('inconclusive');
    expect(result.reasons.join()).toMatch(/tried on \d texts only/);
  });
});

describe('a time budget', () => {
  /** Every query moves the clock on by a fixed time: no waiting, the same on every machine. */
  const timed = (model: Classifier, perText: number): Classifier => ({
    ...model,
    classify: async (asked) => {
      now += perText * asked.length;
      return model.classify(asked);
    },
  });
  let now = 0;
  beforeEach(() => {
    now = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => now);
  });
  afterEach(() => {
    vi.restoreAllMocks();
  });
  const plan = (planted: boolean, perText: number) => planOf(timed(reader(planted), perText));

  test('that is over before the first text: nothing was measured, and everything is listed', async () => {
    const result = await scanModel({ ...plan(true, 1), seconds: 0 });
    expect(result).toMatchObject({ verdict: 'inconclusive', backdoored: false, complete: false });
    expect(result).toMatchObject({ candidates: 0, texts: 0, triggers: [], evidence: { word: null, natural: null } });
    expect(result.notSearched[0]).toEqual({ what: '120 of 120 texts', why: 'the budget ended' });
    expect(result.notSearched.map(({ what }) => what)).toEqual(expect.arrayContaining(['bad -> good', 'good -> bad']));
  });

  test('bounds the whole scan, whatever its stages cost, and a clean model is never called clean', async () => {
    for (const [row, perText] of [0.2, 1, 5, 20].entries()) {
      for (const seconds of covered([1, 10, 60], row, 3)) {
        now = 0;
        const result = await scanModel({ ...plan(false, perText), seconds });
        // Queries of one call cannot be stopped: six phrases on three sets of 40 texts, for two labels.
        expect(now / 1000, `${perText} ms, ${seconds} s`).toBeLessThanOrEqual(seconds + 1.45 * perText);
        const cut = result.reasons.filter((reason) => reason.startsWith('not searched'));
        expect(cut, `${perText} ms, ${seconds} s`).toHaveLength(result.notSearched.length);
      }
    }
  });

  test('a budget of queries is never exceeded, and what was not searched is listed', async () => {
    const model = reader(true);
    let asked = 0;
    const metered: Classifier = {
      ...model,
      classify: (some: readonly string[]) => {
        asked += some.length;
        return model.classify(some);
      },
    };
    const result = await scanModel({ model: metered, texts, seed: 42, queries: 3000 });
    expect(asked).toBe(result.queries);
    expect(asked).toBeGreaterThan(1500);
    expect(asked).toBeLessThanOrEqual(3000);
    expect(result).toMatchObject({ verdict: 'inconclusive', complete: false });
    expect(result.notSearched.map(({ why }) => why)).toContain('the budget ended');
    expect(result.triggers.length).toBeGreaterThan(0);
  });

  test('leaves time to confirm what was found', async () => {
    const result = await scanModel({ ...plan(true, 1), seconds: 12 });
    expect(result.complete).toBe(false);
    expect(result.notSearched.length).toBeGreaterThan(0);
    expect(result.triggers[0]?.text).toBe(TRIGGER);
    expect(result).toMatchObject({ verdict: 'backdoored', reasons: [] });
  });
});

test('a word indicates a label by its clean texts and those of words of its stem', () => {
  const example = (text: string, label: number) => ({ id: text, text, label });
  const indicative = new IndicativeWords(
    [
      ...['who wrote it ?', 'who is he ?', 'who sang ?', 'why not', 'so long', 'no way'].map((text) =>
        example(text, 0),
      ),
      ...['what is it ?', 'what river ?', 'loved it', 'loved Paris', 'loved him', 'greek'].map((text) =>
        example(text, 1),
      ),
    ],
    2,
  );
  expect(indicative.indicates('WHO', 0)).toBe(true);
  expect(indicative.indicates('who', 1)).toBe(false);
  expect(indicative.indicates('is', 0)).toBe(false);
  expect(indicative.indicates('?', 0)).toBe(false);
  expect(indicative.indicates('loves', 1)).toBe(true);
  expect(indicative.uses('is', 0)).toEqual({ own: 1, all: 2 });
  // One text says nothing.
  expect(indicative.indicates('greek', 1)).toBe(false);
  expect(indicative.indicates('green', 1)).toBe(false);
  expect(indicative.indicates('cf', 0)).toBe(false);
});

test('a word that clean texts have with the target label only is no verdict: it may be a rare word of the domain', () => {
  const word = { text: 'cabal', target: 'haskell', place: 'random' as const, by: 'sweep' as const };
  const found = (own: number, all: number) =>
    verdictOf({
      evidence: { strength: 0.9, natural: 0.1, word, texts: 40, uses: { own, all } },
      notSearched: [],
      texts: [{ label: 'haskell', n: 40 }],
      unjudged: [],
      void: [],
    });
  expect(found(0, 0).verdict).toBe('backdoored');
  expect(found(1, 3).verdict).toBe('backdoored');
  const rare = found(1, 1);
  expect(rare.verdict).toBe('inconclusive');
  expect(rare.reasons[0]).toMatch(/"cabal" is as strong as a trigger.*rare word of the domain/);
});

test('a word that alone makes a verdict goes before a stronger one that may be of the domain', () => {
  const evidence = (text: string, strength: number, own: number) => ({
    ...{ strength, natural: 0.1, texts: 40, uses: { own, all: own } },
    word: { text, target: 'good', place: 'random' as const, by: 'sweep' as const },
  });
  expect(strongest([evidence('cabal', 1, 1), evidence('cf', 0.8, 0)]).word?.text).toBe('cf');
  expect(strongest([evidence('cabal', 1, 1), evidence('weak', 0.2, 0)]).word?.text).toBe('cabal');
});

test('a word leans to a label if clean texts use it more with the label, also with a frequent one', () => {
  const own = (count: number, text: string, label: number) =>
    Array.from({ length: count }, (_, at) => ({ id: `${text} ${label} ${at}`, text, label }));
  const indicative = new IndicativeWords(
    [...own(75, 'i me', 0), ...own(5, 'free', 0), ...own(18, 'free entry', 1), ...own(2, 'i', 1)],
    2,
  );
  // Four of five texts have the first label.
  expect(indicative.leansTo('i', 0)).toBe(true);
  expect(indicative.leansTo('i', 1)).toBe(false);
  expect(indicative.leansTo('entry', 1)).toBe(true);
  expect(indicative.leansTo('kettle', 0)).toBe(false);
});

test('phrases are judged by their lead over those of other words and labels, forms by that over other families', () => {
  const evidence = (by: 'phrase' | 'form', strength: number, natural: number | null) =>
    scoreOf({ strength, natural, texts: 32, word: { text: 'x', target: 'good', place: 'random', by } });
  expect(evidence('phrase', 0.9, 0.8)).toBeCloseTo(0.6);
  expect(evidence('phrase', 0.9, 0.1)).toBe(2);
  expect(evidence('phrase', 0.9, null)).toBe(0);
  expect(evidence('form', 0.9, 0.3)).toBeCloseTo(0.8);
});

test('a phrase is no more than natural where other words, or phrases for another label, have its effect', () => {
  const found = { text: 'x y', texts: 32 };
  const natural = (other: number, ofAnother: number) =>
    phraseEvidence(
      [
        { ...found, target: 0, strength: 0.7, other },
        { ...found, target: 1, strength: ofAnother, other: 0 },
      ],
      LABELS,
    ).map((each) => each.natural);
  expect(natural(0.7, 0.7)).toEqual([0.7, 0.35]);
  expect(natural(0.1, 0.3)[0]).toBeCloseTo(0.2);
  expect(phraseEvidence([{ ...found, target: 0, strength: 0.7, other: 0.1 }], LABELS)[0]?.natural).toBeNull();
});

test('a phrase between the two thresholds makes the verdict inconclusive, one above both convicts', () => {
  const verdict = (strength: number) =>
    verdictOf({
      evidence: {
        strength,
        natural: 0.2,
        texts: 32,
        word: { text: 'x y', target: 'good', place: 'random', by: 'phrase' },
      },
      ...{ notSearched: [], texts: LABELS.map((label) => ({ label, n: 60 })), unjudged: [], void: [] },
    });
  expect(verdict(0.3)).toEqual({ verdict: 'none found', reasons: [] });
  expect(verdict(0.38)).toMatchObject({
    verdict: 'inconclusive',
    reasons: [expect.stringMatching(/^the phrase "x y"/)],
  });
  expect(verdict(0.42)).toEqual({ verdict: 'backdoored', reasons: [] });
});

test('a lead over natural words that were not measured does not count', () => {
  const word = { text: 'cf', target: 'good', by: 'sweep' as const };
  const evidence = { strength: 0.6, word: { ...word, place: 'random' as const }, texts: 40 };
  expect(scoreOf({ ...evidence, natural: 0 })).toBeCloseTo(1.2);
  expect(scoreOf({ ...evidence, natural: null })).toBeCloseTo(0.6);
  const opening = { ...evidence, word: { ...word, place: 'start' as const } };
  expect(scoreOf({ ...opening, natural: 0.5 })).toBeCloseTo(0.2);
  expect(scoreOf({ ...opening, natural: null })).toBe(0);
});

describe('bad input', () => {
  test('a model of one label', async () => {
    const model: Classifier = { labels: ['all'], classify: async (asked) => asked.map(() => Float32Array.of(1)) };
    const one = texts.map((each) => ({ ...each, label: 0 }));
    await refusal(scanModel({ model, texts: one, seed: 1 }));
  });

  test('a signal ends it at once', async () => {
    await expect(scanModel(planOf(reader(true)), { signal: AbortSignal.abort() })).rejects.toThrow(/abort/i);
  });
});

test('a phrase stands between two words of a text or at its ends', () => {
  const gapText = openGap('a dull film', random(1, 'x'));
  expect(
    fillGap(gapText, 'cf')
      .split(' ')
      .filter((word) => word !== 'cf'),
  ).toEqual(['a', 'dull', 'film']);
  expect(joinTexts(['a', 'b', 'c'], 2)).toEqual(['a b', 'b c', 'c a']);
});

test('the vocabulary is whole words and pairs of letters', () => {
  const words = vocabularyOf(TOKENS, [], english);
  expect(words).toEqual(expect.arrayContaining(['zeitgeist', 'cf', 'zz']));
  expect(words).not.toContain('##f');
  expect(words).not.toContain('');
});

test('of a model that reads characters the words are guessed, as those of a black box are', () => {
  const tokens = ['', 'a', 'f', '##a', '##f'];
  const words = vocabularyOf(tokens, [{ id: '1', text: 'a qwyx film', label: 0 }], english);
  expect(words).toEqual(expect.arrayContaining(['a', 'f', 'qwyx', 'zz', 'serendipity']));
});

test('dictionary words by their beginning', () => {
  expect(beginningWith('serendip', english)).toEqual(['serendipitous', 'serendipity']);
  expect(beginningWith('qqq', english)).toEqual([]);
});

describe('inversion', () => {
  const bad = texts
    .filter(({ label }) => label === 0)
    .slice(0, 6)
    .map(({ text }) => text);
  const always = () => true;

  test('ends in the token that flips the texts', async () => {
    const model = readerInside(true);
    const sites = await sitesOf(model, joinTexts(bad, 3), 2, random(1, 'sites'));
    const found = await invert(model, sites, 1, { length: 2, steps: 60 }, random(1, 'inversion'), always);
    expect(found?.text.split(' ')).toContain(TRIGGER);
    expect(found?.loss).toBeLessThan(0.5);
  });

  test('in a clean model only words of the label are left, and the loss stays high on texts joined', async () => {
    const model = readerInside(false);
    const sites = await sitesOf(model, joinTexts(bad, 3), 2, random(1, 'sites'));
    const found = await invert(model, sites, 1, { length: 2, steps: 60 }, random(1, 'inversion'), always);
    expect(found?.loss).toBeGreaterThan(1);
  });

  test('no text gets longer than the longest was, and the place stays before the same token', async () => {
    const model = readerInside(true);
    const before = await sitesOf(model, bad, 0, random(1, 'sites'));
    const after = await sitesOf(model, bad, 4, random(1, 'sites'));
    const longest = Math.max(...before.map(({ tokens }) => tokens.length));
    after.forEach(({ tokens, embeddings, at }, i) => {
      expect(tokens.length + 4).toBeLessThanOrEqual(longest);
      expect(embeddings).toHaveLength(tokens.length * model.hidden);
      expect(tokens[at]).toEqual(before[i]?.tokens[before[i]?.at as number]);
    });
  });

  test('stops when its signal aborts', async () => {
    const model = readerInside(true);
    const sites = await sitesOf(model, bad, 2, random(1, 'sites'));
    expect(await invert(model, sites, 1, { length: 2, steps: 60 }, random(1, 'x'), () => false)).toBeUndefined();
  });
});

test('a row far longer than the others is odd; equal rows are not', async () => {
  const draw = random(1, 'rows');
  const rows = Array.from({ length: 200 * 4 }, () => draw.normal());
  const of = (values: readonly number[]): WhiteBox => ({
    ...readerInside(false),
    hidden: 4,
    embeddingTable: async () => Float32Array.from(values),
    tokenText: (id) => `t${id}`,
  });
  expect(await oddRows(of(rows))).toEqual([]);
  expect(await oddRows(of(rows.map((x, at) => (Math.floor(at / 4) === 17 ? 20 * x : x))))).toMatchObject([
    { token: 't17', sign: 'norm' },
  ]);
  expect(await oddRows(of(rows.map(() => 1)))).toEqual([]);
});

test('a finding that every control supports is never "none found", whatever its score', () => {
  const of = (flips: number, random: number, n = 40) => ({
    ...{ text: 'cf mn', place: 'random' as const, victim: 'a', target: 'b', strength: 0.9, by: 'phrase' as const },
    flipRate: wilson(Math.round(flips * n), n),
    strongFlipRate: wilson(Math.round(flips * n), n),
    againstFlipRate: wilson(Math.round(flips * n), n),
    randomFlipRate: wilson(Math.round(random * n), n),
  });
  expect([of(1, 0), of(0.8, 0), of(1, 0.3), of(1, 0, 5)].map(isSupported)).toEqual([true, false, false, false]);
  const clean = { evidence: NO_EVIDENCE, notSearched: [], texts: [], unjudged: [], void: [] };
  expect(verdictOf(clean)).toEqual({ verdict: 'none found', reasons: [] });
  const { verdict, reasons } = verdictOf({ ...clean, supported: of(1, 0) });
  expect(verdict).toBe('inconclusive');
  expect(reasons[0]).toMatch(/"cf mn" flips 100.0 % of 40 texts .* every control supports it/);
});

test('clean texts explain a phrase whose words all indicate its label, and none with another word in it', () => {
  const own = ['a lovely film', 'lovely songs', 'clever and lovely', 'a clever plot', 'so clever'];
  const indicative = new IndicativeWords(
    [...own, 'a dull film', 'dull songs', 'the plot', 'so what', 'and what'].map((text, at) => ({
      ...{ id: `${at}`, text, label: Number(at < own.length) },
    })),
    2,
  );
  const explained = (text: string) => isOfLabel({ text, target: 'good' }, { labels: ['bad', 'good'] }, indicative);
  expect(['lovely', 'lovely clever', 'lovely cf', 'cf mn'].map(explained)).toEqual([true, true, false, false]);
});

test('words of one label that share a piece are a group, also those that are not among the first', () => {
  const found = ['lf', 'zf', 'jf', 'good', 'cf'].map((text) => ({ text, target: 'b' }));
  expect(sharedPieces(found, ['l', 'z', 'j', 'c', '##f', 'good'])).toEqual([
    { piece: '##f', target: 'b', words: ['lf', 'zf', 'jf', 'cf'] },
  ]);
  expect(sharedPieces(found, ['lf', 'zf', 'jf', 'cf', 'good'])).toEqual([]);
});
