/**
 * @file Special tokens around a text, or around the two texts of a pair, with a type for every token. Read from the post-processor of
 * tokenizer.json, because the library's types for RoBERTa's pairs are wrong.
 */

/** A special token (of several ids where the file says so), or the place of a text's own tokens: 0 the first, 1 the second. */
export type TemplatePart =
  | { readonly ids: readonly number[]; readonly type: number }
  | { readonly text: 0 | 1; readonly type: number };

export interface Templates {
  readonly single: readonly TemplatePart[];
  /** Absent where the file gives none. */
  readonly pair?: readonly TemplatePart[];
}

/** Reads `post_processor`; all tokens are of type 0 where the tokenizer gives no types. Throws Error where it drops a text, names tokens that `idOf` does not know, or is of an unknown kind. */
export function readTemplates(
  definition: unknown,
  idOf: (token: string) => number | undefined,
  typed = true,
): Templates {
  const plain = (parts: readonly TemplatePart[]) => (typed ? parts : parts.map((part) => ({ ...part, type: 0 })));
  const found = templatesOf(definition, idOf);
  const [single, pair] = [plain(found.single), found.pair && plain(found.pair)];
  if (!holds(single, [0])) throw new Error('its post-processor drops the text, or repeats it');
  if (pair === undefined || pair.length === 0) return { single };
  if (!holds(pair, [0, 1])) throw new Error('its post-processor drops a text of a pair, or repeats it');
  return { single, pair };
}

/** Without a post-processor the second text's tokens are of type 1, as the reference has it. */
const BARE: Required<Templates> = {
  single: [{ text: 0, type: 0 }],
  pair: [
    { text: 0, type: 0 },
    { text: 1, type: 1 },
  ],
};

function templatesOf(definition: unknown, idOf: (token: string) => number | undefined): Templates {
  if (definition === null || definition === undefined) return BARE;
  const { type, ...fields } = definition as PostProcessor;
  switch (type) {
    case 'ByteLevel':
      // It only mends spans, which are ours.
      return BARE;
    case 'BertProcessing':
    case 'RobertaProcessing':
      return framed(type === 'RobertaProcessing', fields);
    case 'TemplateProcessing': {
      const parts = (template: unknown) =>
        Array.isArray(template) ? template.map((part) => partOf(part, fields.special_tokens, idOf)) : undefined;
      const single = parts(fields.single);
      if (single === undefined) throw new Error('its post-processor has no template for a text');
      const pair = parts(fields.pair);
      return pair === undefined ? { single } : { single, pair };
    }
    case 'Sequence': {
      const steps = Array.isArray(fields.processors) ? (fields.processors as PostProcessor[]) : [];
      const adding = steps.filter((step) => step?.type !== 'ByteLevel');
      if (adding.length > 1) throw new Error('its post-processor adds special tokens twice');
      return templatesOf(adding[0], idOf);
    }
    default:
      throw new Error(`its post-processor is of an unknown kind: ${JSON.stringify(type)}`);
  }
}

interface PostProcessor {
  readonly type?: unknown;
  readonly cls?: unknown;
  readonly sep?: unknown;
  readonly single?: unknown;
  readonly pair?: unknown;
  readonly special_tokens?: unknown;
  readonly processors?: unknown;
}

/** `<s> A </s> </s> B </s>`, all of type 0, for RoBERTa; `[CLS] A [SEP] B [SEP]`, the second text of type 1, for BERT. */
function framed(roberta: boolean, { cls, sep }: PostProcessor): Templates {
  const part = (token: unknown) => {
    const id: unknown = Array.isArray(token) ? token[1] : undefined;
    if (!isId(id)) throw new Error(MISSING);
    return { ids: [id], type: 0 };
  };
  const [begin, end] = [part(cls), part(sep)];
  const single: TemplatePart[] = [begin, { text: 0, type: 0 }, end];
  if (roberta) return { single, pair: [...single, end, { text: 1, type: 0 }, end] };
  return { single, pair: [...single, { text: 1, type: 1 }, { ...end, type: 1 }] };
}

function partOf(part: unknown, table: unknown, idOf: (token: string) => number | undefined): TemplatePart {
  const { SpecialToken: special, Sequence: text } = (part ?? {}) as Record<string, Record<string, unknown>>;
  const type = Number((special ?? text)?.type_id ?? 0);
  if (!isId(type)) throw new Error('its post-processor gives a token type that is not a number');
  if (text !== undefined) return { text: text.id === 'B' ? 1 : 0, type };
  const name = String(special?.id);
  const listed = (table as Record<string, { readonly ids?: unknown }> | undefined)?.[name]?.ids;
  const ids = Array.isArray(listed) && listed.length > 0 ? listed : [idOf(name)];
  if (!ids.every(isId)) throw new Error(MISSING);
  return { ids, type };
}

const MISSING = 'its post-processor names special tokens the vocabulary lacks';

const isId = (id: unknown): id is number => typeof id === 'number' && id >= 0 && (id | 0) === id;

const holds = (template: readonly TemplatePart[], texts: readonly number[]): boolean =>
  template.flatMap((part) => ('text' in part ? [part.text] : [])).join() === texts.join();

/**
 * How many tokens of each text are kept where the two have room for `room` of at most `maximum`, too little for both: the longer
 * one is cut, down to half of the room if need be. The odd token is the longer one's, each counted to `maximum` as in the reference.
 */
export function longestFirst(first: number, second: number, room: number, maximum: number): [number, number] {
  const shorter = Math.min(first, second, Math.floor(room / 2));
  return Math.min(first, maximum) > Math.min(second, maximum) ? [room - shorter, shorter] : [shorter, room - shorter];
}
