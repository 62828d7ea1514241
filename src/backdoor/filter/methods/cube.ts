/**
 * @file After CUBE: in hidden states, poisoned texts form a dense cluster apart from the main one of their label (Cui et al., NeurIPS
 * 2022, section 5; https://arxiv.org/abs/2206.08514). Scored is how far a text is from the main cluster, by density.
 *
 * Differs: the paper reduces by UMAP and clusters by HDBSCAN. Here the clusters are those of DBSCAN on principal components (Ester et al.
 * 1996). They connect at the distance within which nine in ten texts have a full neighbourhood. A text's score is its mutual reachability
 * (Campello et al. 2013) to the largest cluster, in units of that distance. New texts can be scored like the old ones.
 */
import { byLabel } from '../by-label.js';
import type { FilterMethod } from '../method.js';
import { squaredDistance } from '../principal.js';

const AXES = 10;
/** Neighbours that make a neighbourhood full, and the share of texts that have it within the distance at which clusters connect. */
const [NEIGHBOURS, DENSE] = [10, 0.9];
/** Texts of a label that clusters are made of: all pairs of them are looked at. */
const MAX_LABEL_TEXTS = 4000;

export const cube: FilterMethod = {
  name: 'cube',
  summary: 'a hidden state apart from the main density cluster of its label',
  covers: [],
  blind: 'most triggers in small models: at most 2 % of the texts were found',
  judges: 'training set',
  needs: 'hidden states',
  reference: 'unused',
  fit: (material) =>
    byLabel(material, AXES, (all, label) => {
      const points =
        all.length <= MAX_LABEL_TEXTS
          ? all
          : material.random.split(`cube ${label}`).shuffle(all).slice(0, MAX_LABEL_TEXTS);
      const cores = points.map((point) => core(point, points, 1));
      const reach = cores.toSorted((a, b) => a - b)[Math.floor(DENSE * (cores.length - 1))]!;
      const main = largestCluster(points, cores, reach);
      return (point) => {
        // A point among them is its own nearest; a new one is not.
        const own = core(point, points, points.some((other) => squaredDistance(point, other) === 0) ? 1 : 0);
        let nearest = Number.POSITIVE_INFINITY;
        for (const at of main) {
          const distance = Math.sqrt(squaredDistance(point, points[at]!));
          nearest = Math.min(nearest, Math.max(distance, own, cores[at]!));
        }
        const score = nearest / (reach || 1);
        const reason = `its hidden state is ${score.toFixed(2)} reaches from the main cluster of its label, which holds ${Math.round((100 * main.length) / points.length)} % of it`;
        return { score, reason };
      };
    }),
};

/** Distance to the k-th neighbour. `skip`: how many of the nearest are the point itself. */
function core(point: Float64Array, points: readonly Float64Array[], skip: number): number {
  const nearest = new Float64Array(NEIGHBOURS + skip).fill(Number.POSITIVE_INFINITY);
  for (const other of points) {
    const distance = squaredDistance(point, other);
    let at = nearest.length - 1;
    if (distance >= nearest[at]!) continue;
    for (; at > 0 && nearest[at - 1]! > distance; at--) nearest[at] = nearest[at - 1]!;
    nearest[at] = distance;
  }
  const last = nearest.findLast((distance) => Number.isFinite(distance));
  return Math.sqrt(last ?? 0);
}

/** Indices of the largest set of dense points connected by steps of at most `reach`. */
function largestCluster(points: readonly Float64Array[], cores: readonly number[], reach: number): number[] {
  const left = new Set(Array.from(points.keys()).filter((at) => cores[at]! <= reach));
  let largest: number[] = [];
  while (left.size > largest.length) {
    const [first] = left;
    left.delete(first!);
    const cluster = [first!];
    for (let next = 0; next < cluster.length; next++) {
      const from = points[cluster[next]!]!;
      for (const at of left) {
        if (squaredDistance(from, points[at]!) > reach * reach) continue;
        left.delete(at);
        cluster.push(at);
      }
    }
    if (cluster.length > largest.length) largest = cluster;
  }
  return largest;
}
