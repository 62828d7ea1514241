import { existsSync } from 'node:fs';
import { relative } from 'node:path';
import { Args, Flags } from '@oclif/core';
import { EXIT } from '../core/errors.js';
import type { GateResult, Report } from '../core/types.js';
import type { RunFolder } from '../run/index.js';
import { attackFlags } from './_shared/attack-flags.js';
import { AttackingCommand } from './_shared/attacking-command.js';
import { allowPartial, outputFlag } from './_shared/flags.js';
import { type JudgingFlags, judgingFlags, rulesOf } from './_shared/judging.js';
import { commandLine } from './_shared/replay.js';
import { RUNS } from './_shared/runs.js';

/** A number that a shell can see: 0 to 255. */
const exitCode = Flags.custom<number>({
  parse: async (text) => {
    if (/^\d+$/.test(text) && Number(text) <= 255) return Number(text);
    const { UsageError } = await import('../core/errors.js');
    throw new UsageError(`expected --gate-exit-code to be a number from 0 to 255, got "${text}"`, { code: 'USAGE' });
  },
});

export default class Gate extends AttackingCommand {
  static override summary = 'Judge a model by thresholds and a baseline; the exit code is the verdict.';

  static override description = [
    'Attacks as the configuration and the flags say, then judges; or judges a run or a report (.json) that is there. Thresholds stand in robust.config.yaml (robust init writes one) or in --threshold: <suite | attack | overall | clean>.<figure>, as robust attack --json reports them. A suite is broken by whatever of its attacks breaks an example.',
    'It fails closed: what was not measured, on too few examples or with too many errors is inconclusive, never passed.',
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

  static override flags = {
    ...attackFlags,
    ...judgingFlags,
    'allow-partial': allowPartial,
    output: outputFlag,
    'gate-exit-code': exitCode({ helpGroup: 'judging', description: 'instead of 1, where the gate failed' }),
  };

  static override writesReports = true;

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Gate);
    const [{ checkRules, gate }, { outputFiles, writeReport }] = await Promise.all([
      import('../gate/index.js'),
      import('./_shared/output-files.js'),
    ]);
    const outputs = await outputFiles(flags.output ?? []);
    const rules = rulesOf(flags as JudgingFlags, this.settingsFile, new Date());
    const { report, folder } =
      args.run === undefined
        ? await this.attacked(flags, {
            check: (attacks) =>
              checkRules(rules, { attacks: attacks.map(({ label, suite }) => ({ name: label, suite })) }),
            again: (run) => `${commandLine('attack', { resume: run })} && ${commandLine(`gate ${run}`, {})}`,
          })
        : await this.#existing(args.run, flags['allow-partial']);
    if (flags.shard !== undefined && args.run === undefined) {
      const run = folder?.id ?? report.run;
      const next = 'robust report --merge SHARD... && robust gate latest';
      return this.answer(
        { verdict: 'none', thresholds: [], reasons: report.partial ?? [], run },
        () => `Run      ${RUNS}/${run}\nNot judged: ${report.partial?.join('; ')}. With all shards: ${next}\n`,
      );
    }
    const { gate: result, warnings } = gate(report, rules);
    for (const warning of warnings) this.warning(warning);
    const told: Report = {
      ...report,
      gate: result,
      verdict: result.verdict,
      warnings: [...new Set([...report.warnings, ...this.warnings])],
    };
    for (const output of outputs) await writeReport(output, told);
    await this.#show(
      told,
      result,
      outputs.map(({ path }) => path),
      folder,
    );
    if (result.verdict === 'failed') process.exitCode = flags['gate-exit-code'] ?? EXIT.gateFailed;
    if (result.verdict === 'inconclusive') process.exitCode = EXIT.inconclusive;
  }

  async #existing(name: string, allowPartial: boolean): Promise<{ report: Report; folder?: RunFolder }> {
    const { openRun, readReport, readReportFile } = await import('../run/index.js');
    if (/\.json$/i.test(name) && existsSync(name)) return { report: await readReportFile(name) };
    const folder = await openRun(RUNS, name);
    return { report: await readReport(folder, { allowPartial }), folder };
  }

  async #show(
    report: Report,
    gate: GateResult,
    outputs: readonly string[],
    folder: RunFolder | undefined,
  ): Promise<void> {
    const { run } = report;
    await this.answer({ ...gate, run }, async () => {
      const { terminal, verdictText } = await import('../../reports/index.js');
      const screen = await this.screen();
      async function* lines(): AsyncGenerator<string> {
        yield* terminal(screen).render(report) as Iterable<string>;
        yield '\n';
        yield* verdictText(gate, screen);
        yield '\n';
        for (const output of outputs) yield `Written  ${output}\n`;
        if (folder !== undefined) yield `Run      ${relative('', folder.path)}\n`;
        yield screen.chalk.dim(`Replay   ${report.command}\n`);
      }
      return lines();
    });
  }
}
