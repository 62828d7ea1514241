import fc from 'fast-check';
import { expect, test } from 'vitest';
import { AttackClock } from '../../src/run/attack-clock.js';

test('what runs side by side shares the time', () => {
  let now = 0;
  const clock = new AttackClock(() => now);
  clock.begin('a');
  now = 2;
  clock.begin('b');
  now = 4;
  clock.begin('b');
  now = 7;
  clock.end('a');
  now = 8;
  clock.end('b');
  clock.end('b');
  now = 20;
  clock.begin('a');
  now = 21;
  clock.end('a');
  // 2 alone, half of 2, a third of 3, 1 alone at the end
  expect(Object.fromEntries(clock.seconds)).toEqual({ a: 5, b: 4 });
});

test('the seconds of all attacks add up to the time in which anything was searched', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.nat(9)), { maxLength: 40 }), (events) => {
      let [now, busy] = [0, 0];
      const running: string[] = [];
      const clock = new AttackClock(() => now);
      for (const [attack, pause] of events) {
        now += pause;
        if (running.length > 0) busy += pause;
        const at = running.indexOf(attack);
        if (at < 0) running.push(attack);
        else running.splice(at, 1);
        if (at < 0) clock.begin(attack);
        else clock.end(attack);
      }
      expect([...clock.seconds.values()].reduce((sum, s) => sum + s, 0)).toBeCloseTo(busy, 9);
    }),
  );
});
