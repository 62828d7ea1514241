/** @file A causal language model as a classifier: what is asked about each text, and the spellings of the answers, each of which is a label. */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import type { Spellings } from '../../../packages/onnx/src/convert/answers.js';
import { ModelError, must, RobustError } from '../../core/errors.js';
import { readFileSync } from '../../files/read.js';
import { TEXT_MARK } from '../tokens/prompted.js';
import { tokenizerEncoder } from '../tokens/tokenizer.js';

/** A prompt, a file or the text itself, and its answers. */
export interface GuardOptions {
  readonly prompt: string;
  readonly answers: readonly string[];
}

interface GuardPlan {
  readonly prompt: string;
  readonly answers: readonly string[];
  readonly spellings: Spellings;
  /** As a reader sees them: "safe", " safe", ... of each answer. */
  readonly spelt: readonly (readonly string[])[];
  /** SHA-256, hex, of the prompt and the answers. */
  readonly hash: string;
}

/** The options of a command, which belong together. Throws RobustError. */
export function guardOptions(
  prompt: string | undefined,
  answers: readonly string[] | undefined,
): GuardOptions | undefined {
  if (answers === undefined) return undefined;
  if (prompt === undefined)
    throw new RobustError('expected a prompt with its answers, got answers alone', {
      code: 'FLAG_INVALID',
      hint: 'For example: --prompt guard.txt:answers=safe,unsafe',
    });
  const known = new Set(answers.map((answer) => answer.trim().toLowerCase()));
  if (answers.length >= 2 && known.size === answers.length && !known.has('')) return { prompt, answers };
  throw new RobustError(`--prompt answers: expected two or more different answers, got ${JSON.stringify(answers)}`, {
    code: 'FLAG_INVALID',
    hint: 'Answers that differ in case or blanks only are one: answers=safe,unsafe.',
  });
}

/** Reads the prompt, and spells the answers in the tokens of the model in `folder`. Throws ModelError, RobustError. */
export async function guardPlan(folder: string, { prompt: given, answers }: GuardOptions): Promise<GuardPlan> {
  const prompt = existsSync(given) ? readFileSync(given, 'utf8') : given;
  const parts = prompt.split(TEXT_MARK);
  const ending = parts[1] ?? '';
  if (parts.length !== 2 || ending.trim() === '')
    throw new RobustError(`--prompt: expected ${TEXT_MARK} once, with a question behind it, got ${excerpt(prompt)}`, {
      code: 'PROMPT_INVALID',
      hint: existsSync(given)
        ? 'End the prompt with what comes right before the answer, such as "Answer:".'
        : `No file is called ${excerpt(given)}, so it was read as the prompt itself.`,
    });
  const limits = { maximum: Number.POSITIVE_INFINITY, padId: 0, length: undefined };
  const encoder = await tokenizerEncoder(folder, limits);
  const ids = (text: string): readonly number[] =>
    encoder.tokens(text).flatMap(({ id, special }) => (special ? [] : [id]));
  // The end of a prompt as the model reads it: a longer one may begin other tokens, but ends in the same.
  const end = ids(ending);
  const found = answers.map((answer) => spellingsOf(answer.trim(), (text) => behind(end, ids(ending + text))));
  for (const [at, spellings] of found.entries()) {
    if (spellings.length > 0) continue;
    throw new ModelError(`--prompt answers: no spelling of "${answers[at]}" continues the tokens of the prompt`, {
      code: 'PROMPT_INVALID',
      hint: 'End the prompt without a blank: the token of an answer often begins with one.',
    });
  }
  checkApart(answers, found);
  return {
    prompt,
    answers,
    spellings: found.map((spellings) => spellings.map(({ tokens }) => tokens)),
    spelt: found.map((spellings) => spellings.map(({ text }) => text)),
    hash: createHash('sha256')
      .update(JSON.stringify([prompt, answers]))
      .digest('hex'),
  };
}

interface AnswerSpelling {
  readonly text: string;
  readonly tokens: readonly number[];
}

/** As written, in lower and upper case, and capitalised; each with and without a blank in front. Alike ones once. */
function spellingsOf(answer: string, tokensOf: (text: string) => readonly number[] | undefined): AnswerSpelling[] {
  const cases = [
    answer,
    answer.toLowerCase(),
    answer.toUpperCase(),
    must(answer[0]).toUpperCase() + answer.slice(1).toLowerCase(),
  ];
  const byTokens = new Map<string, AnswerSpelling>();
  for (const text of cases.flatMap((each) => [each, ` ${each}`])) {
    const tokens = tokensOf(text);
    if (tokens !== undefined && !byTokens.has(tokens.join())) byTokens.set(tokens.join(), { text, tokens });
  }
  return [...byTokens.values()];
}

/** The tokens behind a beginning; undefined where the text merges with its last token. */
function behind(beginning: readonly number[], whole: readonly number[]): readonly number[] | undefined {
  const kept = beginning.every((id, at) => whole[at] === id);
  return kept && whole.length > beginning.length ? whole.slice(beginning.length) : undefined;
}

/** Throws ModelError where two answers share a spelling's tokens, as unknown words do. */
function checkApart(answers: readonly string[], found: readonly (readonly AnswerSpelling[])[]): void {
  const owner = new Map<string, number>();
  for (const [at, spellings] of found.entries()) {
    for (const { text, tokens } of spellings) {
      const other = owner.get(tokens.join()) ?? at;
      owner.set(tokens.join(), other);
      if (other === at) continue;
      throw new ModelError(
        `--prompt answers: "${answers[other]}" and "${answers[at]}" are the same tokens to this model (${excerpt(text)})`,
        { code: 'LABELS_INVALID', hint: 'Choose answers whose words its vocabulary has.' },
      );
    }
  }
}

const excerpt = (text: string): string => JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}...` : text);
