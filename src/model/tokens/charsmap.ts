/**
 * @file SentencePiece's precompiled character maps, by which its tokenizers normalise text (XLM-RoBERTa, ALBERT, DeBERTa v2). A map is
 * a double-array trie of UTF-8 strings whose values point into a block of replacements, each ended by a zero byte.
 */

/** Longer clusters of characters are looked at one character at a time, as the reference does. */
const MAX_CLUSTER_BYTES = 5;
/** Bytes of a map; the largest published has some 300 kB. */
const MAX_MAP_BYTES = 2 ** 24;

/** Decodes a character map to a function. Throws Error if it is damaged. */
export function charsmap(encoded: string): (text: string) => string {
  const bytes = Buffer.from(encoded, 'base64');
  const size = bytes.length >= 4 ? bytes.readUInt32LE(0) : -1;
  if (size < 4 || size % 4 !== 0 || 4 + size > bytes.length || bytes.length > MAX_MAP_BYTES) {
    throw new Error('its precompiled character map is damaged');
  }
  const units = new Uint32Array(Uint8Array.from(bytes.subarray(4, 4 + size)).buffer);
  const written = bytes.subarray(4 + size);
  const replacement = (part: string): string | undefined => {
    const at = shortestPrefix(units, Buffer.from(part));
    if (at === undefined) return undefined;
    const end = written.indexOf(0, at);
    return written.toString('utf8', at, end < 0 ? written.length : end);
  };
  const cluster = (part: string): string => {
    const whole = Buffer.byteLength(part) <= MAX_CLUSTER_BYTES ? replacement(part) : undefined;
    if (whole !== undefined) return whole;
    let text = '';
    for (const character of part) text += replacement(character) ?? character;
    return text;
  };
  const ascii = Array.from({ length: 128 }, (_, code) => cluster(String.fromCharCode(code)));
  const clusters = new Intl.Segmenter('und', { granularity: 'grapheme' });
  return (text) => {
    // Letters of ASCII stand alone, and finding clusters costs more than all else.
    if (/^[\x20-\x7e]*$/.test(text)) return text.replace(/./g, (letter) => ascii[letter.charCodeAt(0)]!);
    return Array.from(clusters.segment(text), ({ segment }) => cluster(segment)).join('');
  };
}

/** The value of the shortest string of the trie that `key` begins with: Yata's Darts-clone, read as it stores its units. */
function shortestPrefix(units: Uint32Array, key: Uint8Array): number | undefined {
  const offset = (unit: number) => (unit >>> 10) << ((unit & (1 << 9)) >>> 6);
  let node = offset(units[0]!);
  for (const byte of key) {
    if (byte === 0) return undefined;
    node ^= byte;
    const unit = units[node];
    if (unit === undefined || (unit & 0x8000_00ff) >>> 0 !== byte) return undefined;
    node ^= offset(unit);
    if ((unit >>> 8) & 1) return (units[node] ?? 0) & 0x7fff_ffff;
  }
  return undefined;
}
