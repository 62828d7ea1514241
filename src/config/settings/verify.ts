/** @file What is checked exhaustively. */
import { z } from 'zod';
import { nonEmptyText, pickSettings, type Settings, wholeNumber } from '../setting.js';
import { attackSettings, sessionSettings } from './attack.js';
import { decisionSettings, pairSettings } from './decision.js';
import { defendSetting, speedSettings, victimSettings, windowSettings } from './victim.js';

const SPACE = { group: 'attack' } as const;

/** The checkable spaces of edits; src/verify defines them. */
const SPACES = ['characters', 'typos', 'synonyms', 'look-alikes', 'layout'] as const;

/** The edits. */
export const spaceSettings = {
  spaces: {
    schema: z.array(z.enum(SPACES)).readonly().optional(),
    flag: 'space',
    ...SPACE,
    help: 'the edits to try: all that insert, delete, replace or swap characters, or all typos, synonyms, look-alikes or layout changes; repeat to join spaces [default: characters]',
  },
  edits: {
    schema: z.int('expected 1 or 2').min(1, 'expected 1 or 2').max(2, 'expected 1 or 2').default(1),
    ...SPACE,
    value: '1|2',
    help: 'edits in one text, at most; a space of two edits is too large for long texts, whose check stays unfinished unless it finds a break',
  },
  alphabet: {
    schema: nonEmptyText.default('letters'),
    ...SPACE,
    help: 'characters of the space characters: letters (the lower-case letters of the language and the blank), data (all characters of the texts), or the characters themselves',
  },
  countEdits: {
    schema: z.boolean().default(false),
    ...SPACE,
    help: 'try all edits of broken examples, too, and count those that change the prediction at each place: shows the weak places of a text',
  },
} as const satisfies Settings;

export const verifySettings = {
  ...victimSettings,
  ...defendSetting,
  ...pairSettings,
  ...decisionSettings,
  ...windowSettings,
  ...spaceSettings,
  attacks: {
    ...attackSettings.attacks,
    help: 'compare with this attack: how many of the broken examples it finds; options after colons, such as charmer:max-edits=1; repeat',
  },
  queryBudget: {
    ...attackSettings.queryBudget,
    schema: wholeNumber(1).default(100_000),
    help: 'texts to try for one example, at most; the check of an example that needs more is unfinished',
  },
  ...pickSettings(attackSettings, 'goal', 'target', 'protect', 'placeholders', 'maxErrorRate', 'seed', 'shard'),
  concurrency: {
    ...attackSettings.concurrency,
    schema: wholeNumber(1).default(8),
    help: 'examples checked at once',
  },
  ...speedSettings,
} as const satisfies Settings;

export const verifySessionSettings = pickSettings(sessionSettings, 'resume', 'queue', 'listen', 'store');
