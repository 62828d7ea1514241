/** @file Texts for tests of plugins. */

export const SENTENCES: readonly string[] = [
  'A lovely, charming film with a great cast; not dull at all.',
  'What a tedious, awful and poor film! The plot is dull.',
  'good',
  "It 's a fine film, but I don't think the well-made ending is good.",
];

/** Texts that break careless code, each with a description. */
export const ODD: readonly (readonly [what: string, text: string])[] = [
  ['nothing', ''],
  ['only punctuation', '?! ... -- \'" ``'],
  ['one letter', 'a'],
  ['NUL', 'a good\u0000film \u0000'],
  ['lone surrogates', 'a good \ud800film\udc00 here'],
  ['joined emoji', 'a good 👩‍👩‍👧‍👦 film 🏳️‍🌈👍🏽 1️⃣'],
  ['right to left', 'פילם טוב מאוד good فيلم جيد'],
  ['combining marks', 'gooo\u0301d cafe\u0301 n\u0303andu\u0301 \u0301'],
  ['direction controls', 'a \u202egood\u202c film\u200b\u2060'],
  ['no spaces', '这部电影很好看good'],
  ['one long word', 'good'.repeat(2500)],
  ['tabs and newlines', 'good\tfilm\r\n\n great\u00a0cast\u2028end'],
  ['words that objects know', 'constructor __proto__ good valueOf toString'],
  ['capitals and digits', 'GOOD FILM 10/10 B4 3D ﬁne ßtraße İstanbul'],
];
