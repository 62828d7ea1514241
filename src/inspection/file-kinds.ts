/** @file The kind of a file by its first bytes, and by its name only where those say nothing. */
import { closeSync, readSync } from 'node:fs';
import { openToRead } from '../files/read.js';
import type { ListedFile } from './list-files.js';

export type FileKind =
  | 'pickle'
  | 'zip'
  | 'numpy'
  | 'onnx'
  | 'onnx data'
  | 'safetensors'
  | 'hdf5'
  | 'gguf'
  | 'fasttext'
  | 'json'
  | 'text'
  | 'code'
  | 'image'
  | 'sentencepiece'
  | 'unknown';

export interface KnownFile extends ListedFile {
  readonly kind: FileKind;
}

const HEAD_BYTES = 64;

function headOf(path: string, bytes = HEAD_BYTES): Buffer {
  const file = openToRead(path);
  try {
    const head = Buffer.alloc(bytes);
    return head.subarray(0, readSync(file, head, 0, bytes, 0));
  } finally {
    closeSync(file);
  }
}

/** First bytes -> kind. */
const MAGIC: readonly (readonly [RegExp, FileKind])[] = [
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the bytes of file formats
  [/^PK\x03\x04/, 'zip'],
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the bytes of file formats
  [/^\x80[\x01-\x05]/, 'pickle'],
  [/^\x93NUMPY/, 'numpy'],
  [/^\x89HDF\r\n/, 'hdf5'],
  [/^GGUF/, 'gguf'],
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the bytes of file formats
  [/^\xba\x16O\/\x0c\x00\x00\x00/, 'fasttext'],
  [/^(\x89PNG|\xff\xd8\xff|GIF8|RIFF)/, 'image'],
  [/^(#!|\x7fELF|MZ|\xca\xfe\xba\xbe|\xcf\xfa\xed\xfe)/, 'code'],
];

/** Names -> kind, where the first bytes say nothing. */
const NAMES: readonly (readonly [RegExp, FileKind])[] = [
  [/\.(py|pyc|pyo|pyx|ipynb|js|mjs|cjs|ts|sh|bash|so|dll|dylib|exe|bat|ps1|jar|lua|rb|r|jl|wasm|whl|php|pl)$/i, 'code'],
  [/\.onnx$/i, 'onnx'],
  [/\.onnx[._]data(\.\d+)?$|\.onnx_data$/i, 'onnx data'],
  [/\.safetensors$/i, 'safetensors'],
  [/\.(json|jsonl|webmanifest)$/i, 'json'],
  [
    /\.(txt|md|rst|csv|tsv|yaml|yml|toml|ini|cfg|jinja|html|xml|svg|log|vocab|merges|lock)$|(^|\/)(LICENSE|NOTICE|README|USE_POLICY|\.git\w+)[^/]*$/i,
    'text',
  ],
  [/\.(spm|model)$/i, 'sentencepiece'],
  [/\.(pkl|pickle|bin|pt|pth|ckpt|joblib|dat|data|dill|npy|npz)$/i, 'pickle'],
];

export function kindOf({ name, path }: Pick<ListedFile, 'name' | 'path'>): FileKind {
  const head = headOf(path).toString('latin1');
  const byBytes = MAGIC.find(([pattern]) => pattern.test(head));
  return (byBytes ?? NAMES.find(([pattern]) => pattern.test(name)))?.[1] ?? 'unknown';
}
