/** @file For one more version, limits after `--threshold` or in ROBUST_THRESHOLD are requirements: `--threshold` means a score. */
import { type VariableNames, variableOf } from './setting.js';

const isLimit = (text: string | undefined): text is string => text !== undefined && /[<>]/.test(text);

export interface CurrentSpelling {
  readonly argv: string[];
  readonly variables: VariableNames;
  /** Note that shows the user the current spelling. */
  readonly note?: readonly string[];
}

/** A command line with every limit under `--require`, and the variables that are read for it. */
export function currentSpelling(argv: readonly string[], env: NodeJS.ProcessEnv): CurrentSpelling {
  const found: string[] = [];
  const words = argv.map((word, at) => {
    const [, joined] = /^--threshold=(.*)$/s.exec(word) ?? [];
    if (isLimit(joined)) {
      found.push(joined);
      return `--require=${joined}`;
    }
    const next = argv[at + 1];
    if (word !== '--threshold' || !isLimit(next)) return word;
    found.push(next);
    return '--require';
  });
  const [former, current] = [variableOf('threshold'), variableOf('require')];
  const limits = env[former];
  if (isLimit(limits)) found.push(limits);
  const [example] = found;
  return {
    argv: words,
    variables: isLimit(limits) ? { require: [current, former], threshold: [] } : {},
    ...(example !== undefined && {
      note: [`limits after --threshold are read for one more version; write --require "${example}" instead`],
    }),
  };
}
