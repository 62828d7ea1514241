import { followUp, recordOf, withoutDefaults } from '../app/command-line.js';
import { evaluateSettings } from '../app/evaluate.js';
import { attackSettings } from '../config/settings/index.js';
import { modelTitle } from '../results/report/model-title.js';
import { BaseCommand } from './_shared/base-command.js';
import { configFlags, flagsOf } from './_shared/flags.js';
import { footer } from './_shared/footer.js';

export default class EvaluateCommand extends BaseCommand {
  static override summary = 'Measure a classifier without attacking it.';

  static override description =
    'Accuracy with its confidence interval, precision, recall and F1 per class, the confusion matrix, and calibration (expected calibration error).';

  static override examples = [
    '<%= config.bin %> evaluate',
    '<%= config.bin %> evaluate -m ./my-model -d dev.tsv -n 0 --label-map 0=NEGATIVE --label-map 1=POSITIVE',
  ];

  static override flags = { ...configFlags, ...flagsOf(evaluateSettings) };

  async run(): Promise<void> {
    await this.parse(EvaluateCommand);
    const [{ evaluate }, { evaluationDocument, onScreen }] = await Promise.all([
      import('../app/evaluate.js'),
      import('../../reports/index.js'),
    ]);
    const result = await this.carriedOut((hooks) => evaluate({ ...this.values(evaluateSettings), ...hooks }));
    const { model, data, clean, certified, reasons } = result;
    this.exitBy(result.verdict);
    const screen = await this.screen();
    const evaluated = {
      model: modelTitle(model),
      data: data.name,
      labels: model.labels,
      clean,
      decision: model.decision,
      inconclusive: reasons,
      ...(certified && { certified }),
    };
    const inForce = withoutDefaults(evaluateSettings, recordOf(evaluateSettings, this.values(evaluateSettings)));
    const next = [{ purpose: 'Attack it', command: followUp('attack', attackSettings, inForce) }];
    await this.answer(result, () => [
      ...onScreen(evaluationDocument(evaluated), screen),
      '\n',
      footer(screen, { next }),
    ]);
  }
}
