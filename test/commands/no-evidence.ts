/**
 * @file Commands that must not end with 0: each has limits that any measurement keeps, and nothing, or too little, to measure. A row that
 * ends green shows a way to look robust without evidence. Shared by a test and by the campaign `verdicts`.
 */
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { scene } from '../scenes.js';
import { type Options, robust, robustProcess } from './cli.js';

export interface Row {
  readonly name: string;
  /** Besides those of `FILES`. */
  readonly files?: Readonly<Record<string, string>>;
  /** Preparation: commands with any exit code, and changes to the folder. */
  readonly before?: readonly (string | ((cwd: string) => void))[];
  readonly command: string;
  readonly exit: number;
  /** Pattern in the JSON document, or on stderr. */
  readonly says: RegExp;
  readonly how?: Options;
}

const LABELS = "labels: ['negative', 'positive']";
export const READS = 'texts.map((text) => (/\\bgood\\b/.test(text) ? [0.25, 0.75] : [0.75, 0.25]))';

/** A module that classifies: `first` is done before an answer, which is `answer`. */
export const model = (first: string, answer = READS): string =>
  `export default { ${LABELS}, async classify(texts) { ${first}; return ${answer}; } };\n`;

/** An attack as a file, which is `run` on an example. */
const attack = (run: string): string => `import { z } from 'robust-text/plugin';
const attempt = ({ text }, { original }) => ({ succeeded: false, text, probabilities: original, words: 1, changed: 0 });
export default {
  kind: 'evasion', name: 'mine', level: 'word', needs: 'labels', summary: 'Mine.', options: z.strictObject({}),
  create: () => ({ constraints: [], async run(example, target) { ${run}; } }),
};
`;

export const table = (rows: readonly (readonly [string, string | number])[]): string =>
  `text\tlabel\n${rows.map((row) => row.join('\t')).join('\n')}\n`;
export const numbered = (count: number, row: (at: number) => readonly [string, string | number]): string =>
  table(Array.from({ length: count }, (_, at) => row(at)));
export const text = (at: number): string => `The ${scene(at)}: a ${at % 2 ? 'good' : 'dull'} film number ${at}.`;

const FILES: Readonly<Record<string, string>> = {
  'ok.mjs': model(''),
  'data.tsv': numbered(40, (at) => [text(at), at % 2]),
};

/** Both ends of the range: a limit that can never fail is refused by itself. */
export const HOLDS = ['clean.accuracy', 'overall.attackSuccessRate']
  .map((metric) => `--require ${metric}>=0 --require ${metric}<=1`)
  .join(' ');
const VICTIM = '-m ./ok.mjs -d data.tsv';
const GATE = `gate ${VICTIM} -a deepwordbug ${HOLDS}`;
const ATTACK = `attack ${VICTIM} -a deepwordbug`;

export const ends = (
  command: string,
  exit: number,
  says: RegExp,
  more: Pick<Row, 'files' | 'before' | 'how'> = {},
): Omit<Row, 'name'> => ({ command, exit, says, ...more });

/** The gate that passes: the rows differ from it by what they say, and by nothing else. */
export const CONTROL: Row = { name: 'the same with evidence', ...ends(GATE, 0, /"passed"/) };

/** Gates another model, other data or another attack. */
const other = (files: Record<string, string>, command: string, exit: number, says: RegExp) =>
  ends(`gate ${command} ${HOLDS}`, exit, says, { files });
const victim = (source: string, exit: number, says: RegExp, flags = ''): Omit<Row, 'name'> =>
  other({ 'bad.mjs': source }, `-m ./bad.mjs -d data.tsv -a deepwordbug ${flags}`, exit, says);
const data = (content: string, exit: number, says: RegExp, flags = ''): Omit<Row, 'name'> =>
  other({ 'bad.tsv': content }, `-m ./ok.mjs -d bad.tsv -a deepwordbug ${flags}`, exit, says);
const plugin = (run: string, exit: number, says: RegExp, flags = ''): Omit<Row, 'name'> =>
  other({ 'mine.mjs': attack(run) }, `${VICTIM} -a ./mine.mjs ${flags}`, exit, says);

