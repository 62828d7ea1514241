/** @file From the flags of `robust backdoor repair` to a repair. */
import { join } from 'node:path';
import { asMarkdown, repairDocument } from '../../../reports/index.js';
import type { PlantHooks } from '../../backdoor/plant.js';
import { rowsOf } from '../../backdoor/planting-data.js';
import { type Repair, repair } from '../../backdoor/repair.js';
import { UsageError } from '../../core/errors.js';
import type { RepairReport } from '../../core/planting.js';
import { makeFolder, writeWhole } from '../../files/write.js';
import { onnxEngine } from '../../gradient/white-box/onnx-engine.js';
import type { LoadOptions } from '../../model/load.js';
import { type BackdoorSettings, openBackdoor, trainOptions } from './backdoor-texts.js';

export interface RepairSettings extends BackdoorSettings {
  readonly method: Repair;
  readonly share: number;
}

/** Opens and checks everything before anything is written. Throws ModelError, DatasetError, UsageError, PluginError. */
export async function prepareRepair(flags: RepairSettings, load: LoadOptions, folder: string) {
  const { method, share, output } = flags;
  const { chosen, labels, pieces, model, target, texts } = await openBackdoor(flags, load);
  const { poisoner } = chosen;
  if (method === 'reset-rows' && poisoner.triggers.length === 0) {
    throw new UsageError('--method reset-rows: expected a trigger made of words, got a form', {
      code: 'TRIGGER',
      hint: 'Name the words with --trigger, or repair it by --method unlearn.',
    });
  }
  const rows = method === 'reset-rows' ? rowsOf(poisoner, pieces, []) : [];
  return async (command: string, hooks: PlantHooks): Promise<RepairReport> => {
    makeFolder(folder, 'the output folder');
    const figures = await repair(
      {
        ...texts,
        model: flags.model,
        load,
        method,
        poisoner,
        target,
        rows,
        share,
        options: trainOptions(flags),
        engine: onnxEngine({}),
        output,
        folder,
      },
      hooks,
    );
    const report: RepairReport = {
      output,
      model,
      data: texts.train.name,
      test: texts.test.name,
      method,
      triggers: poisoner.triggers,
      targetLabel: labels[target] as string,
      ...figures,
      command,
    };
    writeWhole(join(folder, 'report.md'), [...asMarkdown(repairDocument(report))].join(''), 'the report');
    writeWhole(join(folder, 'report.json'), `${JSON.stringify(report, null, 1)}\n`, 'the report');
    return report;
  };
}
