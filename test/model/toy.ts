/** Classifiers of a few nodes, as folders on disk. */
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { config, type Toy, toyGraph, wordPiece } from './toy-parts.js';

export { config, external, type Toy, toyGraph, vocabulary, wordPiece } from './toy-parts.js';

const root = mkdtempSync(join(tmpdir(), 'robust-model-'));

/** A folder with these files: bytes as they are, strings as text, anything else as JSON; undefined leaves a file out. */
export function folder(files: Record<string, Uint8Array | string | object | undefined>): string {
  const path = mkdtempSync(join(root, 'm-'));
  for (const [name, content] of Object.entries(files)) {
    if (content === undefined) continue;
    mkdirSync(dirname(join(path, name)), { recursive: true });
    writeFileSync(
      join(path, name),
      typeof content === 'string' || content instanceof Uint8Array ? content : JSON.stringify(content),
    );
  }
  return path;
}

/** A whole toy model; `more` replaces or adds files. */
export const toyFolder = (toy: Toy = {}, more: Parameters<typeof folder>[0] = {}): string =>
  folder({ 'model.onnx': toyGraph(toy).build(), 'config.json': config(), 'tokenizer.json': wordPiece(), ...more });
