import type { Draft } from '../core/draft.js';
import type { Language } from '../core/language.js';

/** The draft in which the article before slot `at` agrees; unchanged in a language without articles. */
export const withArticleAgreement = (draft: Draft, at: number, { articles }: Language): Draft =>
  articles?.agree(draft, at) ?? draft;
