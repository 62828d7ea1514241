/** A report of many adversarial texts of a given length, made of nothing: for what depends on size alone. */

import { random } from '../../src/core/random.js';
import { wilson } from '../../src/core/statistics/stats.js';
import type { Outcome, Report } from '../../src/plugin.js';
import type { AttackMetrics } from '../../src/results/measures/attack-metrics.js';
import { attackRates } from '../../src/results/measures/attack-rates.js';

const LETTERS = 'etaoinshrdlu';

/** `count` successes of two attacks, each in a text of its own of `words` words, one word in ten misspelled. Same arguments, same report. */
export function manyTexts(count: number, words: number): Report {
  const draw = random(42, 'many-texts');
  const word = (): string => Array.from({ length: 2 + draw.int(8) }, () => draw.pick([...LETTERS])).join('');
  const dictionary = Array.from({ length: 4000 }, word);
  const outcomes = Array.from({ length: count }, (_, i): Outcome => {
    const text = Array.from({ length: words }, () => draw.pick(dictionary));
    const adversarial = text.map((each) => (draw.int(10) === 0 ? `${each.slice(0, 1)}q${each.slice(1)}` : each));
    return {
      id: `r${i}`,
      attack: i % 2 === 0 ? 'deepwordbug' : 'pruthi',
      status: 'succeeded',
      text: `${text.join(' ')}.`,
      label: i % 3 === 0 ? 1 : 0,
      from: i % 3 === 0 ? 1 : 0,
      to: i % 3 === 0 ? 0 : 1,
      scoreBefore: 0.9,
      scoreAfter: 0.2,
      adversarial: `${adversarial.join(' ')}.`,
      words,
      changed: Math.round(words / 10),
      queries: { asked: 30, computed: 30 },
    };
  });
  const attack = (name: string): AttackMetrics => ({
    name,
    suite: 'typos',
    constraints: ['at most 30 character edits'],
    options: {},
    succeeded: count / 2,
    tied: 0,
    failed: 0,
    skipped: 0,
    errored: 0,
    ...attackRates({ flipped: count / 2, kept: 0, wrong: 0 }),
    perturbedWords: 0.1,
    queries: { asked: 30, computed: 30 },
    perClass: [],
    seconds: 1,
  });
  return {
    headline: 'many',
    model: { name: 'many', sha256: '0'.repeat(64), labels: ['negative', 'positive'] },
    data: { name: 'texts', sha256: '0'.repeat(64), examples: count },
    seed: 42,
    engine: 'onnx',
    toolVersion: '0.1.0',
    clean: {
      accuracy: wilson(count, count),
      macroF1: 1,
      microF1: 1,
      fBeta: { beta: 1, macro: 1 },
      perClass: [],
      confusion: [],
      calibration: { error: 0, bins: [] },
    },
    attacks: [attack('deepwordbug'), attack('pruthi')],
    suites: [],
    overall: attackRates({ flipped: count, kept: 0, wrong: 0 }),
    examples: {
      async *[Symbol.asyncIterator]() {
        yield* outcomes;
      },
    },
    closest: outcomes.slice(0, 10),
    warnings: [],
    verdict: 'none',
    run: 'many',
    command: 'robust attack',
  };
}
