/** @file The local page. */
import { z } from 'zod';
import { booleanFlag, nonEmptyText, type Settings, textList, wholeNumber } from '../setting.js';
import { decisionSettings, pairSettings } from './decision.js';
import { languageSetting, offlineSetting, seedSetting, speedSettings, victimSettings } from './victim.js';

export const uiSettings = {
  model: {
    schema: z.union([textList, nonEmptyText.transform((one) => [one])]).default([]),
    char: 'm',
    value: 'model',
    help: `${victimSettings.model.help}; repeat. Bundled models are always there`,
    configured: true,
  },
  data: {
    schema: z.union([textList, nonEmptyText.transform((one) => [one])]).default([]),
    char: 'd',
    value: 'data',
    help: `${victimSettings.data.help}, for runs that the page starts; repeat. Bundled data are always there`,
    configured: true,
  },
  port: {
    schema: wholeNumber(0).max(65_535, 'expected a number from 0 to 65535').default(8765),
    help: 'port; 0 picks a free one',
  },
  ...decisionSettings,
  textColumns: {
    ...pairSettings.textColumns,
    help: 'names of the two texts of a pair on the page, in the order of the model',
  },
  open: { schema: booleanFlag, help: 'open the page in the browser' },
  ...languageSetting,
  ...offlineSetting,
  ...seedSetting,
  ...speedSettings,
} as const satisfies Settings;
