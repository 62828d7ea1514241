import { join } from 'node:path';
import { commandLine, settingsOf } from '../app/command-line.js';
import { RUNS } from '../app/runs/runs.js';
import { nonEmptyText, type Settings } from '../config/setting.js';
import { attackSettings, explainClosest, progressSetting, reportSettings } from '../config/settings/index.js';
import { EXIT } from '../core/errors.js';
import type { Report } from '../core/report.js';
import { BaseCommand } from './_shared/base-command.js';
import { configFlag, flagsOf } from './_shared/flags.js';
import { shardHere } from './_shared/shard-here.js';

const settings = {
  ...attackSettings,
  ...progressSetting,
  ...explainClosest,
  resume: {
    schema: nonEmptyText.optional(),
    group: 'running',
    value: '[run]',
    help: 'go on with an interrupted run: its id, or the latest; its other flags are remembered',
  },
  ...reportSettings,
} as const satisfies Settings;

export default class AttackCommand extends BaseCommand {
  static override summary = 'Attack a classifier with rewritten texts and report how often its prediction turns.';

  static override description = [
    'Every run is kept in .robust/runs with each outcome, so that it can be resumed after an interruption and rendered again (robust report). Same seed and inputs give the same results, whatever the concurrency.',
    'A suite stands for those of its attacks that the model allows: the others are left out, and the report says which and why. An attack that is named by --attack is refused instead.',
    'Each flag can be set in the environment: --num-examples is ROBUST_NUM_EXAMPLES.',
    'Models from the Hub are kept in the cache that its other tools share (HF_HUB_CACHE or HF_HOME; HF_ENDPOINT, HF_TOKEN, HF_HUB_OFFLINE and HF_HUB_DOWNLOAD_TIMEOUT mean what they mean there). Only the files needed are fetched, each is checked by its hash, and a download that broke off goes on where it ended.',
    'Exit codes: 0 done, 2 usage, 3 an input could not be loaded, 4 inconclusive (too many examples ended in an error, or --run-budget ended the run), 70 internal error, 130 interrupted.',
  ].join('\n\n');

  static override examples = [
    {
      description: 'Misspell 200 reviews until the bundled model gets them wrong',
      command: '<%= config.bin %> attack --model distilbert --suite typos',
    },
    {
      description: 'Your own model and data, two suites, all examples, two reports',
      command: '<%= config.bin %> attack -m ./my-model -d dev.tsv -s typos -s chars -n 0 -o report.md -o report.json',
    },
    {
      description: 'A pretrained model from the Hugging Face Hub; @ and a branch, tag or commit picks a revision',
      command: '<%= config.bin %> attack -m hf:distilbert/distilbert-base-uncased-finetuned-sst-2-english',
    },
    {
      description: 'One attack with other options, and one of your own',
      command: '<%= config.bin %> attack -a deepwordbug:max-edits=5 -a ./my-attack.mjs',
    },
    {
      description: 'An attack of your own making: edits, a search, constraints, a goal',
      command:
        '<%= config.bin %> attack --transformation swap-synonyms --search beam:width=4 --constraint max-words=3 --constraint same-part-of-speech',
    },
    { description: 'Go on with an interrupted run', command: '<%= config.bin %> attack --resume' },
  ];

  static override flags = { config: configFlag, ...flagsOf(settings) };

  async run(): Promise<void> {
    const { flags } = await this.parse(AttackCommand, withLatest(this.argv));
    const [{ attack }, { outputFiles, writeReport }] = await Promise.all([
      import('../app/attack.js'),
      import('../app/runs/output-files.js'),
    ]);
    const { explain, resume, outputs: paths = [] } = this.values(settings);
    const outputs = await outputFiles(paths);
    // What was named decides; what was not is remembered by the run that is gone on with.
    const choice = shardHere(
      resume === undefined ? this.values(attackSettings) : this.given(attackSettings),
      process.env,
    );
    let run = resume;
    const again = (): string =>
      run === undefined
        ? 'the same command'
        : commandLine('attack', { resume: run, ...settingsOf(flags, ['output', 'isolate']) });
    const report = await this.carriedOut(again, (hooks) =>
      attack({
        ...choice,
        explain,
        resume,
        ...hooks,
        onRun: (id) => {
          run ??= id;
        },
      }),
    );
    for (const output of outputs) await writeReport(output, report);
    await this.#show(report, paths, choice);
    if (report.verdict === 'inconclusive') process.exitCode = EXIT.inconclusive;
  }

  async #show(report: Report, outputs: readonly string[], choice: SettledChoice): Promise<void> {
    const { jsonOf, terminal } = await import('../../reports/index.js');
    if (this.jsonEnabled()) return this.print(jsonOf('attack').render(report));
    const screen = await this.screen();
    // Whoever reads both streams on one screen has seen the warnings.
    const untold =
      process.stdout.isTTY && !this.quiet ? report.warnings.filter((w) => !this.warnings.includes(w)) : report.warnings;
    await this.print(terminal(screen).render({ ...report, warnings: untold }));
    const { bold, dim } = screen.chalk;
    const lines = [
      ...outputs.map((output) => `Written  ${output}`),
      `Run      ${join(RUNS, report.run)}`,
      `Next     ${bold(await nextCommand(report, outputs, choice))}`,
      dim(`Replay   ${report.command}`),
    ];
    await this.print(`\n${lines.join('\n')}\n`);
  }
}

type SettledChoice = Readonly<Record<string, unknown>>;

/** What a reader of this report may want to do now. */
async function nextCommand(
  { run, attacks, leftOut = [] }: Report,
  outputs: readonly string[],
  choice: SettledChoice,
): Promise<string> {
  if (outputs.length === 0) return `robust report ${run} -o report.md`;
  const { suites } = await import('../../attacks/index.js');
  const other = suites.find(({ name }) => [...attacks, ...leftOut].every(({ suite }) => suite !== name));
  const victim = settingsOf(choice, ['model', 'data']);
  return other === undefined
    ? commandLine('evaluate', victim)
    : commandLine('attack', { ...victim, suite: other.name });
}

/** `--resume` may stand alone, which flags with a value may not: then it means the latest run. */
const withLatest = (argv: readonly string[]): string[] =>
  argv.flatMap((word, i) => (word === '--resume' && (argv[i + 1] ?? '-').startsWith('-') ? [word, 'latest'] : [word]));
