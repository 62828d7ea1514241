import { join } from 'node:path';
import { resumeOfRun, withLatest } from '../app/command-line.js';
import { RUNS } from '../app/runs/runs.js';
import { progressSetting, reportSettings, verifySessionSettings, verifySettings } from '../config/settings/index.js';
import { BaseCommand } from './_shared/base-command.js';
import { configFlags, flagsOf } from './_shared/flags.js';
import { footer } from './_shared/footer.js';
import { shardHere } from './_shared/shard-here.js';

const settings = { ...verifySettings, ...verifySessionSettings, ...progressSetting, outputs: reportSettings.outputs };

export default class VerifyCommand extends BaseCommand {
  static override summary = 'Prove that no small edit flips a prediction, or find one.';

  static override description =
    'An attack that fails proves nothing. This command classifies every text in a space of edits. An example is proved (no edit flips the prediction), broken (one does) or unfinished (the query budget ran out). The robust accuracy lies between the share of proved examples and the share of examples that are not broken.\n\nThe check is a run of the attack "verify": it supports --resume, --shard, robust report and the gate: robust gate -a verify --require "verify.proved >= 0.3"; workers of a queue check it by robust attack -a verify --queue ADDRESS.\n\nExit codes: 0 done, 2 usage, 3 an input could not be loaded, 4 inconclusive (no example could be decided), 70 internal error, 130 interrupted.';

  static override examples = [
    '<%= config.bin %> verify -m ./my-model -d dev.tsv -n 100',
    '<%= config.bin %> verify -m bert-mini -n 50 -a charmer:max-edits=1',
  ];

  static override flags = { ...configFlags, ...flagsOf(settings) };

  async run(): Promise<void> {
    await this.parse(VerifyCommand, withLatest(this.argv));
    const [{ verify }, { reportFiles, writeReport }, { onScreen, verificationDocument }] = await Promise.all([
      import('../app/verify.js'),
      import('../app/runs/output-files.js'),
      import('../../reports/index.js'),
    ]);
    const { outputs: paths = [] } = this.values(settings);
    const outputs = await reportFiles(paths);
    const session = this.values(verifySessionSettings);
    const named = session.resume === undefined ? this.values(verifySettings) : this.given(verifySettings);
    const choice = shardHere(named, process.env);
    const resume = ([begun]: readonly string[]) =>
      resumeOfRun(session.resume ?? begun, this.unrecorded(settings), undefined, 'verify');
    const { report, ...result } = await this.carriedOut((hooks) => verify({ ...choice, ...session, ...hooks }), resume);
    for (const output of outputs) await writeReport(output, report);
    this.exitBy(result.verdict);
    const screen = await this.screen();
    const shown = verificationDocument({ ...result, report: { ...report, warnings: this.unseen(report.warnings) } });
    await this.answer(result, () => [
      ...onScreen(shown, screen),
      `\n${footer(screen, { written: paths, run: join(RUNS, report.run), replay: result.replay })}`,
    ]);
  }
}
