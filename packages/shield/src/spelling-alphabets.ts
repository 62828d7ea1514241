/** @file Alphabets that spell a text letter by letter: NATO words, Morse code, rot13. Attacks encode with the same tables. */

/** Letter -> words of ICAO's spelling alphabet (Annex 10, volume II, section 5.2.1.3), the official spelling first. */
export const NATO_WORDS: ReadonlyMap<string, readonly string[]> = new Map(
  'alfa|alpha bravo charlie delta echo foxtrot golf hotel india juliett|juliet kilo lima mike november oscar papa quebec romeo sierra tango uniform victor whiskey|whisky x-ray|xray yankee zulu'
    .split(' ')
    .map((words, at) => [String.fromCharCode(97 + at), words.split('|')]),
);

const LETTERS =
  '.- -... -.-. -.. . ..-. --. .... .. .--- -.- .-.. -- -. --- .--. --.- .-. ... - ..- ...- .-- -..- -.-- --..';
const DIGITS = '----- .---- ..--- ...-- ....- ..... -.... --... ---.. ----.';
/** Marks, and the letters of German and French that have a code of their own. */
const OTHERS = Array.from(`.,:?'-/()"=+@!;_äéöüß`);
const OTHER_CODES =
  '.-.-.- --..-- ---... ..--.. .----. -....- -..-. -.--. -.--.- .-..-. -...- .-.-. .--.-. -.-.-- -.-.-. ..--.- .-.- ..-.. ---. ..-- ...--..';

/** Letter in lower case, digit or mark -> Morse code (ITU-R M.1677-1; "!", ";", "_", umlauts and "ß" after common usage). */
export const MORSE_CODE: ReadonlyMap<string, string> = new Map([
  ...LETTERS.split(' ').map((code, at) => [String.fromCharCode(97 + at), code] as const),
  ...DIGITS.split(' ').map((code, at) => [String(at), code] as const),
  ...OTHER_CODES.split(' ').map((code, at) => [OTHERS[at] ?? '', code] as const),
]);

/** Letter -> the sign that looks like it upside down. */
export const TURNED: ReadonlyMap<string, string> = new Map([
  ...Array.from(
    'abcdefghijklmnopqrstuvwxyz',
    (letter, at) => [letter, [...'ɐqɔpǝɟƃɥᴉɾʞlɯuodbɹsʇnʌʍxʎz'][at]!] as const,
  ),
  ...Array.from('ABCDEFGJKLMPQRTUVWY', (letter, at) => [letter, [...'∀ᗺƆᗡƎℲ⅁ſꓘ⅂WԀΌᴚ⊥∩ΛM⅄'][at]!] as const),
  ...Array.from("12345679.,'?!()[]{}&_;", (sign, at) => [sign, [..."ƖᄅƐㄣϛ9ㄥ6˙',¿¡)(][}{⅋‾؛"][at]!] as const),
]);

/** Rot13, which is its own inverse. */
export const rot13 = (text: string): string =>
  text.replaceAll(/[a-z]/gi, (letter) => {
    const first = letter <= 'Z' ? 65 : 97;
    return String.fromCharCode(first + ((letter.charCodeAt(0) - first + 13) % 26));
  });
