import { join } from 'node:path';
import { progressSetting, trainSettings } from '../config/settings/index.js';
import { quantity } from '../core/figure-text.js';
import type { CleanMetrics } from '../results/clean/clean-metrics.js';
import type { HardeningReport } from '../results/comparison/hardening.js';
import type { History } from '../train/index.js';
import { BaseCommand } from './_shared/base-command.js';
import { flagsOf } from './_shared/flags.js';
import { footer } from './_shared/footer.js';

export default class TrainCommand extends BaseCommand {
  static override summary = 'Train a classifier from scratch, or fine-tune one.';

  static override description = [
    'A new model has one of seven architectures and a vocabulary learnt from the data; --model fine-tunes any ONNX classifier whose graph can be differentiated. The output folder has the Hugging Face layout with an ONNX graph; --model and other tools read it. The weights that are best on the validation texts are kept.',
    'Its folder training/ holds the history and the held-out texts, and during the training a checkpoint. An interrupted and resumed training ends with the same weights as an uninterrupted one.',
  ].join('\n\n');

  static override examples = [
    {
      description: 'A small DistilBERT, from scratch',
      command:
        '<%= config.bin %> train --data train.tsv --validation dev.tsv --arch distilbert:layers=4:dim=256:vocabulary=8000 -o models/mine',
    },
    {
      description: 'Train only the last layer of a model',
      command: '<%= config.bin %> train --model ./some-onnx-folder --data more.tsv --epochs 1 --part head -o tuned',
    },
    {
      description: 'Multi-label: any number of labels per text',
      command:
        '<%= config.bin %> train --data comments.tsv --columns label=labels --task multi-label --arch word-cnn -o moderation',
    },
    { description: 'Continue after an interruption', command: '<%= config.bin %> train --resume -o models/mine' },
  ];

  static override flags = flagsOf({ ...trainSettings, ...progressSetting });

  async run(): Promise<void> {
    const { flags } = await this.parse(TrainCommand);
    const { train } = await import('../app/train.js');
    const { attackOnTrained, resumeOf } = await import('../app/runs/next-command.js');
    const folder = join(flags.output, 'training');
    // Explicit settings take precedence; others come from the resumed training.
    const settings = flags.resume ? this.given(trainSettings) : this.values(trainSettings);
    const { validation, ...result } = await this.carriedOut(
      (hooks) => train({ ...settings, ...hooks }),
      () => resumeOf('train', folder, this.unrecorded(trainSettings)),
    );
    const { output, history, clean, comparison, decision } = result;
    await this.answer(result, async () => {
      const { evaluationDocument, hardeningDocument, onScreen } = await import('../../reports/index.js');
      const screen = await this.screen();
      const { name: data, labels } = validation;
      const table = (model: string, metrics: CleanMetrics) =>
        onScreen(
          evaluationDocument({
            model,
            data,
            examples: clean.tags ? 'held-out example' : 'held-out text',
            labels,
            clean: metrics,
            decision,
          }),
          screen,
        );
      const next = attackOnTrained(folder, validation.from);
      const written = [output, ...(comparison?.gains ? [join(folder, 'comparison.html')] : [])];
      const chosen = (comparison?.chosenOn ?? true) ? `${CHOSEN}\n` : '';
      const last = `\n${outcome(history)}\n\n${footer(screen, { written, next })}${chosen}`;
      if (comparison?.gains) return [...onScreen(hardeningDocument(comparison as HardeningReport), screen), last];
      const before = comparison?.clean ? [...table(comparison.model!, comparison.clean), '\n'] : [];
      return [...before, ...table(output, clean), last];
    });
  }
}

const CHOSEN = 'These texts chose the weights, so figures on them are too high. Name others with -d.';

function outcome({ points, steps, end }: History): string {
  const best = points.findLast((point) => point.best);
  return `Training ${end} after ${quantity(steps, 'step')}; the weights of step ${best?.step} (epoch ${best?.epoch.toFixed(2)}) were kept.`;
}
