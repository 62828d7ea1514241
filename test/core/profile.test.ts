import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Profile } from '../../src/core/profile.js';

const busy = (milliseconds: number): void => {
  for (const began = performance.now(); performance.now() - began < milliseconds; );
};

test('the parts of the searching thread add up to the wall time; what is called within a part is part of it', async () => {
  const profile = new Profile();
  const answer = profile.spend('language', () => {
    busy(20);
    return profile.spend('tokenizer', () => {
      busy(20);
      return 'told';
    });
  });
  expect(answer).toBe('told');
  expect(() => profile.spend('journal', () => busy(10) as never)).not.toThrow();
  await turn();
  const { seconds, thread } = profile.figures();
  const { waiting, ...active } = thread;
  expect(active.language).toBeGreaterThanOrEqual(0.04);
  expect(active.tokenizer).toBe(0);
  expect(active.journal).toBeGreaterThanOrEqual(0.01);
  expect(Object.values(active).reduce((sum, each) => sum + each, waiting)).toBeCloseTo(seconds, 2);
});

test('a part that throws has ended', () => {
  const profile = new Profile();
  expect(() =>
    profile.spend('journal', () => {
      throw new Error('full');
    }),
  ).toThrow('full');
  profile.spend('tokenizer', () => busy(5));
  expect(profile.figures().thread.tokenizer).toBeGreaterThan(0);
});

test('each worker has a lane, each search its beginning and its end', () => {
  const profile = new Profile();
  const [one, other] = [{}, {}];
  const ended = profile.search('typo', 'r1');
  profile.computed(one, 'model', 0.5);
  profile.computed(other, 'gradients', 0.25);
  profile.computed(one, 'model', 0.125);
  ended();
  expect(profile.figures()).toMatchObject({ workers: 2, computing: 0.875 });
  const { traceEvents } = JSON.parse(profile.trace()) as { traceEvents: Record<string, unknown>[] };
  const of = (ph: string) => traceEvents.filter((event) => event.ph === ph);
  expect(of('M').map(({ args }) => (args as { name: string }).name)).toEqual(['search', 'worker 1', 'worker 2']);
  expect(of('X').map(({ name, tid, dur }) => [name, tid, dur])).toEqual([
    ['model', 2, 5e5],
    ['gradients', 3, 2.5e5],
    ['model', 2, 1.25e5],
  ]);
  const [[begin], [end]] = [of('b'), of('e')];
  expect([begin, end]).toMatchObject([
    { name: 'typo', id: 0, args: { example: 'r1' } },
    { name: 'typo', id: 0 },
  ]);
  for (const { ts } of traceEvents) expect(ts).toBeGreaterThanOrEqual(0);
});
