import { resumeOfRun } from '../app/command-line.js';
import { compareSettings, replayOfComparison } from '../app/compare.js';
import { attackSettings, progressSetting, reportOutputs } from '../config/settings/index.js';
import { BaseCommand } from './_shared/base-command.js';
import { configFlag, flagsOf } from './_shared/flags.js';
import { footer } from './_shared/footer.js';

export default class CompareCommand extends BaseCommand {
  static override summary = 'Compare models on the same examples under the same attacks.';

  static override description = [
    'The other models are compared with the first. Each is attacked as by robust attack, and its run is kept in .robust/runs; finished runs can replace models, by id or folder.',
    'Differences are paired, example by example: Newcombe intervals, the exact McNemar test, and the Holm correction over the attacks. Attack success rates refer to the examples that both models classify correctly before the attack. Detectors are compared by recall, false positive rate, precision and areas, label sets by F1 and by label, numbers by errors and correlations. Models with different tasks or labels are refused. --transfer also tests each model on the adversarial texts of the others.',
  ].join('\n\n');

  static override examples = [
    {
      description: 'Is the hardened model more robust?',
      command: '<%= config.bin %> compare distilbert ./hardened --data dev.tsv --suite typos --suite synonyms',
    },
    {
      description: 'The two bundled models, as Markdown',
      command: '<%= config.bin %> compare distilbert bert-mini -o comparison.md',
    },
    {
      description: 'Measure the effect of a defence',
      command: '<%= config.bin %> compare distilbert distilbert+spelling --suite typos',
    },
    { description: 'Two finished runs', command: '<%= config.bin %> compare 20261120T211400Z-ab12cd latest' },
  ];

  static override usage = '<%= command.id %> MODEL MODEL... [FLAGS]';
  static override strict = false;

  static override flags = {
    config: configFlag,
    ...flagsOf({ ...compareSettings, ...progressSetting, ...reportOutputs }),
  };

  async run(): Promise<void> {
    const { argv, flags } = await this.parse(CompareCommand);
    const models = argv as string[];
    const [{ compare }, { outputFiles, writeReport }, documents] = await Promise.all([
      import('../app/compare.js'),
      import('../app/runs/output-files.js'),
      import('../../reports/index.js'),
    ]);
    const { comparisonDocument, comparisonFormats, onScreen } = documents;
    const outputs = outputFiles(flags.output ?? [], comparisonFormats);
    const choice = this.values(compareSettings);
    // Finished runs replace their models, so that nothing runs twice.
    const resume = (runs: readonly string[]) => {
      const compared = [...runs, ...models.slice(runs.length)];
      const rest = replayOfComparison(compared, choice, this.unrecorded({ ...compareSettings, ...reportOutputs }));
      return resumeOfRun(runs.at(-1), this.unrecorded(attackSettings), rest);
    };
    const report = this.withOverrides(
      await this.carriedOut((hooks) => compare({ ...choice, models, ...hooks }), resume),
    );
    for (const output of outputs) await writeReport(output, report);
    this.exitBy(report.verdict);
    const screen = await this.screen();
    const written = outputs.map(({ path }) => path);
    await this.answer(report, () => [
      ...onScreen(comparisonDocument(report), screen),
      ...(written.length === 0 ? [] : ['\n', footer(screen, { written })]),
    ]);
  }
}
