/** Pickles are followed without being executed: what they import and call, through every way to name it. */
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { kindOf } from '../../src/inspection/file-kinds.js';
import { classifyName } from '../../src/inspection/imported-names.js';
import { checkPickles } from '../../src/inspection/pickle-check.js';
import { followPickle } from '../../src/inspection/pickle-program.js';

const bytes = (...parts: readonly (string | number)[]): Buffer =>
  Buffer.concat(parts.map((part) => (typeof part === 'number' ? Buffer.from([part]) : Buffer.from(part, 'latin1'))));
const short = (text: string): Buffer => Buffer.concat([Buffer.from([0x8c, text.length]), Buffer.from(text)]);

/** cos\nsystem\n(S'id'\ntR. */
const SYSTEM = bytes("cos\nsystem\n(S'id'\ntR.");

test.each([
  ['protocol 0', SYSTEM],
  [
    'STACK_GLOBAL',
    Buffer.concat([bytes(0x80, 4), short('os'), short('system'), bytes(0x93), short('id'), bytes(0x85, 'R.')]),
  ],
  [
    'names from the memo',
    Buffer.concat([
      bytes(0x80, 4),
      short('os'),
      bytes(0x94),
      short('system'),
      bytes(0x94, '00', 'h', 0, 'h', 1, 0x93),
      short('id'),
      bytes(0x85, 'R.'),
    ]),
  ],
  ['INST', bytes("(S'id'\nios\nsystem\n.")],
  ['OBJ', bytes("(cos\nsystem\nS'id'\no.")],
])('a call of os.system by %s is found with its argument', (_, program) => {
  expect(followPickle(program).imports).toEqual([{ name: 'os.system', called: true, texts: ['id'] }]);
});

test('imports before the place where a pickle breaks are reported', () => {
  const program = followPickle(bytes("cos\nsystem\n(S'id'\ntR", 0xff));
  expect(program.imports.map(({ name }) => name)).toEqual(['os.system']);
  expect(program.broken).toMatch(/byte \d+ is no instruction/);
});

test.each([
  ['collections.OrderedDict', 'data'],
  ['torch._utils._rebuild_tensor_v2', 'data'],
  ['torch.FloatStorage', 'data'],
  ['builtins.eval', 'powerful'],
  ['builtins.getattr', 'powerful'],
  ['posix.system', 'powerful'],
  ['torch.storage._load_from_bytes', 'unknown'],
  ['?.?', 'powerful'],
  ['sklearn.linear_model._logistic.LogisticRegression', 'unknown'],
] as const)('%s is %s', (name, kind) => {
  expect(classifyName(name)).toBe(kind);
});

/** A zip archive of stored entries. */
function archive(entries: Readonly<Record<string, Buffer>>): Buffer {
  const [local, central]: [Buffer[], Buffer[]] = [[], []];
  let at = 0;
  for (const [name, content] of Object.entries(entries)) {
    const header = Buffer.alloc(30);
    header.writeUInt32LE(0x04034b50);
    header.writeUInt32LE(content.length, 18);
    header.writeUInt32LE(content.length, 22);
    header.writeUInt16LE(name.length, 26);
    const row = Buffer.alloc(46);
    row.writeUInt32LE(0x02014b50);
    row.writeUInt32LE(content.length, 20);
    row.writeUInt32LE(content.length, 24);
    row.writeUInt16LE(name.length, 28);
    row.writeUInt32LE(at, 42);
    local.push(header, Buffer.from(name), content);
    central.push(row, Buffer.from(name));
    at += 30 + name.length + content.length;
  }
  const table = Buffer.concat(central);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50);
  end.writeUInt16LE(Object.keys(entries).length, 8);
  end.writeUInt16LE(Object.keys(entries).length, 10);
  end.writeUInt32LE(table.length, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...local, table, end]);
}

function checked(files: Readonly<Record<string, Buffer>>) {
  const folder = mkdtempSync(join(tmpdir(), 'inspection-'));
  const listed = Object.entries(files).map(([name, content]) => {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
    return { name, path, bytes: content.length, kind: kindOf({ name, path }) };
  });
  return checkPickles(listed);
}

const EMPTY = bytes(0x80, 2, '}.');

test('a pickle in an archive, behind an array, behind another pickle, and under another name', () => {
  const array = Buffer.concat([bytes(0x93, 'NUMPY', 1, 0, 24, 0), Buffer.from("{'descr': '|O', 'x': 1}\n"), SYSTEM]);
  const two = Buffer.concat([EMPTY, bytes(0x80, 2), SYSTEM]);
  const files = {
    'a.bin': archive({ 'archive/data.pkl': SYSTEM }),
    'b.npy': array,
    'c.pt': two,
    'd.txt': bytes(0x80, 2, "cos\nsystem\n(S'id'\ntR."),
  };
  const { verdict, findings } = checked(files);
  expect(verdict).toBe('danger');
  expect(findings.map(({ file }) => file)).toEqual(['a.bin/archive/data.pkl', 'b.npy', 'c.pt', 'd.txt']);
  expect(findings[0]?.what).toContain('calls os.system("id")');
});

test('plain weights give no finding, and what could not be followed is not called safe', () => {
  expect(checked({ 'a.bin': archive({ 'x/data.pkl': EMPTY, 'x/data/0': bytes(0x80, 2, 0xff) }) }).verdict).toBe(
    'none found',
  );
  expect(checked({ 'b.bin': bytes('neither') }).verdict).toBe('not checked');
  expect(checked({ 'c.pkl': bytes('csklearn.svm\nSVC\n)R.') }).verdict).toBe('warning');
});

test('an import in bytes that could not be followed, as joblib mixes pickles and arrays', () => {
  const program = Buffer.concat([
    bytes(0x80, 4, 0xff),
    short('posix'),
    bytes(0x94),
    short('system'),
    bytes(0x94, 0x93),
  ]);
  const { verdict, findings, notExamined } = checked({ 'x.joblib': program });
  expect(verdict).toBe('danger');
  expect(findings[0]?.what).toContain('an import of posix.system');
  expect(notExamined).toHaveLength(1);
});

test('the code of a Keras Lambda layer is found', () => {
  expect(checked({ 'm.keras': archive({ 'config.json': Buffer.from('{"class_name": "Lambda"}') }) }).verdict).toBe(
    'danger',
  );
});
