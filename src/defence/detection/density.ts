import type { Detector } from '../../core/detector.js';

/** Clean texts compared with. */
const NEIGHBOURS = 10;

/** Adversarial texts lie where clean ones do not. */
export const density: Detector = {
  kind: 'detector',
  name: 'density',
  summary: `A hidden state far from those of clean texts: mean cosine distance to the nearest ${NEIGHBOURS}.`,
  paper: {
    title:
      'Yoo, Kim, Jang, Kwak: Detection of Adversarial Examples in Text Classification: Benchmark and Baseline via Robust Density Estimation, ACL Findings 2022 (the idea; nearest neighbours instead of its Gaussians)',
    url: 'https://arxiv.org/abs/2203.01677',
  },
  needs: 'hidden states',
  create: async ({ hidden, clean }) => {
    if (hidden === undefined) throw new RangeError('expected hidden states');
    const known = (await hidden.states(clean)).map(unit);
    return async (texts) =>
      Float64Array.from((await hidden.states(texts)).map(unit), (state) => {
        const distances = known.map((other) => 1 - dot(state, other)).sort((a, b) => a - b);
        const near = distances.slice(0, NEIGHBOURS);
        return near.reduce((sum, distance) => sum + distance, 0) / near.length;
      });
  },
};

function unit(state: Float32Array): Float32Array {
  const norm = Math.sqrt(dot(state, state));
  return norm === 0 ? state : state.map((x) => x / norm);
}

function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let at = 0; at < a.length; at++) sum += a[at]! * b[at]!;
  return sum;
}
