// A classifier for tests: positive as soon as the text holds the word "good". TOY_DELAY: milliseconds an answer takes. TOY_TELLS: says on
// stderr how often it was called. TOY_HANGS: from this call on it never answers.
const delay = Number(process.env.TOY_DELAY ?? 0);
let calls = 0;

export default {
  labels: ['negative', 'positive'],
  async classify(texts) {
    calls++;
    if (process.env.TOY_TELLS) process.stderr.write(`toy: ${calls} calls\n`);
    if (calls >= Number(process.env.TOY_HANGS ?? Number.POSITIVE_INFINITY))
      await new Promise((resolve) => setTimeout(resolve, 3_600_000));
    if (delay > 0) await new Promise((resolve) => setTimeout(resolve, delay));
    return texts.map((text) => Float32Array.from(/\bgood\b/.test(text) ? [0.25, 0.75] : [0.75, 0.25]));
  },
};
