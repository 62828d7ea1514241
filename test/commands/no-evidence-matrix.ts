import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { scene } from '../scenes.js';
import { ends, HOLDS, model, numbered, READS, type Row, runOf, table, text } from './no-evidence.js';

type Rows = Readonly<Record<string, Omit<Row, 'name'>>>;
const N = 60;

/** Data sets of many lines and little to learn from, and the reason that must be named. */
const TEXTS: Readonly<Record<string, readonly [data: string, says: RegExp]>> = {
  'copies of two texts': [numbered(N, (at) => [text(at % 2), at % 2]), /60 examples are 2 different texts/],
  'copies that differ in letter case': [
    numbered(N, (at) => [at % 4 < 2 ? text(at % 2) : text(at % 2).replace(/^The/, 'tHE'), at % 2]),
    /60 examples are 2 different texts/,
  ],
  'copies that differ in spacing': [
    numbered(N, (at) => [text(at % 2).replaceAll(' ', ' '.repeat(1 + (at % 5))), at % 2]),
    /60 examples are 2 different texts/,
  ],
  'copies that differ in invisible characters': [
    numbered(N, (at) => [`${text(at % 2)}${'\u200b'.repeat(at)}`, at % 2]),
    /60 examples are 2 different texts/,
  ],
  'copies that differ in a trailing number': [
    numbered(N, (at) => [`${text(at % 2)} No. ${at}`, at % 2]),
    /60 examples are 2 different texts/,
  ],
  'copies that differ in punctuation': [
    numbered(N, (at) => [`${text(at % 2)}${'!'.repeat(at % 30)}`, at % 2]),
    /60 examples are 2 different texts/,
  ],
  'copies in compatibility forms': [
    numbered(N, (at) => [
      at % 4 < 2
        ? text(at % 2)
        : text(at % 2)
            .replace('film', 'ﬁlm')
            .replace('The', 'Ｔｈｅ'),
      at % 2,
    ]),
    /60 examples are 2 different texts/,
  ],
  'each text once with each label': [
    numbered(N, (at) => [text(Math.floor(at / 4)), at % 2]),
    /60 examples are 15 different texts|is below the share|degenerate/,
  ],
  'numbers for texts': [numbered(N, (at) => [String(1000 + 37 * at), at % 2]), /60 of 60 texts contain no letters/],
};

/** Modules whose answers are not evidence. `n` counts the queries, `calls` the calls. */
const counting = (answer: string): string => `let [n, calls] = [0, 0];\n${model('calls++', answer)}`;
/** With scores that say more than the label. */
const GRADED = `${READS}.map(([a, b], at) => [a + texts[at].length / 1e4, b - texts[at].length / 1e4])`;
const FLIPPED = '((row) => [row[1], row[0]])';
const UNSTEADY = /does not repeat its answers: when queried again, it decided \d+ of \d+ texts differently/;
const VICTIMS: Readonly<Record<string, readonly [source: string, says: RegExp, flags?: string]>> = {
  'a victim whose every fifth answer is random': [
    counting(`${READS}.map((row) => (++n % 5 === 0 ? ${FLIPPED}(row) : row))`),
    UNSTEADY,
  ],
  'a victim that answers all alike after its first call': [
    counting(`calls === 1 ? ${READS} : texts.map(() => [0.4, 0.6])`),
    UNSTEADY,
  ],
  'a victim whose answer depends on the place in the batch': [
    model('', `${GRADED}.map((row, at) => (at % 3 === 0 ? ${FLIPPED}(row) : row))`),
    UNSTEADY,
  ],
  'a victim of constant scores': [model('', 'texts.map(() => [0.6, 0.4])'), /degenerate/],
  'a victim of one answer': [
    model('', 'texts.map(({ length }) => [0.5 + 1 / (length + 2), 0.5 - 1 / (length + 2)])'),
    /degenerate/,
  ],
  'a victim worse than one constant answer': [model('', READS.replace('good', 'dull')), /degenerate/, '--force'],
};

