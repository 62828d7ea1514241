/** @file Words that make example texts different: texts that differ in a number alone count as copies of one text. */
const COLOURS = ['red', 'blue', 'green', 'white', 'black', 'brown', 'grey', 'golden', 'silver', 'pink', 'purple'];
const THINGS = [
  ...['house', 'river', 'garden', 'engine', 'letter', 'mirror', 'window', 'forest', 'island', 'bridge'],
  ...['road', 'ship', 'coat'],
];

/** 13 different words. */
export const thing = (at: number): string => THINGS[at % 13] as string;
/** 143 different phrases of two words: "red house". */
export const scene = (at: number): string => `${COLOURS[at % 11]} ${thing(at)}`;
