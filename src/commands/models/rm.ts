import { quantity } from '../../core/figure-text.js';
import { BaseCommand } from '../_shared/base-command.js';
import { Args } from '../_shared/oclif.js';

export default class ModelsRmCommand extends BaseCommand {
  static override summary = 'Delete a downloaded or converted model or data set.';

  static override examples = [
    '<%= config.bin %> models rm hf:org/name',
    { description: 'All conversions', command: '<%= config.bin %> models rm converted' },
  ];

  static override usage = '<%= command.id %> NAME';

  static override args = {
    name: Args.string({
      required: true,
      ignoreStdin: true,
      description: 'as robust models lists it, or "converted" for all conversions',
    }),
  };

  async run(): Promise<void> {
    const { args } = await this.parse(ModelsRmCommand);
    const [{ removeModels }, { hubOptions }] = await Promise.all([
      import('../../app/models.js'),
      import('../_shared/hub.js'),
    ]);
    const removed = removeModels(args.name, { hub: hubOptions(process.env, true) });
    const bytes = removed.reduce((sum, model) => sum + model.bytes, 0);
    await this.answer(
      { removed },
      () => `Removed ${quantity(removed.length, 'entry', 'entries')}, ${(bytes / 1e6).toFixed(1)} MB.\n`,
    );
  }
}