/** A command, its exit code without evidence, and what it says then if it cannot name the very reason. */
interface Judge {
  readonly command: string;
  readonly before?: Row['before'];
  readonly exit?: number;
  readonly says?: RegExp;
}
const ATTACKED = '-m ./bad.mjs -d bad.tsv -a deepwordbug';
const JUDGES: Readonly<Record<string, Judge>> = {
  gate: { command: `gate ${ATTACKED} ${HOLDS}` },
  'gate of a finished run': { before: [`attack ${ATTACKED}`], command: `gate latest ${HOLDS}` },
  attack: { command: `attack ${ATTACKED}` },
  evaluate: { command: 'evaluate -m ./bad.mjs -d bad.tsv' },
  'evaluate --certify': { command: 'evaluate -m ./bad.mjs -d bad.tsv --defend ranmask:rate=0.3:samples=5 --certify' },
  compare: { command: 'compare ./bad.mjs ./ok.mjs -d bad.tsv -a deepwordbug' },
  'baseline save': { before: [`attack ${ATTACKED}`], command: 'baseline save', exit: 4 },
};
/** Judges of commands that need other inputs, or end before they query the victim. */
const TEXT_JUDGES: Readonly<Record<string, Judge>> = {
  ...JUDGES,
  'backdoor filter': { command: 'backdoor filter -d bad.tsv --clean data.tsv --frr 0.1' },
  'backdoor filter --clean': {
    command: 'backdoor filter -d data.tsv --clean bad.tsv --frr 0.01',
    says: /different clean texts set the threshold, a false rejection rate of 0\.01 takes 99/,
  },
};

interface Cell extends Row {
  /** Part of `npm test`: the gate with every defect, every judge with one, and half of the other rows. CI and the campaign have all cells. */
  readonly daily: boolean;
}

const crossed = (
  judges: Readonly<Record<string, Judge>>,
  defects: Readonly<Record<string, readonly [content: string, says: RegExp, flags?: string]>>,
  filesOf: (content: string) => Readonly<Record<string, string>>,
): Cell[] =>
  Object.entries(defects).flatMap(([defect, [content, says, flags = '']], row) =>
    Object.entries(judges).map(([name, judge], column, { length }) => {
      const own = (line: string): string => (/-m \.|compare/.test(line) ? `${line} ${flags}` : line);
      const before = judge.before?.map((step) => (typeof step === 'string' ? own(step) : step));
      return {
        name: `${name}: ${defect}`,
        daily: column === 0 || column === 1 + (row % (length - 1)),
        ...ends(own(judge.command), judge.exit ?? 4, judge.says ?? says, {
          files: filesOf(content),
          ...(before && { before }),
        }),
      };
    }),
  );

const RUN = 'attack -m ./ok.mjs -d data.tsv -a deepwordbug';
const OTHER = 'attack -m ./ok.mjs -d other.tsv -a deepwordbug';
const CHINESE = numbered(40, (at) => [
  `${'甲乙丙丁'[Math.floor(at / 10)]}说这部电影${at % 2 ? '很好' : '不好'}第${'一二三四五六七八九十'[at % 10]}次`,
  at % 2,
]);
const other = numbered(40, (at) => [`${text(at)} And so on.`, at % 2]);
const ONE_CLASS = numbered(40, (at) => [text(1 + 2 * at), 1]);
const SAYS_ONE = model('', 'texts.map(({ length }) => [1 / (length + 2), 1 - 1 / (length + 2)])');
const LATE = counting(`(n += texts.length) < 120 ? ${READS} : texts.map(() => [0.4, 0.6])`);

/** Keeps the latest run as ./first. */
const aside = (cwd: string): void => cpSync(runOf(cwd), join(cwd, 'first'), { recursive: true });

