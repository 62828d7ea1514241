/** @file Attacks that rewrite the whole text, or put something around it, and try each rewrite once. */
import type { OptionsShape, OptionValues } from '../core/component.js';
import type { LanguagePart } from '../core/language.js';
import type { Random } from '../core/random.js';
import type { EvasionPlugin } from '../results/attack-plugin.js';
import { inOrder, rewriteText, type TextContext } from '../search/in-order.js';
import { type AttackFacts, searchAttack } from './search-attack.js';

export interface TextAttack<E extends OptionsShape> extends Omit<AttackFacts, 'level' | 'needs'> {
  readonly options?: E;
  /** The rewrites and what they keep, as the reports name them. */
  edit(chosen: OptionValues<E>): readonly [name: string, ...kept: string[]];
  rewrites(text: string, chosen: OptionValues<E>, random: Random, context: TextContext): Iterable<string>;
  /** Required parts of the language. */
  language?(chosen: OptionValues<E>): readonly LanguagePart[];
}

export const textAttack = <E extends OptionsShape = Record<never, never>>({
  edit,
  rewrites,
  language = () => [],
  ...about
}: TextAttack<E>): EvasionPlugin =>
  searchAttack<E>({
    level: 'sentence',
    needs: 'labels',
    ...about,
    edits(chosen) {
      const [name, ...kept] = edit(chosen);
      return rewriteText(name, kept, (text, random, space) => rewrites(text, chosen, random, space), language(chosen));
    },
    constraints: () => [],
    search: () => inOrder,
  });
