/** Goals of whole texts: one rewrite that costs a text a share of its entities. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { attack } from '../../src/api.js';
import { entityFound, entityRow } from '../../src/core/tags/entity-row.js';
import type { TaggedUnits } from '../../src/core/tags/span.js';
import { collect } from '../../src/core/take.js';

const model = fileURLToPath(new URL('goldens/bert', import.meta.url));
const home = process.cwd();
const folder = mkdtempSync(join(tmpdir(), 'robust-whole-texts-'));
beforeAll(() => process.chdir(folder));
afterAll(() => process.chdir(home));

/** Words with the probability of PER; found from a half on. */
function tagged(text: string, scores: readonly number[]): TaggedUnits {
  const units = [...text.matchAll(/\S+/g)].map(({ 0: word, index }, at) => ({
    start: index,
    end: index + word.length,
    types: Float32Array.of(scores[at]!, 1 - scores[at]!),
  }));
  const spans = units.flatMap(({ start, end, types }) =>
    types[0]! > 0.5 ? [{ start, end, type: 'PER', score: types[0]! }] : [],
  );
  return { units, spans };
}

test('a text is lost with a share of its entities; until then the score grows with each, by hand', () => {
  const text = 'Ann Bob Eve Max';
  const entities = [...text.matchAll(/\S+/g)].map(({ index }) => ({ start: index, end: index + 3, type: 'PER' }));
  const lost = (share: number, scores: readonly number[]): number =>
    entityRow(['PER'], tagged(text, scores), { text, entities, entity: undefined }, { match: 'whole', share })[1]!;
  // Half of four: the second loss decides.
  expect(lost(0.5, [0.9, 0.9, 0.9, 0.9])).toBeLessThan(lost(0.5, [0.9, 0.9, 0.9, 0.6]));
  expect(lost(0.5, [0.9, 0.9, 0.9, 0.6])).toBeLessThan(lost(0.5, [0.9, 0.9, 0.9, 0.1]));
  expect(lost(0.5, [0.9, 0.9, 0.9, 0.1])).toBeLessThan(0.5);
  expect(lost(0.5, [0.9, 0.9, 0.2, 0.1])).toBeGreaterThan(0.5);
  expect(lost(1, [0.9, 0.2, 0.2, 0.1])).toBeLessThan(0.5);
  expect(lost(1, [0.2, 0.2, 0.2, 0.1])).toBeGreaterThan(0.5);
  // The two closest entities have 0.55 + 0.45 * 0.9 and 0.45 * 0.1; mixed with the decision that the text is kept.
  expect(lost(0.5, [0.9, 0.9, 0.9, 0.1])).toBeCloseTo(0.45 * (1 - (0.955 + 0.045) / 2), 6);
});

const rows = ['Ann Lee met Bob in New York.', 'the cat of Ann left York', 'bob met Lee; Ann left', 'nothing here'].map(
  (text) => ({
    text,
    spans: [...text.matchAll(/Ann Lee|New York|Ann|Bob|York|Lee/g)].map(({ 0: found, index }) => ({
      start: index,
      end: index + found.length,
      type: /York/.test(found) ? 'LOC' : 'PER',
    })),
  }),
);
const data = join(folder, 'notes.jsonl');
writeFileSync(data, rows.map((row) => JSON.stringify(row)).join('\n'));
const run = (options: object) =>
  attack({ model, data, task: 'tags', attacks: ['deepwordbug'], numExamples: 0, force: true, workers: 1, ...options });

test.each(['lose:share=0.5', 'lose=1', 'leak:share=1', 'leak=5e-1'])('%s: one example a text', async (goal) => {
  const report = await run({ goal });
  const outcomes = await collect(report.examples);
  expect(outcomes.map(({ id }) => id)).toEqual(['1#text', '2#text', '3#text', '4#rest']);
  const share = Number(/[\d.e-]+$/.exec(goal)![0]);
  expect(report.model.output?.tags?.share).toBe(share);
  const match = goal.startsWith('leak') ? 'cover' : 'whole';
  for (const { status, text, adversarial, entities = [], tags } of outcomes) {
    if (entities.length === 0) continue;
    // A success is a text in which this share of the entities is lost, counted here from the spans in the journal.
    const lostIn = (where: string, places: typeof entities, spans: NonNullable<typeof tags>['before']): number =>
      places.filter((entity) => !entityFound(where, entity, { spans }, match)).length;
    if (status === 'succeeded')
      expect(lostIn(adversarial!, tags!.entities!, tags!.after!)).toBeGreaterThanOrEqual(share * entities.length);
    expect(tags!.each).toHaveLength(entities.length);
    expect(tags!.each!.filter(({ found }) => !found)).toHaveLength(lostIn(text, entities, tags!.before));
  }
  expect(report.tags?.recall.n).toBe(7);
  expect(report.tags?.leakedTexts.n).toBe(3);
});

test('what is no share is refused, and so are other goals with one', async () => {
  await expect(run({ goal: 'lose:share=2' })).rejects.toMatchObject({ code: 'OPTION_INVALID' });
  await expect(run({ goal: 'lose=-1' })).rejects.toMatchObject({ code: 'OPTION_INVALID' });
  await expect(run({ goal: 'spurious:share=1' })).rejects.toMatchObject({ code: 'OPTION_NOT_FOUND' });
});
