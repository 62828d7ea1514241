import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Args } from '@oclif/core';
import { commandLine, settingsOf } from '../app/command-line.js';
import { gateSettings } from '../app/gate.js';
import { RUNS } from '../app/runs/runs.js';
import { nonEmptyText, type Settings } from '../config/setting.js';
import { gateExitCodeSetting, progressSetting, reportSettings } from '../config/settings/index.js';
import { EXIT, OutputError } from '../core/errors.js';
import type { Report } from '../core/report.js';
import { writeWhole } from '../files/write.js';
import { BaseCommand } from './_shared/base-command.js';
import { configFlag, flagsOf } from './_shared/flags.js';
import { command } from './_shared/guarded.js';
import { shardHere } from './_shared/shard-here.js';

const { allowPartial, ...judging } = gateSettings;

const settings = {
  ...judging,
  ...progressSetting,
  comment: {
    schema: nonEmptyText.optional(),
    group: 'output',
    value: 'file|github',
    help: 'write the comment for a pull request: to a file, or onto the pull request (needs GITHUB_TOKEN)',
  },
  allowPartial,
  ...reportSettings,
  ...gateExitCodeSetting,
} as const satisfies Settings;

export default class GateCommand extends BaseCommand {
  static override summary = 'Judge a model by thresholds and a baseline; the exit code is the verdict.';

  static override description = [
    'Attacks as the configuration and the flags say, then judges; or judges a run or a report (.json) that is there. Thresholds stand in robust.config.yaml (robust init writes one) or in --threshold: <suite | attack | overall | clean>.<figure>, as robust attack --json reports them. A suite is broken by whatever of its attacks breaks an example.',
    'It fails closed: what was not measured, on too few examples or with too many errors is inconclusive, never passed; so is a victim that answers all texts alike.',
    'Exit codes: 0 passed, 1 failed (or --gate-exit-code), 2 usage or configuration, 3 an input could not be loaded, 4 inconclusive, 70 internal error, 130 interrupted.',
  ].join('\n\n');

  static override examples = [
    { description: 'Attack and judge as robust.config.yaml says', command: '<%= config.bin %> gate' },
    { description: 'Judge the latest run', command: '<%= config.bin %> gate latest' },
    {
      description: 'Without a configuration',
      command: '<%= config.bin %> gate -s typos --threshold "typos.attackSuccessRate <= 0.3" --ci upper',
    },
  ];

  static override usage = '<%= command.id %> [RUN] [FLAGS]';

  static override args = {
    run: Args.string({
      ignoreStdin: true,
      description: 'id or folder of a run, or a report (.json); attacks without it',
    }),
  };

  static override flags = { config: configFlag, ...flagsOf(settings) };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(GateCommand);
    const [{ gate }, { checkWritable, outputFiles, writeReport }] = await Promise.all([
      import('../app/gate.js'),
      import('../app/runs/output-files.js'),
    ]);
    const { outputs: paths = [], comment, gateExitCode } = this.values(settings);
    const outputs = await outputFiles(paths);
    if (comment !== undefined && comment !== 'github') checkWritable(comment, '--comment');
    const choice = shardHere(this.values(gateSettings), process.env);
    // A baseline of other attacks says nothing about saved texts, unless it was given for them.
    const unmeant = choice.transfer !== undefined && this.originOf('baseline') !== 'flag';
    const { thresholds, waivers } = this.settingsFile?.values ?? {};
    let run: string | undefined;
    const again = (): string =>
      run === undefined
        ? 'the same command'
        : `${commandLine('attack', { resume: run, ...settingsOf(flags, ['isolate']) })} && ${commandLine(`gate ${run}`, {})}`;
    const report = await this.carriedOut(again, (hooks) =>
      gate({
        ...choice,
        ...(unmeant && { baseline: undefined }),
        ...(args.run !== undefined && { run: args.run }),
        thresholds,
        waivers,
        originOf: (metric) => this.settingsFile?.origin('thresholds', metric) ?? '',
        ...hooks,
        onRun: (id) => {
          run ??= id;
        },
      }),
    );
    if (choice.shard !== undefined && args.run === undefined) return this.#notJudged(report);
    for (const output of outputs) await writeReport(output, report);
    await this.#tell(report, paths, comment);
    await this.#show(report, paths);
    if (report.verdict === 'failed') process.exitCode = gateExitCode ?? EXIT.gateFailed;
    if (report.verdict === 'inconclusive') process.exitCode = EXIT.inconclusive;
  }

  /** Tells GitHub, where this runs there, and whoever reads the comment. */
  async #tell(report: Report, outputs: readonly string[], comment: string | undefined): Promise<void> {
    const {
      annotations,
      commentBody,
      onGitHub,
      postComment,
      writeToGitHub: tellGitHub,
    } = await import('./_shared/github.js');
    if (onGitHub(process.env)) {
      await tellGitHub(report, outputs, process.env, (message) => this.warning(message));
      command(annotations(report));
    }
    if (comment === 'github') {
      // Whoever cannot be told changes no verdict.
      await postComment(await commentBody(report), process.env).catch((error: unknown) => {
        if (!(error instanceof OutputError)) throw error;
        this.warning([error.message, error.hint].join('. '));
      });
    } else if (comment !== undefined) writeWhole(comment, await commentBody(report), 'the comment');
  }

  /** A part of a run is no reason to pass. */
  async #notJudged({ run, reasons = [] }: Report): Promise<void> {
    const next = 'robust report --merge SHARD... && robust gate latest';
    process.exitCode = EXIT.inconclusive;
    await this.answer(
      { verdict: 'inconclusive', thresholds: [], reasons, run },
      () => `Run           ${join(RUNS, run)}\nInconclusive  ${reasons.join('; ')}\nNext          ${next}\n`,
    );
  }

  async #show(report: Report, outputs: readonly string[]): Promise<void> {
    const { run, reasons, gate } = report;
    await this.answer({ ...gate, reasons, run }, async () => {
      const { gateDocument, onScreen, terminal } = await import('../../reports/index.js');
      const screen = await this.screen();
      const folder = join(RUNS, run);
      async function* lines(): AsyncGenerator<string> {
        yield* terminal(screen).render(report) as Iterable<string>;
        yield '\n';
        yield* onScreen(gateDocument(gate as NonNullable<typeof gate>), screen);
        yield '\n';
        for (const output of outputs) yield `Written  ${output}\n`;
        if (existsSync(folder)) yield `Run      ${folder}\n`;
        yield screen.chalk.dim(`Replay   ${report.command}\n`);
      }
      return lines();
    });
  }
}
