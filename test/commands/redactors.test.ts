/** A redactor as a victim: a function in a module, and the same in a program. */
import { expect, test } from 'vitest';
import { folder, robust } from './cli.js';

const REDACT = String.raw`(text) => text.replace(/[\w.]+@[\w.]+\w/g, '[EMAIL]').replace(/\b\d{3}-\d{4}\b/g, '***')`;
const PROGRAM = `
const redact = ${REDACT};
console.log(JSON.stringify({ robust: 1, labels: ['EMAIL', 'PHONE'], task: 'redact' }));
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, texts } = JSON.parse(line);
  console.log(JSON.stringify({ id, redacted: texts.map(redact) }));
});
`;
const PLACES = [
  'home',
  'school',
  'work',
  'the office',
  'my desk',
  'the station',
  'lunch',
  'dinner',
  'church',
  'the gym',
];
const notes = Array.from({ length: 40 }, (_, at) => {
  const [mail, phone] = [`ann.${at}@mail.org`, at % 2 ? `555-${1000 + at}` : `${at} 555 1000`];
  const text = `I am at ${PLACES[at % 10]}${at > 9 ? ` until ${at}` : ''}, write to ${mail} or call ${phone} today`;
  const spans = [
    { of: mail, type: 'EMAIL' },
    { of: phone, type: 'PHONE' },
  ].map(({ of, type }) => ({ start: text.indexOf(of), end: text.indexOf(of) + of.length, type }));
  return JSON.stringify({ text, spans });
});

test('is measured and attacked by what its output still holds, alike in a module and in a program', async () => {
  const cwd = folder({
    'notes.jsonl': `${notes.join('\n')}\n`,
    'redact.mjs': `export default { labels: ['EMAIL', 'PHONE'], redact: ${REDACT} };\n`,
    'redact.cjs': PROGRAM,
  });
  const data = ['-d', 'notes.jsonl', '--task', 'tags'];
  const results = [];
  for (const model of ['./redact.mjs', 'cmd:node redact.cjs']) {
    const { clean } = JSON.parse((await robust(['evaluate', '-m', model, ...data, '--json'], { cwd })).stdout).result;
    // Half of the numbers are written in another way.
    expect(clean.tags.leakRate.value).toBe(0.25);
    expect(clean.tags.strict.precision.value).toBe(1);
    const leak = ['attack', '-m', model, ...data, '--goal', 'leak', '-a', 'standard-layout', '-n', '2', '--json'];
    const { attacks } = JSON.parse((await robust(leak, { cwd })).stdout).result;
    expect(attacks[0].succeeded).toBeGreaterThan(0);
    results.push(attacks.map(({ succeeded, failed, skipped }: Record<string, number>) => [succeeded, failed, skipped]));
  }
  expect(results[1]).toEqual(results[0]);
});
