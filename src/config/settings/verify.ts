/** @file Settings of the exhaustive check. */
import { z } from 'zod';
import { nonEmptyText, pickSettings, type Settings, wholeNumber } from '../setting.js';
import { attackSettings, sessionSettings } from './attack.js';
import { decisionSettings, pairSettings } from './decision.js';
import { defendSetting, speedSettings, victimSettings, windowSettings } from './victim.js';

const SPACE = { group: 'attack' } as const;

/** The checkable spaces of edits; src/verify defines them. */
const SPACES = ['characters', 'typos', 'synonyms', 'look-alikes', 'layout'] as const;

const EDITS = 'expected 0, 1 or 2';

/** The edits. */
export const spaceSettings = {
  spaces: {
    schema: z.array(z.enum(SPACES)).readonly().optional(),
    flag: 'space',
    ...SPACE,
    help: 'edits to check: characters, typos, synonyms, ...; characters: insert, delete, replace or swap any characters; or all typos, synonyms, look-alikes or layout changes; repeat to join spaces [default: characters]',
  },
  edits: {
    schema: z.int(EDITS).min(0, EDITS).max(2, EDITS).default(1),
    ...SPACE,
    value: '0|1|2',
    help: 'maximum edits per text, 0 for any number of replaced words; 0: with --space synonyms, typos or look-alikes alone; 2: a space of two edits is too large for long texts, whose check stays unfinished unless it finds a break',
  },
  alphabet: {
    schema: nonEmptyText.default('letters'),
    ...SPACE,
    of: 'spaces',
    help: 'characters to insert: letters, data or a list; letters: the lower-case letters of the language and the blank; data: all characters of the texts',
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
    help: 'maximum queries per example; a check that needs more is unfinished',
  },
  ...pickSettings(attackSettings, 'goal', 'protect', 'placeholders', 'maxErrorRate', 'seed', 'shard'),
  concurrency: { ...attackSettings.concurrency, schema: wholeNumber(1).default(8), help: 'examples checked at once' },
  ...speedSettings,
} as const satisfies Settings;

export const verifySessionSettings = pickSettings(sessionSettings, 'resume');
