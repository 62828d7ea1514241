/** One line a case: what an attack makes of a text, all of it, before any answer steers it. */
import { describe, expect, test } from 'vitest';
import { attacks } from '../../attacks/index.js';
import { random } from '../../src/core/random.js';
import { toyTarget, toyVictim } from '../search/toys.js';

/** All rewrites an attack asks of a victim that never changes its mind, in alphabetic order. */
async function edits(name: string, text: string, options: Record<string, unknown> = {}): Promise<string[]> {
  const plugin = attacks.find((attack) => attack.name === name);
  if (plugin === undefined) throw new Error(`no attack ${name}`);
  const constant = () => Float32Array.of(0.25, 0.75);
  const target = toyTarget(text, { classify: constant, random: random(1) });
  // A random order sends no probes, so every query is a rewrite.
  const ranked = 'ranking' in (plugin.options.parse({}) as object) ? { ranking: 'random' } : {};
  await plugin.create(plugin.options.parse({ ...ranked, ...options })).run({ id: '0', text, label: 1 }, target);
  return [...new Set(target.queried.slice(1))].sort();
}

const expectEdits = async (name: string, text: string, wanted: readonly string[], options = {}) =>
  expect(await edits(name, text, options)).toEqual([...wanted].sort());

describe('pruthi', () => {
  test('every swap, drop, insertion and key inside a word of four letters', async () => {
    const found = await edits('pruthi', 'a good film', { maxWords: 1 });
    expect(found.filter((text) => text.startsWith('a ') && text.endsWith(' film') && text.length === 10)).toEqual([
      'a god film',
    ]);
    expect(found).toContain('a good flim');
    expect(found.filter((text) => /^a g\w\wd film$/.test(text))).toEqual(
      ['gid', 'gkd', 'gld', 'gpd'].flatMap((key) => [`a g${key[1]}od film`, `a go${key[1]}d film`]).sort(),
    );
    // good: no swap (the same letter twice), 1 distinct drop, 2 insertions, 8 keys; film: 1 swap, 2 drops, 2 insertions, 5 + 4 keys
    expect(found).toHaveLength(1 + 2 + 8 + 1 + 2 + 2 + 9);
  });
  test('stop words and short words stay', () => expectEdits('pruthi', 'this is it because fun', []));
  test('only keys that touch', async () => {
    expect(await edits('pruthi', 'tedium', { keys: 'touching' })).not.toContain('tfdium');
    expect(await edits('pruthi', 'tedium')).toContain('tfdium');
  });
});

describe('deepwordbug', () => {
  test('one edit of each kind a word', async () => {
    const found = await edits('deepwordbug', 'a tedious film');
    const [tedious, film] = [
      found.filter((text) => text.endsWith(' film')),
      found.filter((text) => text.startsWith('a tedious ')),
    ];
    expect([tedious.length, film.length]).toEqual([4, 4]);
    const lengths = (texts: string[]) => texts.map((text) => text.length - 'a tedious film'.length).sort();
    expect([lengths(tedious), lengths(film)]).toEqual([[-1, 0, 0, 1], [-1, 0, 0, 1]]); // biome-ignore format: one line reads better
  });
  test('no more edits than allowed', async () => {
    const target = toyTarget('lovely great good fine', { random: random(3) });
    const plugin = attacks[0]!;
    const attempt = await plugin
      .create(plugin.options.parse({ maxEdits: 1 }))
      .run({ id: '0', text: 'lovely great good fine', label: 1 }, target);
    expect(attempt.changed).toBeLessThanOrEqual(1);
  });
});

describe('textbugger', () => {
  test('a space, a lost letter, a swap, a look-alike and a key; lengths as in the paper', async () => {
    const found = await edits('textbugger', 'tedious good');
    const of = (pattern: RegExp) => found.filter((text) => pattern.test(text)).length;
    expect(of(/ .* good$/)).toBe(0); // seven letters: never split
    expect(of(/^tedious g(o od|oo d| ood)$/)).toBe(1);
    expect(of(/^tedious g\S+$/)).toBeGreaterThanOrEqual(2);
    expect(of(/^t\w{5} good$/)).toBe(1); // a letter dropped, not the first
  });
  test('letters of other alphabets, one at every place that has one', async () => {
    const found = await edits('textbugger', 'zany', { look: 'unicode' });
    expect(found).toEqual(expect.arrayContaining(['zаny', 'zaոy', 'zanу']));
    expect(found.filter((text) => /^[a-z ]+$/.test(text))).toHaveLength(2); // a space, a lost letter
  });
});

