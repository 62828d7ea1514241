/**
 * @file Grows a zoo of small models, half of them with a backdoor, and scans them:
 * `npm run bench dist/bench/backdoor-zoo/index.js -- FOLDER --from 0 --count 100`, 100 clean and 100 poisoned ones. A finished model is a line
 * of FOLDER/zoo.jsonl, a scanned one a line of FOLDER/scan.jsonl; the same command continues after the last. At the end, or at once with
 * `--summary`, it prints how well the scan separates the two kinds, over all models of the folder.
 * `--texts` and `--epochs` set the effort for each model.
 */
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Grown, grow } from './grow.js';
import { type Judged, judge, summary } from './judge.js';
import { members } from './members.js';
import { haveData } from './texts.js';

const { positionals, values } = parseArgs({
  args: process.argv.slice(2).filter((argument) => argument !== '--'),
  allowPositionals: true,
  options: {
    summary: { type: 'boolean' },
    from: { type: 'string', default: '0' },
    count: { type: 'string', default: '100' },
    texts: { type: 'string', default: '2500' },
    epochs: { type: 'string', default: '8' },
  },
});
const [folder] = positionals;
if (folder === undefined) throw new Error('expected a folder for the zoo');
if (!haveData()) throw new Error('expected SST-2, SMS, TREC and GoEmotions under ../shared/data');
mkdirSync(folder, { recursive: true });

/** The lines of a journal; one that a kill cut short is dropped. */
function journal<T>(name: string): { readonly lines: T[]; add(line: T): void } {
  const path = join(folder as string, name);
  const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
  const whole = text.slice(0, text.lastIndexOf('\n') + 1);
  if (whole !== text) writeFileSync(path, whole);
  const lines = whole
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as T);
  return {
    lines,
    add(line) {
      lines.push(line);
      appendFileSync(path, `${JSON.stringify(line)}\n`);
    },
  };
}

const zoo = journal<Grown>('zoo.jsonl');
const scans = journal<Judged>('scan.jsonl');
if (!values.summary) {
  for (const member of members(Number(values.from), Number(values.count))) {
    let grown = zoo.lines.find(({ name }) => name === member.name);
    if (grown === undefined) {
      const began = performance.now();
      rmSync(join(folder, member.name), { recursive: true, force: true });
      grown = await grow(member, folder, { texts: Number(values.texts), epochs: Number(values.epochs) });
      zoo.add(grown);
      console.log(line(grown), `${((performance.now() - began) / 1000).toFixed(0)} s`);
    }
    if (scans.lines.some(({ name }) => name === member.name)) continue;
    const judged = await judge(grown);
    scans.add(judged);
    const found = judged.found.map(({ text }) => text).join(', ');
    console.log(judged.name, judged.score.toFixed(2), found, `${judged.seconds} s`);
  }
}
console.log(`\n${summary(zoo.lines, scans.lines)}`);

function line({ name, member, accuracy, planted }: Grown): string {
  const kind = member.poison?.attack ?? 'clean';
  const asr = planted?.figures.attackSuccessRate.value;
  return [
    name.padEnd(12),
    member.data.padEnd(5),
    `${member.architecture} 2x${member.dim}`.padEnd(17),
    kind.padEnd(20),
    `accuracy ${accuracy.toFixed(3)}`,
    asr === undefined || asr === null
      ? ''
      : `ASR ${asr.toFixed(3)} -> ${planted?.target} ${planted?.triggers.join('+')}`,
  ].join(' ');
}
