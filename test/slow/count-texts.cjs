// Loaded before a process and its threads (NODE_OPTIONS): each text that a model computes is a line's count in the file ROBUST_TEST_TEXTS.
const { appendFileSync } = require('node:fs');
const { InferenceSession } = require('onnxruntime-common');

const { run } = InferenceSession.prototype;
InferenceSession.prototype.run = function (feeds, ...rest) {
  appendFileSync(process.env.ROBUST_TEST_TEXTS, `${Object.values(feeds)[0].dims[0]}\n`);
  return run.call(this, feeds, ...rest);
};