/** The folder of the only, or the latest, run. */
export const runOf = (cwd: string): string => {
  const runs = join(cwd, '.robust', 'runs');
  return join(runs, readFileSync(join(runs, 'latest'), 'utf8').trim());
};
const edit = (path: string, change: (text: string) => string): void =>
  writeFileSync(path, change(readFileSync(path, 'utf8')));
const journal = (change: (text: string) => string) => (cwd: string) => edit(join(runOf(cwd), 'results.jsonl'), change);
const half = (text: string): string => {
  const lines = text.split('\n');
  return `${lines.slice(0, lines.length / 2).join('\n')}\n`;
};

const withoutHash = (cwd: string): void =>
  edit(join(runOf(cwd), 'run.json'), (record) => record.replace(/,\s*"resultsSha256": "[0-9a-f]+"/, ''));
/** A module that reads its weights from a file beside it, and answers no attacked text while it is stuck. */
const stateful = `import { readFileSync } from 'node:fs';
${model(
  `const { good, stuck } = JSON.parse(readFileSync(new URL('weights.json', import.meta.url), 'utf8'));
  if (stuck && texts.some((text) => !/film number/.test(text))) await new Promise(() => {})`,
  READS.replaceAll('0.75', 'good').replaceAll('0.25', '1 - good'),
)}`;

const SAVED = [ATTACK, 'baseline save'] as const;
const AGAINST = `gate ${VICTIM} -a deepwordbug --baseline robust.baseline.json`;
/** A clock that is set to a day before anything was written. */
const BACK = `const Now = Date; globalThis.Date = class extends Now { constructor(...all) { all.length ? super(...all) : super('2020-01-01'); } static now() { return Now.parse('2020-01-01'); } };`;
const waiver = (expires: string): string =>
  `require: [clean.accuracy >= 0 and <= 0.1]\nwaivers: [{ metric: clean.accuracy, owner: me, reason: later, expires: ${expires} }]\n`;

