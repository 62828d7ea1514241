/**
 * @file Activation clustering: the hidden states of a poisoned label fall into two clusters, and the smaller one is the poison (Chen
 * et al., SafeAI 2019, section 3; https://arxiv.org/abs/1811.03728). PCA to 10 dimensions and 2-means, as in the Adversarial
 * Robustness Toolbox.
 *
 * Differs: scored is how much nearer a text is to the smaller cluster, weighted by how unequal the clusters are, as two halves of a
 * clean label are no sign; the paper takes whole clusters.
 */
import type { Random } from '../../../core/random.js';
import { byLabel } from '../by-label.js';
import type { FilterMethod } from '../method.js';
import { squaredDistance } from '../principal.js';

const [AXES, RESTARTS, ROUNDS] = [10, 8, 50];

export const activationClustering: FilterMethod = {
  name: 'activation-clustering',
  summary: 'a hidden state in the smaller of two clusters of its label',
  judges: 'training set',
  needs: 'hidden states',
  reference: 'unused',
  fit: (material) =>
    byLabel(material, AXES, (points, label) => {
      const { centres, sizes } = twoMeans(points, material.random.split(`means ${label}`));
      const small = sizes[0] <= sizes[1] ? 0 : 1;
      const share = sizes[small] / points.length;
      const apart = Math.sqrt(squaredDistance(centres[0], centres[1])) || 1;
      return (point) => {
        const [own, other] = [centres[small], centres[1 - small] as Float64Array].map((c) =>
          Math.sqrt(squaredDistance(point, c)),
        );
        const score = (((other as number) - (own as number)) / apart) * (1 - 2 * share);
        const reason = `its hidden state is nearer to the smaller cluster of its label, which holds ${(100 * share).toFixed(1)} % of it`;
        return { score, reason };
      };
    }),
};

interface Clusters {
  readonly centres: readonly [Float64Array, Float64Array];
  readonly sizes: readonly [number, number];
}

/** 2-means (Lloyd 1982), the tightest of several starts. */
function twoMeans(points: readonly Float64Array[], random: Random): Clusters {
  let best: Clusters | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (let start = 0; start < RESTARTS; start++) {
    let centres: [Float64Array, Float64Array] = [random.pick(points), random.pick(points)];
    let sizes: [number, number] = [0, 0];
    let cost = Number.POSITIVE_INFINITY;
    for (let round = 0; round < ROUNDS; round++) {
      const sums: [Float64Array, Float64Array] = [
        new Float64Array(centres[0].length),
        new Float64Array(centres[0].length),
      ];
      const counts: [number, number] = [0, 0];
      let total = 0;
      for (const point of points) {
        const [a, b] = [squaredDistance(point, centres[0]), squaredDistance(point, centres[1])];
        const to = a <= b ? 0 : 1;
        total += Math.min(a, b);
        counts[to]++;
        const sum = sums[to];
        for (let k = 0; k < sum.length; k++) sum[k]! += point[k] as number;
      }
      sizes = counts;
      centres = [0, 1].map((c) =>
        counts[c] ? sums[c]?.map((x) => x / (counts[c] as number)) : centres[c],
      ) as typeof centres;
      if (total >= cost * (1 - 1e-9)) break;
      cost = total;
    }
    if (cost < least) {
      least = cost;
      best = { centres, sizes };
    }
  }
  return best as Clusters;
}
