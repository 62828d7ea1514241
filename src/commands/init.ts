import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { UsageError } from '../core/errors.js';
import { packageRoot } from '../core/package-root.js';
import { writeWhole } from '../files/write.js';
import { BaseCommand } from './_shared/base-command.js';
import { Flags } from './_shared/oclif.js';

const FILE = 'robust.config.yaml';

export default class InitCommand extends BaseCommand {
  static override summary = `Write a ${FILE} with comments, to start from.`;

  static override description =
    'Asks nothing. The first line names the schema, by which editors complete keys and check values.';

  static override examples = [
    '<%= config.bin %> init',
    '<%= config.bin %> init --model ./my-model --data dev.tsv',
    '<%= config.bin %> init --from latest',
  ];

  static override flags = {
    model: Flags.string({ char: 'm', default: 'distilbert', description: 'the classifier to test' }),
    data: Flags.string({ char: 'd', default: 'reviews', description: 'labelled texts' }),
    from: Flags.string({
      helpValue: '<run>',
      exclusive: ['model', 'data'],
      description:
        'attack as this run did, with thresholds at what it measured: id or folder of a run, latest, or a report (.json)',
    }),
    force: Flags.boolean({ description: 'overwrite the file that is there' }),
  };

  async run(): Promise<void> {
    const { flags, metadata } = await this.parse(InitCommand);
    const { model, data } = metadata.flags;
    // The bundled texts suit the bundled models.
    const unlabelled = model?.setFromDefault !== true && data?.setFromDefault === true && flags.from === undefined;
    if (existsSync(FILE) && !flags.force) {
      throw new UsageError(`expected no ${FILE} here, found one`, {
        code: 'CONFIG_EXISTS',
        hint: 'Edit it, or give --force to overwrite it.',
      });
    }
    const measured = flags.from === undefined ? undefined : await this.measured(flags.from);
    const text = measured?.text ?? (await this.template(flags.model, flags.data));
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
      .replace('{schema}', schemaComment)
      .replace('{model}', () => JSON.stringify(model))
      .replace('{data}', () => JSON.stringify(data));
  }
}
