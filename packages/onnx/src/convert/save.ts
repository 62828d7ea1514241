/** @file Writing a graph that was drawn: one file, or, where its weights are large, a second one with the weights beside it. */
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { arrayOf } from '../graph/data-type.js';
import { externalTensor } from '../graph/external-tensor.js';
import type { Model } from '../graph/model.js';
import type { Tensor } from '../graph/tensor.js';
import { bytesOf, modelPieces } from '../graph/write.js';

/** Larger weights get a separate file: a protobuf message ends at 2 GiB. */
const OWN_FILE_BYTES = 1e9;
/** Smaller tensors stay in the graph, where tools look for shapes and constants. */
const IN_GRAPH_BYTES = 1024;
/** Where a tensor begins in the file of weights: systems map memory in pages of this size. */
const PAGE = 4096;

/** A second graph of the same tensors, and where it goes, beside the first. */
interface SecondGraph {
  readonly model: Model;
  readonly path: string;
}

export interface SaveOptions {
  /** Weights of more bytes get a file of their own. @default 1e9 */
  readonly ownFile?: number;
  readonly second?: SecondGraph | undefined;
  /** Writes one file; `what` names it in errors. @default a temporary file beside it that replaces it */
  readonly write?: (path: string, pieces: Iterable<Uint8Array>, what: string) => void;
}

/**
 * Writes a model file, and its weights beside it as `NAME_data` where there are more than `ownFile` bytes of them, or where a second graph
 * reads them too. Throws what `write` does: by default the system's error.
 */
export function saveModel(
  model: Model,
  path: string,
  { ownFile = OWN_FILE_BYTES, second, write: writeFile = replaceFile }: SaveOptions = {},
): void {
  const large = [...model.graph.initializers.values()].filter((tensor) => bytesIn(tensor) > IN_GRAPH_BYTES);
  const bytes = large.reduce((sum, tensor) => sum + bytesIn(tensor), 0);
  if (bytes <= ownFile && second === undefined) {
    writeFile(path, modelPieces(model), 'the model');
    return;
  }
  const data = `${basename(path)}_data`;
  const placed = new Map<Tensor, Tensor>();
  let at = 0;
  for (const tensor of large) {
    at = Math.ceil(at / PAGE) * PAGE;
    const external = { location: data, offset: at, length: bytesIn(tensor) };
    placed.set(
      tensor,
      externalTensor(tensor, external, () => tensor.once()),
    );
    at += bytesIn(tensor);
  }
  const write = ({ model, path }: SecondGraph): void => {
    const initializers = new Map(
      Array.from(model.graph.initializers, ([name, tensor]) => [name, placed.get(tensor) ?? tensor]),
    );
    writeFile(path, modelPieces({ ...model, graph: { ...model.graph, initializers } }), 'the model');
  };
  // The weights first: whoever finds the graph finds them too.
  writeFile(join(dirname(path), data), inPages(large), 'the weights');
  if (second !== undefined) write(second);
  write({ model, path });
}

/** All of a file or none of it: a reader never sees a part. */
function replaceFile(path: string, pieces: Iterable<Uint8Array>): void {
  const aside = `${path}.${process.pid}.new`;
  try {
    const file = openSync(aside, 'w');
    try {
      for (const piece of pieces) for (let done = 0; done < piece.length; ) done += writeSync(file, piece, done);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(aside, path);
  } catch (error) {
    rmSync(aside, { force: true });
    throw error;
  }
}

const bytesIn = ({ type, size }: Tensor): number => size * (arrayOf(type)?.BYTES_PER_ELEMENT ?? 0);

function* inPages(tensors: readonly Tensor[]): Generator<Uint8Array> {
  for (const [index, tensor] of tensors.entries()) {
    yield bytesOf(tensor.once());
    if (index < tensors.length - 1) yield new Uint8Array(-bytesIn(tensor) & (PAGE - 1));
  }
}
