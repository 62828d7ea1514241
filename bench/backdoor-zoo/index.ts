/**
 * @file Grows a zoo of small models, half of them with a backdoor, and scans them:
 * `npm run bench dist/bench/backdoor-zoo/index.js -- FOLDER [EACH]`. EACH clean and EACH poisoned ones [20]. A model that is done is a
 * line of FOLDER/zoo.jsonl, one that was scanned a line of FOLDER/scan.jsonl; run again, it goes on behind the last. At the end, or of
 * what there is with `--summary`, it prints how well the scan tells the two apart. `--from 20` grows models that had no part in choosing
 * the scan's constants, `--architecture word-cnn` others; `--write FILE --others FOLDER` writes the calibration that `scan` reads.
 */
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { ArchitectureName } from '../../src/core/architectures.js';
import { type Grown, grow, haveData } from './grow.js';
import { heldOutFile } from './held-out.js';
import { type Judged, judge, summary } from './judge.js';
import { members } from './members.js';

const { positionals, values } = parseArgs({
  args: process.argv.slice(2).filter((argument) => argument !== '--'),
  allowPositionals: true,
  options: {
    summary: { type: 'boolean' },
    from: { type: 'string', default: '0' },
    write: { type: 'string' },
    others: { type: 'string' },
    architecture: { type: 'string', multiple: true },
  },
});
const [folder, each = '20'] = positionals;
if (folder === undefined) throw new Error('expected a folder for the zoo');
if (!haveData()) throw new Error('expected SST-2, SMS and TREC under ../shared/data');
mkdirSync(folder, { recursive: true });

/** The lines of a journal; one that a kill cut short is dropped. */
function journal<T>(name: string, of = folder as string): { readonly lines: T[]; add(line: T): void } {
  const path = join(of, name);
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
const wanted = members({
  each: Number(each),
  from: Number(values.from),
  ...(values.architecture && { architectures: values.architecture as ArchitectureName[] }),
});
if (values.summary !== true) {
  for (const member of wanted) {
    let grown = zoo.lines.find(({ name }) => name === member.name);
    if (grown === undefined) {
      const began = performance.now();
      rmSync(join(folder, member.name), { recursive: true, force: true });
      grown = await grow(member, folder);
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
if (values.write !== undefined) {
  const other = values.others ?? folder;
  const apart = other === folder;
  const others = { grown: journal<Grown>('zoo.jsonl', other).lines, scans: journal<Judged>('scan.jsonl', other).lines };
  const none = { grown: [], scans: [] };
  writeFileSync(values.write, await heldOutFile({ grown: zoo.lines, scans: scans.lines }, apart ? none : others));
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
