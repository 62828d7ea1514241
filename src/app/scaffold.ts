/** @file A configuration for a model and data of the user's own: their columns and labels are read, 20 texts are tried, limits follow from the task. */
import { guessColumns, sourceAt } from '../../datasets/index.js';
import { take } from '../core/take.js';
import { isHubSpec } from '../model/hub/spec.js';
import { isCode } from '../modules/own-module.js';
import { attack } from './attack.js';
import { type EvaluateOptions, evaluate } from './evaluate.js';
import { configText, type MeasuredConfig } from './measured-config.js';
import { scaffoldedGate } from './runs/measured-thresholds.js';

export interface ScaffoldOptions extends EvaluateOptions {
  readonly data: string;
  /** The answer to a question, or the suggestion. */
  ask(question: string, suggestion: string): Promise<string>;
}

interface GuessedColumns {
  readonly task?: 'tags';
  readonly textColumn?: string;
  readonly labelColumn?: string;
}

const TRIED = 20;
/** Rows that columns are guessed from. */
const ROWS = 200;

/** Labels of what a detector detects. */
const DETECTED =
  /inject|jailbreak|attack|toxic|hate|spam|unsafe|harm|malicious|phish|abus|offens|threat|fraud|sensitive/i;
const INJECTION = /inject|jailbreak/i;

/** Throws what `evaluate` and `attack` throw. */
export async function scaffold({ ask, ...options }: ScaffoldOptions): Promise<MeasuredConfig & { headline: string }> {
  const known = { ...options, ...(await columnsIn(options, ask)), numExamples: TRIED };
  const { model } = await evaluate(known);
  const own = model.decision !== undefined && 'positive' in model.decision ? model.decision.positive : [];
  const [positive, ...others] = model.labels.filter((label) => DETECTED.test(label));
  const mayDetect =
    model.decision === undefined && positive !== undefined && others.length === 0 && model.labels.length === 2;
  const decision = mayDetect
    ? { positive: [await ask('Label to detect', positive)], threshold: await ask('Threshold', '0.5') }
    : {};
  const injection = [model.name, ...own, ...(decision.positive ?? [])].some((label) => INJECTION.test(label));
  const suites = [known.task === 'tags' ? 'entities' : injection ? 'guardrail' : 'typos'];
  const report = await attack({ ...known, ...decision, suites });
  const { headline, run } = report;
  const { thresholds, numExamples } = scaffoldedGate(report);
  const text = configText(
    report,
    { thresholds, baseline: false },
    {
      settings: { numExamples },
      about: [
        `# ${TRIED} texts were tried: ${headline}.`,
        '# Every requirement is an error: raise or lower a limit knowingly.',
      ],
    },
  );
  return { run, headline, thresholds, baseline: false, text, notes: [] };
}

/** The columns of a file, by their names, else by what they hold. Those of other data are known to their readers. */
async function columnsIn(
  { data, textColumn, labelColumn, textColumns }: Omit<ScaffoldOptions, 'ask'>,
  ask: ScaffoldOptions['ask'],
): Promise<GuessedColumns> {
  if ((textColumn !== undefined && labelColumn !== undefined) || textColumns !== undefined) return {};
  if (isHubSpec(data) || isCode(data.split(':')[0]!)) return {};
  const table = await sourceAt(data).open(() => false);
  const rows: (readonly (string | undefined)[])[] = [];
  for await (const { cells } of take(table.rows(table.columns, table.columns), ROWS)) rows.push(cells);
  const { text, label, tagged } = guessColumns(table.columns, rows);
  if (tagged || text === undefined || label === undefined) return tagged ? { task: 'tags' } : {};
  const among = ` (${table.columns.join(', ')})`;
  return {
    textColumn: textColumn ?? (await ask(`Column of the text${among}`, text)),
    labelColumn: labelColumn ?? (await ask(`Column of the label${among}`, label)),
  };
}
