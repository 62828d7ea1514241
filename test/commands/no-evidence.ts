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
export const attack = (run: string): string => `import { z } from 'robust-text/plugin';
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

/** The gate that passes: the rows differ from it by what they say, and by nothing else. */
export const CONTROL: Row = { name: 'the same with evidence', command: GATE, exit: 0, says: /"passed"/ };

/** Gates another model, other data or another attack. */
const other = (files: Record<string, string>, command: string, exit: number, says: RegExp) => ({
  ...{ files, command: `gate ${command} ${HOLDS}`, exit, says },
});
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
  'a model that is not there': other({}, '-m ./nowhere -d data.tsv', 3, /MODEL_NOT_FOUND/),
  'a module without a classifier': victim('export default 1;', 3, /MODULE_INVALID/),
  'labels of one name': victim(
    "export default { labels: ['a', 'a'], classify: async (texts) => texts.map(() => [0.9, 0.1]) };",
    3,
    /LABELS_ALIKE/,
  ),
  'data that are not there': other({}, '-m ./ok.mjs -d nowhere.tsv', 3, /DATA_NOT_FOUND/),
  'data without a byte': data('', 3, /DATA_EMPTY/),
  'data without a row': data('text\tlabel\n', 3, /DATA_EMPTY|NO_EXAMPLES/),
  'labels unknown to the model': data(
    numbered(40, (at) => [text(at), 'great']),
    3,
    /DATA_LABEL/,
  ),

  // A victim that does not answer.
  'answers of NaN': victim(model('', 'texts.map(() => [NaN, NaN])'), 3, /MODULE_INVALID/),
  'answers of too few rows': victim(model('', '[]'), 3, /MODULE_INVALID/),
  'an answer for half of the texts': victim(
    model('', `${READS}.map((row, at) => (/[02468]\\./.test(texts[at]) ? [NaN, 0] : row))`),
    4,
    /could not be classified/,
  ),
  'a victim that tells labels only, under an attack that follows scores': victim(
    model('', 'texts.map((text) => (/\\bgood\\b/.test(text) ? [0, 1] : [1, 0]))'),
    2,
    /SCORES_UNAVAILABLE/,
  ),
  'a victim that throws once attacked': victim(
    model('if (texts.some((text) => !/film number/.test(text))) throw new Error("no")'),
    4,
    /errored/,
  ),
  'a victim that exits with 0': victim(model('process.exit(0)'), 70, /ENDED_EARLY.*process\.exit\(0\).*bad\.mjs/),
  'a victim that exits with 0 once attacked': victim(
    model('if (texts.some((text) => !/film number/.test(text))) process.exit(0)'),
    70,
    /ENDED_EARLY/,
  ),
  'a victim that exits with 1, the code of a failed gate': victim(model('process.exit(1)'), 70, /ENDED_EARLY/),
  'a victim that exits when it is imported': victim(`process.exit(0);\n${model('')}`, 70, /ENDED_EARLY/),
  'a victim that never answers': victim(
    model('await new Promise(() => {})'),
    3,
    /MODEL_TIMEOUT/,
    '--runtime timeout=0.5',
  ),
  'a victim that never answers once attacked': victim(
    model('if (texts.some((text) => !/film number/.test(text))) await new Promise(() => {})'),
    3,
    /MODEL_TIMEOUT/,
    '--runtime timeout=0.5',
  ),
  'a victim that never answers, and any time to do so': victim(
    model('await new Promise(() => {})'),
    70,
    /ENDED_EARLY.*nothing left to wait for/,
    '--runtime timeout=0',
  ),
  'a victim that is never imported': victim(
    `await new Promise(() => {});\n${model('')}`,
    3,
    /MODEL_TIMEOUT/,
    '--runtime timeout=0.5',
  ),
  'a victim in an endless loop': victim(model('while (true);'), 3, /HUNG.*bad\.mjs/, '--runtime timeout=1'),
  'a victim in an endless regular expression': victim(
    model("/^(a+)+$/.test('a'.repeat(60) + 'b')"),
    3,
    /HUNG/,
    '--runtime timeout=1',
  ),
  'a victim that crashes where nobody catches it': victim(
    model("setTimeout(() => { throw new Error('boom'); })"),
    70,
    /boom/,
  ),

  'the same scores for all texts': victim(model('', 'texts.map(() => [0.6, 0.4])'), 4, /degenerate/),
  'the same class for all texts': victim(
    model('', 'texts.map(({ length }) => [0.5 + 1 / (length + 2), 0.5 - 1 / (length + 2)])'),
    4,
    /degenerate/,
  ),
  'a victim worse than always one class': victim(model('', READS.replace('good', 'dull')), 4, /degenerate/, '--force'),
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
  'an attack that is not there': other({}, `${VICTIM} -a nowhere`, 3, /ATTACK_NOT_FOUND/),
  'an attack that exits': plugin('process.exit(0)', 70, /ENDED_EARLY/),
  'an attack that never ends': plugin(
    'await new Promise(() => {})',
    4,
    /too many examples of mine errored/,
    '--runtime timeout=5',
  ),
  'an attack in an endless loop': plugin('while (true);', 3, /HUNG/, '--runtime timeout=5'),
  'an attack that throws': plugin("throw new Error('no')", 4, /too many examples of mine errored/),
  'an attack that throws on more examples than may': plugin(
    "if (/number [5]/.test(example.text)) throw new Error('no'); await target.classify(['x']); return attempt(example, target)",
    4,
    /too many examples of mine errored: 1 of 40/,
  ),
  'an attack that asks nothing': plugin('return attempt(example, target)', 4, /tried on 0 of 40/),
  'an attack that needs gradients, which a module has not': other({}, `${VICTIM} -a hotflip`, 3, /GRADIENTS|gradients/),
  'a suite of which nothing can be carried out': other({}, `${VICTIM} -s embedding`, 3, /gradients/),

  // Too little.
  'fewer examples than say something': {
    command: `${GATE} -n 29`,
    exit: 4,
    says: /measured on 29 examples, expected at least 30/,
  },
  'forty lines of two texts': data(
    numbered(40, (at) => [text(at % 2), at % 2]),
    4,
    /40 examples are 2 different texts/,
  ),
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
  'a query budget that leaves none for a rewrite': {
    command: `${GATE} --query-budget 1`,
    exit: 4,
    says: /tried on 0 of 40/,
  },
  'a run that its budget ended': {
    command: `${GATE} --query-budget run=60`,
    exit: 4,
    says: /budget of the run \(60\) ended it after/,
  },
  'a run that its budget ended, judged later': {
    before: [`${ATTACK} --query-budget run=60`],
    command: `gate latest ${HOLDS}`,
    exit: 4,
    says: /ended it after/,
  },
  'a report of a run that its budget ended': {
    before: [`${ATTACK} --query-budget run=60 -o r.json`],
    command: `gate r.json ${HOLDS}`,
    exit: 4,
    says: /ended it after/,
  },
  'the report of its gate, judged again': {
    before: [`${GATE} --query-budget run=60 -o r.json`],
    command: `gate r.json ${HOLDS}`,
    exit: 4,
    says: /ended it after/,
  },
  'an attack that its budget ended': {
    command: `${ATTACK} --query-budget run=60`,
    exit: 4,
    says: /"inconclusive".*ended it after/s,
  },
  'a comparison with a run that its budget ended': {
    before: [
      `${ATTACK} --query-budget run=60`,
      (cwd) => cpSync(runOf(cwd), join(cwd, 'cut'), { recursive: true }),
      `${ATTACK} --query-budget run=60 --runtime workers=1`,
    ],
    command: 'compare ./cut latest',
    exit: 4,
    says: /ended it after/,
  },
  'a baseline of a run that its budget ended': {
    before: [`${ATTACK} --query-budget run=60`],
    command: 'baseline save',
    exit: 2,
    says: /BASELINE_PARTIAL/,
  },
  'a shard by itself': { command: `${GATE} --shard 1/2`, exit: 4, says: /only the examples of shard 1 of 2/ },
  'a merged run without a shard': {
    before: [`${ATTACK} --shard 1/2`, 'report --merge latest --allow-partial'],
    command: `gate latest ${HOLDS}`,
    exit: 4,
    says: /shard 2 of 2 is missing/,
  },

  // Rules that judge nothing.
  'no threshold': { command: `gate ${VICTIM} -a deepwordbug`, exit: 2, says: /GATE_EMPTY/ },
  'a threshold that matches nothing': {
    command: `${GATE} --require typos.attackSuccessRate<=0.99`,
    exit: 2,
    says: /THRESHOLD_UNMATCHED/,
  },
  'a limit that no rate can break': {
    command: `${GATE} --require clean.accuracy<=30`,
    exit: 2,
    says: /THRESHOLD_LIMIT/,
  },
  'only warnings, on too few examples': {
    files: { 'robust.config.yaml': 'require: [{ limit: clean.accuracy >= 0.01, level: warn }]\n' },
    command: `gate ${VICTIM} -a deepwordbug -n 9`,
    exit: 4,
    says: /measured on 9 examples/,
  },
  'a waiver that is over': {
    files: { 'robust.config.yaml': waiver('2020-06-01') },
    command: `gate ${VICTIM} -a deepwordbug`,
    exit: 1,
    says: /ended with 2020-06-01/,
  },
  'a waiver that is over, and a clock set back': {
    files: { 'robust.config.yaml': waiver('2020-06-01') },
    before: [ATTACK],
    command: `gate latest`,
    exit: 1,
    says: /ended with 2020-06-01/,
    how: { node: ['--import', `data:text/javascript,${encodeURIComponent(BACK)}`] },
  },
  'a configuration that exits': {
    files: { 'robust.config.mjs': 'process.exit(0);\nexport default {};\n' },
    command: GATE,
    exit: 70,
    says: /ENDED_EARLY/,
  },
  'a configuration that never comes': {
    files: { 'robust.config.mjs': 'await new Promise(() => {});\nexport default {};\n' },
    command: GATE,
    exit: 70,
    says: /ENDED_EARLY/,
  },

  // Baselines.
  'a baseline that is not there': { command: AGAINST, exit: 2, says: /BASELINE_NOT_FOUND/ },
  'a baseline that is none': {
    files: { 'robust.baseline.json': '{}' },
    command: AGAINST,
    exit: 2,
    says: /BASELINE_SHAPE/,
  },
  'the baseline of another model': {
    files: { 'two.mjs': model('') },
    before: SAVED,
    command: AGAINST.replace('ok.mjs', 'two.mjs'),
    exit: 2,
    says: /BASELINE_MISMATCH/,
  },
  'the baseline of other data': {
    files: { 'two.tsv': numbered(40, (at) => [`${text(at)} So.`, at % 2]) },
    before: SAVED,
    command: AGAINST.replace('data.tsv', 'two.tsv'),
    exit: 2,
    says: /BASELINE_MISMATCH/,
  },
  'a baseline of too few examples': {
    before: [`${ATTACK} -n 9`, 'baseline save'],
    command: `${AGAINST} -n 9`,
    exit: 4,
    says: /both have it for 9 examples/,
  },
  'a baseline without an outcome': {
    before: [
      ...SAVED,
      (cwd) =>
        edit(join(cwd, 'robust.baseline.json'), (file) =>
          file.replace(/"(clean|outcomes)": ?"[^"]+"/g, (all, name) =>
            all.replace(/: ?"[^"]+"/, `:"${'-'.repeat(40)}"`).replace(name, name),
          ),
        ),
    ],
    command: AGAINST,
    exit: 4,
    says: /no example for which both have it/,
  },

  // Runs that are not what they were.
  'a run still under way': {
    before: [ATTACK, (cwd) => edit(join(runOf(cwd), 'run.json'), (file) => file.replace('"done"', '"running"'))],
    command: `gate latest ${HOLDS}`,
    exit: 2,
    says: /RUN_UNFINISHED/,
  },
  'a run that is not there': { command: `gate 2026 ${HOLDS}`, exit: 2, says: /RUN_NOT_FOUND/ },
  'an interrupted run': {
    files: { 'slow.mjs': model('await new Promise((resolve) => setTimeout(resolve, 30))') },
    command: `gate -m ./slow.mjs -d data.tsv -a deepwordbug --runtime concurrency=1 ${HOLDS}`,
    exit: 130,
    says: /INTERRUPTED/,
    how: { at: [['slow on data.tsv', (child) => child.kill('SIGINT')]] },
  },
  'a run resumed with another model': {
    files: { 'two.mjs': model('', READS.replace('0.75', '0.7')) },
    before: [ATTACK],
    command: 'attack --resume -m ./two.mjs',
    exit: 2,
    says: /RESUME_MISMATCH/,
  },
  'a run resumed with a module that reads other weights': {
    files: { 'stateful.mjs': stateful, 'weights.json': '{ "good": 0.75, "stuck": true }' },
    before: [
      'attack -m ./stateful.mjs -d data.tsv -a deepwordbug --runtime timeout=0.5',
      (cwd) => writeFileSync(join(cwd, 'weights.json'), '{ "good": 0.7 }'),
    ],
    command: 'attack --resume',
    exit: 2,
    says: /RESUME_MISMATCH.*no longer gives the answers that it gave before: example \d+: expected 0\.75 for \w+, got 0\.7 \(8 of 8/,
  },
  'the gate on a run whose module reads other weights': {
    files: { 'stateful.mjs': stateful, 'weights.json': '{ "good": 0.75, "stuck": true }' },
    before: [
      'attack -m ./stateful.mjs -d data.tsv -a deepwordbug --runtime timeout=0.5',
      (cwd) => writeFileSync(join(cwd, 'weights.json'), '{ "good": 0.7 }'),
      'attack --resume',
    ],
    command: `gate latest ${HOLDS}`,
    exit: 2,
    says: /RUN_UNFINISHED/,
  },
  ...Object.fromEntries(
    [`gate latest ${HOLDS}`, 'report latest'].map((command) => [
      `${command.split(' ')[0]}: a finished run without the hash of its outcomes`,
      { before: [ATTACK, withoutHash], command, exit: 3, says: /RUN_DAMAGED/ },
    ]),
  ),
  'a run resumed with an edited attack': {
    files: { 'mine.mjs': attack('return attempt(example, target)') },
    before: [`attack ${VICTIM} -a ./mine.mjs`, (cwd) => edit(join(cwd, 'mine.mjs'), (code) => `${code}// Edited.\n`)],
    command: 'attack --resume',
    exit: 2,
    says: /RUN_NAMES_CODE/,
  },
  'a journal that was emptied': {
    before: [ATTACK, journal(() => '')],
    command: `gate latest ${HOLDS}`,
    exit: 3,
    says: /RUN_PARTIAL/,
  },
  'a journal of which half is left': {
    before: [ATTACK, journal(half)],
    command: `gate latest ${HOLDS}`,
    exit: 3,
    says: /RUN_PARTIAL/,
  },
  'a journal of which half is left, taken as it is': {
    before: [ATTACK, journal(half)],
    command: `gate latest ${HOLDS} --allow-partial`,
    exit: 4,
    says: /expected 40 outcomes, found 20/,
  },
  'a journal that ends within a line': {
    before: [ATTACK, journal((all) => all.slice(0, -40))],
    command: `gate latest ${HOLDS}`,
    exit: 3,
    says: /JOURNAL_CORRUPT|RUN_PARTIAL/,
  },
  'the journal of another run': {
    files: { 'two.tsv': numbered(40, (at) => [`${text(at)} So.`, at % 2]) },
    before: [
      ATTACK.replace('data.tsv', 'two.tsv'),
      (cwd) => cpSync(join(runOf(cwd), 'results.jsonl'), join(cwd, 'other.jsonl')),
      ATTACK,
      (cwd) => cpSync(join(cwd, 'other.jsonl'), join(runOf(cwd), 'results.jsonl')),
    ],
    command: `gate latest ${HOLDS}`,
    exit: 3,
    says: /JOURNAL_CORRUPT/,
  },
  'a journal of which half is left, compared': {
    before: [ATTACK, (cwd) => cpSync(runOf(cwd), join(cwd, 'first'), { recursive: true }), ATTACK, journal(half)],
    command: 'compare ./first latest',
    exit: 3,
    says: /RUN_PARTIAL/,
  },
  'a report cut off': {
    before: [`${ATTACK} -o r.json`, (cwd) => edit(join(cwd, 'r.json'), (all) => all.slice(0, all.length / 2))],
    command: `gate r.json ${HOLDS}`,
    exit: 2,
    says: /REPORT_SHAPE/,
  },
  'adversarial texts of which none is left': {
    files: { 't.jsonl': '' },
    command: `gate -m ./ok.mjs --transfer t.jsonl --require transfer.attackSuccessRate<=0.99`,
    exit: 3,
    says: /TRANSFER|NO_EXAMPLES|DATA/,
  },

  // A scan that could not look.
  'a scan that its time budget ends before anything is judged': {
    command: 'backdoor scan -m bert-mini --time-budget 1 --gate',
    exit: 4,
    says: /"inconclusive"/,
  },
  'a scan of a victim that answers all alike': {
    files: { 'same.mjs': model('', 'texts.map(() => [0.75, 0.25])') },
    command: 'backdoor scan -m ./same.mjs -d data.tsv --gate',
    exit: 4,
    says: /"inconclusive"/,
  },

  // Nobody reads.
  'a failed gate whose result nobody reads': {
    command: `gate ${VICTIM} -a deepwordbug --require clean.accuracy>=0 --require clean.accuracy<=0.1`,
    exit: 1,
    says: /^/,
    how: { closeStdout: true },
  },
  'a failed gate whose progress nobody reads': {
    command: `gate ${VICTIM} -a deepwordbug --require clean.accuracy>=0 --require clean.accuracy<=0.1 -v`,
    exit: 1,
    says: /"failed"/,
    how: { closeStderr: true },
  },
};

export const rows: readonly Row[] = Object.entries(ROWS).map(([name, row]) => ({ name, ...row }));

const words = (line: string): string[] => line.split(' ').filter(Boolean);

/** Rows that end, hang or time their process, or load an attack, which finds the plugin API by a hook that the tests' process has not. */
const needsProcess = ({ how, exit, files = {}, command: line }: Row): boolean =>
  how !== undefined || exit === 70 || exit === 130 || 'mine.mjs' in files || /timeout=|--time-budget/.test(line);

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
