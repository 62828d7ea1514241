/** @file Arrays of NumPy in the files of joblib (joblib/numpy_pickle.py): a wrapper in the pickle, the numbers behind it. */
import { must } from '../../errors.js';
import { isCall, type PickledCall, type PickleValue } from '../checkpoint/pickle.js';
import { PickleError } from '../checkpoint/pickle-codes.js';
import { isSizes, sizeOf } from '../checkpoint/stored-tensor.js';

const WRAPPER = 'joblib.numpy_pickle.NumpyArrayWrapper';
const DTYPE = 'numpy.dtype';
const REBUILT = ['numpy.core.multiarray._reconstruct', 'numpy._core.multiarray._reconstruct'];

/** Names in the pickles of arrays and of NumPy's scalars. */
export const ARRAY_NAMES: readonly string[] = [
  WRAPPER,
  DTYPE,
  'numpy.ndarray',
  ...REBUILT,
  'numpy.core.multiarray.scalar',
  'numpy._core.multiarray.scalar',
];

export interface NumpyArray {
  readonly dims: readonly number[];
  /** Row by row. */
  readonly values: readonly (number | string)[];
}

type ElementReader = (bytes: Buffer, at: number, width: number) => number | string;

/** The first letter of a type -> how an element of it is read; the rest is the number of bytes, of U of characters. */
const READERS: Readonly<Record<string, ElementReader>> = {
  f: (bytes, at, width) => (width === 4 ? bytes.readFloatLE(at) : bytes.readDoubleLE(at)),
  i: (bytes, at, width) => (width === 8 ? Number(bytes.readBigInt64LE(at)) : bytes.readIntLE(at, width)),
  u: (bytes, at, width) => (width === 8 ? Number(bytes.readBigUInt64LE(at)) : bytes.readUIntLE(at, width)),
  b: (bytes, at) => bytes.readUInt8(at),
  U: (bytes, at, width) => {
    const codes = Array.from({ length: width / 4 }, (_, letter) => bytes.readUInt32LE(at + 4 * letter));
    if (codes.some((code) => code > 0x10ffff)) throw new PickleError('a text of what are no characters');
    return String.fromCodePoint(...codes).replace(/\0+$/, '');
  },
};

const WIDTHS: Readonly<Record<string, readonly number[]>> = { f: [4, 8], i: [1, 2, 4, 8], u: [1, 2, 4, 8], b: [1] };

/** The attributes of an object. */
export function attributesOf(object: PickledCall): ReadonlyMap<PickleValue, PickleValue> {
  if (object.state instanceof Map) return object.state;
  throw new PickleError(`an object of ${object.call} without attributes`);
}

interface ArrayLayout {
  readonly letter: string;
  /** Bytes of an element. */
  readonly width: number;
  readonly dims: readonly number[];
  /** The first axis changes fastest. */
  readonly fortran: boolean;
  readonly padded: boolean;
}

function layoutOf(wrapper: PickledCall): ArrayLayout {
  const attributes = attributesOf(wrapper);
  const dims = attributes.get('shape');
  const type = attributes.get('dtype');
  const called = isCall(type) && type.call === DTYPE && typeof type.args[0] === 'string' ? type.args[0] : '';
  const [, letter = '', size = ''] = /^([a-zA-Z])(\d+)$/.exec(called) ?? [];
  const width = Number(size) * (letter === 'U' ? 4 : 1);
  const order = isCall(type) && Array.isArray(type.state) ? type.state[1] : '<';
  const known = letter === 'O' || letter === 'U' || WIDTHS[letter]?.includes(width);
  if (!known || width < 1 || width > 4096) throw new PickleError(`an array of "${called.slice(0, 20)}"`);
  if (order === '>') throw new PickleError('an array of numbers in big endian order');
  if (!isSizes(dims)) throw new PickleError('an array without a shape');
  const padded = (attributes.get('numpy_array_alignment_bytes') ?? null) !== null;
  return { letter, width, dims, fortran: attributes.get('order') === 'F', padded };
}

/** Content behind an array's wrapper in the file. */
export function behindArray(object: PickledCall) {
  if (object.call !== WRAPPER) return undefined;
  const { letter, width, dims, padded } = layoutOf(object);
  return letter === 'O' ? ('pickle' as const) : { bytes: sizeOf(dims) * width, padded };
}

/** The elements of an array. Throws PickleError for anything else. */
export function arrayOf(value: PickleValue | undefined): NumpyArray {
  if (!isCall(value) || value.call !== WRAPPER) throw new PickleError('a value where an array belongs');
  const { letter, width, dims, fortran } = layoutOf(value);
  if (letter === 'O') return { dims, values: objectsOf(value.data, sizeOf(dims)) };
  const bytes = value.data instanceof Uint8Array ? Buffer.from(value.data) : Buffer.alloc(0);
  const stored = Array.from({ length: sizeOf(dims) }, (_, at) => must(READERS[letter])(bytes, at * width, width));
  if (!fortran || dims.length < 2) return { dims, values: stored };
  const [rows = 0, columns = 0] = dims;
  if (dims.length > 2) throw new PickleError(`an array of ${dims.length} axes`);
  return { dims, values: stored.map((_, at) => must(stored[(at % columns) * rows + Math.floor(at / columns)])) };
}

/** Elements of an array of Python objects, which must be texts and numbers. */
function objectsOf(value: PickledCall['data'], size: number): readonly (number | string)[] {
  const rebuilt = !(value instanceof Uint8Array) && isCall(value) && REBUILT.includes(value.call);
  const items = rebuilt && Array.isArray(value.state) ? value.state[4] : undefined;
  const plain = (item: PickleValue): item is number | string => typeof item === 'number' || typeof item === 'string';
  if (Array.isArray(items) && items.length === size && items.every(plain)) return items;
  throw new PickleError('an array of objects other than texts and numbers');
}
