import { augmentSettings } from '../app/augment.js';
import { quantity } from '../core/figure-text.js';
import { BaseCommand } from './_shared/base-command.js';
import { configFlags, flagsOf } from './_shared/flags.js';

export default class AugmentCommand extends BaseCommand {
  static override summary = 'Write perturbed copies of a data set, to train or test with.';

  static override description =
    'The attacks rewrite each text as they would against a model, but choose rewrites at random and query no model. Labels stay. Attacks that need gradients cannot be used, and are left out of suites. Deterministic for a given seed.';

  static override examples = [
    '<%= config.bin %> augment --data train.tsv -a human-typos --per-example 4 -o augmented.tsv',
    '<%= config.bin %> augment -d train.tsv -s typos -a synonym --originals -o train-and-copies.jsonl',
  ];

  static override flags = { ...configFlags, ...flagsOf(augmentSettings) };

  async run(): Promise<void> {
    await this.parse(AugmentCommand);
    const { augment } = await import('../app/augment.js');
    const result = await this.carriedOut((hooks) => augment({ ...this.values(augmentSettings), ...hooks }));
    const { copies, examples, output } = result;
    await this.answer(
      result,
      () => `${quantity(copies, 'copy', 'copies')} of ${quantity(examples, 'text')} written to ${output}\n`,
    );
  }
}
