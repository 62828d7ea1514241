/** @file The victim of TextAttack's outcomes behind Python's onnxruntime, as a program. */
import { copyFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Compared, compare, ourStream, theirs, VICTIM } from '../attacks/peer.js';
import { folder } from '../commands/cli.js';
import { pythonWith, robustText } from './pythons.js';

export const python = pythonWith('onnxruntime', 'tokenizers');

const PROGRAM = `
import sys
import numpy
from onnxruntime import InferenceSession, SessionOptions
from robust_text import serve
from tokenizers import Tokenizer

home = sys.argv[1]
tokenizer = Tokenizer.from_file(f"{home}/tokenizer.json")
tokenizer.no_padding()
tokenizer.enable_truncation(128)
options = SessionOptions()
options.intra_op_num_threads = 1
session = InferenceSession(f"{home}/model.onnx", options)
names = [each.name for each in session.get_inputs()]

def classify(texts):
    rows = []
    for encoded in tokenizer.encode_batch(texts):
        values = {"input_ids": encoded.ids, "attention_mask": encoded.attention_mask}
        logits = session.run(None, {name: numpy.array([values[name]]) for name in names})[0][0]
        powers = numpy.exp(logits - logits.max())
        rows.append(powers / powers.sum())
    return rows

serve(classify, labels=["NEGATIVE", "POSITIVE"])
`;

/** Outcomes of an attack on the first sentences of a golden file: of the model here, and of the same model in Python. */
export async function both(
  recipe: string,
  count: number,
  options: Readonly<Record<string, unknown>> = {},
): Promise<{ readonly here: Compared[]; readonly there: Compared[] }> {
  const cwd = folder({ 'victim.py': PROGRAM });
  copyFileSync(robustText, join(cwd, 'robust_text.py'));
  const rows = theirs(recipe).slice(0, count);
  const victim = `cmd:${python} ${join(cwd, 'victim.py')} ${resolve(VICTIM)}`;
  return {
    here: await compare(recipe, rows, ourStream(1), options),
    there: await compare(recipe, rows, ourStream(1), options, victim),
  };
}

/** What has to be equal. */
export const outcomes = (results: readonly Compared[]): unknown =>
  results.map(({ status, ours }) => ({ status, text: ours?.text, asked: ours?.asked }));