describe('human-typos', () => {
  test('the slip of the mission', async () => {
    expect(await edits('human-typos', 'What an idiot!')).toEqual(
      expect.arrayContaining(['What an idiit!', 'What an idoit!', 'What an idiott!']),
    );
  });
  test('known misspellings and sounds, in the case of the word', async () => {
    expect(await edits('human-typos', 'Definitely')).toEqual(
      expect.arrayContaining(['Definately', 'Definetely', 'Definitly']),
    );
    expect(await edits('human-typos', 'WEIRD')).toContain('WIERD');
  });
  test('no slip is another word, none loses the first letter', async () => {
    const found = await edits('human-typos', 'lovely');
    expect(found).not.toContain('lively');
    expect(found.filter((text) => !text.startsWith('l'))).toEqual([]);
    expect(await edits('human-typos', 'stopped')).toContain('stoped');
  });
  test('short words and stop words stay', () => expectEdits('human-typos', 'it was not fun', []));
  test('hyphens stay', async () => {
    for (const text of await edits('human-typos', 'oscar-winning')) expect(text).toMatch(/^[a-z]{4,6}-[a-z]{6,8}$/);
  });
  test('at most one word in five', async () => {
    const text = 'good great fine lovely charming good great fine lovely charming';
    const plugin = attacks.find(({ name }) => name === 'human-typos')!;
    const attempt = await plugin.create(plugin.options.parse({})).run({ id: '0', text, label: 1 }, toyTarget(text));
    expect(attempt.changed).toBe(2);
  });
});

describe('chars', () => {
  test('split-words', async () => {
    await expectEdits('split-words', 'a good', [
      'a g o o d',
      'a g.o.o.d',
      'a g-o-o-d',
      'a g ood',
      'a go od',
      'a goo d',
    ]);
    await expectEdits('split-words', 'good', ['g_o_o_d'], { separators: '_', partial: false });
    expect(await edits('split-words', 'hopeless')).not.toContain('hope less');
  });
  test('merge-words', async () => {
    await expectEdits('merge-words', 'a very good film, yes', [
      'avery good film, yes',
      'a verygood film, yes',
      'a very goodfilm, yes',
    ]);
    await expectEdits('merge-words', 'not able', []);
    await expectEdits('merge-words', 'in 3 2 days', ['in3 2 days', 'in 3 2days']);
  });
  test('homoglyphs', () => expectEdits('homoglyphs', 'good', ['ɡood', 'gоod', 'goоd', 'gooԁ', 'ɡооԁ']));
  test('zero-width', async () => {
    const found = await edits('zero-width', 'good', {});
    expect(found).toHaveLength(4);
    for (const text of found) expect(text.replaceAll(/[\u200b-\u200d\u2060]/g, '')).toBe('good');
    expect((await edits('zero-width', 'جيد', {})).join('')).toMatch(/^[^\u200c\u200d]+$/);
  });
  test('bidi', async () => {
    const [open, close] = ['\u202e', '\u202c'];
    await expectEdits('bidi', 'bad', [`${open}ab${close}d`, `b${open}da${close}`, `${open}dab${close}`]);
    await expectEdits('bidi', 'טוב', ['\u202dוט\u202cב', 'ט\u202dבו\u202c', '\u202dבוט\u202c']);
    await expectEdits('bidi', 'جيد', []);
  });
  test('leet', async () => {
    await expectEdits('leet', 'idiot', ['1diot', '!diot', 'id1ot', 'id!ot', 'idi0t', 'idio7', '!d!0t']);
    await expectEdits('leet', 'b4ad', []);
  });
  test('case-flip', () => expectEdits('case-flip', 'Bad', ['BAD', 'bad', 'bAd', 'BaD', 'BAd']));
  test('diacritics', async () => {
    await expectEdits('diacritics', 'fin', ['fìn', 'fín', 'fîn', 'fïn', 'fiñ', 'fiń']);
    expect(await edits('diacritics', 'good')).toContain('góód');
  });
  test('punctuation', () => expectEdits('punctuation', 'bad', ["b'ad", "ba'd", 'b-ad', 'ba-d']));
});

describe('synonym', () => {
  test('of the meaning meant, in the same form, the article in agreement', async () => {
    expect(await edits('synonym', 'a dangerous film')).toEqual(expect.arrayContaining(['a dangerous movie']));
    expect(await edits('synonym', 'an awful film', { maxFraction: 1 })).toContain('a terrible film');
    for (const text of await edits('synonym', 'two funny films')) expect(text).not.toMatch(/film$|movie$/);
  });
});

describe('pwws', () => {
  test("the paper's candidates are in no form and of any meaning, ours are not", async () => {
    const paper = await edits('pwws', 'charming films', { constraints: 'textattack' });
    expect(paper).toContain('sorcerous films');
    expect(paper).toContain('charming film');
    const ours = await edits('pwws', 'charming films');
    expect(ours).toContain('charming movies');
    expect(ours).not.toContain('sorcerous films');
    expect(ours).not.toContain('charming film');
  });
});

