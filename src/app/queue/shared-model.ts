/** @file A model on its way to the workers: by the name that all installations have for it, or its files by their hashes. */
import { basename, dirname, join, relative } from 'node:path';
import type { Task } from '../../../packages/onnx/src/convert/task.js';
import { RobustError } from '../../core/errors.js';
import { makeFolder } from '../../files/write.js';
import { type ContentSource, hashOf, type KeepFile, linkOrCopy } from '../../fleet/content.js';
import type { ModelReference } from '../../fleet/messages.js';
import { isHubSpec } from '../../model/hub/spec.js';
import { bundledModels, type LoadedModel, type LoadOptions, locate } from '../../model/load.js';

/** Throws RobustError QUEUE_UNSUPPORTED for what is code, or lies in several places. */
export async function modelReference(
  spec: string,
  { paths, pinned, name, remote }: Pick<LoadedModel, 'paths' | 'pinned' | 'name' | 'remote'>,
  options: LoadOptions,
  keep: KeepFile,
  wanted: Task = 'classify',
): Promise<ModelReference> {
  if (bundledModels().includes(spec)) return { kind: 'name', name: spec };
  if (isHubSpec(spec)) return { kind: 'name', name: pinned ?? spec };
  const source = remote === undefined ? await locate(spec, options, wanted) : undefined;
  if (source === undefined || source.kind === 'module') {
    const what = source ? 'code' : 'an address';
    throw new RobustError(`--queue: ${name} is ${what}, which does not travel`, {
      code: 'QUEUE_UNSUPPORTED',
      hint: 'Attack an ONNX model; or divide the run by --shard, where each machine has it.',
    });
  }
  const folder = source.kind === 'onnx' ? source.folder : dirname(source.path);
  const named = source.kind === 'onnx' ? source.model : source.path;
  const place = (path: string) => relative(folder, path).replaceAll('\\', '/');
  const outside = paths.find((path) => place(path).startsWith('../'));
  if (outside !== undefined)
    throw new RobustError(
      `--queue: ${name} is in several folders, one of its files is ${basename(outside)} in ${dirname(outside)}`,
      { code: 'QUEUE_UNSUPPORTED', hint: `Make one folder of it: robust convert ${spec} -o folder` },
    );
  const files = await Promise.all(paths.map(async (path) => ({ name: place(path), ...(await keep(path)) })));
  return { kind: 'files', entry: named === undefined ? null : place(named), files };
}

/** The name that loads it here, once its files are fetched. Throws RobustError QUEUE_DAMAGED for a name that could mean code or a file of this machine. */
export async function fetchedModel(reference: ModelReference, content: ContentSource, cache: string): Promise<string> {
  if (reference.kind === 'name') {
    const { name } = reference;
    if (bundledModels().includes(name) || isHubSpec(name)) return name;
    throw new RobustError(`the plan of a run: expected a bundled model or one of the Hub, got "${name}"`, {
      code: 'QUEUE_DAMAGED',
      hint: 'A worker opens no model by a path, a package or an address that a plan names.',
    });
  }
  const { entry, files } = reference;
  const folder = join(cache, 'models', hashOf(JSON.stringify(files)));
  for (const { name, sha256 } of files) {
    const path = join(folder, name);
    makeFolder(dirname(path), 'the folder of a model');
    // It exists already, or is on another disk: the model's fingerprint is checked later.
    linkOrCopy(await content.file(sha256), path);
  }
  return entry === null ? folder : join(folder, entry);
}
