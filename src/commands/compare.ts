import { resumeOfRun } from '../app/command-line.js';
import { compareSettings, replayOfComparison } from '../app/compare.js';
import { attackSettings, progressSetting, reportOutputs } from '../config/settings/index.js';
import { BaseCommand } from './_shared/base-command.js';
import { configFlags, flagsOf } from './_shared/flags.js';

export default class CompareCommand extends BaseCommand {
  static override summary = 'Compare models on the same examples under the same attacks.';

  static override description = [
    'The other models are compared with the first. Each is attacked as by robust attack, and its run is kept in .robust/runs; finished runs can replace models, by id or folder.',
    'Differences are paired, example by example: Newcombe intervals, the exact McNemar test, and the Holm correction over the attacks. Attack success rates refer to the examples that both models classify correctly before the attack. Detectors are compared by recall, false positive rate, precision and areas, label sets by F1 and by label, numbers by errors and correlations. Models with different tasks or labels are refused. --transfer also tests each model on the adversarial texts of the others.',
  ].join('\n\n');

  static override examples = [
    '<%= config.bin %> compare distilbert ./hardened --data dev.tsv --suite typos --suite synonyms -o comparison.md',
    '<%= config.bin %> compare distilbert distilbert+spelling --suite typos',
    '<%= config.bin %> compare 20261120T211400Z-ab12cd latest',
  ];

  static override usage = '<%= command.id %> MODEL MODEL... [FLAGS]';
  static override strict = false;

  static override flags = { ...configFlags, ...flagsOf({ ...compareSettings, ...progressSetting, ...reportOutputs }) };

  async run(): Promise<void> {
    const { argv } = await this.parse(CompareCommand);
    const models = argv as string[];
    const { comparisonDocument, comparisonFormats } = await import('../../reports/index.js');
    const { compare } = await import('../app/compare.js');
    const choice = this.values(compareSettings);
    // Finished runs replace their models, so that nothing runs twice.
    const resume = (runs: readonly string[]) => {
      const compared = [...runs, ...models.slice(runs.length)];
      const rest = replayOfComparison(compared, choice, this.unrecorded({ ...compareSettings, ...reportOutputs }));
      return resumeOfRun(runs.at(-1), this.unrecorded(attackSettings), rest);
    };
    const work = () => this.carriedOut((hooks) => compare({ ...choice, models, ...hooks }), resume);
    await this.documented(async () => this.withOverrides(await work()), comparisonDocument, comparisonFormats);
  }
}
