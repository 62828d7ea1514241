import { z } from 'zod';
import { adversarialMethod } from './method.js';

const options = z.strictObject({
  attacks: z.string().min(1),
  once: z.union([z.boolean(), z.stringbool()]).default(false),
  queries: z.coerce.number().int().min(0).default(0),
});

/** Learns copies of the texts that a suite or an attack rewrites: `augment:typos`. The attack may have options of its own. */
export const augment = adversarialMethod(
  'augment',
  options,
  (copies) => ({ against: [copies.attacks], copies }),
  (text) => {
    const given = new Map<string, string>();
    const attacks = text.replace(/:(once|queries)=([^:]*)/g, (_, name: string, value: string) => {
      given.set(name, value);
      return '';
    });
    return given.set('attacks', attacks);
  },
);
