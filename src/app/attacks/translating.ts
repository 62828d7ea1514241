/** @file Fills the tables of the attack `translated` by an endpoint that the user names. */
import { existsSync, readFileSync } from 'node:fs';
import { ModelError, ModelGone, messageOf, RobustError } from '../../core/errors.js';
import { appendWhole } from '../../files/write.js';
import { addTranslation, translationsAt } from '../../language/translations.js';
import { type Translator, translatorAt } from '../../model/load.js';
import type { PlannedAttack } from '../../run/index.js';
import type { Context } from '../context.js';

/**
 * The attacks, of which `translated` asks the translator for what its table lacks: only texts that are attacked, each once, and every answer
 * is in the table when it has come. Throws RobustError ADDRESS_INVALID where nothing could ask it or keep its answers, OutputError.
 */
export async function translating(
  planned: readonly PlannedAttack[],
  context: Context,
): Promise<readonly PlannedAttack[]> {
  const { translator } = context.access;
  if (translator === undefined) return planned;
  if (!planned.some(isTranslated)) {
    throw new RobustError('--endpoint translator: expected the attack translated, which alone asks it, got none', {
      code: 'ADDRESS_INVALID',
      hint: 'Add it: -a translated:table=FILE:to=Zulu',
    });
  }
  return Promise.all(planned.map((attack) => (isTranslated(attack) ? asking(attack, translator, context) : attack)));
}

const isTranslated = ({ plugin }: PlannedAttack): boolean => plugin.name === 'translated';

async function asking(attack: PlannedAttack, spec: string, context: Context): Promise<PlannedAttack> {
  const [table, language] = [String(attack.options.table), String(attack.options.to)];
  if (table === '') {
    throw new RobustError('--endpoint translator: expected a table that keeps the translations, got none', {
      code: 'ADDRESS_INVALID',
      hint: 'Name a file, which may be new: -a translated:table=FILE:to=Zulu',
    });
  }
  const open = await translatorAt(spec, language, context.loading(spec));
  const known = existsSync(table) ? readFileSync(table, 'utf8') : '';
  appendWhole(table, known === '' || known.endsWith('\n') ? '' : '\n', 'the translations');
  // Nothing is opened for texts whose translations are known.
  let opening: Promise<Translator> | undefined;
  const beforeSearch = async (text: string): Promise<void> => {
    if (translationsAt(table, text, language).length > 0) return;
    opening ??= open().then((translator) => opened(translator, context));
    const { translate } = await opening;
    const translation = await translate(text).catch((error: unknown) => {
      if (!(error instanceof ModelError) || error instanceof ModelGone) throw error;
      context.warn(`the translator did not take a text: ${messageOf(error)}`);
      return undefined;
    });
    if (translation === undefined) return context.warn('the translator left some texts untranslated');
    const row = { text, translation, ...(language !== '' && { language }) };
    appendWhole(table, `${JSON.stringify(row)}\n`, 'the translations');
    addTranslation(table, row);
  };
  return { ...attack, beforeSearch };
}

function opened(translator: Translator, context: Context): Translator {
  context.opened.add(translator);
  if (!translator.local)
    context.warn(`${translator.address} is not on this machine: the texts that are attacked are sent there`);
  return translator;
}
