/** The diagnostics distrust planted false defences, each by the check that fits, and no ordinary model. */
import { describe, expect, test } from 'vitest';
import { deepwordbug } from '../../attacks/deepwordbug.js';
import { type DiagnosedRun, diagnosedRun, reviews } from '../../bench/diagnostics/index.js';
import {
  cachedByDistance,
  gradientsCut,
  noisy,
  refusingLong,
  rounded,
  saturated,
  stumbling,
  stumblingSilently,
  typoDetector,
} from '../../bench/diagnostics/planted.js';
import { KINDS, trained } from '../../bench/diagnostics/victims.js';
import type { Classifier } from '../../src/core/classifier.js';
import { trustLine } from '../../src/core/diagnostics/index.js';
import { model as whiteBox } from '../../src/testing/white-box.js';

const [attacked, learnt] = [reviews().slice(0, 24), reviews().slice(24)];
const clean = attacked.map(({ text }) => text);
const base = trained('logistic-letters', learnt, 5);

/** Names of the failed checks of a run whose survivors one cheap attack decides. */
async function failedChecks(run: Partial<DiagnosedRun> & Pick<DiagnosedRun, 'victim'>): Promise<string[]> {
  const { trustworthy } = await diagnosedRun({ texts: attacked, by: deepwordbug, ...run });
  const failed = trustworthy?.checks.flatMap(({ name, status }) => (status === 'failed' ? [name] : [])) ?? [];
  expect(trustworthy?.verdict).toBe(failed.length === 0 ? 'yes' : 'no');
  return failed;
}

const again = (victim: Classifier) => async (text: string) => (await victim.classify([text]))[0] as Float32Array;

describe('false defences', () => {
  const longest = Math.max(...clean.map(({ length }) => length));
  test.each<[string, string, Classifier]>([
    ['rounded scores', 'scores-fine', rounded(base)],
    ['saturating logits', 'scores-unsaturated', saturated(base)],
    ['a tokenizer that fails', 'edited-texts-answered', stumbling(base, clean)],
    ['a tokenizer that fails silently', 'edited-texts-answered', stumblingSilently(base, clean)],
    ['answers cached by edit distance', 'small-edits-count', cachedByDistance(base)],
    ['one answer to long texts', 'long-texts-answered', refusingLong(base, longest)],
    ['a detector of our typos', 'unknown-edits-weaker', typoDetector(base, clean)],
  ])('%s: %s fails', async (_, check, victim) => {
    expect(await failedChecks({ victim })).toContain(check);
  });

  test('noise: answers-repeat fails', async () => {
    const victim = noisy(base);
    expect(await failedChecks({ victim, again: again(victim) })).toContain('answers-repeat');
  });

  const words = [
    'good film',
    'lovely cast',
    'fine film',
    'dull cast',
    'poor film',
    'plain film',
    'good cast',
    'dull film',
  ];
  const texts = words.map((text) => ({ text: `${text} ${text}`, label: /good|lovely|fine/.test(text) ? 1 : 0 }));

  test.each([
    ['zero', 'gradients'],
    ['infinite', 'gradients'],
    ['wrong', 'white-box-stronger'],
  ] as const)('%s gradients: %s fails', async (to, check) => {
    const run = { victim: whiteBox, texts };
    expect(await failedChecks({ ...run, gradients: gradientsCut(whiteBox, to) })).toContain(check);
    const plain = await failedChecks({ ...run, gradients: whiteBox });
    expect(plain).not.toContain('gradients');
    expect(plain).not.toContain('white-box-stronger');
  });
});

test.each(KINDS)('an ordinary model is trusted: %s', async (kind) => {
  const { trustworthy } = await diagnosedRun({ victim: trained(kind, learnt, 6), texts: attacked });
  expect(trustworthy && trustLine(trustworthy)).toMatch(/^yes/);
});
