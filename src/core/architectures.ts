/** @file The architectures' names, apart from what builds them: a command that lists them loads nothing. */
export const ARCHITECTURES = ['distilbert', 'bert', 'word-cnn', 'bilstm', 'char-bilstm'] as const;
export type ArchitectureName = (typeof ARCHITECTURES)[number];
