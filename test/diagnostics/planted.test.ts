/** The diagnostics distrust planted false defences, each by the check that fits, and no ordinary model. */
import { existsSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { deepwordbug } from '../../attacks/deepwordbug.js';
import { standardCharacters } from '../../attacks/standard-characters.js';
import { standardWords } from '../../attacks/standard-words.js';
import { type DiagnosedRun, diagnosedRun, questions, reviews } from '../../bench/diagnostics/index.js';
import { falseDefences, gradientsCut } from '../../bench/diagnostics/planted.js';
import { KINDS, trained } from '../../bench/diagnostics/victims.js';
import type { Classifier } from '../../src/core/classifier.js';
import { trustLine } from '../../src/results/diagnostics/index.js';
import { model as whiteBox } from '../../src/testing/white-box.js';
import { covered } from '../cover.js';

const [attacked, learnt] = [reviews().slice(0, 24), reviews().slice(24)];
const clean = attacked.map(({ text }) => text);
const base = trained('logistic-letters', learnt, 5);
/** Labels that say nothing of the texts. */
const others = learnt.map(({ text }, at) => ({ text, label: at % 2 }));

/** Names of the failed checks of a run whose survivors one cheap attack decides. */
async function failedChecks(run: Partial<DiagnosedRun> & Pick<DiagnosedRun, 'victim'>): Promise<string[]> {
  const { trustworthy } = await diagnosedRun({ texts: attacked, by: [deepwordbug], ...run });
  const failed = trustworthy?.checks.flatMap(({ name, status }) => (status === 'failed' ? [name] : [])) ?? [];
  expect(trustworthy?.verdict).toBe(failed.length === 0 ? 'yes' : 'no');
  return failed;
}

const again = (victim: Classifier) => async (text: string) => (await victim.classify([text]))[0] as Float32Array;

describe('false defences', () => {
  const planted = falseDefences(base, trained('network-letters', others, 5), clean);
  test.each(
    covered(
      Object.entries({
        stepped: 'scores-fine',
        jittered: 'scores-inform',
        squeezed: 'scores-fine',
        hashed: 'scores-inform',
        reversed: 'scores-inform',
        constant: 'scores-fine',
        'labels only': 'scores-unsaturated',
        voting: 'scores-fine',
        'confidence by length': 'scores-inform',
        rounded: 'scores-fine',
        saturated: 'scores-unsaturated',
        noisy: 'answers-repeat',
        stumbling: 'edited-texts-answered',
        'stumbling silently': 'edited-texts-answered',
        'cached by distance': 'small-edits-count',
        'refusing long texts': 'long-texts-answered',
        'typo detector': 'unknown-edits-weaker',
      }),
      0,
      3,
    ),
  )('%s: %s fails', async (name, check) => {
    const victim = planted[name] as Classifier;
    expect(await failedChecks({ victim, ...(name === 'noisy' && { again: again(victim) }) })).toContain(check);
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

test.each(covered(KINDS, 0, 2))('an ordinary model is trusted: %s', async (kind) => {
  const { trustworthy } = await diagnosedRun({ victim: trained(kind, learnt, 6), texts: attacked, by: [deepwordbug] });
  expect(trustworthy && trustLine(trustworthy)).toMatch(/^yes/);
});

/** Most of their words have no synonym, which says nothing of the model. */
test.skipIf(!existsSync('../shared/data/trec'))('an ordinary model of questions is trusted', async () => {
  const victim = trained('logistic-words', questions().slice(16), 6);
  const run = { victim, texts: questions().slice(0, 16), by: [standardCharacters, standardWords] };
  const { trustworthy } = await diagnosedRun(run);
  expect(trustworthy && trustLine(trustworthy)).toMatch(/^yes/);
});
