import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Outcome } from '../../src/plugin.js';
import { capabilities, type ProbeEvidence } from '../../src/results/measures/capabilities.js';

type Probed = Outcome & { readonly probes?: readonly ProbeEvidence[] };

const outcome = (id: string, probes: readonly ProbeEvidence[]): Probed => ({
  id,
  attack: 'negation',
  status: 'failed',
  text: `text of ${id}`,
  label: 1,
  from: 1,
  to: 1,
  scoreBefore: 0.9,
  scoreAfter: 0.9,
  words: 3,
  changed: 0,
  queries: { asked: 1, computed: 1 },
  probes,
});

const probe = (
  relation: ProbeEvidence['relation'],
  text: string,
  got: number,
  more: Partial<ProbeEvidence> = {},
): ProbeEvidence => ({
  capability: 'litotes',
  relation,
  text,
  expected: [1],
  got,
  score: got === 1 ? 0.8 : 0.2,
  ...more,
});

function fold(outcomes: readonly Outcome[]) {
  const all = capabilities.fold();
  for (const [at, one] of outcomes.entries()) all.add(one, at);
  return all.value() ?? [];
}

test('counts by capability and relation; a template counts once, however many parts of a run queried it', () => {
  const template = probe('MFT', 'It is anything but bad.', 0, { original: 'It is good.' });
  const metrics = fold([
    outcome('a', [probe('INV', 'not bad', 0), probe('INV', 'by no means bad', 1), template]),
    outcome('b', [probe('DIR', 'not good', 0, { expected: [0] }), template]),
    outcome('c', []),
  ]);
  expect(metrics.map(({ relation, n, failed }) => [relation, n, failed])).toEqual([
    ['DIR', 1, 0],
    ['INV', 2, 1],
    ['MFT', 1, 1],
  ]);
  expect(metrics[1]).toMatchObject({
    failureRate: { value: 0.5, n: 2 },
    samples: [{ id: 'a', original: 'text of a', text: 'not bad', expected: [1], got: 0, score: 0.2 }],
  });
  expect(metrics[2]?.samples).toEqual([
    { original: 'It is good.', text: 'It is anything but bad.', expected: [1], got: 0, score: 0.2 },
  ]);
});

test('any of several expected labels passes', () => {
  const [only] = fold([
    outcome('a', [probe('INV', 'x', 4, { expected: [3, 4] }), probe('INV', 'y', 2, { expected: [3, 4] })]),
  ]);
  expect(only).toMatchObject({ n: 2, failed: 1 });
});

test('no probes, no capabilities', () => {
  const { probes: _, ...without } = outcome('a', []);
  expect(fold([without])).toEqual([]);
});

test('names that an object has of its own are names like others', () => {
  for (const capability of ['__proto__', 'constructor']) {
    expect(fold([outcome('a', [probe('INV', 'x', 0, { capability })])])).toMatchObject([{ capability, failed: 1 }]);
  }
});

test('the order of the outcomes changes nothing', () => {
  const any = fc.record({
    relation: fc.constantFrom<ProbeEvidence['relation']>('INV', 'DIR', 'MFT'),
    capability: fc.constantFrom('litotes', 'never'),
    text: fc.constantFrom('a', 'b', 'c', 'd'),
    score: fc.constantFrom(0.1, 0.2, 0.3),
    id: fc.constantFrom('1', '2', '3'),
  });
  fc.assert(
    fc.property(
      fc.array(any).chain((list) => fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length }))),
      ([list, shuffled]) => {
        const build = (items: typeof list) =>
          fold(
            items.map(({ id, relation, text, score, capability }) =>
              // The same text is always answered alike.
              outcome(id, [
                probe(relation, text, 0, { capability, score: relation === 'MFT' ? 0.2 : score, original: relation }),
              ]),
            ),
          );
        expect(build(shuffled)).toEqual(build(list));
      },
    ),
  );
});
