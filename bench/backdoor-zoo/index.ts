/**
 * @file Grows a zoo of small models, half of them with a backdoor: `npm run bench dist/bench/backdoor-zoo/index.js -- FOLDER [EACH]`.
 * EACH clean and EACH poisoned ones [20]. Each is written to FOLDER/zoo.jsonl once it is done; run again, it goes on behind the last.
 */
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Grown, grow, haveData } from './grow.js';
import { members } from './members.js';

const [folder, each = '20'] = process.argv.slice(2);
if (folder === undefined) throw new Error('expected a folder for the zoo');
if (!haveData()) throw new Error('expected SST-2, SMS and TREC under ../shared/data');
mkdirSync(folder, { recursive: true });
const journal = join(folder, 'zoo.jsonl');
const done = existsSync(journal)
  ? readFileSync(journal, 'utf8')
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Grown)
  : [];
for (const member of members(Number(each))) {
  if (done.some(({ name }) => name === member.name)) continue;
  const began = performance.now();
  rmSync(join(folder, member.name), { recursive: true, force: true });
  const grown = await grow(member, folder);
  done.push(grown);
  appendFileSync(journal, `${JSON.stringify(grown)}\n`);
  console.log(line(grown), `${((performance.now() - began) / 1000).toFixed(0)} s`);
}

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
