/** @file The table of settings: by command, and of all that a configuration may hold. */
import { booleanFlag, type Settings } from '../setting.js';
import { attackSettings } from './attack.js';
import { allowDegenerateSetting, baselineSettings, judgingSettings, ratchetSetting } from './judging.js';
import { detailSettings, gateExitCodeSetting, progressSetting, reportSettings, streamSettings } from './output.js';

export { attackSettings, sessionSettings } from './attack.js';
export { filterSettings, plantSettings, repairSettings, scanSettings } from './backdoor.js';
export { decisionSettings, pairSettings } from './decision.js';
export { explainSettings } from './explain.js';
export { queueSettings, workerSettings } from './fleet.js';
export { allowPartialSetting, baselineSettings, gateSettings, judgingSettings } from './judging.js';
export {
  allowCodeSetting,
  detailSettings,
  gateExitCodeSetting,
  gateOutputSettings,
  progressSetting,
  reporterSetting,
  reportOutputs,
  reportSettings,
  streamSettings,
} from './output.js';
export { serveSettings } from './serve.js';
export { outputFolder, trainSettings } from './train.js';
export { uiSettings } from './ui.js';
export { verifySessionSettings, verifySettings } from './verify.js';
export * from './victim.js';

export const explainClosest = {
  explain: {
    schema: booleanFlag,
    help: 'show which words fooled the model; explains the adversarial texts with the fewest edits, before and after',
    configured: true,
  },
} as const satisfies Settings;

export const certifySetting = {
  certify: {
    schema: booleanFlag,
    group: 'data',
    help: 'certified accuracy by number of replaced words or edits; needs --defend ranmask or rs-del',
    configured: true,
  },
} as const satisfies Settings;

/**
 * All settings that a configuration may hold, in the order of its schema. The schema itself has thresholds and waivers, which are not
 * single values.
 */
export const configurable = {
  ...attackSettings,
  ...explainClosest,
  ...certifySetting,
  ...reportSettings,
  ...detailSettings,
  ...progressSetting,
  ...streamSettings,
  ...judgingSettings,
  ...allowDegenerateSetting,
  ...baselineSettings,
  ...ratchetSetting,
  ...gateExitCodeSetting,
} as const satisfies Settings;
