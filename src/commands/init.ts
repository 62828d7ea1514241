import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { booleanFlag, nonEmptyText, type Settings } from '../config/setting.js';
import { dataSettings, victimSettings } from '../config/settings/index.js';
import { RobustError } from '../core/errors.js';
import { packageRoot } from '../core/package-root.js';
import { writeWhole } from '../files/write.js';
import { BaseCommand } from './_shared/base-command.js';
import { flagsOf } from './_shared/flags.js';

const FILE = 'robust.config.yaml';

const settings = {
  model: { ...victimSettings.model, help: 'classifier to test' },
  data: { ...dataSettings.data, help: 'labelled texts' },
  from: {
    schema: nonEmptyText.optional(),
    value: '<run>',
    exclusive: ['model', 'data'],
    help: 'take settings and measured thresholds from this run; id or folder of a run, latest, or a report (.json)',
  },
  force: { schema: booleanFlag, help: 'overwrite an existing file' },
} as const satisfies Settings;

export default class InitCommand extends BaseCommand {
  static override summary = `Write a commented ${FILE}.`;

  static override description =
    'The first line of the file names its schema, so editors can complete keys and check values. For a plugin, see robust new.';

  static override examples = [
    '<%= config.bin %> init',
    '<%= config.bin %> init --model ./my-model --data dev.tsv',
    '<%= config.bin %> init --from latest',
  ];

  static override flags = flagsOf(settings);

  async run(): Promise<void> {
    await this.parse(InitCommand);
    const { model, data, from, force } = this.values(settings);
    // The bundled texts suit the bundled models.
    const unlabelled =
      this.originOf('model') !== 'default' && this.originOf('data') === 'default' && from === undefined;
    if (existsSync(FILE) && !force) {
      throw new RobustError(`expected no ${FILE} here, found one`, {
        code: 'OUTPUT_TAKEN',
        hint: 'Edit it, or give --force to overwrite it.',
      });
    }
    const measured = from === undefined ? undefined : await this.measured(from);
    const text = measured?.text ?? (await this.template(model, data));
    writeWhole(FILE, text, 'the configuration');
    for (const note of measured?.notes ?? []) this.warning(note);
    const { run, thresholds } = measured ?? {};
    await this.answer(
      { file: FILE, ...(measured && { run, thresholds }) },
      () =>
        `Written  ${FILE}\nNext     ${unlabelled ? `robust gate, once data in ${FILE} names your labelled texts` : 'robust gate'}\n`,
    );
  }

  private async measured(run: string) {
    const { measuredConfig } = await import('../app/measured-config.js');
    return measuredConfig(run);
  }

  private async template(model: string, data: string): Promise<string> {
    const { schemaComment } = await import('../app/published.js');
    const template = await readFile(join(packageRoot, 'schemas', 'robust.config.template.yaml'), 'utf8');
    return template
      .replace('{schema}', schemaComment())
      .replace('{model}', () => JSON.stringify(model))
      .replace('{data}', () => JSON.stringify(data));
  }
}
