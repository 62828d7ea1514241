/**
 * @file The head of a SetFit model (Tunstall et al. 2022): a logistic regression of scikit-learn on sentence embeddings. The file of
 * joblib is read as data, by a list of classes.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { must, OnnxError } from '../../errors.js';
import { readFileSync } from '../../read-file.js';
import { isCall, type PickleNames, type PickleValue, readPickle } from '../checkpoint/pickle.js';
import { PickleError } from '../checkpoint/pickle-codes.js';
import { damaged } from '../checkpoint/stored-tensor.js';
import { PICKLED_HEAD } from '../sentence-files.js';
import { ARRAY_NAMES, arrayOf, attributesOf, behindArray } from './numpy.js';

export interface FittedHead {
  /** Absolute. */
  readonly file: string;
  /** Labels of the head's training data, one for each column. */
  readonly classes: readonly (number | string)[];
  /** One label, by softmax or as shares of the sum of sigmoids; or any number of labels, each by its sigmoid. */
  readonly scores: 'softmax' | 'shares' | 'independent';
  /** Numbers of an embedding. */
  readonly width: number;
  /** [width, classes], row by row. */
  readonly weight: Float32Array;
  readonly bias: Float32Array;
}

/** Rows of weights, as scikit-learn keeps them, [rows][width]. */
interface WeightRows {
  readonly coefficients: readonly (readonly number[])[];
  readonly intercepts: readonly number[];
}

interface Fitted extends WeightRows, Pick<FittedHead, 'classes' | 'scores'> {}

const LOGISTIC = [
  'sklearn.linear_model._logistic.LogisticRegression',
  'sklearn.linear_model.logistic.LogisticRegression',
];
const ONE_VS_REST = 'sklearn.multiclass.OneVsRestClassifier';
const MULTI_OUTPUT = 'sklearn.multioutput.MultiOutputClassifier';

const NAMES: PickleNames = {
  names: new Set([
    ...LOGISTIC,
    ONE_VS_REST,
    MULTI_OUTPUT,
    'sklearn.preprocessing._label.LabelBinarizer',
    'sklearn.preprocessing.label.LabelBinarizer',
    ...ARRAY_NAMES,
  ]),
  of: 'heads of this kind',
  behind: behindArray,
};

/** More bytes than a head of 4,096 numbers and 1,000 labels takes. */
const MAX_BYTES = 100_000_000;

/** The head of a folder; undefined if it has none. Throws OnnxError. */
export function fittedHead(folder: string): FittedHead | undefined {
  const file = join(folder, PICKLED_HEAD);
  if (!existsSync(file)) return undefined;
  const head = pickledHead(file);
  return { file, classes: head.classes, ...columnsOf(head, file) };
}

function pickledHead(file: string): Fitted {
  const bytes = readFileSync(file);
  if (bytes.length > MAX_BYTES) throw damaged(file, `a head of ${bytes.length} bytes`);
  if (bytes[0] !== 0x80) throw refuse(file, 'a compressed file, or none of joblib');
  try {
    return fittedOf(readPickle(bytes, NAMES));
  } catch (error) {
    if (error instanceof PickleError) throw refuse(file, error.message);
    throw error;
  }
}

function fittedOf(value: PickleValue): Fitted {
  if (!isCall(value)) throw new PickleError('no classifier');
  if (LOGISTIC.includes(value.call)) return logistic(value);
  const attributes = attributesOf(value);
  const estimators = attributes.get('estimators_');
  if (![ONE_VS_REST, MULTI_OUTPUT].includes(value.call) || !Array.isArray(estimators))
    throw new PickleError(`an object of ${value.call}`);
  const each = estimators.map((estimator) => {
    const known = isCall(estimator) && LOGISTIC.includes(estimator.call) ? logistic(estimator) : undefined;
    if (known?.coefficients.length !== 1 || known.scores !== 'independent')
      throw new PickleError('classifiers of labels other than a logistic regression of two classes each');
    return known;
  });
  const rows = {
    coefficients: each.flatMap(({ coefficients }) => coefficients),
    intercepts: each.flatMap(({ intercepts }) => intercepts),
  };
  const numbered = each.map((_, at) => at);
  if (value.call === MULTI_OUTPUT) return { ...rows, classes: numbered, scores: 'independent' };
  const labels = attributes.get('label_binarizer_');
  const binarizer = isCall(labels) ? attributesOf(labels) : new Map<PickleValue, PickleValue>();
  const multi = String(binarizer.get('y_type_')).startsWith('multilabel');
  const classes = arrayOf(binarizer.get('classes_')).values;
  return {
    ...rows,
    classes: multi ? numbered : classes,
    scores: multi || each.length === 1 ? 'independent' : 'shares',
  };
}

