import { join, relative } from 'node:path';
import { Args, Flags } from '@oclif/core';
import { EXIT, OutputError } from '../core/errors.js';
import type { Report } from '../core/report.js';
import type { GateResult } from '../core/verdict.js';
import { writeWhole } from '../files/write.js';
import type { Baseline, Rules } from '../gate/index.js';
import type { RunFolder } from '../run/index.js';
import { attackFlags } from './_shared/attack-flags.js';
import { AttackingCommand } from './_shared/attacking-command.js';
import { baselineFlags, MAX_INCREASE, readBaseline, writeBaseline } from './_shared/baseline-file.js';
import { allowPartial, outputFlag } from './_shared/flags.js';
import { command } from './_shared/guarded.js';
import { type JudgingFlags, judgingFlags, rulesOf } from './_shared/judging.js';
import { commandLine, settingsOf } from './_shared/replay.js';
import { RUNS } from './_shared/runs.js';

/** The thresholds that such a run can answer: those of `transfer` are for saved texts, the others for attacks. */
function ofThisRun(rules: Rules, cheap: boolean): Rules {
  const about = ({ metric }: { readonly metric: string }): boolean => metric.startsWith('transfer.') === cheap;
  return { ...rules, thresholds: rules.thresholds.filter(about), waivers: rules.waivers.filter(about) };
}

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

  static override flags = {
    ...attackFlags,
    ...judgingFlags,
    ...baselineFlags,
    ratchet: Flags.boolean({
      helpGroup: 'judging',
      description: 'a passed run that is better than the baseline, and in nothing worse, becomes the next one',
    }),
    transfer: Flags.string({
      helpValue: 'file',
      description:
        'the cheap check: ask only these saved adversarial texts (robust baseline save --transfer), by the thresholds of transfer',
    }),
    comment: Flags.string({
      helpGroup: 'output',
      helpValue: 'file|github',
      description: 'write the comment for a pull request: to a file, or onto the pull request (needs GITHUB_TOKEN)',
    }),
    'allow-partial': allowPartial,
    output: outputFlag,
    'gate-exit-code': exitCode({ helpGroup: 'judging', description: 'instead of 1, where the gate failed' }),
  };

  static override writesReports = true;

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Gate);
    const [
      { checkRules, gate, reasonsOf },
      { checkWritable, outputFiles, writeReport },
      { openReport },
      { transferChoice },
    ] = await Promise.all([
      import('../gate/index.js'),
      import('./_shared/output-files.js'),
      import('./_shared/open-report.js'),
      import('./_shared/transfer-attack.js'),
    ]);
    const outputs = await outputFiles(flags.output ?? []);
    if (flags.comment !== undefined && flags.comment !== 'github') checkWritable(flags.comment, '--comment');
    const cheap = flags.transfer !== undefined;
    const rules = ofThisRun(rulesOf(flags as JudgingFlags, this.settingsFile, new Date()), cheap);
    // A baseline of other attacks says nothing about saved texts, unless it was given for them.
    const file = cheap && this.originOf('baseline') !== 'flag' ? undefined : flags.baseline;
    const baseline = file === undefined ? undefined : readBaseline(file);
    const { report, folder } =
      args.run === undefined
        ? await this.attacked(flags.transfer === undefined ? flags : { ...flags, ...transferChoice(flags.transfer) }, {
            check: (attacks) =>
              checkRules(rules, { attacks: attacks.map(({ label, suite }) => ({ name: label, suite })) }),
            again: (run) =>
              `${commandLine('attack', { resume: run, ...settingsOf(flags, ['isolate']) })} && ${commandLine(`gate ${run}`, {})}`,
          })
        : await openReport(args.run, flags['allow-partial']);
    if (flags.shard !== undefined && args.run === undefined) return this.#notJudged(report);
    const against =
      baseline === undefined ? undefined : await this.#against(report, file as string, baseline, flags, rules);
    // A clock set back lets no waiver live longer: what was written has been.
    const created = report.provenance?.created.slice(0, 10) ?? '';
    const today = created > rules.today ? created : rules.today;
    const { gate: result, warnings } = gate(report, { ...rules, today }, against);
    for (const warning of warnings) this.warning(warning);
    if (flags.ratchet && against && result.verdict === 'passed') await this.#ratchet(report, file as string, against);
    const told: Report = {
      ...report,
      gate: result,
      verdict: result.verdict,
      warnings: [...new Set([...report.warnings, ...this.warnings])],
    };
    const paths = outputs.map(({ path }) => path);
    for (const output of outputs) await writeReport(output, told);
    await this.#tell(told, paths, flags.comment);
    await this.#show(told, result, reasonsOf(result), paths, folder);
    if (result.verdict === 'failed') process.exitCode = flags['gate-exit-code'] ?? EXIT.gateFailed;
    if (result.verdict === 'inconclusive') process.exitCode = EXIT.inconclusive;
  }

  async #against(
    report: Report,
    file: string,
    baseline: Baseline,
    flags: { readonly 'max-increase': number | undefined; readonly 'baseline-model': string | undefined },
    { maxErrorRate, minExamples }: Rules,
  ): Promise<GateResult['baseline']> {
    const { baselineOf, compareBaseline } = await import('../gate/index.js');
    // What is missing keeps the gate from passing by itself.
    const { partial: _, ...whole } = report;
    if (baseline.toolVersion !== report.toolVersion) {
      this.warning(
        `the baseline is of robust ${baseline.toolVersion}, this run of ${report.toolVersion}: attacks may differ`,
      );
    }
    return compareBaseline(baseline, await baselineOf(whole), {
      file,
      maxIncrease: flags['max-increase'] ?? MAX_INCREASE,
      model: flags['baseline-model'],
      maxErrorRate,
      minExamples,
    });
  }

  async #ratchet(report: Report, file: string, against: NonNullable<GateResult['baseline']>): Promise<void> {
    const { baselineOf, isBetter } = await import('../gate/index.js');
    if (!isBetter(against)) return;
    writeBaseline(file, await baselineOf(report));
    this.note(`Better than the baseline, which is now this run: commit ${file}`);
  }

  /** Tells GitHub, where this runs there, and whoever reads the comment. */
  async #tell(report: Report, outputs: readonly string[], comment: string | undefined): Promise<void> {
    const { annotations, commentBody, onGitHub, postComment, tellGitHub } = await import('./_shared/github.js');
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
  async #notJudged(report: Report): Promise<void> {
    const reasons = report.partial ?? [];
    const next = 'robust report --merge SHARD... && robust gate latest';
    process.exitCode = EXIT.inconclusive;
    await this.answer(
      { verdict: 'inconclusive', thresholds: [], reasons, run: report.run },
      () => `Run           ${join(RUNS, report.run)}\nInconclusive  ${reasons.join('; ')}\nNext          ${next}\n`,
    );
  }

  async #show(
    report: Report,
    gate: GateResult,
    reasons: readonly string[],
    outputs: readonly string[],
    folder: RunFolder | undefined,
  ): Promise<void> {
    const { run } = report;
    await this.answer({ ...gate, reasons, run }, async () => {
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
