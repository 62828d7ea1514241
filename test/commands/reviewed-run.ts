/** A finished run of a toy model with reviews of it, for tests of `robust review`. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ReviewPlan } from '../../src/review/plan.js';
import { folder, robust } from './cli.js';

/** A model that needs the word "good". Its scores move with every character. */
const TOY = `export default {
  labels: ['negative', 'positive'],
  classify: async (texts) => texts.map((text) => {
    const letters = [...text].reduce((sum, letter) => sum + Math.sin(letter.codePointAt(0)), 0) / 40;
    const logit = 2 * (text.match(/\\bgood\\b/g) ?? []).length - 1 + letters;
    return [1 / (1 + Math.exp(logit)), 1 / (1 + Math.exp(-logit))];
  }),
};\n`;

const ADJECTIVES = ['brave', 'calm', 'dark', 'early', 'fine', 'gentle', 'happy', 'idle'];
const NOUNS = ['film', 'story', 'movie', 'song', 'novel'];
const texts = ADJECTIVES.flatMap((word) => NOUNS.map((noun) => `a good ${word} ${noun} about an old town\tpositive`));
const others = ADJECTIVES.flatMap((word) => NOUNS.map((noun) => `a dull ${word} ${noun} about an old town\tnegative`));
/** Attacks the model in a folder of its own. */
export async function reviewedRun() {
  const cwd = folder({
    'toy.mjs': TOY,
    'other.mjs': TOY.replace('2 *', '3 *'),
    'data.tsv': `text\tlabel\n${[...texts, ...others].join('\n')}\n`,
  });
  const run = (...args: string[]) => robust(args, { cwd, env: { NO_COLOR: '1', COLUMNS: '80' } });
  const file = (name: string): string => join(cwd, name);
  const attack = ['attack', '-m', './toy.mjs', '-d', 'data.tsv', '-n', '0', '--suite', 'typos'];
  const { code, stdout, stderr } = await run(...attack);
  if (code !== 0) throw new Error(stdout + stderr);
  const [id = ''] = readdirSync(file('.robust/runs')).filter((name) => name.startsWith('2'));
  const review = join(cwd, '.robust', 'runs', id, 'review');
  const plan = (): ReviewPlan => JSON.parse(readFileSync(join(review, 'plan.json'), 'utf8'));
  /** Fills a sheet in as the data set would. */
  const fill = (sheet: string, back: string): void => {
    const truth = new Map(plan().items.map((item) => [item.id, item.truth]));
    const [head, ...rows] = readFileSync(file(sheet), 'utf8').trim().split('\r\n');
    const answered = rows.map((row) => row.replace(/,,$/, `,${(truth.get(row.split(',')[1] ?? '') as number) + 1},`));
    writeFileSync(file(back), [head, ...answered].join('\r\n'));
  };
  return { cwd, id, review, run, file, plan, fill };
}
