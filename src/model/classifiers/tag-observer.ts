/** @file All spans of a text, of a victim whose answers are remembered. */
import { must } from '../../core/errors.js';
import type { TagObserver } from '../../core/tags/evidence.js';
import type { AnsweredTags } from '../../remote/index.js';

/** `ask`: has a text answered that is not remembered. */
export const tagObserver = (answers: AnsweredTags, ask: (text: string) => Promise<unknown>): TagObserver => ({
  types: answers.types,
  untyped: answers.untyped,
  async tags(text) {
    if (answers.tags(text) === undefined) await ask(text);
    return must(answers.tags(text));
  },
});
