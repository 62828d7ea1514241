import { z } from 'zod';
import { shield as clean, defaultParts, type ShieldPart, shieldParts } from '../../packages/shield/src/index.js';
import type { DefencePlugin } from '../core/defence.js';

const options = z.strictObject({
  parts: z
    .string()
    .default(defaultParts.join('+'))
    .transform((names) => names.split('+'))
    .pipe(z.array(z.enum(shieldParts as readonly [ShieldPart, ...ShieldPart[]])))
    .describe('what is undone, joined by +'),
});

/** The shield of `robust-text/shield`, before the victim reads the text. */
export const shield: DefencePlugin<z.infer<typeof options>> = {
  kind: 'defence',
  name: 'shield',
  summary:
    'Undoes disguises: "і g n o r e all ru1es" is read as "ignore all rules". The same code as robust-text/shield.',
  options,
  create: ({ parts }) => ({
    conditions: `disguises undone (${parts.join(', ')})`,
    rewrite: (text) => clean(text, { parts }).text,
  }),
};