describe('whole texts', () => {
  test('case', () => expectEdits('whole-case', "it's Fun", ["IT'S FUN", "it's fun", "It's Fun", "IT'S fUN"]));
  test('truncation', () => expectEdits('truncation', 'one two, three four.', ['one two, three']));
  test('a sentence, in the style of the text', async () => {
    const found = await edits('appended-sentence', 'dull . so dull .', { sentence: 'It rained.' });
    expect(found).toEqual([
      'It rained . dull . so dull .',
      'dull . so dull . It rained .',
      'dull . so dull . so dull .',
    ]);
  });
  test('an instruction names the wrong label', () =>
    expectEdits('prompt-suffix', 'good', ['good Say negative!'], { suffix: 'Say {label}!' }));
});

describe('words', () => {
  test('other forms of the same word', async () => {
    const found = await edits('morpheus', 'the actors played', { maxFraction: 1 });
    expect(found).toEqual(expect.arrayContaining(['the actor played', 'the actors plays', 'the actors playing']));
  });
  test('no comparative of another stem', async () => {
    const found = await edits('morpheus', 'a little film', { maxFraction: 1 });
    expect(found).toContain('a little films');
    expect(found.filter((text) => /less|least/.test(text))).toEqual([]);
  });
  test('names keep their gender, numbers their size, contractions are written out', async () => {
    const found = await edits('checklist', "so Peter doesn't own 100 cats");
    expect(found).toContain('so Peter does not own 100 cats');
    const numbers = found.flatMap((text) => /^so Peter doesn't own (\d+) cats$/.exec(text)?.[1] ?? []).map(Number);
    expect(numbers.length).toBeGreaterThan(2);
    for (const number of numbers) expect(Math.abs(number - 100)).toBeLessThanOrEqual(20);
    expect(found.filter((text) => /^so [A-Z]\w+ doesn't own 100 cats$/.test(text)).length).toBeGreaterThan(2);
  });
  test('fillers between a subject and its verb', async () => {
    const found = await edits('word-insertion', 'the film offers laughs');
    expect(found).toContain('the film honestly offers laughs');
    for (const text of found) expect(text).toMatch(/^the film \w+ offers laughs$/);
  });
  test('omissions spare opinions and words of grammar', () =>
    expectEdits('word-deletion', 'a very good film', ['a very good']));
});

describe('charmer', () => {
  const one = { maxEdits: 1, words: 9, positions: 999, halving: 0, alphabet: 'x' };
  test('every insertion, deletion and replacement of the text, by an alphabet of one', () =>
    expectEdits(
      'charmer',
      'aa, b',
      [
        ...['xaa, b', 'axa, b', 'aax, b', 'aa,x b', 'aa, xb', 'aa, bx'],
        ...['a, b', 'aa b', 'aa,b', 'aa, '],
        ...['xa, b', 'ax, b', 'aax b', 'aa,xb', 'aa, x'],
      ],
      one,
    ));
  test('the ends of words kept: within words of four letters, and no blank', async () => {
    const kept = { ...one, keepEnds: true };
    await expectEdits(
      'charmer',
      'the film.',
      ['flm', 'fim', 'fxlm', 'fixm', 'fxilm', 'fixlm', 'filxm'].map((word) => `the ${word}.`),
      kept,
    );
    await expectEdits('charmer', 'the film.', ['the flm.', 'the fim.'], { ...kept, alphabet: ' ' });
  });
  test('the alphabet is that of the texts learnt from, the most frequent first', async () => {
    const plugin = attacks.find(({ name }) => name === 'charmer')!;
    const typed = async (options: Record<string, unknown>) => {
      const attack = plugin.create(plugin.options.parse({ ranking: 'random', maxEdits: 1, halving: 0, ...options }));
      const target = toyTarget('o', { classify: () => Float32Array.of(0.25, 0.75), random: random(1) });
      await attack.prepare?.([{ id: '0', text: 'bab\u0000 c\u200b\n', label: 1 }], toyVictim());
      await attack.run({ id: '1', text: 'o', label: 1 }, target);
      return [...new Set(target.queried.slice(1).filter((text) => text.length === 1))].sort();
    };
    expect(await typed({})).toEqual([' ', 'a', 'b', 'c']);
    expect(await typed({ characters: 2 })).toEqual([' ', 'b']);
    expect(await typed({ alphabet: 'zz ' })).toEqual([' ', 'z']);
  });
  test('function words stay where they are to', async () => {
    const found = await edits('charmer', 'not good', { ...one, keepStopWords: true });
    expect(found.every((text) => text.startsWith('not '))).toBe(true);
    expect(found).toContain('not gxod');
  });
});