const OTHERS: Rows = {
  // Victims that change while they are attacked.
  'gate: a victim that changes its answers once attacked': ends(
    `gate -m ./late.mjs -d data.tsv -a deepwordbug ${HOLDS}`,
    4,
    UNSTEADY,
    { files: { 'late.mjs': LATE } },
  ),
  'attack: a victim that changes its answers once attacked': ends(
    'attack -m ./late.mjs -d data.tsv -a deepwordbug',
    4,
    UNSTEADY,
    { files: { 'late.mjs': LATE } },
  ),
  'compare: a victim that changes its answers once attacked': ends(
    'compare ./ok.mjs ./late.mjs -d data.tsv -a deepwordbug',
    4,
    UNSTEADY,
    { files: { 'late.mjs': LATE } },
  ),
  'evaluate: half of the texts without an answer': ends(
    'evaluate -m ./nan.mjs -d data.tsv',
    4,
    /20 of 40 texts could not be classified/,
    { files: { 'nan.mjs': model('', `${READS}.map((row, at) => (/[02468]\\./.test(texts[at]) ? [NaN, 0] : row))`) } },
  ),

  // Data of one class, wrong columns, nothing in them.
  'attack: one class of texts, and a victim that may know no other': ends(
    'attack -m ./one.mjs -d one.tsv -a deepwordbug',
    4,
    /whether the victim ever answers anything else/,
    { files: { 'one.mjs': SAYS_ONE, 'one.tsv': ONE_CLASS } },
  ),
  'evaluate: one class of texts, and a victim that may know no other': ends(
    'evaluate -m ./one.mjs -d one.tsv',
    4,
    /whether the victim ever answers anything else/,
    { files: { 'one.mjs': SAYS_ONE, 'one.tsv': ONE_CLASS } },
  ),
  ...Object.fromEntries(
    [
      ['evaluate', 'evaluate -m ./ok.mjs -d bad.tsv'],
      ['attack', 'attack -m ./ok.mjs -d bad.tsv -a deepwordbug'],
      ['compare', 'compare ./ok.mjs ./two.mjs -d bad.tsv -a deepwordbug'],
      ['backdoor scan', 'backdoor scan -m ./ok.mjs -d bad.tsv --gate'],
      ['backdoor filter', 'backdoor filter -d data.tsv --clean bad.tsv'],
    ].flatMap(([name, command]) => [
      [
        `${name}: a file of headers only`,
        ends(command as string, 3, /EXAMPLES_TOO_FEW/, {
          files: { 'two.mjs': model(''), 'bad.tsv': 'text\tlabel\n' },
        }),
      ],
      [
        `${name}: a truncated archive`,
        ends(command as string, 3, /DATA_|"code": ?"[A-Z_]+"/, {
          files: { 'two.mjs': model('') },
          before: [
            (cwd: string) => {
              const whole = gzipSync(numbered(400, (at) => [text(at), at % 2]));
              writeFileSync(join(cwd, 'bad.tsv'), whole.subarray(0, whole.length / 2));
            },
          ],
        }),
      ],
    ]),
  ),
  'evaluate: text and label columns swapped': ends('evaluate -m ./ok.mjs -d bad.tsv', 3, /LABELS_DAMAGED/, {
    files: { 'bad.tsv': table(Array.from({ length: 40 }, (_, at) => [String(at % 2), text(at)])) },
  }),
  'evaluate: labels that the model does not have': ends('evaluate -m ./ok.mjs -d bad.tsv', 3, /LABELS_DAMAGED/, {
    files: { 'bad.tsv': numbered(40, (at) => [text(at), at % 2 ? 'spam' : 'ham']) },
  }),

  // Attacks that attack nothing.
  'attack: texts that it cannot edit': ends('attack -m ./zh.mjs -d bad.tsv -a pwws', 4, /no attack is applicable/, {
    files: { 'bad.tsv': CHINESE, 'zh.mjs': model('', READS.replace('\\bgood\\b', '很好')) },
  }),
  'gate: texts that it cannot edit': ends(
    `gate -m ./zh.mjs -d bad.tsv -a pwws ${HOLDS}`,
    4,
    /no attack is applicable/,
    { files: { 'bad.tsv': CHINESE, 'zh.mjs': model('', READS.replace('\\bgood\\b', '很好')) } },
  ),
  'compare: no query left for a rewrite': ends(
    'compare ./ok.mjs ./two.mjs -d data.tsv -a deepwordbug --query-budget 1',
    4,
    /no attack could try anything/,
    { files: { 'two.mjs': model('') } },
  ),

  // Runs that do not belong together.
  'compare: runs on other data': ends('compare ./first latest', 2, /RUN_MISMATCH/, {
    files: { 'other.tsv': other },
    before: [RUN, aside, OTHER],
  }),
  'compare: a model with itself': ends('compare ./ok.mjs ./ok.mjs', 2, /given twice/),
  'gate: a baseline of another attack': ends(
    'gate -m ./ok.mjs -d data.tsv -a homoglyphs --baseline robust.baseline.json',
    2,
    /BASELINE_MISMATCH/,
    { before: [RUN, 'baseline save'] },
  ),
  'baseline diff: other data': ends('baseline diff', 2, /BASELINE_MISMATCH/, {
    files: { 'other.tsv': other },
    before: [RUN, 'baseline save', OTHER],
  }),
  'baseline save: a merged run without a shard': ends('baseline save', 2, /RUN_UNFINISHED/, {
    before: [`${RUN} --shard 1/2`, 'report --merge latest --allow-partial'],
  }),
  'compare: a merged run without a shard': ends('compare ./first latest', 4, /shard 2 of 2 is missing/, {
    before: [`${RUN} --shard 1/2`, 'report --merge latest --allow-partial', aside, RUN],
  }),

  // Filters whose clean texts are no reference.
  'backdoor filter: the clean file is the suspicious one': ends(
    'backdoor filter -d data.tsv --clean data.tsv --frr 0.1',
    4,
    /clean texts are among the suspect ones/,
  ),
  'backdoor filter: the clean file is the suspicious one in capitals': ends(
    'backdoor filter -d data.tsv --clean loud.tsv --frr 0.1',
    4,
    /clean texts are among the suspect ones/,
    { files: { 'loud.tsv': numbered(40, (at) => [text(at).toUpperCase(), at % 2]) } },
  ),
  'backdoor filter: no clean texts': ends('backdoor filter -d data.tsv', 4, /no clean texts set the threshold/),

  // Scans that could not see.
  'backdoor scan: copies of two texts': ends(
    'backdoor scan -m ./ok.mjs -d bad.tsv --gate',
    4,
    /60 examples are 2 different texts/,
    { files: { 'bad.tsv': TEXTS['copies of two texts']?.[0] as string } },
  ),
  'backdoor scan: numbers for texts': ends(
    'backdoor scan -m ./ok.mjs -d bad.tsv --gate',
    4,
    /60 of 60 texts contain no letters/,
    { files: { 'bad.tsv': TEXTS['numbers for texts']?.[0] as string } },
  ),
  'backdoor scan: two sentences': ends(
    'backdoor scan -m bert-mini -d bad.tsv --gate',
    4,
    /POSITIVE: \d distinct texts? classified correctly, 30 needed/,
    {
      files: {
        'bad.tsv': table([
          ['A dull and tired film.', 'NEGATIVE'],
          ['A warm and clever film.', 'POSITIVE'],
        ]),
      },
    },
  ),
  'backdoor scan: wrong labels': ends(
    'backdoor scan -m bert-mini -d bad.tsv --gate',
    4,
    /POSITIVE: \d distinct texts? classified correctly, 30 needed/,
    {
      files: {
        'bad.tsv': numbered(80, (at) => [
          `${scene(at)}: ${at % 2 ? 'a wonderful, charming and moving film' : 'an awful, boring and stupid film'}`,
          at % 2 ? 'NEGATIVE' : 'POSITIVE',
        ]),
      },
    },
  ),
  'backdoor scan: a language that the model does not read': ends(
    'backdoor scan -m bert-mini -d bad.tsv --gate',
    4,
    /30 needed|to all \d+ texts|vocabulary lacks/,
    {
      files: {
        'bad.tsv': numbered(80, (at) => [
          `${scene(at)}: ${at % 2 ? 'ein wunderschöner, kluger und rührender Film' : 'ein öder, dummer und langweiliger Film'}`,
          at % 2 ? 'POSITIVE' : 'NEGATIVE',
        ]),
      },
    },
  ),
  'backdoor scan: a victim whose every fifth answer is random': ends(
    'backdoor scan -m ./bad.mjs -d data.tsv --gate',
    4,
    UNSTEADY,
    { files: { 'bad.mjs': VICTIMS['a victim whose every fifth answer is random']?.[0] as string } },
  ),

  // Certificates of nothing.
  'evaluate --certify: no sample': ends(
    'evaluate -m ./ok.mjs -d data.tsv --defend ranmask:samples=0 --certify',
    2,
    /samples/,
  ),
  'evaluate --certify: no vote': ends('evaluate -m ./ok.mjs -d data.tsv --certify', 2, /METHOD_UNSUPPORTED/),
};

