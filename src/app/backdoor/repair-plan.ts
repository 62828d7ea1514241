/** @file From the settings of `robust backdoor repair` to a repair. */
import { repairDocument } from '../../../reports/index.js';
import type { PlantHooks } from '../../backdoor/plant.js';
import { type RepairMethod, type RepairPlan, repair, repairs } from '../../backdoor/repair.js';
import { makeInnerFolder } from '../../files/write.js';
import type { LoadOptions } from '../../model/load.js';
import type { RepairReport } from '../../results/backdoor/planting.js';
import { type BackdoorSettings, openBackdoor, trainOptions, writeReport } from './backdoor-texts.js';

export interface RepairSettings extends BackdoorSettings {
  readonly method: RepairPlan['method'];
}

/** Opens and checks everything before anything is written. Throws ModelError, RobustError. */
export async function prepareRepair(flags: RepairSettings, load: LoadOptions, folder: string) {
  const { method, output } = flags;
  const { chosen, labels, pieces, model, target, texts } = await openBackdoor(flags, load);
  const { poisoner } = chosen;
  const repairMethod: RepairMethod = repairs[method];
  repairMethod.check?.(poisoner, pieces);
  return async (command: string, hooks: PlantHooks): Promise<RepairReport> => {
    makeInnerFolder(folder, 'the output folder');
    const figures = await repair(
      {
        ...texts,
        model: flags.model,
        load,
        method,
        poisoner,
        target,
        pieces,
        output,
        folder,
        options: trainOptions(flags),
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
      targetLabel: labels[target]!,
      ...figures,
      command,
    };
    writeReport(folder, repairDocument(report), report);
    return report;
  };
}
