/** @file The command that a user meant by an unknown name. */
import { nearest } from '../core/suggest.js';

/** Words that users try for commands of another name. */
const MEANINGS = new Map(
  Object.entries({
    run: 'attack',
    test: 'attack',
    benchmark: 'attack',
    eval: 'evaluate',
    predict: 'explain',
    check: 'doctor',
    defend: 'attack --defend spelling',
    harden: 'train --adversarial augment:typos',
    finetune: 'train',
    poison: 'backdoor plant',
    export: 'convert',
    version: '--version',
    setup: 'init',
  }),
);

/** The command of a name with a slip, with its topic missing, or of another word for it; `known`: the names of all commands. */
export function meantCommand(name: string, known: readonly string[]): string | undefined {
  const [first = ''] = name.split(' ');
  const lasts = new Map(known.map((each) => [each.split(' ').at(-1)!, each]));
  return MEANINGS.get(first) ?? nearest(name, known) ?? lasts.get(nearest(first, lasts.keys()) ?? '');
}
