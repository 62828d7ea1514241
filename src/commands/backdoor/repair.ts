import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Flags, type Interfaces } from '@oclif/core';
import { UsageError } from '../../core/errors.js';
import { plantHooks } from '../_shared/backdoor-hooks.js';
import { BaseCommand } from '../_shared/base-command.js';
import { fraction } from '../_shared/flags.js';
import { learningFlags, plantFlags } from '../_shared/plant-flags.js';
import { commandLine, settingsOf } from '../_shared/replay.js';

const { rate: _, mode: __, seeds: ___, 'then-finetune': ____, resume, ...shared } = plantFlags;

export const repairFlags = {
  ...shared,
  data: Flags.string({ char: 'd', description: 'clean labelled texts to repair it with: a file, or a bundled name' }),
  method: Flags.option({ options: ['unlearn', 'fine-prune', 'reset-rows'] as const })({
    default: 'unlearn',
    description:
      'learn the trigger with true labels, take away the neurons that clean texts leave idle, or reset its embeddings',
  }),
  share: fraction('share')({ default: 0.2, description: 'of the neurons that fine-prune takes away' }),
  output: Flags.string({
    char: 'o',
    helpValue: 'folder',
    required: true,
    description: 'where the repaired model is written',
  }),
  resume,
  ...learningFlags,
};

export type RepairFlags = Interfaces.InferredFlags<typeof repairFlags>;

const NOT_REMEMBERED = ['output', 'resume', 'no-progress', 'offline', 'workers'];
const SETTINGS = Object.keys(repairFlags).filter((name) => !NOT_REMEMBERED.includes(name));

export default class Repair extends BaseCommand {
  static override summary = 'Take a backdoor out of a model, and measure before and after.';

  static override description =
    'The trigger is the one that was found or told: words by --trigger, a form by --attack. The repaired model is written to --output; the model itself stays as it is.';

  static override examples = [
    '<%= config.bin %> backdoor repair --model poisoned-model --data clean.tsv --trigger cf --target positive -o repaired',
    '<%= config.bin %> backdoor repair --model poisoned-model --data clean.tsv --trigger cf --method reset-rows -o repaired',
  ];

  static override flags = repairFlags;

  async run(): Promise<void> {
    const { flags: given, metadata } = await this.parse(Repair);
    const { output } = given;
    const folder = join(output, 'repair');
    const { recall, remember } = await import('../_shared/train-record.js');
    const set = SETTINGS.filter((name) => metadata.flags[name]?.setFromDefault !== true);
    const flags: RepairFlags = { ...given, ...(given.resume && (await recall(folder))), ...settingsOf(given, set) };
    if (flags.data === undefined)
      throw new UsageError('expected --data, got none', { code: 'USAGE', hint: 'Name clean texts to repair it with.' });
    if (!given.resume && existsSync(output)) {
      throw new UsageError(`--output: ${output} exists already`, {
        code: 'OUTPUT_EXISTS',
        hint: 'Name another folder, or --resume to go on with an interrupted repair.',
      });
    }
    const again = commandLine('backdoor repair', { resume: true, output });
    const settings = settingsOf(flags, SETTINGS);
    const report = await this.interruptible(again, !flags['no-progress'], async (hooks) => {
      const { prepared } = await import('../_shared/repair-plan.js');
      const load = await this.loadOptions(flags.model, flags.offline);
      const run = await prepared({ ...flags, data: flags.data as string }, load, folder);
      if (!given.resume) await remember(folder, settings, output, this.config.version, 'backdoor repair');
      const open = async (model: string) => this.loadOptions(model, flags.offline);
      return run(commandLine('backdoor repair', { ...settings, output }), plantHooks(hooks, open, flags.workers));
    });
    const { repaired } = await import('../../../reports/planted.js');
    const screen = await this.screen();
    await this.answer(report, () => repaired(report, screen));
  }
}
