/** The commands that a run prints for its user, and a tiny model with data for each kind of decision. */
import { scene } from '../scenes.js';

/** Commands after these words: `Next     robust ...`, `Gate it  robust ...`, `Continue with: robust ...`. */
const PRINTED =
  /(?:\bNext:?|\bHarden|\bLook closer|\bGo on|\bGate it|\bAttack it|\bRepair it|\bReplay|inish it with:|ontinue with:)\s+(robust [^\n]*)/g;

/** The command lines in what a command wrote; one for each, without colours. */
export const printedCommands = (written: string): string[] =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with one
  [...written.replaceAll(/\x1b\[\d+m/g, '').matchAll(PRINTED)].map(([, line]) => line as string);

/** The words of a command line, each `robust ...` behind && apart; as a POSIX shell reads what `quoted` writes. */
export function wordsOf(line: string): string[][] {
  const words = [...line.matchAll(/(?:'[^']*'|\\'|[^\s'\\])+/g)].map(([word]) =>
    word.replaceAll(
      /'([^']*)'|\\(')/g,
      (_, inside: string | undefined, quote: string | undefined) => inside ?? quote ?? '',
    ),
  );
  const commands: string[][] = [[]];
  for (const word of words) word === '&&' ? commands.push([]) : commands.at(-1)?.push(word);
  return commands.map(([robust, ...rest]) => {
    if (robust !== 'robust') throw new Error(`expected a robust command, got ${line}`);
    return rest;
  });
}

/** TOY_DELAY: milliseconds an answer takes. */
const classifier = (labels: readonly string[], answer: string): string => `
export default {
  labels: ${JSON.stringify(labels)},
  async classify(texts) {
    const wait = Number(process.env.TOY_DELAY ?? 0);
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
    return texts.map((text) => Float32Array.from(${answer}));
  },
};
`;

const rows = (head: string, row: (at: number) => string, count = 40): string =>
  `${[head, ...Array.from({ length: count }, (_, at) => row(at))].join('\n')}\n`;

const plain = (at: number, word: string): string => `The ${scene(at)}: a ${word} film number ${at}.`;
/** More than its label. */
const SCORE = '((/\\bgood\\b/.test(text) ? 0.8 : 0.3) + (text.length % 97) / 1e4)';

interface Kind {
  readonly files: Readonly<Record<string, string>>;
  /** Flags for the model, the data and the decision. */
  readonly flags: string;
}

/** The model is model.mjs, and model-2.mjs answers as it does. */
export const KINDS: Readonly<Record<string, Kind>> = {
  single: {
    files: {
      'model.mjs': classifier(['negative', 'positive'], `[1 - ${SCORE}, ${SCORE}]`),
      'my data.tsv': rows('review\tlabel', (at) => `${plain(at, at % 2 ? 'good' : 'dull')}\t${at % 2}`),
    },
    flags: "-m ./model.mjs -d 'my data.tsv' --columns text=review --seed 7",
  },
  // Enough of both kinds for a gate.
  detector: {
    files: {
      'model.mjs': classifier(['benign', 'injection'], `[1 - ${SCORE}, ${SCORE}]`),
      'data.tsv': rows(
        'text\tlabel',
        (at) => `${plain(at, at % 2 ? 'good' : 'dull')}\t${at % 2 ? 'injection' : 'benign'}`,
        64,
      ),
    },
    flags: '-m ./model.mjs -d data.tsv --positive injection --threshold 0.7',
  },
  'label sets': {
    files: {
      'model.mjs': classifier(['insult', 'threat', 'spam'], `[${SCORE}, /\\bfilm\\b/.test(text) ? 0.9 : 0.1, 0.2]`),
      'data.tsv': rows(
        'text\tlabels',
        (at) => `${plain(at, at % 2 ? 'good' : 'dull')}\t${at % 2 ? 'insult,threat' : 'threat'}`,
      ),
    },
    flags: '-m ./model.mjs -d data.tsv --columns label=labels --task multi-label --threshold 0.6',
  },
  pairs: {
    files: {
      'model.mjs': classifier(['neutral', 'entailment'], '/\\bgood\\b/.test(text[1]) ? [0.2, 0.8] : [0.8, 0.2]'),
      'data.tsv': rows(
        'a\tb\tjudgment',
        (at) => `${plain(at, 'long')}\t${plain(at, at % 2 ? 'good' : 'dull')}\t${at % 2}`,
      ),
    },
    flags: '-m ./model.mjs -d data.tsv --columns pair=a,b:label=judgment',
  },
  number: {
    files: {
      'model.mjs': classifier(['stars'], '[/\\bgood\\b/.test(text) ? 4.5 : 1.5]'),
      'data.tsv': rows('text\tstars', (at) => `${plain(at, at % 2 ? 'good' : 'dull')}\t${at % 2 ? 4.4 : 1.7}`),
    },
    flags: '-m ./model.mjs -d data.tsv --columns label=stars --task delta=0.75',
  },
};
