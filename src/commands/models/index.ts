import { visible } from '../../../reports/visible.js';
import { BaseCommand } from '../_shared/base-command.js';

export default class ModelsCommand extends BaseCommand {
  static override summary = 'List downloaded and converted models, and their disk space.';

  static override description =
    'The cache of the Hub is shared with its Python tools. Conversions are kept beside it. Bundled models: robust list models.';

  static override examples = ['<%= config.bin %> models', '<%= config.bin %> models rm converted'];

  async run(): Promise<void> {
    await this.parse(ModelsCommand);
    const [{ keptModels }, { hubOptions }] = await Promise.all([
      import('../../app/models.js'),
      import('../_shared/hub.js'),
    ]);
    const models = keptModels({ hub: hubOptions(process.env, true) });
    await this.answer({ models }, () => {
      if (models.length === 0) return 'Nothing was fetched or converted yet.\n';
      const size = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;
      const width = Math.max(...models.map(({ bytes }) => size(bytes).length));
      return models.map(({ name, bytes, written, source, kind }) => {
        const made = kind === 'data' ? '  data set' : source === undefined ? '' : `  of ${visible(source)}`;
        return `${size(bytes).padStart(width)}  ${written.slice(0, 10)}  ${visible(name)}${made}\n`;
      });
    });
  }
}
