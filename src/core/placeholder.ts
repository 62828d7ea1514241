/** @file Recognises placeholders, which are not wording: `@user`, `http`, `<NAME>`, `{{name}}`. */

/** Addresses and the word that data sets substitute for them, mentions, tags and slots of templates. */
export const PLACEHOLDER = new RegExp(
  [
    /\bhttps?(?::\/\/[^\s<>"]+|\b)/u, // https://t.co/x, http
    /\bwww\.[^\s<>"]+/u,
    /(?<![\p{L}\p{N}_.@-])@[\p{L}\p{N}_]+/u, // @user, but not f@ck
    /<\/?\p{L}[\p{L}\p{N} _-]{0,30}\/?>/u, // <NAME>, <br />
    /\[\p{Lu}[\p{Lu}\p{N}_]+\]/u, // [NAME]
    /\{\{[^{}\n]{0,60}\}\}/u, // {{name}}
    /\$?\{\w[\w.]{0,60}\}/u, // {name}, ${name}
  ]
    .map(({ source }) => source)
    .join('|'),
  'gu',
);

export const hasPlaceholder = (text: string): boolean => text.search(PLACEHOLDER) >= 0;
