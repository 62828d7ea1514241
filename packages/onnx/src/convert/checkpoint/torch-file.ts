/**
 * @file PyTorch's own format since 1.6 (torch/serialization.py): a zip archive of `data.pkl`, a pickled dictionary of tensors, and
 * `data/KEY`, the bytes of each storage. Older files, which are pickles throughout, are refused.
 */
import { must, OnnxError } from '../../errors.js';
import { type PickledCall, type PickleValue, readPickle } from './pickle.js';
import { PickleError } from './pickle-codes.js';
import { bytesAt } from './read-bytes.js';
import { damaged, isSize, isSizes, type StoredTensor, sizeOf, WIDTHS, withFile } from './stored-tensor.js';
import { type ZipEntry, zipEntries } from './zip.js';

/** PyTorch's name of a storage -> our name of its elements. */
const TYPES: Readonly<Record<string, string>> = {
  'torch.FloatStorage': 'F32',
  'torch.HalfStorage': 'F16',
  'torch.BFloat16Storage': 'BF16',
  'torch.DoubleStorage': 'F64',
  'torch.LongStorage': 'I64',
  'torch.IntStorage': 'I32',
  'torch.ShortStorage': 'I16',
  'torch.CharStorage': 'I8',
  'torch.ByteStorage': 'U8',
  'torch.BoolStorage': 'BOOL',
};

/** Longest pickle read: names and shapes of a large model take a few hundred kilobytes. */
const MAX_PICKLE_BYTES = 100_000_000;

/** The tensors of the file. Throws OnnxError where it is damaged, older, or holds anything but tensors. */
export function torchTensors(path: string): StoredTensor[] {
  const start = withFile(path, (file, size) => bytesAt(file, path, 0, Math.min(4, size)));
  if (start.toString('latin1') !== 'PK\u0003\u0004')
    throw start[0] === 0x80 ? legacy(path) : damaged(path, 'no archive of PyTorch');
  const entries = zipEntries(path);
  const pickled = [...entries.values()].find(({ name }) => name === 'data.pkl' || name.endsWith('/data.pkl'));
  if (pickled === undefined) throw damaged(path, 'an archive without data.pkl');
  if (pickled.bytes > MAX_PICKLE_BYTES) throw damaged(path, `a pickle of ${pickled.bytes} bytes`);
  const home = pickled.name.slice(0, -'data.pkl'.length);
  checkOrder(path, entries.get(`${home}byteorder`));
  const bytes = withFile(path, (file) => bytesAt(file, path, pickled.offset, pickled.bytes));
  try {
    const value = readPickle(bytes);
    if (!(value instanceof Map)) throw new PickleError('a pickle of no dictionary');
    return Array.from(value, ([name, tensor]) => {
      if (typeof name !== 'string') throw new PickleError('a dictionary whose keys are no names');
      return tensorOf(path, name, tensor, (key) => entries.get(`${home}data/${key}`));
    });
  } catch (error) {
    if (error instanceof OnnxError) throw error;
    if (error instanceof PickleError) throw refuse(path, error.message);
    throw error;
  }
}

function checkOrder(path: string, entry: ZipEntry | undefined): void {
  if (entry === undefined) return;
  const order = withFile(path, (file) => bytesAt(file, path, entry.offset, Math.min(8, entry.bytes))).toString(
    'latin1',
  );
  if (order !== 'little') throw damaged(path, `numbers in ${order} endian order`);
}

function tensorOf(
  path: string,
  name: string,
  value: PickleValue,
  storage: (key: string) => ZipEntry | undefined,
): StoredTensor {
  const call = callOf(value);
  if (call?.call === 'torch._utils._rebuild_parameter') return tensorOf(path, name, call.args[0] ?? null, storage);
  if (call?.call !== 'torch._utils._rebuild_tensor_v2') throw new PickleError(`"${name}", which is not a tensor`);
  const [reference, skipped, dims, strides] = call.args;
  const stored = storedIn(reference, storage);
  if (stored === undefined || !isSize(skipped) || !isSizes(dims) || !isSizes(strides)) {
    throw new PickleError(`the tensor "${name}" without its numbers`);
  }
  const { element, entry } = stored;
  const width = must(WIDTHS[element]);
  const available = Math.floor(entry.bytes / width);
  const size = sizeOf(dims);
  const last = dims.reduce((sum, length, axis) => sum + (length - 1) * (strides[axis] ?? Number.NaN), skipped);
  // A view may repeat elements, but a tensor larger than its storage was not trained.
  if (dims.length !== strides.length || !(size === 0 || (size <= available && last < available))) {
    throw new PickleError(`the tensor "${name}" of shape [${dims.join(', ')}] in ${available} numbers`);
  }
  const offset = entry.offset + (size === 0 ? 0 : skipped * width);
  const where = { name, type: element, dims, file: path };
  if (size === 0 || inRows(dims, strides)) return { ...where, offset, bytes: size * width };
  return { ...where, strides, offset, bytes: (last - skipped + 1) * width };
}

/** The type of the elements that a reference to a storage names, and where they lie. */
function storedIn(reference: PickleValue | undefined, storage: (key: string) => ZipEntry | undefined) {
  const parts = isPart(reference) && 'persistent' in reference ? reference.persistent : undefined;
  const [kind, type, key] = Array.isArray(parts) ? parts : [];
  const element = isPart(type) && 'global' in type ? TYPES[String(type.global)] : undefined;
  const entry = kind === 'storage' && typeof key === 'string' ? storage(key) : undefined;
  return element === undefined || entry === undefined ? undefined : { element, entry };
}

/** Not null, and no plain value. */
const isPart = (value: PickleValue | undefined): value is Exclude<PickleValue, null | boolean | number | string> =>
  typeof value === 'object' && value !== null;

const callOf = (value: PickleValue): PickledCall | undefined => (isPart(value) && 'call' in value ? value : undefined);

/** Do the elements lie one after the other, the last axis fastest? */
function inRows(dims: readonly number[], strides: readonly number[]): boolean {
  let step = 1;
  for (let axis = dims.length - 1; axis >= 0; axis--) {
    if (dims[axis] !== 1 && strides[axis] !== step) return false;
    step *= dims[axis]!;
  }
  return true;
}

const SAFETENSORS =
  'Save the model as safetensors: AutoModel.from_pretrained(FOLDER).save_pretrained(FOLDER) in Python.';

const refuse = (path: string, got: string): OnnxError =>
  new OnnxError(`${path}: expected a dictionary of tensors, got ${got}`, {
    code: 'MODEL_DAMAGED',
    hint: `Nothing of it was run. ${SAFETENSORS}`,
  });

const legacy = (path: string): OnnxError =>
  new OnnxError(`${path}: expected PyTorch's format of version 1.6 or later, got the older one`, {
    code: 'MODEL_UNSUPPORTED',
    hint: SAFETENSORS,
  });
