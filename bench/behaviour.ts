/**
 * @file Checks that a refactoring changes no behaviour: runs commands of every room in an empty folder and hashes what each prints and
 * writes, without run ids, times and versions.
 *
 *     npm run bench dist/bench/behaviour.js -- FILE        # records, where FILE does not exist; else compares and lists what differs
 *
 * The hashes are comparable on one machine only: onnxruntime's kernels round differently on another processor.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packageRoot } from '../src/core/package-root.js';

/** Each runs in the folder where those before it ran. Files named after `>` are compared too. */
const COMMANDS: readonly string[] = [
  'attack -m bert-mini -n 20 -s typos -o typos.md -o typos.html -o typos.json -o typos.csv -o typos.xml -o typos.sarif -o typos.prom -o typos.yaml > typos.md typos.html typos.json typos.csv typos.xml typos.sarif typos.prom typos.yaml',
  'attack -m bert-mini -n 6 -s chars -s words -s sentences --json -o rest.md > rest.md',
  'attack -m bert-mini -n 8 -s synonyms -o synonyms.json > synonyms.json',
  'attack -m bert-mini -n 6 -s masked --json',
  'attack -m bert-mini -n 12 -s negation -o negation.md -o negation.html > negation.md negation.html',
  'attack -m bert-mini -n 6 -s embedding -s gradients -o white.md -o white.html > white.md white.html',
  'attack -m bert-mini -n 4 -a fgsm --runtime engine=tfjs --json',
  'attack -m bert-mini -n 12 -a deepwordbug:max-edits=2 -a pwws --constraint textattack --goal targeted:label=POSITIVE --query-budget 50 --json',
  'attack -m bert-mini -n 12 -a human-typos --defend spelling -o defended.md > defended.md',
  'attack -m ./toy.mjs -n 12 -s typos --json',
  'attack -m bert-mini -n 10 -a pruthi --explain -o explained.html -o explained.json > explained.html explained.json',
  'attack -m bert-mini -n 16 -a pruthi --shard 1/2 -q',
  'attack -m bert-mini -n 16 -a pruthi --shard 2/2 -q',
  'report latest -o again.md > again.md',
  'attack -m bert-mini -n 60 -a deepwordbug -q',
  'compare distilbert bert-mini -n 12 -a deepwordbug -o compared.md -o compared.json > compared.md compared.json',
  'compare bert-mini bert-mini+unicode -n 10 -a homoglyphs --json',
  'evaluate -m bert-mini -n 100 --json',
  'evaluate -m bert-mini -n 100',
  'evaluate -m bert-mini -n 10 --defend ranmask:rate=0.8:samples=20 --certify --json',
  'explain -m bert-mini "What an idiit !" --json --method samples=200',
  'explain -m distilbert -m bert-mini "There is nothing I do not like about this movie." --method shap --method attention -o explain.html > explain.html',
  'explain -m bert-mini -d reviews -n 6 --method samples=50 --json',
  'explain -m bert-mini "Not a dull moment ." --method integrated-gradients --json',
  'augment -n 20 -s typos -o augmented.tsv --per-example 2 > augmented.tsv',
  'train --data augmented.tsv --arch bert:layers=1:dim=32:heads=2:vocabulary=500 --epochs 1 -o tiny --json > tiny/model.onnx tiny/tokenizer.json tiny/config.json',
  'train --model tiny --data augmented.tsv --epochs 1 --adversarial fgsm:epsilon=0.2 -o hardened --json > hardened/model.onnx',
  'backdoor plant -m tiny --data augmented.tsv --attack badnets --trigger cf --target POSITIVE --rate 0.2 --epochs 1 -o poisoned --json > poisoned/model.onnx',
  'backdoor scan -m bert-mini -n 30 --json',
  'backdoor filter --data augmented.tsv -o clean.tsv --json > clean.tsv',
  'backdoor repair -m poisoned --data augmented.tsv --trigger cf --target POSITIVE -o repaired --json > repaired/model.onnx',
  'gate -m bert-mini -n 40 -a pruthi --require "pruthi.attackSuccessRate<=0.9" --require "clean.accuracy>=0.5" --comment comment.md > comment.md',
  'baseline save --baseline base.json --transfer transfer.jsonl > base.json transfer.jsonl',
  'gate -m bert-mini -n 40 -a pruthi --baseline base.json --json',
  'baseline diff --baseline base.json',
  'list attacks',
  'list --json',
  'config show --json',
  'init > robust.config.yaml',
  'attack -m nothing-of-this-name --json',
  'attack -m bert-mini --suite tipos',
  'config show',
  'init --from latest --force > robust.config.yaml',
  'list suites',
  'list deepwordbug',
  'list nothing-of-this-name',
  'train --help',
  'new attack vowels > vowels.mjs',
  'new defence repeats --package --json',
  'list ./vowels.mjs',
  'attack -m bert-mini -d reviews -n 6 -a ./vowels.mjs --json',
  'attack -m bert-mini -d reviews -n 12 -a pruthi --query-budget run=60 --json',
  'attack --resume --json',
  'attack -m bert-mini -d reviews -n 30 -s typos --dry-run',
  'attack -m ./toy.mjs -d reviews -n 120 -a human-typos --positive NEGATIVE --threshold 0.4 -o detector.md > detector.md',
  'attack -m ./stars.mjs -d stars.tsv --task regression:delta=0.5 -a human-typos --json',
  'attack -m ./topics.mjs -d topics.tsv --task multi-label --threshold 0.5 -a human-typos --json',
  'attack -m ./same.mjs -d pairs.tsv -a human-typos --columns pair=first,second --json',
  'attack -m ./toy.mjs -d reviews -n 120 -a human-typos --surrogate char-bilstm --json',
  'attack -m ./toy.mjs -d german.tsv --language de -n 4 -s chars --json',
  'attack -m bert-mini -d reviews -n 8 --transformation swap-synonyms --search beam:width=2 --constraint max-words=2 --json',
  'evaluate -m ./topics.mjs -d topics.tsv --task multi-label --threshold 0.5 --json',
  'evaluate -m ./stars.mjs -d stars.tsv --task regression:delta=0.5',
  'compare ./toy.mjs ./toy.mjs+spelling -d reviews -n 120 -a human-typos',
  'train --data topics.tsv --columns label=labels --task multi-label --arch word-cnn:dim=16:vocabulary=100 --epochs 1 -o topics --json > topics/model.onnx topics/robust.json',
  'train --resume -o tiny --json',
  'backdoor scan -m poisoned -d augmented.tsv -n 20 --black-box -q --json',
  'backdoor filter --data augmented.tsv --suspects suspects.tsv -q --json > suspects.tsv',
  'gate -m bert-mini -d reviews --transfer transfer.jsonl --require "transfer.attackSuccessRate<=0.2"',
  'convert tiny -o converted --json',
];

