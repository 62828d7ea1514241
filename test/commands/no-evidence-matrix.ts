import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { scene } from '../scenes.js';
import { attack, HOLDS, model, numbered, READS, type Row, runOf, table, text } from './no-evidence.js';

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
    model('', `${READS}.map((row, at) => (at % 3 === 0 ? ${FLIPPED}(row) : row))`),
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
  'baseline save': { before: [`attack ${ATTACKED}`], command: 'baseline save', exit: 2 },
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

const crossed = (
  judges: Readonly<Record<string, Judge>>,
  defects: Readonly<Record<string, readonly [content: string, says: RegExp, flags?: string]>>,
  filesOf: (content: string) => Readonly<Record<string, string>>,
): Rows =>
  Object.fromEntries(
    Object.entries(defects).flatMap(([defect, [content, says, flags = '']]) =>
      Object.entries(judges).map(([name, judge]) => {
        const own = (line: string): string => (/-m \.|compare/.test(line) ? `${line} ${flags}` : line);
        const before = judge.before?.map((step) => (typeof step === 'string' ? own(step) : step));
        return [
          `${name}: ${defect}`,
          {
            files: filesOf(content),
            ...(before && { before }),
            command: own(judge.command),
            exit: judge.exit ?? 4,
            says: judge.says ?? says,
          },
        ];
      }),
    ),
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
  'gate: a victim that changes its answers once attacked': {
    files: { 'late.mjs': LATE },
    command: `gate -m ./late.mjs -d data.tsv -a deepwordbug ${HOLDS}`,
    exit: 4,
    says: UNSTEADY,
  },
  'attack: a victim that changes its answers once attacked': {
    files: { 'late.mjs': LATE },
    command: 'attack -m ./late.mjs -d data.tsv -a deepwordbug',
    exit: 4,
    says: UNSTEADY,
  },
  'compare: a victim that changes its answers once attacked': {
    files: { 'late.mjs': LATE },
    command: 'compare ./ok.mjs ./late.mjs -d data.tsv -a deepwordbug',
    exit: 4,
    says: UNSTEADY,
  },
  'evaluate: half of the texts without an answer': {
    files: { 'nan.mjs': model('', `${READS}.map((row, at) => (/[02468]\\./.test(texts[at]) ? [NaN, 0] : row))`) },
    command: 'evaluate -m ./nan.mjs -d data.tsv',
    exit: 4,
    says: /20 of 40 texts could not be classified/,
  },

  // Data of one class, wrong columns, nothing in them.
  'attack: one class of texts, and a victim that may know no other': {
    files: { 'one.mjs': SAYS_ONE, 'one.tsv': ONE_CLASS },
    command: 'attack -m ./one.mjs -d one.tsv -a deepwordbug',
    exit: 4,
    says: /whether the victim ever answers anything else/,
  },
  'evaluate: one class of texts, and a victim that may know no other': {
    files: { 'one.mjs': SAYS_ONE, 'one.tsv': ONE_CLASS },
    command: 'evaluate -m ./one.mjs -d one.tsv',
    exit: 4,
    says: /whether the victim ever answers anything else/,
  },
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
        {
          files: { 'two.mjs': model(''), 'bad.tsv': 'text\tlabel\n' },
          command: command as string,
          exit: 3,
          says: /DATA_EMPTY|NO_EXAMPLES/,
        },
      ],
      [
        `${name}: a truncated archive`,
        {
          files: { 'two.mjs': model('') },
          before: [
            (cwd: string) => {
              const whole = gzipSync(numbered(400, (at) => [text(at), at % 2]));
              writeFileSync(join(cwd, 'bad.tsv'), whole.subarray(0, whole.length / 2));
            },
          ],
          command: command as string,
          exit: 3,
          says: /DATA_|"code": ?"[A-Z_]+"/,
        },
      ],
    ]),
  ),
  'evaluate: text and label columns swapped': {
    files: { 'bad.tsv': table(Array.from({ length: 40 }, (_, at) => [String(at % 2), text(at)])) },
    command: 'evaluate -m ./ok.mjs -d bad.tsv',
    exit: 3,
    says: /DATA_LABEL/,
  },
  'evaluate: labels that the model does not have': {
    files: { 'bad.tsv': numbered(40, (at) => [text(at), at % 2 ? 'spam' : 'ham']) },
    command: 'evaluate -m ./ok.mjs -d bad.tsv',
    exit: 3,
    says: /DATA_LABEL/,
  },

  // Attacks that attack nothing.
  'attack: texts that it cannot edit': {
    files: { 'bad.tsv': CHINESE, 'zh.mjs': model('', READS.replace('\\bgood\\b', '很好')) },
    command: 'attack -m ./zh.mjs -d bad.tsv -a pwws',
    exit: 4,
    says: /no attack is applicable/,
  },
  'gate: texts that it cannot edit': {
    files: { 'bad.tsv': CHINESE, 'zh.mjs': model('', READS.replace('\\bgood\\b', '很好')) },
    command: `gate -m ./zh.mjs -d bad.tsv -a pwws ${HOLDS}`,
    exit: 4,
    says: /no attack is applicable/,
  },
  'attack: only texts that the victim misclassifies': {
    files: { 'bad.tsv': numbered(40, (at) => [text(at), 1 - (at % 2)]) },
    command: 'attack -m ./ok.mjs -d bad.tsv -a deepwordbug --force',
    exit: 4,
    says: /no attack was carried out/,
  },
  'attack: no query left for a rewrite': {
    command: `${RUN} --query-budget 1`,
    exit: 4,
    says: /no attack could try anything/,
  },
  'compare: no query left for a rewrite': {
    files: { 'two.mjs': model('') },
    command: 'compare ./ok.mjs ./two.mjs -d data.tsv -a deepwordbug --query-budget 1',
    exit: 4,
    says: /no attack could try anything/,
  },
  'attack: one that asks nothing': {
    files: { 'mine.mjs': attack('return attempt(example, target)') },
    command: 'attack -m ./ok.mjs -d data.tsv -a ./mine.mjs',
    exit: 4,
    says: /no attack could try anything/,
  },
  'attack: one that throws': {
    files: { 'mine.mjs': attack("throw new Error('no')") },
    command: 'attack -m ./ok.mjs -d data.tsv -a ./mine.mjs',
    exit: 4,
    says: /too many examples of mine errored/,
  },

  // Runs that do not belong together.
  'compare: runs on other data': {
    files: { 'other.tsv': other },
    before: [RUN, aside, OTHER],
    command: 'compare ./first latest',
    exit: 2,
    says: /COMPARISON_MISMATCH/,
  },
  'compare: a model with itself': { command: 'compare ./ok.mjs ./ok.mjs', exit: 2, says: /given twice/ },
  'gate: a baseline of another attack': {
    before: [RUN, 'baseline save'],
    command: 'gate -m ./ok.mjs -d data.tsv -a homoglyphs --baseline robust.baseline.json',
    exit: 2,
    says: /BASELINE_MISMATCH/,
  },
  'baseline diff: other data': {
    files: { 'other.tsv': other },
    before: [RUN, 'baseline save', OTHER],
    command: 'baseline diff',
    exit: 2,
    says: /BASELINE_MISMATCH/,
  },
  'baseline save: a merged run without a shard': {
    before: [`${RUN} --shard 1/2`, 'report --merge latest --allow-partial'],
    command: 'baseline save',
    exit: 2,
    says: /BASELINE_PARTIAL/,
  },
  'compare: a merged run without a shard': {
    before: [`${RUN} --shard 1/2`, 'report --merge latest --allow-partial', aside, RUN],
    command: 'compare ./first latest',
    exit: 4,
    says: /shard 2 of 2 is missing/,
  },

  // Filters whose clean texts are no reference.
  'backdoor filter: the clean file is the suspicious one': {
    command: 'backdoor filter -d data.tsv --clean data.tsv --frr 0.1',
    exit: 4,
    says: /clean texts are among the suspect ones/,
  },
  'backdoor filter: the clean file is the suspicious one in capitals': {
    files: { 'loud.tsv': numbered(40, (at) => [text(at).toUpperCase(), at % 2]) },
    command: 'backdoor filter -d data.tsv --clean loud.tsv --frr 0.1',
    exit: 4,
    says: /clean texts are among the suspect ones/,
  },
  'backdoor filter: no clean texts': {
    command: 'backdoor filter -d data.tsv',
    exit: 4,
    says: /no clean texts set the threshold/,
  },

  // Scans that could not see.
  'backdoor scan: copies of two texts': {
    files: { 'bad.tsv': TEXTS['copies of two texts']?.[0] as string },
    command: 'backdoor scan -m ./ok.mjs -d bad.tsv --gate',
    exit: 4,
    says: /60 examples are 2 different texts/,
  },
  'backdoor scan: numbers for texts': {
    files: { 'bad.tsv': TEXTS['numbers for texts']?.[0] as string },
    command: 'backdoor scan -m ./ok.mjs -d bad.tsv --gate',
    exit: 4,
    says: /60 of 60 texts contain no letters/,
  },
  'backdoor scan: two sentences': {
    files: {
      'bad.tsv': table([
        ['A dull and tired film.', 'NEGATIVE'],
        ['A warm and clever film.', 'POSITIVE'],
      ]),
    },
    command: 'backdoor scan -m bert-mini -d bad.tsv --gate',
    exit: 4,
    says: /POSITIVE: \d distinct texts? classified correctly, 30 needed/,
  },
  'backdoor scan: wrong labels': {
    files: {
      'bad.tsv': numbered(80, (at) => [
        `${scene(at)}: ${at % 2 ? 'a wonderful, charming and moving film' : 'an awful, boring and stupid film'}`,
        at % 2 ? 'NEGATIVE' : 'POSITIVE',
      ]),
    },
    command: 'backdoor scan -m bert-mini -d bad.tsv --gate',
    exit: 4,
    says: /POSITIVE: \d distinct texts? classified correctly, 30 needed/,
  },
  'backdoor scan: a language that the model does not read': {
    files: {
      'bad.tsv': numbered(80, (at) => [
        `${scene(at)}: ${at % 2 ? 'ein wunderschöner, kluger und rührender Film' : 'ein öder, dummer und langweiliger Film'}`,
        at % 2 ? 'POSITIVE' : 'NEGATIVE',
      ]),
    },
    command: 'backdoor scan -m bert-mini -d bad.tsv --gate',
    exit: 4,
    says: /30 needed|to all \d+ texts|vocabulary lacks/,
  },
  'backdoor scan: a victim whose every fifth answer is random': {
    files: { 'bad.mjs': VICTIMS['a victim whose every fifth answer is random']?.[0] as string },
    command: 'backdoor scan -m ./bad.mjs -d data.tsv --gate',
    exit: 4,
    says: UNSTEADY,
  },

  // Certificates of nothing.
  'evaluate --certify: no sample': {
    command: 'evaluate -m ./ok.mjs -d data.tsv --defend ranmask:samples=0 --certify',
    exit: 2,
    says: /samples/,
  },
  'evaluate --certify: no vote': {
    command: 'evaluate -m ./ok.mjs -d data.tsv --certify',
    exit: 2,
    says: /NOT_CERTIFIABLE/,
  },
};