export const matrix: readonly Cell[] = [
  ...crossed(TEXT_JUDGES, TEXTS, (content) => ({ 'bad.tsv': content, 'bad.mjs': `${model('')}// Same.\n` })),
  ...crossed(JUDGES, VICTIMS, (content) => ({
    'bad.mjs': content,
    'bad.tsv': numbered(40, (at) => [text(at), at % 2]),
  })),
  ...Object.entries(OTHERS).map(([name, row], at) => ({ name, daily: at % 2 === 0, ...row })),
];

const SLIGHT = counting(`${READS}.map(([no, yes]) => [no - (++n % 7) / 100, yes + (n % 7) / 100])`);

/** The same commands with honest inputs. */
export const controls: readonly Row[] = Object.entries({
  gate: ends(`gate -m ./ok.mjs -d data.tsv -a deepwordbug ${HOLDS}`, 0, /"passed"/),
  attack: ends(RUN, 0, /"verdict":"none"/),
  evaluate: ends('evaluate -m ./ok.mjs -d data.tsv', 0, /"verdict":"none","reasons":\[\]/),
  'evaluate --certify': ends(
    'evaluate -m ./ok.mjs -d data.tsv --defend ranmask:rate=0.3:samples=5 --certify',
    0,
    /"verdict":"none"/,
  ),
  compare: ends('compare ./ok.mjs ./two.mjs -d data.tsv -a deepwordbug', 0, /"verdict":"none"/, {
    files: { 'two.mjs': `${model('')}// Same.\n` },
  }),
  'baseline diff': ends('baseline diff', 0, /"passed"/, { before: [RUN, 'baseline save'] }),
  'backdoor filter': ends('backdoor filter -d data.tsv --clean clean.tsv --frr 0.1', 0, /none found|suspects found/, {
    files: { 'clean.tsv': other },
  }),
  'gate: a few copies among many texts': ends(
    `gate -m ./ok.mjs -d few.tsv -a deepwordbug ${HOLDS}`,
    0,
    /60 examples are 40 different texts: the intervals/,
    { files: { 'few.tsv': numbered(60, (at) => [text(at < 20 ? at + 40 : at), at % 2]) } },
  ),
  'gate: a module whose scores vary, and its decisions do not': ends(
    `gate -m ./slight.mjs -d data.tsv -a deepwordbug ${HOLDS}`,
    0,
    /texts queried again got scores that differ by up to 0\.0/,
    { files: { 'slight.mjs': SLIGHT } },
  ),
} satisfies Rows).map(([name, row]) => ({ name: `${name}: honest`, ...row }));
