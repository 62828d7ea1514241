/** @file Word-index preprocessing: words looked up in a vocabulary, as Keras text models do. */
import { join } from 'node:path';
import type { Token } from '../../core/classifier.js';
import { ModelError, messageOf } from '../../core/errors.js';
import { readJsonObject } from '../opening/json-file.js';
import type { WordIndexSpec } from '../opening/manifest.js';
import { AlignedText } from './aligned.js';
import type { Encoded, Encoder } from './encoder.js';
import { linearPattern } from './linear-pattern.js';

/** Throws ModelError where the vocabulary or the `remove` pattern cannot be used. */
export async function wordIndexEncoder(folder: string, spec: WordIndexSpec, maximum: number): Promise<Encoder> {
  const vocabulary = await readVocabulary(join(folder, spec.vocabulary));
  const words = new Map([...vocabulary].map(([word, id]) => [id, word]));
  const remove = spec.remove === undefined ? undefined : pattern(spec.remove, folder);
  const separators = spec.separators === '' ? undefined : new RegExp(`[${escapeClass(spec.separators)}]`, 'gu');
  const limit = Math.min(spec.length ?? maximum, maximum);
  const unknown = spec.unknown === 'drop' ? undefined : spec.unknown;

  const prepare = (text: string): string => {
    let prepared = remove ? text.replace(remove, '') : text;
    if (spec.lowercase) prepared = prepared.toLowerCase();
    if (spec.joinContractions) prepared = prepared.replace(CONTRACTION, '');
    return separators ? prepared.replace(separators, ' ') : prepared;
  };

  const wordsOf = (text: string): string[] => prepare(text).split(' ').filter(Boolean);

  const known = (text: string): number[] => {
    const ids: number[] = [];
    for (const word of wordsOf(text)) {
      const id = vocabulary.get(word) ?? unknown;
      if (id !== undefined) ids.push(id);
    }
    return ids;
  };

  /** Cuts to the limit and pads to the fixed length (to one id at least: a graph cannot take none). */
  const fitTo = <T>(items: readonly T[], padding: T): T[] => {
    const kept = spec.truncate === 'end' ? items.slice(0, limit) : items.slice(Math.max(0, items.length - limit));
    const pads = new Array<T>(Math.max(0, (spec.length ?? 1) - kept.length)).fill(padding);
    return spec.pad === 'end' ? [...kept, ...pads] : [...pads, ...kept];
  };

  return {
    kind: 'word-index',
    maximum: limit,
    encode(text): Encoded {
      const ids = known(text);
      return { ids: Int32Array.from(fitTo(ids, spec.padId)), truncated: ids.length > limit };
    },
    tokens(text): Token[] {
      let aligned = AlignedText.of(text);
      if (remove) aligned = aligned.replace(remove, '');
      if (spec.lowercase) aligned = aligned.rewrite((part) => part.toLowerCase());
      if (spec.joinContractions) aligned = aligned.replace(CONTRACTION, '');
      if (separators) aligned = aligned.replace(separators, ' ');
      const tokens = Array.from(aligned.text.matchAll(/[^ ]+/g)).flatMap((match): Token[] => {
        const id = vocabulary.get(match[0]) ?? unknown;
        return id === undefined
          ? []
          : [{ id, ...aligned.span(match.index, match.index + match[0].length), special: false }];
      });
      return fitTo(tokens, { id: spec.padId, start: text.length, end: text.length, special: true });
    },
    unknownShare(text) {
      const all = wordsOf(text);
      return all.length === 0 ? 0 : all.filter((word) => !vocabulary.has(word)).length / all.length;
    },
    tokenText: (id) => words.get(id),
    words: () => [...vocabulary].sort(([, a], [, b]) => a - b).map(([word]) => word),
  };
}

/** The space in "do n't". */
const CONTRACTION = / +(?=n't(?![\p{L}\p{N}]))/giu;

async function readVocabulary(path: string): Promise<Map<string, number>> {
  const entries = Object.entries(await readJsonObject(path));
  const wrong = entries.find(([, id]) => !Number.isInteger(id) || (id as number) < 0);
  if (wrong !== undefined)
    throw new ModelError(
      `${path}: expected an id (0, 1, ...) for every word, got ${JSON.stringify(wrong[1])} for "${wrong[0]}"`,
      { code: 'MODEL_DAMAGED', hint: 'Write the vocabulary as {"word": id, ...}.' },
    );
  return new Map(entries as [string, number][]);
}

function pattern(source: string, folder: string): RegExp {
  try {
    return linearPattern(source);
  } catch (cause) {
    throw new ModelError(`${join(folder, 'robust.json')}: input.remove: ${messageOf(cause)}`, {
      code: 'MANIFEST_INVALID',
      hint: 'Write a JavaScript regular expression that is valid with the u flag, without back references and look-ahead.',
      cause,
    });
  }
}

const escapeClass = (characters: string): string => characters.replace(/[\\\]^-]/g, '\\$&');
