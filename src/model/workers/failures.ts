import { ModelError, must } from '../../core/errors.js';

/** `model`: the .onnx file, undefined for a graph that we made of one; `what`: onnxruntime's message. */
export function loadFailure(model: string | undefined, what: string, cause?: unknown): ModelError {
  if (model === undefined) {
    return new ModelError(`onnxruntime refused the graph: ${what}`, {
      code: 'GRADIENTS_UNSUPPORTED',
      hint: 'Black-box attacks may still run on it.',
      cause,
    });
  }
  const locale = /locale with name:\s*(\S+?):/i.exec(what)?.[1];
  if (locale !== undefined) {
    return new ModelError(`${model}: its text processing needs the locale ${locale}, which this machine lacks`, {
      code: 'RUNTIME_DAMAGED',
      hint: `Install it: apt-get install -y locales && localedef -i ${locale.split('.')[0]} -f UTF-8 ${locale}`,
      cause,
    });
  }
  return new ModelError(`${model}: onnxruntime cannot load it: ${firstLine(what)}`, {
    code: 'MODEL_DAMAGED',
    hint: 'Check that the file is a complete ONNX model: download or export it again.',
    cause,
  });
}

export function runFailure(model: string | undefined, what: string, cause?: unknown): ModelError {
  if (model === undefined) {
    return new ModelError(`the graph could not be run: ${what}`, { code: 'MODEL_DAMAGED', cause });
  }
  const [rows, got] = beyond(what) ?? [];
  if (rows === undefined) {
    const text = `${model}: the model could not be run: ${firstLine(what)}`;
    return new ModelError(text, { code: 'MODEL_DAMAGED', cause });
  }
  return new ModelError(`${model}: expected tokens of which ids and places are below ${rows}, got ${got}`, {
    code: 'MODEL_DAMAGED',
    hint: `If it takes ${rows} tokens at most, no file says so: write "model_max_length": ${rows} into tokenizer_config.json. Else check that the tokenizer belongs to this model: its ids must be rows of the embedding table.`,
    cause,
  });
}

/** The rows of a table that a run went beyond, and where to: of a lookup, or of a sum with a slice of the table. */
function beyond(what: string): readonly [rows: number, got: number] | undefined {
  const [, index, last] = /idx=(-?\d+) must be within the inclusive range \[-\d+,(\d+)\]/.exec(what) ?? [];
  if (last !== undefined) return [Number(last) + 1, Number(index)];
  const [, one, other] = /broadcast an axis by a dimension other than 1\. (\d+) by (\d+)/.exec(what) ?? [];
  return other === undefined ? undefined : [Math.min(Number(one), Number(other)), Math.max(Number(one), Number(other))];
}

const firstLine = (text: string): string => must(text.split('\n', 1)[0]).slice(0, 300);