const ROWS: Readonly<Record<string, Omit<Row, 'name'>>> = {
  // Inputs that cannot be opened.
  'a model that is not there': other({}, '-m ./nowhere -d data.tsv', 2, /MODEL_NOT_FOUND/),
  'a module without a classifier': victim('export default 1;', 3, /PLUGIN_DAMAGED/),
  'labels of one name': victim(
    "export default { labels: ['a', 'a'], classify: async (texts) => texts.map(() => [0.9, 0.1]) };",
    2,
    /LABELS_INVALID/,
  ),
  'data that are not there': other({}, '-m ./ok.mjs -d nowhere.tsv', 2, /DATA_NOT_FOUND/),
  'data without a byte': data('', 3, /EXAMPLES_TOO_FEW/),
  'data without a row': data('text\tlabel\n', 3, /EXAMPLES_TOO_FEW/),
  'labels unknown to the model': data(
    numbered(40, (at) => [text(at), 'great']),
    3,
    /LABELS_DAMAGED/,
  ),

  // A victim that does not answer.
  'answers of NaN': victim(model('', 'texts.map(() => [NaN, NaN])'), 3, /PLUGIN_DAMAGED/),
  'answers of too few rows': victim(model('', '[]'), 3, /PLUGIN_DAMAGED/),
  'an answer for half of the texts': victim(
    model('', `${READS}.map((row, at) => (/[02468]\\./.test(texts[at]) ? [NaN, 0] : row))`),
    4,
    /could not be classified/,
  ),
  'a victim that throws once attacked': victim(
    model('if (texts.some((text) => !/film number/.test(text))) throw new Error("no")'),
    4,
    /errored/,
  ),
  'a victim that exits with 0': victim(model('process.exit(0)'), 3, /ENDED_EARLY.*process\.exit\(0\).*bad\.mjs/),
  'a victim that exits with 0 once attacked': victim(
    model('if (texts.some((text) => !/film number/.test(text))) process.exit(0)'),
    3,
    /ENDED_EARLY/,
  ),
  'a victim that exits with 1, the code of a failed gate': victim(model('process.exit(1)'), 3, /ENDED_EARLY/),
  'a victim that exits when it is imported': victim(`process.exit(0);\n${model('')}`, 3, /ENDED_EARLY/),
  'a victim that never answers': victim(
    model('await new Promise(() => {})'),
    3,
    /MODEL_UNREACHABLE/,
    '--runtime timeout=0.5',
  ),
  'a victim that never answers once attacked': victim(
    model('if (texts.some((text) => !/film number/.test(text))) await new Promise(() => {})'),
    3,
    /MODEL_UNREACHABLE/,
    '--runtime timeout=0.5',
  ),
  'a victim that never answers, and any time to do so': victim(
    model('await new Promise(() => {})'),
    3,
    /ENDED_EARLY.*nothing left to wait for/,
    '--runtime timeout=0',
  ),
  'a victim that is never imported': victim(
    `await new Promise(() => {});\n${model('')}`,
    3,
    /MODEL_UNREACHABLE/,
    '--runtime timeout=0.5',
  ),
  'a victim in an endless loop': victim(
    model('while (true);'),
    3,
    // By the answer that is awaited, or by the main thread that does not come back: what is noticed first.
    /(?:MODEL|PLUGIN)_UNREACHABLE.*bad\.mjs/,
    '--runtime timeout=1',
  ),
  'a victim in an endless regular expression': victim(
    model("/^(a+)+$/.test('a'.repeat(60) + 'b')"),
    3,
    /(?:MODEL|PLUGIN)_UNREACHABLE/,
    '--runtime timeout=1',
  ),
  'a victim that crashes where nobody catches it': victim(
    model("setTimeout(() => { throw new Error('boom'); })"),
    3,
    /PLUGIN_DAMAGED.*bad\.mjs.*boom/,
  ),

  'one class of texts, and a victim that may know no other': other(
    {
      'bad.mjs': model('', 'texts.map(({ length }) => [1 / (length + 2), 1 - 1 / (length + 2)])'),
      'bad.tsv': numbered(40, (at) => [text(1 + 2 * at), 1]),
    },
    '-m ./bad.mjs -d bad.tsv -a deepwordbug',
    4,
    /degenerate|whether the victim ever answers anything else/,
  ),

  // An attack that does not attack.
  'an attack that is not there': other({}, `${VICTIM} -a nowhere`, 2, /ATTACK_NOT_FOUND/),
  'an attack that exits': plugin('process.exit(0)', 3, /ENDED_EARLY/),
  'an attack that never ends': plugin(
    'await new Promise(() => {})',
    4,
    /too many examples of mine errored/,
    '--runtime timeout=5',
  ),
  'an attack in an endless loop': plugin('while (true);', 3, /PLUGIN_UNREACHABLE/, '--runtime timeout=2'),
  'an attack that throws': plugin("throw new Error('no')", 4, /too many examples of mine errored/),
  'an attack that throws on more examples than may': plugin(
    "if (/number [5]/.test(example.text)) throw new Error('no'); await target.classify(['x']); return attempt(example, target)",
    4,
    /too many examples of mine errored: 1 of 40/,
  ),
  'an attack that asks nothing': plugin('return attempt(example, target)', 4, /tried on 0 of 40/),
  'an attack that needs gradients, which a module has not': other({}, `${VICTIM} -a hotflip`, 2, /GRADIENTS|gradients/),
  'a suite of which nothing can be carried out': other({}, `${VICTIM} -s embedding`, 2, /gradients/),

  // Too little.
  'fewer examples than say something': ends(`${GATE} -n 29`, 4, /measured on 29 examples, expected at least 30/),
  'only texts without a word': data(
    numbered(40, (at) => [at % 2 ? '...' : '!!!', 0]),
    4,
    /no attack is applicable to these texts/,
  ),
  'only texts that the model reads wrong': data(
    numbered(40, (at) => [text(at), 1 - (at % 2)]),
    4,
    /no attack was carried out/,
    '--force',
  ),
  'a query budget that leaves none for a rewrite': ends(`${GATE} --query-budget 1`, 4, /tried on 0 of 40/),
  'a run that its budget ended': ends(`${GATE} --query-budget run=60`, 4, /budget of the run \(60\) ended it after/),
  'a run that its budget ended, judged later': ends(`gate latest ${HOLDS}`, 4, /ended it after/, {
    before: [`${ATTACK} --query-budget run=60`],
  }),
  'a report of a run that its budget ended': ends(`gate r.json ${HOLDS}`, 4, /ended it after/, {
    before: [`${ATTACK} --query-budget run=60 -o r.json`],
  }),
  'the report of its gate, judged again': ends(`gate r.json ${HOLDS}`, 4, /ended it after/, {
    before: [`${GATE} --query-budget run=60 -o r.json`],
  }),
  'an attack that its budget ended': ends(`${ATTACK} --query-budget run=60`, 4, /"inconclusive".*ended it after/s),
  'a comparison with a run that its budget ended': ends('compare ./cut latest', 4, /ended it after/, {
    before: [
      `${ATTACK} --query-budget run=60`,
      (cwd) => cpSync(runOf(cwd), join(cwd, 'cut'), { recursive: true }),
      `${ATTACK} --query-budget run=60 --runtime workers=1`,
    ],
  }),
  'a baseline of a run that its budget ended': ends('baseline save', 2, /RUN_UNFINISHED/, {
    before: [`${ATTACK} --query-budget run=60`],
  }),
  'a shard by itself': ends(`gate latest ${HOLDS}`, 4, /only the examples of shard 1 of 2/, {
    before: [`${ATTACK} --shard 1/2`],
  }),
  'a merged run without a shard': ends(`gate latest ${HOLDS}`, 4, /shard 2 of 2 is missing/, {
    before: [`${ATTACK} --shard 1/2`, 'report --merge latest --allow-partial'],
  }),

  // Rules that judge nothing.
  'no threshold': ends(`gate ${VICTIM} -a deepwordbug`, 2, /REQUIREMENT_INVALID/),
  'a threshold that matches nothing': ends(`${GATE} --require typos.attackSuccessRate<=0.99`, 2, /METRIC_NOT_FOUND/),
  'a limit that no rate can break': ends(`${GATE} --require clean.accuracy<=30`, 2, /REQUIREMENT_INVALID/),
  'only warnings, on too few examples': ends(`gate ${VICTIM} -a deepwordbug -n 9`, 4, /measured on 9 examples/, {
    files: { 'robust.config.yaml': 'require: [{ limit: clean.accuracy >= 0.01, level: warn }]\n' },
  }),
  'a waiver that is over': ends(`gate ${VICTIM} -a deepwordbug`, 1, /ended with 2020-06-01/, {
    files: { 'robust.config.yaml': waiver('2020-06-01') },
  }),
  'a waiver that is over, and a clock set back': ends(`gate latest`, 1, /ended with 2020-06-01/, {
    files: { 'robust.config.yaml': waiver('2020-06-01') },
    before: [ATTACK],
    how: { node: ['--import', `data:text/javascript,${encodeURIComponent(BACK)}`] },
  }),
  'a configuration that exits': ends(GATE, 3, /ENDED_EARLY/, {
    files: { 'robust.config.mjs': 'process.exit(0);\nexport default {};\n' },
  }),
  'a configuration that never comes': ends(GATE, 3, /ENDED_EARLY/, {
    files: { 'robust.config.mjs': 'await new Promise(() => {});\nexport default {};\n' },
  }),

  // Baselines.
  'a baseline that is not there': ends(AGAINST, 2, /BASELINE_NOT_FOUND/),
  'a baseline that is none': ends(AGAINST, 3, /BASELINE_DAMAGED/, { files: { 'robust.baseline.json': '{}' } }),
  'the baseline of another model': ends(AGAINST.replace('ok.mjs', 'two.mjs'), 2, /BASELINE_MISMATCH/, {
    files: { 'two.mjs': model('') },
    before: SAVED,
  }),
  'the baseline of other data': ends(AGAINST.replace('data.tsv', 'two.tsv'), 2, /BASELINE_MISMATCH/, {
    files: { 'two.tsv': numbered(40, (at) => [`${text(at)} So.`, at % 2]) },
    before: SAVED,
  }),
  'a baseline of too few examples': ends(`${AGAINST} -n 9`, 4, /both have it for 9 examples/, {
    before: [`${ATTACK} -n 9`, 'baseline save'],
  }),
  'a baseline without an outcome': ends(AGAINST, 4, /no example for which both have it/, {
    before: [
      ...SAVED,
      (cwd) =>
        edit(join(cwd, 'robust.baseline.json'), (file) =>
          file.replace(/"(clean|outcomes)": ?"[^"]+"/g, (all, name) =>
            all.replace(/: ?"[^"]+"/, `:"${'-'.repeat(40)}"`).replace(name, name),
          ),
        ),
    ],
  }),

  // Runs that are not what they were.
  'a run still under way': ends(`gate latest ${HOLDS}`, 2, /RUN_UNFINISHED/, {
    before: [ATTACK, (cwd) => edit(join(runOf(cwd), 'run.json'), (file) => file.replace('"done"', '"running"'))],
  }),
  'a run that is not there': ends(`gate 2026 ${HOLDS}`, 2, /RUN_NOT_FOUND/),
  'an interrupted run': ends(
    `gate -m ./slow.mjs -d data.tsv -a deepwordbug --runtime concurrency=1 ${HOLDS}`,
    130,
    /INTERRUPTED/,
    {
      files: { 'slow.mjs': model('await new Promise((resolve) => setTimeout(resolve, 30))') },
      how: { at: [['slow on data.tsv', (child) => child.kill('SIGINT')]] },
    },
  ),
  'a run resumed with another model': ends('attack --resume -m ./two.mjs', 2, /RESUME_MISMATCH/, {
    files: { 'two.mjs': model('', READS.replace('0.75', '0.7')) },
    before: [ATTACK],
  }),
  'a run resumed with a module that reads other weights': ends(
    'attack --resume',
    2,
    /RESUME_MISMATCH.*no longer gives the answers that it gave before: example \d+: expected 0\.753 for \w+, got 0\.7 \(8 of 8/,
    {
      files: { 'stateful.mjs': stateful, 'weights.json': '{ "good": 0.753, "stuck": true }' },
      before: [
        'attack -m ./stateful.mjs -d data.tsv -a deepwordbug --runtime timeout=0.5',
        (cwd) => writeFileSync(join(cwd, 'weights.json'), '{ "good": 0.7 }'),
      ],
    },
  ),
  'the gate on a run whose module reads other weights': ends(`gate latest ${HOLDS}`, 2, /RUN_UNFINISHED/, {
    files: { 'stateful.mjs': stateful, 'weights.json': '{ "good": 0.753, "stuck": true }' },
    before: [
      'attack -m ./stateful.mjs -d data.tsv -a deepwordbug --runtime timeout=0.5',
      (cwd) => writeFileSync(join(cwd, 'weights.json'), '{ "good": 0.7 }'),
      'attack --resume',
    ],
  }),
  ...Object.fromEntries(
    [`gate latest ${HOLDS}`, 'report latest'].map((command) => [
      `${command.split(' ')[0]}: a finished run without the hash of its outcomes`,
      ends(command, 3, /RUN_DAMAGED/, { before: [ATTACK, withoutHash] }),
    ]),
  ),
  'a run resumed with an edited attack': ends('attack --resume', 2, /RUN_NAMES_CODE/, {
    files: { 'mine.mjs': attack('return attempt(example, target)') },
    before: [`attack ${VICTIM} -a ./mine.mjs`, (cwd) => edit(join(cwd, 'mine.mjs'), (code) => `${code}// Edited.\n`)],
  }),
  'a journal that was emptied': ends(`gate latest ${HOLDS}`, 3, /RUN_DAMAGED/, { before: [ATTACK, journal(() => '')] }),
  'a journal of which half is left': ends(`gate latest ${HOLDS}`, 3, /RUN_DAMAGED/, {
    before: [ATTACK, journal(half)],
  }),
  'a journal of which half is left, taken as it is': ends(
    `gate latest ${HOLDS} --allow-partial`,
    4,
    /expected 40 outcomes, found 20/,
    { before: [ATTACK, journal(half)] },
  ),
  'a journal that ends within a line': ends(`gate latest ${HOLDS}`, 3, /RUN_DAMAGED/, {
    before: [ATTACK, journal((all) => all.slice(0, -40))],
  }),
  'the journal of another run': ends(`gate latest ${HOLDS}`, 3, /RUN_DAMAGED/, {
    files: { 'two.tsv': numbered(40, (at) => [`${text(at)} So.`, at % 2]) },
    before: [
      ATTACK.replace('data.tsv', 'two.tsv'),
      (cwd) => cpSync(join(runOf(cwd), 'results.jsonl'), join(cwd, 'other.jsonl')),
      ATTACK,
      (cwd) => cpSync(join(cwd, 'other.jsonl'), join(runOf(cwd), 'results.jsonl')),
    ],
  }),
  'a journal of which half is left, compared': ends('compare ./first latest', 3, /RUN_DAMAGED/, {
    before: [ATTACK, (cwd) => cpSync(runOf(cwd), join(cwd, 'first'), { recursive: true }), ATTACK, journal(half)],
  }),
  'a report cut off': ends(`gate r.json ${HOLDS}`, 3, /REPORT_DAMAGED/, {
    before: [`${ATTACK} -o r.json`, (cwd) => edit(join(cwd, 'r.json'), (all) => all.slice(0, all.length / 2))],
  }),
  'adversarial texts of which none is left': ends(
    `gate -m ./ok.mjs --transfer t.jsonl --require transfer.attackSuccessRate<=0.99`,
    3,
    /TRANSFER|EXAMPLES_TOO_FEW|DATA/,
    { files: { 't.jsonl': '' } },
  ),

  // A scan that could not look.
  'a scan that its time budget ends before anything is judged': ends(
    'backdoor scan -m bert-mini --time-budget 1 --gate',
    4,
    /"inconclusive"/,
  ),
  'a scan of a victim that answers all alike': ends(
    'backdoor scan -m ./same.mjs -d data.tsv --gate',
    4,
    /"inconclusive"/,
    { files: { 'same.mjs': model('', 'texts.map(() => [0.75, 0.25])') } },
  ),

  // Nobody reads.
  'a failed gate whose result nobody reads': ends(
    `gate ${VICTIM} -a deepwordbug --require clean.accuracy>=0 --require clean.accuracy<=0.1`,
    1,
    /^/,
    { how: { closeStdout: true } },
  ),
  'a failed gate whose progress nobody reads': ends(
    `gate ${VICTIM} -a deepwordbug --require clean.accuracy>=0 --require clean.accuracy<=0.1 -v`,
    1,
    /"failed"/,
    { how: { closeStderr: true } },
  ),
};

