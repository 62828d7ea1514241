import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { commandLine, resumeOfRun } from '../app/command-line.js';
import { RUNS } from '../app/runs/runs.js';
import { attackSettings, gateOutputSettings, gateSettings, progressSetting } from '../config/settings/index.js';
import type { Report } from '../results/report/report.js';
import { BaseCommand } from './_shared/base-command.js';
import { configFlags, flagsOf } from './_shared/flags.js';
import { footer } from './_shared/footer.js';
import { Args } from './_shared/oclif.js';

const settings = { ...gateSettings, ...progressSetting, ...gateOutputSettings };

const judgingOnly = Object.fromEntries(Object.entries(settings).filter(([key]) => !(key in attackSettings)));

export default class GateCommand extends BaseCommand {
  static override summary = 'Pass or fail a model by requirements (exit code 0, 1 or 4).';

  static override description = [
    'Attacks as configured, then judges the run; or judges an existing run or report (.json). Requirements come from robust.config.yaml (robust init writes one) or --require: <suite | attack | overall | clean>.<metric> and a limit; robust attack --json lists the metrics. An example counts as flipped under a suite if any of its attacks flips it.',
    'A metric that could not be measured, too few examples, too many errors, or a model that predicts one class for all texts make the gate inconclusive. It never passes then.',
    'Exit codes: 0 passed, 1 failed (or --gate-exit-code), 2 usage or configuration, 3 an input could not be loaded, 4 inconclusive, 70 internal error, 130 interrupted.',
  ].join('\n\n');

  static override examples = [
    { description: 'Attack and judge as configured in robust.config.yaml', command: '<%= config.bin %> gate' },
    { description: 'Judge the latest run', command: '<%= config.bin %> gate latest' },
    {
      description: 'Without a configuration',
      command: '<%= config.bin %> gate -s typos --require "typos.attackSuccessRate <= 0.3"',
    },
  ];

  static override usage = '<%= command.id %> [RUN] [FLAGS]';

  static override args = {
    run: Args.string({
      ignoreStdin: true,
      description: 'id or folder of a run, or a report (.json); attacks without it',
    }),
  };

  static override flags = { ...configFlags, ...flagsOf(settings) };

  async run(): Promise<void> {
    const { args } = await this.parse(GateCommand);
    const [{ gate }, { checkWritable, reportFiles, writeReport }, { tellGitHub }] = await Promise.all([
      import('../app/gate.js'),
      import('../app/runs/output-files.js'),
      import('./_shared/github.js'),
    ]);
    const { outputs: paths = [], reporters, comment, commentName: name, gateExitCode } = this.values(settings);
    const outputs = await reportFiles(paths, reporters);
    if (comment !== undefined && comment !== 'github') checkWritable(comment, '--comment');
    const choice = this.values(gateSettings);
    const judging = await this.judging([...(choice.require ?? [])]);
    const resume = ([run]: readonly string[]) =>
      resumeOfRun(run, this.unrecorded(attackSettings), commandLine(`gate ${run}`, this.unrecorded(judgingOnly)));
    const report = await this.carriedOut((hooks) => gate({ ...choice, ...judging, run: args.run, ...hooks }), resume);
    for (const output of outputs) await writeReport(output, report);
    await tellGitHub(report, { outputs: paths, comment, name }, process.env, (message) => this.warning(message));
    await this.#show(report, paths);
    this.exitBy(report.verdict, gateExitCode);
  }

  protected override usesConfig = (): boolean => true;

  async #show(report: Report, written: readonly string[]): Promise<void> {
    const { run, reasons = [], gate, command, provenance } = report;
    const { overrides = [] } = provenance ?? {};
    await this.answer({ ...gate, reasons, run, provenance: { overrides } }, async () => {
      const { gateDocument, onScreen, terminal } = await import('../../reports/index.js');
      const screen = await this.screen();
      const folder = existsSync(join(RUNS, run)) ? join(RUNS, run) : undefined;
      const table = terminal(screen).render(report) as Iterable<string>;
      const verdict = onScreen(gateDocument(gate as NonNullable<typeof gate>, overrides), screen);
      return [...verdict, '\n', ...table, '\n', footer(screen, { written, run: folder, replay: command })];
    });
  }
}
