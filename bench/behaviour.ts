/**
 * @file Holds a change of structure against the behaviour before it: carries out commands of every room in an empty folder and hashes
 * what each prints and writes, with run ids, times and versions put aside.
 *
 *     npm run bench dist/bench/behaviour.js -- FILE        # records, where FILE does not exist; else compares and lists what differs
 *
 * The hashes hold on one machine: onnxruntime's kernels round differently on another processor.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packageRoot } from '../src/core/package-root.js';

/** Each in the folder where those before it ran. What stands behind `>` is compared too: files and folders it writes. */
const COMMANDS: readonly string[] = [
  'attack -m bert-mini -n 20 -s typos -o typos.md -o typos.html -o typos.json -o typos.csv -o typos.xml -o typos.sarif -o typos.prom -o typos.yaml > typos.md typos.html typos.json typos.csv typos.xml typos.sarif typos.prom typos.yaml',
  'attack -m bert-mini -n 6 -s chars -s words -s sentences --json -o rest.md > rest.md',
  'attack -m bert-mini -n 8 -s synonyms -o synonyms.json > synonyms.json',
  'attack -m bert-mini -n 6 -s masked --json',
  'attack -m bert-mini -n 12 -s negation -o negation.md -o negation.html > negation.md negation.html',
  'attack -m bert-mini -n 6 -s embedding -s gradients -o white.md -o white.html > white.md white.html',
  'attack -m bert-mini -n 4 -a fgsm --engine tfjs --json',
  'attack -m bert-mini -n 12 -a deepwordbug:max-edits=2 -a pwws --constraints paper --target POSITIVE --query-budget 50 --json',
  'attack -m bert-mini -n 12 -a human-typos --defend spelling -o defended.md > defended.md',
  'attack -m ./toy.mjs -n 12 -s typos --json',
  'attack -m bert-mini -n 10 -a pruthi --explain -o explained.html -o explained.json > explained.html explained.json',
  'attack -m bert-mini -n 16 -a pruthi --shard 1/2 -q',
  'attack -m bert-mini -n 16 -a pruthi --shard 2/2 -q',
  'report latest -o again.md > again.md',
  'attack -m bert-mini -n 60 -a deepwordbug -q',
  'detect --json',
  'compare distilbert bert-mini -n 12 -a deepwordbug -o compared.md -o compared.json > compared.md compared.json',
  'compare bert-mini bert-mini+unicode -n 10 -a homoglyphs --json',
  'evaluate -m bert-mini -n 100 --json',
  'evaluate -m bert-mini -n 100',
  'evaluate -m bert-mini -n 10 --defend ranmask:rate=0.8:samples=20 --certify --json',
  'explain -m bert-mini "What an idiit !" --json --samples 200',
  'explain -m distilbert -m bert-mini "There is nothing I do not like about this movie." --method shap --method attention -o explain.html > explain.html',
  'explain -m bert-mini -d reviews -n 6 --global --samples 50 --json',
  'explain -m bert-mini "Not a dull moment ." --method integrated-gradients --check --json',
  'augment -n 20 -s typos -o augmented.tsv --per-example 2 > augmented.tsv',
  'train --data augmented.tsv --arch bert --layers 1 --dim 32 --heads 2 --epochs 1 --vocabulary 500 -o tiny --json > tiny/model.onnx tiny/tokenizer.json tiny/config.json',
  'train --model tiny --data augmented.tsv --epochs 1 --adversarial fgsm --epsilon 0.2 -o hardened --json > hardened/model.onnx',
  'backdoor plant -m tiny --data augmented.tsv --attack badnets --trigger cf --target POSITIVE --rate 0.2 --epochs 1 -o poisoned --json > poisoned/model.onnx',
  'backdoor scan -m bert-mini -n 30 --json',
  'backdoor filter --data augmented.tsv --method label-correlation -o clean.tsv --json > clean.tsv',
  'backdoor repair -m poisoned --data augmented.tsv --trigger cf --target POSITIVE -o repaired --json > repaired/model.onnx',
  'gate -m bert-mini -n 40 -a pruthi --require "pruthi.attackSuccessRate<=0.9" --require "clean.accuracy>=0.5" --comment comment.md > comment.md',
  'baseline save --baseline base.json > base.json',
  'gate -m bert-mini -n 40 -a pruthi --baseline base.json --json',
  'baseline diff --baseline base.json',
  'list attacks',
  'list --json',
  'config show --json',
  'init > robust.config.yaml',
  'attack -m nothing-of-this-name --json',
  'attack -m bert-mini --suite tipos',
];

