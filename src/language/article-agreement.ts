import type { Draft } from '../core/draft.js';
import type { Language } from '../core/language.js';

/** The draft with the article before slot `at` in agreement; as it is in a language without articles. */
export const withArticleAgreement = (draft: Draft, at: number, { articles }: Language): Draft =>
  articles?.agree(draft, at) ?? draft;