export const matrix: readonly Row[] = Object.entries({
  ...crossed(TEXT_JUDGES, TEXTS, (content) => ({ 'bad.tsv': content, 'bad.mjs': `${model('')}// Same.\n` })),
  ...crossed(JUDGES, VICTIMS, (content) => ({
    'bad.mjs': content,
    'bad.tsv': numbered(40, (at) => [text(at), at % 2]),
  })),
  ...OTHERS,
}).map(([name, row]) => ({ name, ...row }));

const SLIGHT = counting(`${READS}.map(([no, yes]) => [no - (++n % 7) / 100, yes + (n % 7) / 100])`);

/** The same commands with honest inputs. */
export const controls: readonly Row[] = Object.entries({
  gate: { command: `gate -m ./ok.mjs -d data.tsv -a deepwordbug ${HOLDS}`, exit: 0, says: /"passed"/ },
  attack: { command: RUN, exit: 0, says: /"verdict":"none"/ },
  evaluate: { command: 'evaluate -m ./ok.mjs -d data.tsv', exit: 0, says: /"verdict":"none","reasons":\[\]/ },
  'evaluate --certify': {
    command: 'evaluate -m ./ok.mjs -d data.tsv --defend ranmask:rate=0.3:samples=5 --certify',
    exit: 0,
    says: /"verdict":"none"/,
  },
  compare: {
    files: { 'two.mjs': `${model('')}// Same.\n` },
    command: 'compare ./ok.mjs ./two.mjs -d data.tsv -a deepwordbug',
    exit: 0,
    says: /"verdict":"none"/,
  },
  'baseline diff': { before: [RUN, 'baseline save'], command: 'baseline diff', exit: 0, says: /"passed"/ },
  'backdoor filter': {
    files: { 'clean.tsv': other },
    command: 'backdoor filter -d data.tsv --clean clean.tsv --frr 0.1',
    exit: 0,
    says: /none found|suspects found/,
  },
  'gate: a few copies among many texts': {
    files: { 'few.tsv': numbered(60, (at) => [text(at < 20 ? at + 40 : at), at % 2]) },
    command: `gate -m ./ok.mjs -d few.tsv -a deepwordbug ${HOLDS}`,
    exit: 0,
    says: /60 examples are 40 different texts: the intervals/,
  },
  'gate: a module whose scores vary, and its decisions do not': {
    files: { 'slight.mjs': SLIGHT },
    command: `gate -m ./slight.mjs -d data.tsv -a deepwordbug ${HOLDS}`,
    exit: 0,
    says: /texts queried again got scores that differ by up to 0\.0/,
  },
} satisfies Rows).map(([name, row]) => ({ name: `${name}: honest`, ...row }));
