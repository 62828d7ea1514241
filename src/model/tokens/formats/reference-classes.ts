/**
 * @file Classes of characters as the reference has them: the `tokenizers` package in Rust, whose parts were built with Unicode tables of
 * several years. Characters that are newer than a table are unassigned for the step that reads it. JavaScript's own classes follow the
 * version of Node.js.
 */

/**
 * Marks, punctuation and format characters that Unicode 8 lacks; marks and characters with a decomposition that Unicode 9 lacks; letters,
 * digits and marks that Unicode 16 lacks. Ranges of code points, which may run over characters that the class does not hold anyway.
 * Source: how tokenizers 0.23.2 treats each character (test/slow/unicode.test.ts compares all of them), up to Unicode 17.
 */
const NEWER = {
  8: `61d 7fd 890-8e2 9fd-9fe a76 afa-aff b55 c04-c3c c77 c84 d00 d3b-d3c d81 eba ece 180f-1886 1abf-1aeb 1b4e-1b4f 1b7d-1b7f 1df6-1dfb
    2e43-2e5d a82c a8c5 a8ff a9bd 10d24-10f89 11070-11074 110c2-110cd 111c9 111cf 1123e-11241 1133b 113bb-1145e 11660-1166c 116b9
    1182f-11fff 12ff1-1612f 16d6d-16f4f 16fe2-16fe4 1cf00-1cf46 1e000-1e6f5 1e944-1e95f`,
  9: `7fd 897-8d3 9fe afa-aff b55 c04-c3c cf3-d00 d3b-d3c d81 eba ece 1715 180f 1abf-1aeb 1cf7 1df6-1dfa 32ff a7f1-a7f4 a82c a8ff ab69
    105c9-107ba 10d24-10f85 11070-11074 110c2 11145-11146 111c9 111ce-111cf 11241 1133b 11383-113e2 1145e 1182c-11b67 11d31-1612f
    16d68-16f4f 16f7f-16f87 16fe4-16ff1 1ccd6-1cf46 1e030-1e6f5 1f16c 1fbf0-1fbf9`,
  16: `88f 1acf-1add 1ae0-1aeb 10efa-10efb 11b60-11b67 c5c cdc a7ce-a7cf a7d2 a7d4 a7f1 10940-10959 10ec5-10ec7 11db0-11de9 16ea0-16ed3 16ff2-16ff6 187f8-187ff 18d09-18df2
    1e6c0-1e6ff 2b73a-2b73f 2cea2-2cead 323b0-33479`,
} as const;

/** The ranges as a class of a regular expression with the flag v. */
const newer = (version: keyof typeof NEWER): string =>
  `[${NEWER[version].replaceAll(/([0-9a-f]+)(?:-([0-9a-f]+))?\s*/g, (_, first: string, last = first) => `\\u{${first}}-\\u{${last}}`)}]`;

/** Classes for regular expressions with the flag v. Characters named beside a category have left it since. */
export const CLASS = {
  space: String.raw`\p{White_Space}`,
  letter: `[\\p{L}--${newer(16)}]`,
  number: `[\\p{N}--${newer(16)}]`,
  /** `\w` of Rust's regular expressions. */
  word: `[[\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}\\p{Join_Control}]--${newer(16)}]`,
  /** Marks that BERT's normaliser takes off. */
  accent: `[[\\p{Mn}--${newer(8)}]\\u{1734}\\u{1171E}]`,
  /** Marks that the normaliser StripAccents takes off. */
  mark: `[[\\p{M}--${newer(9)}]\\u{1CF2}\\u{1CF3}]`,
  punctuation: `[[\\p{P}--${newer(8)}][!-\\/:-@\\[-\`\\{-~]\\u{166D}\\u{111C9}]`,
  /** Characters that BERT's normaliser drops. */
  control: `[[[\\p{Cc}\\p{Co}\\p{Cs}]--[\\t\\n\\r]][\\p{Cf}--${newer(8)}]\\0\\u{FFFD}]`,
  /** Ideographs that BERT's normaliser puts spaces round: those of the table in Google's BERT. */
  ideograph: String.raw`[\u{4E00}-\u{9FFF}\u{3400}-\u{4DBF}\u{20000}-\u{2A6DF}\u{2A700}-\u{2B73F}\u{2B740}-\u{2B81F}\u{2B920}-\u{2CEAF}\u{F900}-\u{FAFF}\u{2F800}-\u{2FA1F}]`,
  /** Characters that Unicode normalisation leaves alone. */
  unnormalised: newer(9),
  unassigned: newer(16),
} as const;
