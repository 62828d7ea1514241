/** The bundled data set `notes`: texts with personal data, for models that tag. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { bundledDatasets, openDataset } from '../../datasets/index.js';
import { collect } from '../../src/core/take.js';

const TYPES = ['ADDRESS', 'CREDIT_CARD', 'DATE', 'EMAIL', 'IBAN', 'IP', 'ORGANISATION', 'PERSON', 'PHONE', 'US_SSN'];
const notes = await openDataset('notes', { tags: true });
const examples = await collect(notes.examples());
const values = (wanted: string): string[] =>
  examples.flatMap(({ text, entities = [] }) =>
    entities.filter(({ type }) => type === wanted).map(({ start, end }) => text.slice(start, end)),
  );

test('notes opens, is listed with its size, and names its licence', async () => {
  expect(notes).toMatchObject({ size: 120, tagged: true, source: { url: 'bundled:notes', license: 'MIT' } });
  expect([...notes.labels].sort()).toEqual([...TYPES, 'O'].sort());
  expect(bundledDatasets().find(({ name }) => name === 'notes')).toMatchObject({ size: 120, tags: true });
  await expect(openDataset('notes')).rejects.toMatchObject({ name: 'RobustError' });
});

test('ten values or more of each type, distinct where they identify somebody, and texts without any', () => {
  for (const type of TYPES) expect(values(type).length, type).toBeGreaterThanOrEqual(10);
  for (const type of ['CREDIT_CARD', 'EMAIL', 'IBAN', 'IP', 'PERSON', 'PHONE', 'US_SSN', 'ADDRESS', 'DATE'])
    expect(new Set(values(type)).size, type).toBe(values(type).length);
  expect(examples.filter(({ entities = [] }) => entities.length === 0).length).toBeGreaterThanOrEqual(10);
});

const words = (text: string): Set<string> => new Set(text.toLowerCase().match(/[\p{L}\p{N}']+/gu));

test('no two texts share more than 60 % of their words', () => {
  const sets = examples.map(({ text }) => words(text));
  for (const [at, a] of sets.entries())
    for (const [other, b] of sets.slice(0, at).entries()) {
      const shared = [...a].filter((word) => b.has(word)).length;
      expect(shared / (a.size + b.size - shared), `${at + 1} and ${other + 1}`).toBeLessThanOrEqual(0.6);
    }
});

describe('values belong to nobody', () => {
  test('mail: the domains of examples', () => {
    for (const mail of values('EMAIL')) expect(mail).toMatch(/^[\w.-]+@example\.(com|net|org)$/);
  });

  test('IP: the ranges of documentation', () => {
    for (const ip of values('IP')) expect(ip).toMatch(/^(192\.0\.2|198\.51\.100|203\.0\.113)\.\d+$|^2001:db8:/);
  });

  test('telephone: the numbers that are reserved for drama', () => {
    for (const phone of values('PHONE'))
      expect(phone.replace(/^\+44 /, '0').replaceAll(' ', '')).toMatch(/^(0207946|07700900|01632960)\d{3,4}$/);
  });

  test('US_SSN: the numbers that are reserved for advertisements', () => {
    for (const number of values('US_SSN')) expect(number).toMatch(/^987-65-432\d$/);
  });

  test('cards have the check digit of Luhn', () => {
    for (const card of values('CREDIT_CARD')) {
      const digits = [...card.replaceAll(' ', '')].reverse().map(Number);
      const doubled = digits.map((digit, at) => (at % 2 === 0 ? digit : digit > 4 ? 2 * digit - 9 : 2 * digit));
      expect([card, doubled.reduce((sum, digit) => sum + digit, 0) % 10]).toEqual([card, 0]);
    }
  });

  test('IBAN: the remainder modulo 97 is 1', () => {
    for (const iban of values('IBAN')) {
      const moved = iban.replaceAll(' ', '').replace(/^(.{4})(.*)$/, '$2$1');
      expect([iban, BigInt(moved.replace(/[A-Z]/g, (letter) => String(parseInt(letter, 36)))) % 97n]).toEqual([
        iban,
        1n,
      ]);
    }
  });
});

describe('what the recipe of a small tagger learns (models/pii-texts.js)', async () => {
  const made = (...options: string[]): string =>
    execFileSync(process.execPath, ['models/pii-texts.js', ...options], { encoding: 'utf8', maxBuffer: 1 << 26 });
  const path = join(mkdtempSync(join(tmpdir(), 'robust-pii-')), 'texts.jsonl');
  writeFileSync(path, made('40'));
  const dataset = await openDataset(path, { tags: true });
  const learnt = await collect(dataset.examples());

  test('has the types of notes, and is the same each time', () => {
    expect([...dataset.labels].sort()).toEqual([...TYPES, 'O'].sort());
    expect(made('3')).toBe(made('3'));
    expect(made('3')).not.toBe(made('3', '18'));
  });

  test('shares no value with notes, and with none of its texts more than 60 % of the words', () => {
    const known = new Set(TYPES.flatMap(values));
    const shared = learnt.flatMap(({ text, entities = [] }) =>
      entities.map(({ start, end }) => text.slice(start, end)).filter((value) => known.has(value)),
    );
    expect(shared).toEqual([]);
    const sets = learnt.map(({ text }) => words(text));
    for (const { text } of examples) {
      const own = words(text);
      for (const [at, set] of sets.entries()) {
        let both = 0;
        for (const word of own) if (set.has(word)) both++;
        if (both > 0.6 * (own.size + set.size - both)) expect.fail(`${text} | ${learnt[at]?.text}`);
      }
    }
  });
});
