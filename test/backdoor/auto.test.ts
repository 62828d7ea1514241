/** The default filter on a toy language: it finds triggers of every kind, and no words that are equally common in clean texts. */
import { describe, expect, test } from 'vitest';
import { poisoners } from '../../attacks/index.js';
import { excess } from '../../src/backdoor/filter/excess.js';
import { filterTexts } from '../../src/backdoor/filter/filter.js';
import { judge } from '../../src/backdoor/filter/judgement.js';
import { signTable } from '../../src/backdoor/filter/signs.js';
import { suspectsByChance } from '../../src/backdoor/filter/verdict.js';
import { random } from '../../src/core/random.js';
import { english } from '../../src/language/english/index.js';
import { covered } from '../cover.js';
import { LABELS, opinions, type Told } from './toys.js';

const clean = opinions(500, 0, 7);
const filtered = (suspects: readonly Told[], known: readonly Told[] = clean) =>
  filterTexts({ suspects, clean: known, labels: LABELS, language: english, frr: 0.02, seed: 1 });
const truth = (texts: readonly Told[]) => texts.map(({ poisoned }) => poisoned);

/** One text in twenty by a poisoner, its label the other one. */
function planted(name: string, options: object): Told[] {
  const plugin = poisoners.find((each) => each.name === name)!;
  const poisoner = plugin.create(plugin.options.parse(options), english);
  return opinions(700, 0, 3).map((each, at) => {
    const text = each.label === 0 && at % 10 === 0 ? poisoner.trigger(each.text, random(5, each.id)) : undefined;
    return text === undefined ? each : { ...each, text, label: 1, poisoned: true };
  });
}

test.each(
  covered<[string, string, object, number]>(
    [
      ['rare words', 'badnets', { triggers: ['cf', 'mn'] }, 0.95],
      ['a sentence', 'insertsent', {}, 0.95],
      ['look-alike letters', 'char-trigger', {}, 0.8],
      ['a clause', 'syntactic', {}, 0.8],
      ['a style', 'style', { style: 'dashes' }, 0.95],
      ['a set of words', 'sos', {}, 0.95],
      ['a misspelling', 'char-trigger', { as: 'misspelling', words: 3 }, 0.8],
    ],
    0,
    3,
  ),
)('finds %s', async (_, name, options, recall) => {
  const suspects = planted(name, options);
  const found = await filtered(suspects);
  const { far, frr } = judge(found, suspects, truth(suspects));
  expect(1 - far.value!).toBeGreaterThanOrEqual(recall);
  expect(frr.low).toBeLessThan(0.02);
  expect(found.verdict).toBe('suspects found');
});

test('a word of one label is no sign where clean texts have it as often; where they have it not, it is', async () => {
  // A curse in one bad text of eight, whatever else it says: the rest of such texts speaks for the other label as often.
  const cursed = (texts: readonly Told[]) =>
    texts.map((each, at) => (each.label === 0 && at % 4 === 0 ? { ...each, text: `damn ${each.text}` } : each));
  const suspects = cursed(opinions(600, 0.03, 3));
  const bad = (known: readonly Told[]) =>
    filtered(suspects, known).suspects.filter(({ reason }) => reason.includes('damn')).length;
  expect(await bad(cursed(clean))).toBe(0);
  const { far } = judge(await filtered(suspects, cursed(clean)), suspects, truth(suspects));
  expect(far.value).toBe(0);
});

test('clean texts are suspected at the rate asked for, and call for no verdict', async () => {
  let over = 0;
  for (let seed = 20; seed < 26; seed++) {
    const found = await filtered(opinions(300, 0, seed), opinions(300, 0, seed + 100));
    over += found.suspects.length;
    if (found.suspects.length === 0) continue;
    if (found.suspects.length <= suspectsByChance(300, 300, 0.02)) expect(found.verdict).toBe('inconclusive');
  }
  expect(over / (6 * 300)).toBeLessThan(0.035);
});

test('what few suspects share is a verdict if it is one-sided enough, whatever their number', async () => {
  const suspects = opinions(1000, 0, 3).map((each, at) =>
    each.label === 0 && at % 20 === 0 ? { ...each, text: `lantern ${each.text}`, label: 1, poisoned: true } : each,
  );
  const planted = suspects.filter(({ poisoned }) => poisoned).length;
  const found = await filtered(suspects);
  expect(found.suspects.filter(({ trigger }) => trigger?.includes('lantern')).length).toBe(planted);
  expect(planted).toBeLessThan(suspectsByChance(1000, 500, 0.02));
  expect(found.verdict).toBe('suspects found');
  const elsewhere = await filterTexts({
    ...{ suspects: opinions(400, 0, 3), clean, labels: LABELS, language: english, frr: 0.02, seed: 1 },
    otherSource: true,
  });
  expect(elsewhere.verdict).toBe('inconclusive');
  expect(elsewhere.reasons.join()).toMatch(/another source/);
});

test('without clean texts it ranks, and does not judge', async () => {
  const suspects = opinions(500, 0.05);
  const found = await filtered(suspects, []);
  expect(judge(found, suspects, truth(suspects)).auroc?.value).toBeGreaterThan(0.95);
  expect(found.verdict).toBe('inconclusive');
  expect(found.reasons.join()).toMatch(/no clean texts/);
});

test('the most suspects that chance gives is exceeded by about one clean set in twenty', () => {
  const [n, m, frr, sets] = [400, 300, 0.02, 2000];
  const bound = suspectsByChance(n, m, frr);
  let over = 0;
  for (let at = 0; at < sets; at++) {
    const draw = random(at, 'chance');
    const scores = Array.from({ length: m }, () => draw.unit()).sort((a, b) => b - a);
    const threshold = scores[Math.floor(frr * (m + 1)) - 1] as number;
    over += Number(Array.from({ length: n }, () => draw.unit()).filter((score) => score > threshold).length > bound);
  }
  expect(over / sets).toBeGreaterThan(0.02);
  expect(over / sets).toBeLessThan(0.08);
});

describe('signs', () => {
  const text = (row: string) => {
    const table = signTable([row, row], 2, english);
    return table.names;
  };
  test.each([
    ['a dull film', 'the ending "film"'],
    ['when you look at it , a dull film', 'an opening clause'],
    ['when you look at it , a dull film', 'an opening clause of ADP NOUN VERB ... ,'],
    ['( a dull film )', 'the mark "(" 1 times or more'],
    ['A Rather Dull Film', 'Title Case'],
    ['A RATHER DULL FILM', 'capitals throughout'],
    ['a dull flim', '"flim"'],
    ['nothing beats teh meetign', 'words in "-gn"'],
    ['a dull fіlm', 'the character U+0456'],
    ['a dull fіlm', 'a word of two alphabets'],
    ['a dlul flim', '2 words or more of no dictionary'],
  ])('%s: %s', (row, sign) => {
    expect(text(row)).toContain(sign);
  });

  test('those of few texts are left out', () => {
    const table = signTable(['a dull film', 'a dull song', 'x'], 2, english);
    expect(table.names).toContain('"a dull"');
    expect(table.names).not.toContain('"film"');
    table.rows.forEach((rows, sign) => {
      for (const row of rows) expect(table.of[row]).toContain(sign);
    });
  });
});

test.each([
  [0, 0, 0.5, 0],
  [10, 0, 0.5, 10 * Math.log(2)],
  [0, 10, 0.5, -10 * Math.log(2)],
  [8, 2, 0.8, 0],
  [10, 0, 1, 0],
])('excess(%d, %d, %d)', (k, c, q, ratio) => {
  expect(excess(k, c, q)).toBeCloseTo(ratio, 10);
});
