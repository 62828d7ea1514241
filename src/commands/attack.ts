import { join } from 'node:path';
import { recordOf, resumeOfRun, withLatest } from '../app/command-line.js';
import { RUNS } from '../app/runs/runs.js';
import {
  attackSettings,
  detailSettings,
  explainClosest,
  progressSetting,
  reportSettings,
  sessionSettings,
} from '../config/settings/index.js';
import { BaseCommand } from './_shared/base-command.js';
import { configFlags, flagsOf } from './_shared/flags.js';
import { footer } from './_shared/footer.js';
import { shardHere } from './_shared/shard-here.js';

const settings = {
  ...attackSettings,
  ...progressSetting,
  ...explainClosest,
  ...sessionSettings,
  ...reportSettings,
  ...detailSettings,
};

export default class AttackCommand extends BaseCommand {
  static override summary = 'Attack a classifier and report the attack success rate.';

  static override description = [
    'Every run is kept in .robust/runs with each outcome, so that it can be resumed after an interruption and rendered again (robust report). Same seed and inputs give the same results, whatever the concurrency.',
    'Attacks of a suite that the model does not support are left out, and the report gives the reason. With --attack, an unsupported attack is an error.',
    'Each flag can be set in the environment: --num-examples is ROBUST_NUM_EXAMPLES.',
    'Models of the Hub share the cache of its Python tools (HF_HUB_CACHE or HF_HOME; HF_ENDPOINT, HF_TOKEN, HF_HUB_OFFLINE and HF_HUB_DOWNLOAD_TIMEOUT work as usual). Only the necessary files are downloaded, each is verified by its hash, and interrupted downloads resume.',
    'Exit codes: 0 done, 2 usage, 3 an input could not be loaded, 4 inconclusive (too many examples ended in an error, or --query-budget run=N ended the run), 70 internal error, 130 interrupted.',
  ].join('\n\n');

  static override examples = [
    {
      description: 'Typos against the bundled model, on 200 bundled reviews',
      command: '<%= config.bin %> attack --model distilbert --suite typos',
    },
    {
      description: 'Your model and data, two suites, a report',
      command: '<%= config.bin %> attack -m ./my-model -d dev.tsv -s typos -s chars -o report.html',
    },
    {
      description: 'A model of the Hugging Face Hub',
      command: '<%= config.bin %> attack -m hf:textattack/bert-base-uncased-SST-2',
    },
    {
      description: 'One attack with options, and one of your own',
      command: '<%= config.bin %> attack -a deepwordbug:max-edits=5 -a ./my-attack.mjs',
    },
    {
      description: 'An attack built from parts',
      command:
        '<%= config.bin %> attack --transformation swap-synonyms --search beam:width=4 --constraint max-words=3 --constraint same-part-of-speech',
    },
    { description: 'Continue an interrupted run', command: '<%= config.bin %> attack --resume' },
  ];

  static override flags = { ...configFlags, ...flagsOf(settings) };

  async run(): Promise<void> {
    await this.parse(AttackCommand, withLatest(this.argv));
    const [{ attack }, { estimated }] = await Promise.all([import('../app/attack.js'), import('../app/estimate.js')]);
    const { dryRun, ...session } = this.values(sessionSettings);
    const { explain, outputs: paths = [], reporters } = this.values(settings);
    const outputs =
      paths.length === 0 ? [] : await (await import('../app/runs/output-files.js')).reportFiles(paths, reporters);
    // Explicit settings take precedence; others come from the resumed run.
    const named = session.resume === undefined ? this.values(attackSettings) : this.given(attackSettings);
    const choice = shardHere(named, process.env);
    // The record of a run that is resumed keeps its settings, and the flags decide this session.
    const decided = session.resume === undefined ? {} : recordOf(attackSettings, this.given(attackSettings));
    const resume = ([begun]: readonly string[]) =>
      resumeOfRun(session.resume ?? begun, { ...decided, ...this.unrecorded(settings) });
    if (dryRun) return this.answer(...(await this.carriedOut((hooks) => estimated({ ...choice, ...hooks }))));
    // Loads the code of the report while the model opens.
    const [report, { nextSteps }, { writeReport }, { jsonOf, terminal }] = await Promise.all([
      this.carriedOut((hooks) => attack({ ...choice, explain, ...session, ...hooks }), resume),
      import('../app/runs/next-command.js'),
      import('../app/runs/output-files.js'),
      import('../../reports/index.js'),
    ]);
    for (const output of outputs) await writeReport(output, report);
    this.exitBy(report.verdict);
    if (this.jsonEnabled()) return this.print(jsonOf('attack').render(report));
    const screen = await this.screen();
    await this.print(terminal(screen).render({ ...report, warnings: this.unseen(report.warnings) }));
    const [run, replay] = [join(RUNS, report.run), screen.wide ? report.command : undefined];
    await this.print(`\n${footer(screen, { written: paths, run, next: nextSteps(report, paths), replay })}`);
  }
}