export const rows: readonly Row[] = Object.entries(ROWS).map(([name, row]) => ({ name, ...row }));

const words = (line: string): string[] => line.split(' ').filter(Boolean);

/** Rows that end, hang or time their process, or load an attack, which finds the plugin API by a hook that the tests' process has not. */
export const needsProcess = ({ how, exit, says, files = {}, command: line }: Row): boolean =>
  how !== undefined ||
  exit === 70 ||
  /boom/.test(says.source) ||
  exit === 130 ||
  /ENDED_EARLY/.test(says.source) ||
  'mine.mjs' in files ||
  /timeout=|--time-budget/.test(line);

/**
 * The fault of a row's end, or undefined. `cwd`: an empty folder. `here`: commands that leave their process unchanged run in this one,
 * which takes a third of the time.
 */
export async function faultOf(row: Row, cwd: string, { here = false } = {}): Promise<string | undefined> {
  const carryOut = here && !needsProcess(row) ? robust : robustProcess;
  for (const [name, content] of Object.entries({ ...FILES, ...row.files })) writeFileSync(join(cwd, name), content);
  for (const step of row.before ?? []) {
    if (typeof step === 'string') await carryOut([...words(step), '-q'], { cwd });
    else step(cwd);
  }
  const { code, stdout, stderr } = await carryOut([...words(row.command), '--json'], { cwd, ...row.how });
  const told = `${stdout}\n${stderr}`;
  if (code !== row.exit) return `expected exit code ${row.exit}, got ${code}: ${told.slice(0, 2000)}`;
  if (!row.says.test(told)) return `expected it to say ${row.says}, got ${told.slice(0, 2000)}`;
  return undefined;
}
