/** Phrases that no technical editor would let stand, because the meaning is clear only on a second reading. Words for the field's things: CONTRIBUTING.md. */

/** In documents, comments and messages alike. */
export const DIALECT: readonly RegExp[] = [
  /\bas right as\b/i,
  /\bOf an? \w+[^.\n]{0,40}:/,
  /\b[Tt]old\b|\b[Tt]ells? (?:of|nothing)\b|\bthat tells?\b/,
  /\bat hand\b/i,
  /(?<!there )\b(?:is|are) none\b/i,
  /\bwhat is left\b/i,
  /\bso many\b|\bthat much\b/i,
  /\bturn(?:s|ed)? (?:the|a|any|its|their|every|no|texts?|predictions?|right)\b(?! (?:on|off)|[^.]{0,80}\binto\b)/i,
  /\bwithstood\b|\bblotted\b|\bmended\b|\bnewly broken\b/i,
  /\btexts asked\b|\bthe asked\b/i,
  /\b(?:go|goes|gone|going) on with\b/i,
  /\bheld to\b|(?<!not )\bheld against\b/i,
  /\bof the draw\b/i,
  /\bwhat was not measured\b|\bnever green\b/i,
  /\bin the mean\b/i,
  /\bleash\b|\bdebts?\b|\bow(?:es|ed)\b|\bskim\b/i,
  /\banew\b/i,
  /\bbut for\b/i,
  /\bput (?:to|for)\b/i,
  /\b(?:it|that|this|which) is no (?!longer|larger|more|less|better|worse)\w+/i,
  /\bbroke off\b|\bbeside work\b/i,
  /\bspelt out\b|\bsaid of\b/i,
];

/** In comments and messages besides. */
export const CODE_DIALECT: readonly RegExp[] = [
  ...DIALECT,
  /^(?:Of|Who|Whoever|Whose|Those|Wherefrom) /,
  /(?<=[.!?] )Of \w/,
  /\btell(?:s|ing)?\b/i,
  /\basked(?! (?:for|to|about|whether))\b/i,
  /(?<!\b(?:its|their|your|his|our|my|her|the|of)|['’]s|s['’]|n['’]t) own\b(?! propert)/i,
  /\bwithstands?\b/i,
  /\bstands? (?:in|at|on|by|beside|there)\b/i,
  /\bwanting\b|\bnought\b|\blest\b|\bere\b|\bthereof\b|\bwhereof\b|\bwherefrom\b/i,
  /\b(?:is|are|was|were) said\b|\bwhat is said\b/i,
  /\bof which (?:those|the|no|all|none)\b/i,
  /\bturned (?:prediction|text|example)s?\b/i,
  /\b(?:carriers?|drawings?|seats?|lessons?|exams?)\b/i,
  /\bas (?:ever|long)\b(?! as)/i,
  /\bBeside (?:it|them|the)\b/,
  /\bspelt\b/i,
];

/** Openings that hide what a comment is about. */
export const COMMENT_DIALECT: readonly RegExp[] = [...CODE_DIALECT, /^What /];

/** The phrases of a list in a text, with the words around them. */
export const phrasesIn = (text: string, list: readonly RegExp[]): string[] =>
  list.flatMap(
    (phrase) => text.match(new RegExp(`.{0,40}${phrase.source}.{0,20}`, phrase.flags.replace('g', ''))) ?? [],
  );
