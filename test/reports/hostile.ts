/** A report in which every text anybody else wrote is hostile. */
import type { Outcome, Report } from '../../src/plugin.js';
import { attack, report } from './fixture.js';
import { INJECTIONS } from './injections.js';

/** The n-th hostile text, round and round. */
const nth = (n: number): string => INJECTIONS[n % INJECTIONS.length] as string;

/** Every injection once as the text and once as the adversarial text, and in all the places beside. */
export const hostileOutcomes: readonly Outcome[] = INJECTIONS.flatMap((text, i): Outcome[] => [
  {
    id: nth(i + 1),
    attack: nth(0),
    status: 'succeeded',
    text: `${text} once`,
    label: 0,
    from: 0,
    to: 1,
    scoreBefore: 0.9,
    scoreAfter: 0.1,
    adversarial: `Plain and ${text}`,
    words: 3,
    changed: 1,
    queries: { asked: 3, computed: 2 },
  },
  {
    id: String(i),
    attack: nth(1),
    status: i % 2 === 0 ? 'errored' : 'failed',
    text,
    label: 1,
    from: 1,
    to: 1,
    scoreBefore: 0.9,
    scoreAfter: 0.8,
    words: 3,
    changed: 0,
    queries: { asked: 3, computed: 2 },
    reason: nth(i + 2),
  },
]);

/** `i` picks the injections for the places of which a report has only one. */
export const hostileReport = (i: number): Report => {
  const probe = { expected: [0], got: 1, score: 0.2 };
  return report({
    model: { name: nth(i), sha256: 'a'.repeat(64), labels: [nth(i + 1), nth(i + 2)], defence: nth(i + 23) },
    provenance: {
      created: '2026-11-20T21:14:00.000Z',
      hardware: nth(i + 24),
      platform: nth(i + 25),
      versions: { [nth(i + 26)]: nth(i + 27) },
      config: nth(i + 28),
      settings: { [nth(i + 29)]: { value: nth(i + 30), origin: nth(i + 31) } },
      fingerprint: { [nth(i + 32)]: nth(i + 33) },
    },
    data: { name: nth(i + 3), sha256: 'b'.repeat(64), examples: 20 },
    toolVersion: nth(i + 4),
    attacks: [
      attack(nth(0), 14, 3, {
        suite: nth(i + 5),
        constraints: [nth(i + 6), nth(i + 7)],
        options: { [nth(i + 8)]: nth(i + 9) },
      }),
      attack(nth(1), 0, 16, {
        errored: 1,
        details: { [nth(i + 10)]: 1 },
        capabilities: [
          {
            capability: nth(i + 11),
            relation: 'INV',
            n: 10,
            failed: 3,
            failureRate: { value: 0.3, low: 0.1, high: 0.6, n: 10 },
            samples: [{ ...probe, id: nth(i + 12), original: nth(i + 13), text: nth(i + 14) }],
          },
        ],
      }),
    ],
    examples: {
      async *[Symbol.asyncIterator]() {
        yield* hostileOutcomes;
      },
    },
    closest: hostileOutcomes.filter(({ status }) => status === 'succeeded').slice(i, i + 10),
    warnings: [nth(i + 15)],
    gate: {
      verdict: 'failed',
      thresholds: [
        {
          metric: `${nth(0)}.attackSuccessRate`,
          level: 'error',
          expected: nth(i + 16),
          actual: { value: 0.5, low: 0.4, high: 0.6, n: 20 },
          ci: 'value',
          verdict: 'failed',
          reason: nth(i + 17),
        },
        {
          metric: 'overall.accuracyUnderAttack',
          level: 'error',
          expected: '>= 0.9',
          actual: { value: 0.5, low: null, high: null, n: 20 },
          ci: 'interval',
          verdict: 'failed',
          waiver: { metric: 'x', owner: nth(i + 18), reason: nth(i + 19), expires: '2026-12-31' },
        },
      ],
      reasons: [nth(i + 20)],
    },
    run: nth(i + 21),
    command: nth(i + 22),
  });
};