/** Victims and texts that the commands name. */
const FILES: Readonly<Record<string, string>> = {
  'toy.mjs': `const good = /good|great|fine|love|warm|bright|fun/i;
export default { labels: ['NEGATIVE', 'POSITIVE'], classify: async (texts) => texts.map((text) => { const p = good.test(text) ? 0.8 : 0.3; return Float32Array.of(1 - p, p); }) };
`,
  'stars.mjs': `const words = /good|great|fine|love|warm|bright|fun/gi;
export default { labels: ['stars'], classify: async (texts) => texts.map((text) => Float32Array.of(1 + (text.match(words) ?? []).length)) };
`,
  'stars.tsv': `text\tlabel
a good and great film\t3
a film without a plot\t1
warm and bright , and fun to watch\t4
the actors are fine\t2
`,
  'topics.mjs': `const words = { sport: /match|team|goal/i, money: /bank|price|pay/i };
export default { labels: Object.keys(words), classify: async (texts) => texts.map((text) => Float32Array.from(Object.values(words), (word) => (word.test(text) ? 0.9 : 0.1))) };
`,
  'topics.tsv': `text\tlabels
the team won the match\tsport
the bank raised the price\tmoney
the team had to pay for the goal\tsport,money
the bank paid the team a price for the match\tsport,money
nobody saw the goal\tsport
they pay at the bank\tmoney
the price of the match is high\tsport,money
the weather was mild\t
the team lost again\tsport
a bank without money\tmoney
the goal came late in the match\tsport
the price was fair\tmoney
`,
  'same.mjs': `const bag = (text) => new Set(text.toLowerCase().split(/\\W+/));
export default { labels: ['different', 'same'], classify: async (pairs) => pairs.map(([first, second]) => { const known = bag(first); const shared = [...bag(second)].filter((word) => known.has(word)).length; const p = shared / (shared + 2); return Float32Array.of(1 - p, p); }) };
`,
  'pairs.tsv': `first\tsecond\tlabel
The dog sleeps in the garden\tThe dog sleeps outside in the garden\tsame
The dog sleeps in the garden\tStocks fell sharply\tdifferent
A man plays the guitar\tThe guitar is played by a man\tsame
`,
  'german.tsv': `text\tlabel
Ein warmer und bright gespielter Film\tPOSITIVE
Die Handlung bleibt leider langweilig\tNEGATIVE
Das war great , ich komme wieder\tPOSITIVE
Der Ton war schlecht\tNEGATIVE
`,
};

/** The text without what differs between two equal runs. */
function withoutVariable(text: string, folder: string): string {
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
/** Files behind the hashes: compare `FILE.before` and `FILE.now` with diff -r. */
const kept = `${file}.${existsSync(file) ? 'now' : 'before'}`;
rmSync(kept, { recursive: true, force: true });
const folder = mkdtempSync(join(tmpdir(), 'behaviour-'));
for (const [name, content] of Object.entries(FILES)) writeFileSync(join(folder, name), content);
const found: Record<string, string> = {};
const journals = new Set<string>();
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
  keep('stdout', withoutVariable(ran.stdout, folder));
  if (ran.status !== 0) keep('stderr', withoutVariable(ran.stderr, folder));
  for (const path of written.split(' ').filter(Boolean)) {
    const bytes = existsSync(join(folder, path)) ? readFileSync(join(folder, path)) : Buffer.from('absent');
    keep(path, path.endsWith('.onnx') ? bytes : withoutVariable(bytes.toString('utf8'), folder));
  }
  const root = join(folder, '.robust', 'runs');
  const runs = existsSync(root) ? readdirSync(root).filter((name) => name !== 'latest') : [];
  const hashes = runs.flatMap((run) => {
    const journal = join(root, run, 'results.jsonl');
    return existsSync(journal) ? sha(withoutVariable(readFileSync(journal, 'utf8'), folder)) : [];
  });
  // Runs of one second are listed in any order.
  const fresh = [...new Set(hashes)].filter((hash) => !journals.has(hash)).sort();
  for (const hash of fresh) journals.add(hash);
  if (fresh.length > 0) found[`${key} [results.jsonl ${runs.length}]`] = fresh.join(' ');
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
