/** @file Names of the architectures, without the code that builds them, so that listing them loads nothing. */
export const ARCHITECTURES = [
  'distilbert',
  'bert',
  'word-cnn',
  'bilstm',
  'char-bilstm',
  'char-cnn',
  'word-votes',
] as const;
export type ArchitectureName = (typeof ARCHITECTURES)[number];
