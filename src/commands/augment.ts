import { augmentSettings } from '../app/augment.js';
import { BaseCommand } from './_shared/base-command.js';
import { configFlag, flagsOf } from './_shared/flags.js';

export default class AugmentCommand extends BaseCommand {
  static override summary = 'Write perturbed copies of a data set, to train on or to test with.';

  static override description =
    'The attacks rewrite each text as they would against a model, but chance decides which rewrite is kept: no model is asked. Labels stay. Attacks that need gradients cannot be used; those of a suite are left out. Same seed and inputs give the same file.';

  static override examples = [
    '<%= config.bin %> augment --data train.tsv -a human-typos --per-example 4 -o augmented.tsv',
    '<%= config.bin %> augment -d train.tsv -s typos -a synonym --originals -o train-and-copies.jsonl',
  ];

  static override flags = { config: configFlag, ...flagsOf(augmentSettings) };

  async run(): Promise<void> {
    await this.parse(AugmentCommand);
    const { augment } = await import('../app/augment.js');
    const result = await this.carriedOut((hooks) => augment({ ...this.values(augmentSettings), ...hooks }));
    const { copies, examples, output } = result;
    await this.answer(result, () => `${copies} copies of ${examples} texts written to ${output}\n`);
  }
}
