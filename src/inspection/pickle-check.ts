/** @file Lists the imports and calls of the pickles among a model's files. None of them is loaded. */
import { zipEntries } from '../../packages/onnx/src/convert/checkpoint/zip.js';
import { messageOf, must } from '../core/errors.js';
import { ANY_SIZE, readFileSync } from '../files/read.js';
import { type ModelCheck, type ModelFinding, modelCheck } from '../results/backdoor/model-scan.js';
import type { FileKind, KnownFile } from './file-kinds.js';
import { classifyName } from './imported-names.js';
import { followPickle, type PickleImport } from './pickle-program.js';

/** Longest file that is read whole. */
const MAX_BYTES = 2 ** 31 - 1;
/** Programs that follow each other in one file: PyTorch's older format has five. */
const MAX_PROGRAMS = 64;
const MAX_SHOWN = 60;

interface ExaminedPickles {
  readonly findings: ModelFinding[];
  readonly notExamined: string[];
  pickles: number;
  instructions: number;
}

/** Examines every pickle, also those in archives and behind the header of an array. */
export function checkPickles(files: readonly KnownFile[]): ModelCheck {
  const found: ExaminedPickles = { findings: [], notExamined: [], pickles: 0, instructions: 0 };
  for (const file of files) {
    try {
      EXAMINERS[file.kind]?.(file, found);
    } catch (error) {
      found.notExamined.push(`${file.name}: ${messageOf(error)}`);
    }
  }
  const examined = `${found.pickles} pickles, ${found.instructions} instructions`;
  return modelCheck('pickles', examined, found.findings, found.notExamined, found.pickles);
}

const EXAMINERS: Partial<Record<FileKind, (file: KnownFile, found: ExaminedPickles) => void>> = {
  pickle: (file, found) => examinePrograms(file.name, wholeOf(file), found),
  zip: examineArchive,
  numpy: examineArray,
  hdf5: examineKeras,
};

function wholeOf({ path, bytes }: KnownFile): Buffer {
  if (bytes > MAX_BYTES) throw new Error(`${bytes} bytes, more than are read`);
  return readFileSync(path, null, ANY_SIZE);
}

/** Programs one after the other, as PyTorch's older format has them; the numbers behind them are no program. */
function examinePrograms(name: string, bytes: Buffer, found: ExaminedPickles): void {
  let at = 0;
  for (let count = 0; count < MAX_PROGRAMS && at < bytes.length; count++) {
    const program = followPickle(bytes, at);
    // The bytes of tensors follow the last program.
    if (count > 0 && program.broken !== undefined && program.imports.length === 0) break;
    found.pickles++;
    found.instructions += program.instructions;
    found.findings.push(...program.imports.flatMap((each) => findingOf(name, each)));
    at += program.bytes;
    if (program.broken !== undefined) {
      found.notExamined.push(`${name}: the pickle could not be followed beyond byte ${at}: ${program.broken}`);
      break;
    }
  }
  found.findings.push(...hiddenImports(name, bytes.subarray(at)));
}

const MODULES = 'os|posix|nt|subprocess|sys|builtins|__builtin__|runpy|socket|importlib';
/** The two ways to write an import: lines behind the instruction GLOBAL, or two short texts for STACK_GLOBAL. */
const IMPORTS = [
  new RegExp(`c(${MODULES})\\n(\\w{2,30})\\n`, 'g'),
  new RegExp(`\\x8c[^](${MODULES})(?:\\x94|q[^])?\\x8c[^](\\w{2,30})`, 'g'),
];

/** Imports of dangerous modules in bytes that could not be followed. */
function hiddenImports(file: string, rest: Buffer): ModelFinding[] {
  const text = rest.toString('latin1');
  const names = IMPORTS.flatMap((pattern) => [...text.matchAll(pattern)]).map(
    ([, module, name]) => `${module}.${name}`,
  );
  return [...new Set(names)].map((name) => ({
    level: 'danger',
    file,
    what: `contains an import of ${name} in bytes that could not be followed`,
  }));
}

function findingOf(file: string, { name, called, texts }: PickleImport): ModelFinding[] {
  const kind = classifyName(name);
  if (kind === 'data') return [];
  const shown = texts.map((text) => JSON.stringify(text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}...` : text));
  const how = called ? `calls ${name}(${shown.join(', ')})` : `imports ${name}`;
  const what =
    kind === 'powerful'
      ? `${how} when it is loaded: this can run code of its author`
      : `${how} when it is loaded, which no weights need`;
  return [{ level: kind === 'powerful' ? 'danger' : 'warning', file, what }];
}

/** PyTorch, NumPy and Keras keep several files in one archive. */
function examineArchive(file: KnownFile, found: ExaminedPickles): void {
  const bytes = wholeOf(file);
  for (const { name, offset, bytes: length } of zipEntries(file.path).values()) {
    const entry = bytes.subarray(offset, offset + length);
    const at = `${file.name}/${name}`;
    if (/\.(pkl|pickle)$/i.test(name) || beginsLikePickle(entry)) {
      // The numbers of a tensor may begin like a pickle.
      if (!/(^|\/)data\/\d+$/.test(name)) examinePrograms(at, entry, found);
    } else if (/(^|\/)code\/.*\.py$/.test(name)) {
      found.findings.push({ level: 'warning', file: at, what: 'a TorchScript program, which torch.jit.load runs' });
    } else if (/\.npy$/.test(name)) examineArrayBytes(at, entry, found);
    else if (/config\.json$/.test(name)) found.findings.push(...lambdaIn(at, entry));
  }
}

/** The instruction PROTO and a version. */
const beginsLikePickle = (bytes: Buffer): boolean => bytes[0] === 0x80 && must(bytes[1]) >= 1 && must(bytes[1]) <= 5;

function examineArray(file: KnownFile, found: ExaminedPickles): void {
  examineArrayBytes(file.name, wholeOf(file), found);
}

/** An array of Python objects is a pickle behind a header. */
function examineArrayBytes(name: string, bytes: Buffer, found: ExaminedPickles): void {
  const long = bytes[6] !== 1;
  const length = long ? bytes.readUInt32LE(8) : bytes.readUInt16LE(8);
  const start = long ? 12 : 10;
  if (!/'descr':\s*'\|?O/.test(bytes.toString('latin1', start, start + length))) return;
  examinePrograms(name, bytes.subarray(start + length), found);
}

/** Keras keeps the code of a Lambda layer in the model: it runs when the layer is made. */
function lambdaIn(file: string, bytes: Buffer): ModelFinding[] {
  const lambda = /"class_name":\s*"(Lambda|TFOpLambda)"/.test(bytes.toString('latin1'));
  return lambda
    ? [{ level: 'danger', file, what: 'a Keras Lambda layer, whose code runs when the model is loaded' }]
    : [];
}

function examineKeras(file: KnownFile, found: ExaminedPickles): void {
  found.findings.push(...lambdaIn(file.name, wholeOf(file)));
  found.notExamined.push(`${file.name}: of HDF5 only the text of Lambda layers was searched for`);
}