const TOY = `const good = /good|great|fine|love|warm|bright|fun/i;
export default { labels: ['NEGATIVE', 'POSITIVE'], classify: async (texts) => texts.map((text) => { const p = good.test(text) ? 0.8 : 0.3; return Float32Array.of(1 - p, p); }) };
`;

/** What differs between two equal runs. */
function put(text: string, folder: string): string {
  return text
    .replaceAll(folder, 'FOLDER')
    .replaceAll(process.version, 'NODE')
    .replace(/\d{8}T\d{6}Z-[0-9a-f]{6}/g, 'RUN')
    .replace(/\d{4}-\d\d-\d\d([T ]\d\d:\d\d:\d\d(\.\d+)?Z?)?/g, 'DATE')
    .replace(/"(seconds|created|hardware|timestamp|time)": ?("[^"]*"|[\d.e-]+|\{[^}]*\})/g, '"$1":X')
    .replace(/(time|timestamp)="[^"]*"/g, '$1="X"')
    .replace(/\d+(\.\d+)? (s|ms|min|GiB|queries\/s)\b/g, 'N $2')
    .replace(/(seconds[^0-9\n]*)[\d.e+-]+/gi, '$1X');
}

const sha = (bytes: string | Buffer): string => createHash('sha256').update(bytes).digest('hex').slice(0, 16);

const [file] = process.argv.slice(2).filter((argument) => argument !== '--');
if (file === undefined) throw new Error('expected a file to record to, or to compare with');
/** What was hashed: compare `FILE.before` and `FILE.now` with diff -r. */
const kept = `${file}.${existsSync(file) ? 'now' : 'before'}`;
rmSync(kept, { recursive: true, force: true });
const folder = mkdtempSync(join(tmpdir(), 'behaviour-'));
writeFileSync(join(folder, 'toy.mjs'), TOY);
const found: Record<string, string> = {};
for (const [number, line] of COMMANDS.entries()) {
  const [command, written = ''] = line.split(' > ') as [string, string?];
  const words = [...command.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? (plain as string));
  const ran = spawnSync(process.execPath, [join(packageRoot, 'bin/run.js'), ...words], {
    cwd: folder,
    encoding: 'utf8',
    maxBuffer: 1 << 30,
    env: { ...process.env, COLUMNS: '120', NO_COLOR: '1', GITHUB_ACTIONS: '', CI: '' },
  });
  const key = `${String(number).padStart(2, '0')} ${command}`;
  const keep = (name: string, content: string | Buffer): void => {
    found[`${key} [${name}]`] = sha(content);
    mkdirSync(join(kept, String(number)), { recursive: true });
    writeFileSync(join(kept, String(number), name.replaceAll('/', '-')), content);
  };
  found[`${key} [exit]`] = String(ran.status);
  keep('stdout', put(ran.stdout, folder));
  if (ran.status !== 0) keep('stderr', put(ran.stderr, folder));
  for (const path of written.split(' ').filter(Boolean)) {
    const bytes = existsSync(join(folder, path)) ? readFileSync(join(folder, path)) : Buffer.from('absent');
    keep(path, path.endsWith('.onnx') ? bytes : put(bytes.toString('utf8'), folder));
  }
  const root = join(folder, '.robust', 'runs');
  const runs = existsSync(root) ? readdirSync(root).filter((name) => name !== 'latest') : [];
  for (const run of runs) {
    const journal = join(root, run, 'results.jsonl');
    const name = `${key} [results.jsonl ${runs.length}]`;
    if (existsSync(journal) && !Object.values(found).includes(sha(readFileSync(journal))))
      found[name] = sha(readFileSync(journal));
  }
  console.error(`${ran.status} ${command.slice(0, 100)}`);
}
rmSync(folder, { recursive: true, force: true });
if (!existsSync(file)) {
  writeFileSync(file, `${JSON.stringify(found, null, 2)}\n`);
  console.log(`recorded ${Object.keys(found).length} hashes in ${file}; what was hashed lies in ${kept}`);
} else {
  const before = JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>;
  const names = [...new Set([...Object.keys(before), ...Object.keys(found)])];
  const differing = names.filter((name) => before[name] !== found[name]);
  for (const name of differing) console.log(`${name}: ${before[name] ?? 'absent'} -> ${found[name] ?? 'absent'}`);
  console.log(`${names.length - differing.length} of ${names.length} are the same; what was hashed lies in ${kept}`);
  process.exitCode = differing.length === 0 ? 0 : 1;
}
