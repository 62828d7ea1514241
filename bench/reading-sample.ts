/**
 * @file Draws successes of finished runs for a reader to judge: 25 of each attack and run, by seed, as Markdown.
 *
 *     npm run bench dist/bench/reading-sample.js .robust/runs/A .robust/runs/B
 *
 * A row: what draws it again (attack, id), the label, the words changed, the text. docs/research/reading.md holds the verdicts on one such sample, by id.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { random } from '../src/core/random.js';
import { Draft, type Outcome } from '../src/plugin.js';

const EACH = 25;

const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ');

/** The words that differ: a rewrite that only swaps words has as many as the text. */
function changes(before: string, after: string): string {
  const [was, now] = [Draft.of(before).words, Draft.of(after).words];
  return was.flatMap((word, at) => (now[at] === word ? [] : [`${word} -> ${now[at]}`])).join('; ');
}

console.log('| attack | id | label | changed | text |\n|---|---|---|---|---|');
for (const folder of process.argv.slice(2)) {
  const lines = readFileSync(join(folder, 'results.jsonl'), 'utf8').split('\n');
  const outcomes = lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Outcome);
  for (const attack of new Set(outcomes.map((outcome) => outcome.attack))) {
    const won = outcomes.filter((outcome) => outcome.attack === attack && outcome.status === 'succeeded');
    for (const { id, label, text, adversarial = '' } of random(42, 'reading', attack).shuffle(won).slice(0, EACH)) {
      console.log(`| ${attack} | ${id} | ${label} | ${cell(changes(text, adversarial))} | ${cell(adversarial)} |`);
    }
  }
}