/** Scores as its version of scikit-learn makes them: of two classes by a sigmoid, else by softmax unless one-vs-rest was chosen. */
function logistic(value: PickleValue): Fitted {
  const attributes = isCall(value) ? attributesOf(value) : new Map<PickleValue, PickleValue>();
  const classes = arrayOf(attributes.get('classes_')).values;
  const coefficients = rowsOf(attributes.get('coef_'));
  const found = arrayOf(attributes.get('intercept_')).values.map(Number);
  const intercepts = found.length === 1 ? coefficients.map(() => must(found[0])) : found;
  const chosen = attributes.get('multi_class') ?? 'auto';
  const rest =
    ['ovr', 'warn'].includes(String(chosen)) ||
    (chosen !== 'multinomial' && (classes.length <= 2 || attributes.get('solver') === 'liblinear'));
  if (rest) return { coefficients, intercepts, classes, scores: classes.length <= 2 ? 'independent' : 'shares' };
  if (classes.length !== 2) return { coefficients, intercepts, classes, scores: 'softmax' };
  // Softmax over the margin and its negative.
  return {
    classes,
    coefficients: coefficients.map((row) => row.map((weight) => 2 * weight)),
    intercepts: intercepts.map((intercept) => 2 * intercept),
    scores: 'independent',
  };
}

function rowsOf(value: PickleValue | undefined): readonly (readonly number[])[] {
  const { dims, values } = arrayOf(value);
  const [count = 0, width = 0] = dims;
  // Rows without numbers take no bytes, so a file may claim any number of them.
  if (dims.length !== 2 || width === 0) throw new PickleError('coefficients that are no table');
  return Array.from({ length: count }, (_, row) => values.slice(row * width, (row + 1) * width).map(Number));
}

/** One column for each class; a single row speaks for the second of two, and is softmax with a column of zeros. */
function columnsOf(
  { coefficients, intercepts, classes, scores }: Fitted,
  file: string,
): Pick<FittedHead, 'width' | 'weight' | 'bias' | 'scores'> {
  const single = coefficients.length === 1 && classes.length === 2;
  const width = coefficients[0]?.length ?? 0;
  const zeros = coefficients.slice(0, single ? 1 : 0).map((row) => row.map(() => 0));
  const rows = [...zeros, ...coefficients];
  const bias = [...(single ? [0] : []), ...intercepts];
  const fits =
    rows.every((row) => row.length === width) && bias.length === rows.length && classes.length === rows.length;
  const numbers = [...rows.flat(), ...bias].map(Math.fround);
  if (!fits || width === 0 || !numbers.every(Number.isFinite))
    throw refuse(file, `weights [${coefficients.length}, ${width}] of ${classes.length} classes`);
  const weight = new Float32Array(width * rows.length);
  for (const [column, row] of rows.entries()) {
    for (const [at, value] of row.entries()) weight[at * rows.length + column] = value;
  }
  return { width, weight, bias: Float32Array.from(bias), scores: single ? 'softmax' : scores };
}

const refuse = (file: string, got: string): OnnxError =>
  new OnnxError(
    `${file}: expected a LogisticRegression of scikit-learn, alone or in a OneVsRestClassifier or MultiOutputClassifier, got ${got}`,
    {
      code: 'MODEL_UNSUPPORTED',
      hint: 'Nothing of it was run. Fit a LogisticRegression, the usual head of SetFit, and save the model again.',
    },
  );
