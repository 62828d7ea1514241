/** No attack finds an adversarial text inside a certified radius: bundled sentences, attacks through the defence. */
import { expect, test } from 'vitest';
import { openDataset } from '../../datasets/index.js';
import { chooseDefences, MASK } from '../../src/app/victim/defend.js';
import { mapWords, wordsOf } from '../../src/core/draft.js';
import type { Outcome } from '../../src/core/outcome.js';
import { type Certificate, certify } from '../../src/defence/certificate.js';
import { certifyEdits, type EditRadii } from '../../src/defence/deletion-certificate.js';
import { type DeletionOptions, unitsOf } from '../../src/defence/random-deletion.js';
import type { MaskingOptions } from '../../src/defence/random-masking.js';
import { loadModel } from '../../src/model/load.js';
import { folder, robustProcess } from '../commands/cli.js';

const DEFENCE = 'ranmask';
/** One that spells words otherwise, one that swaps synonyms, one that knows the weights and takes any word. */
const ATTACKS = ['deepwordbug', 'pwws:constraints=none', 'hotflip:same-pos=false:max-words=4'];

/** Number of words in which two texts differ. Undefined if more than words differs, which no certificate covers. */
function replaced(before: string, after: string): number | undefined {
  const between = (text: string): string => mapWords(text, () => '\0');
  if (between(before) !== between(after)) return undefined;
  const words = wordsOf(after);
  return wordsOf(before).filter(({ text }, slot) => words[slot]?.text !== text).length;
}

test('no adversarial text lies inside a certified radius', { timeout: 1_800_000 }, async () => {
  const run = await robustProcess([
    ...['attack', '-m', 'bert-mini', '--defend', DEFENCE, ...ATTACKS.flatMap((attack) => ['-a', attack])],
    ...['--query-budget', '200', '-n', '200', '--json'],
  ]);
  expect(run.code, run.stderr).toBe(0);
  const { examples, model: attacked } = JSON.parse(run.stdout).result as {
    examples: Outcome[];
    model: { defence: string };
  };
  expect(attacked.defence).toContain('vote of 100 versions');

  const model = await loadModel('bert-mini');
  try {
    const options = (await chooseDefences([DEFENCE]))[0]?.options as MaskingOptions;
    const certificates = new Map<string, Certificate>();
    for (const { text } of examples) {
      if (!certificates.has(text)) certificates.set(text, await certify(text, model, options, MASK));
    }
    const found = { oneForOne: 0, otherwise: 0, justOutside: 0 };
    for (const { id, attack, status, text, from, adversarial } of examples) {
      const { label, radius } = certificates.get(text) as Certificate;
      // The run queried the very vote that is certified.
      expect(label, `${id}: label before any attack`).toBe(from);
      if (status !== 'succeeded') continue;
      const words = replaced(text, adversarial as string);
      if (words === undefined) {
        found.otherwise += 1;
        continue;
      }
      found.oneForOne += 1;
      if (radius > 0 && words === radius + 1) found.justOutside += 1;
      expect(words, `${id}, ${attack}: certified for ${radius} words, turned by "${adversarial}"`).toBeGreaterThan(
        radius,
      );
    }
    const certain = [...certificates.values()].filter(({ radius }) => radius > 0).length;
    console.log(`${certificates.size} texts, ${certain} of them certified for a word or more;`, found);
    expect(certificates.size).toBeGreaterThan(190);
    expect(certain).toBeGreaterThan(50);
    expect(found.oneForOne).toBeGreaterThan(100);
    expect(found.justOutside).toBeGreaterThan(10);
  } finally {
    await model.close();
  }
});

/** Insertions, deletions and substitutions of words that make one text of another: the least number (Wagner and Fischer, 1974). */
function editsBetween(one: readonly string[], other: readonly string[]): number {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (const [at, word] of one.entries()) {
    const next = [at + 1];
    for (const [column, theirs] of other.entries()) {
      const [left, above, corner] = [next[column], row[column + 1], row[column]] as [number, number, number];
      next.push(Math.min(left + 1, above + 1, corner + Number(word !== theirs)));
    }
    row = next;
  }
  return row.at(-1) as number;
}

/** The bundled texts that are certified for an edit or more are attacked by spelling, synonyms, new words and words left out. */
test('no adversarial text lies within a certified edit distance', { timeout: 3_600_000 }, async () => {
  const defence = 'rs-del:samples=200';
  const attacks = ['deepwordbug', 'pwws:constraints=none', 'word-insertion', 'word-deletion'];
  const options = (await chooseDefences([defence]))[0]?.options as DeletionOptions;
  const model = await loadModel('bert-mini');
  const radii = new Map<string, EditRadii>();
  const lines = ['text\tlabel'];
  let read = 0;
  try {
    for await (const { text, label } of (await openDataset('reviews')).examples()) {
      read++;
      const certificate = await certifyEdits(text, model, options);
      if (certificate.label !== label || (certificate.radii?.insertions ?? 0) === 0) continue;
      radii.set(text, certificate.radii as EditRadii);
      lines.push(`${text}\t${model.labels[label]}`);
    }
  } finally {
    await model.close();
  }
  const cwd = folder({ 'certified.tsv': `${lines.join('\n')}\n` });
  const run = await robustProcess(
    [
      ...[
        'attack',
        '-m',
        'bert-mini',
        '-d',
        'certified.tsv',
        '--defend',
        defence,
        '-n',
        '0',
        '--log',
        'plain',
        '--json',
      ],
      ...[...attacks.flatMap((attack) => ['-a', attack]), '--query-budget', '60'],
    ],
    { cwd },
  );
  expect(run.code, run.stderr).toBe(0);
  const { examples } = JSON.parse(run.stdout).result as { examples: Outcome[] };
  const found = { turned: 0, justOutside: 0 };
  for (const { id, attack, status, text, adversarial } of examples) {
    // The run queried the very vote that is certified: none of them was wrong before.
    expect(status, id).not.toBe('skipped');
    if (status !== 'succeeded') continue;
    const { edits, insertions, deletions } = radii.get(text) as EditRadii;
    const [before, after] = [text, adversarial as string].map((each) => unitsOf(each, 'word')) as [string[], string[]];
    const distance = editsBetween(before, after);
    // A number of words more and no other edit, or fewer.
    const more = after.length - before.length;
    const certain = distance === more ? insertions : distance === -more ? deletions : edits;
    found.turned += 1;
    if (distance === certain + 1) found.justOutside += 1;
    expect(distance, `${id}, ${attack}: certified for ${certain}, turned by "${adversarial}"`).toBeGreaterThan(certain);
  }
  console.log(`${radii.size} of ${read} texts certified for an edit or more;`, found);
  expect(radii.size).toBeGreaterThan(15);
  expect(found.turned).toBeGreaterThan(10);
});
