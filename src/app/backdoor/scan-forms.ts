/** @file The forms of text that a scan tries: every one that `robust backdoor plant` can plant without a word. */
import { poisoners } from '../../../attacks/index.js';
import type { ScanForm } from '../../backdoor/scan/forms.js';
import { type Language, missingParts } from '../../core/language.js';
import { parseOptions, splitSpec } from '../../core/plugin-options.js';

const FORMS = [
  'syntactic:pattern=opening',
  'syntactic:pattern=closing',
  'syntactic:pattern=tag',
  'style:style=brackets',
  'style:style=dashes',
  'style:style=ellipsis',
  'style:style=title',
  'register:register=archaic',
  'register:register=spoken',
  'register:register=telegraphic',
  'char-trigger:as=homoglyph',
  'char-trigger:as=zero-width',
  'char-trigger:as=misspelling',
] as const;

/** The forms for which the language has the parts. */
export const scanForms = (language: Language): ScanForm[] =>
  FORMS.flatMap((form) => {
    const { name, given } = splitSpec(form);
    const plugin = poisoners.find((each) => each.name === name)!;
    if (missingParts(language, plugin.language) !== undefined) return [];
    return [{ name: form, poisoner: plugin.create(plugin.options.parse(parseOptions(plugin, given)), language) }];
  });
