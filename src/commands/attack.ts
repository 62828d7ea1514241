import { relative } from 'node:path';
import { Flags } from '@oclif/core';
import { EXIT } from '../core/errors.js';
import type { Report } from '../core/report.js';
import type { RunFolder } from '../run/index.js';
import { attackFlags, SETTINGS } from './_shared/attack-flags.js';
import { AttackingCommand } from './_shared/attacking-command.js';
import { outputFlag } from './_shared/flags.js';
import { commandLine, type Settings, settingsOf } from './_shared/replay.js';
import { RUNS } from './_shared/runs.js';

const RUNNING = { helpGroup: 'running' };

export default class Attack extends AttackingCommand {
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
    { description: 'Go on with an interrupted run', command: '<%= config.bin %> attack --resume' },
  ];

  static override flags = {
    ...attackFlags,
    explain: Flags.boolean({
      description: 'weigh the words of the most telling texts, before and after: which of them fooled the model',
    }),
    resume: Flags.string({
      ...RUNNING,
      helpValue: '[run]',
      description: 'go on with an interrupted run: its id, or the latest; its other flags are remembered',
    }),
    output: outputFlag,
  };

  static override writesReports = true;

  async run(): Promise<void> {
    const { flags, metadata } = await this.parse(Attack, withLatest(this.argv));
    const [{ openRun }, { outputFiles, writeReport }] = await Promise.all([
      import('../run/index.js'),
      import('./_shared/output-files.js'),
    ]);
    const outputs = await outputFiles(flags.output ?? []);
    const resumed = flags.resume === undefined ? undefined : await openRun(RUNS, flags.resume);
    const given = SETTINGS.filter((name) => metadata.flags[name]?.setFromDefault !== true);
    const choice = { ...flags, ...resumed?.record.settings, ...settingsOf(flags, given) };
    const { report, folder } = await this.attacked(choice, {
      ...(resumed && { resumed }),
      explain: flags.explain,
      again: (run) => commandLine('attack', { resume: run, ...settingsOf(flags, ['output', 'isolate']) }),
    });
    for (const output of outputs) await writeReport(output, report);
    await this.#show(
      report,
      outputs.map(({ path }) => path),
      folder,
      folder.record.settings,
    );
    if (report.verdict === 'inconclusive') process.exitCode = EXIT.inconclusive;
  }

  async #show(report: Report, outputs: readonly string[], folder: RunFolder, settings: Settings): Promise<void> {
    const { jsonOf, terminal } = await import('../../reports/index.js');
    if (this.jsonEnabled()) return this.print(jsonOf('attack').render(report));
    const screen = await this.screen();
    // Whoever reads both streams on one screen has seen the warnings.
    const untold =
      process.stdout.isTTY && !this.quiet ? report.warnings.filter((w) => !this.warnings.includes(w)) : report.warnings;
    await this.print(terminal(screen).render({ ...report, warnings: untold }));
    const { bold, dim } = screen.chalk;
    const next = await nextCommand(report, outputs, settings);
    const lines = [
      ...outputs.map((output) => `Written  ${output}`),
      `Run      ${relative('', folder.path)}`,
      `Next     ${bold(next)}`,
      dim(`Replay   ${report.command}`),
    ];
    await this.print(`\n${lines.join('\n')}\n`);
  }
}

/** What a reader of this report may want to do now. */
async function nextCommand(
  { run, attacks, leftOut = [] }: Report,
  outputs: readonly string[],
  settings: Settings,
): Promise<string> {
  if (outputs.length === 0) return `robust report ${run} -o report.md`;
  const { suites } = await import('../../attacks/index.js');
  const other = suites.find(({ name }) => [...attacks, ...leftOut].every(({ suite }) => suite !== name));
  const victim = settingsOf(settings, ['model', 'data']);
  return other === undefined
    ? commandLine('evaluate', victim)
    : commandLine('attack', { ...victim, suite: other.name });
}

/** `--resume` may stand alone, which flags with a value may not: then it means the latest run. */
const withLatest = (argv: readonly string[]): string[] =>
  argv.flatMap((word, i) => (word === '--resume' && (argv[i + 1] ?? '-').startsWith('-') ? [word, 'latest'] : [word]));
