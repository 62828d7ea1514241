/** @file What adversarial training can be told. */
import type { PerturbationNorm } from './moves.js';

export interface AdversarialOptions {
  /**
   * Share of the untouched texts' loss, in [0, 1]; the methods divide the rest evenly. J' = alpha J(x, y) + (1 - alpha) J(x', y):
   * Goodfellow et al., "Explaining and Harnessing Adversarial Examples" (ICLR 2015), section 6. 1 is plain training.
   */
  readonly alpha: number;
  readonly methods: readonly AdversarialMethod[];
}

export type AdversarialMethod = Perturbation | Augment;

/** What is made of a batch from its gradient. `epsilon`: how far embeddings may move, in mean embedding norms, as the embedding attacks measure it. */
export type Perturbation = Fgsm | Pgd | FreeLb | Smart | A2t | HotFlip | Ascc | Dne;

/** The words of largest gradient become synonyms: Yoo and Qi, "Towards Improving Adversarial Training of NLP Models" (EMNLP Findings 2021). */
export interface A2t {
  readonly kind: 'a2t';
  /** Share of the tokens replaced, at least one. */
  readonly rate: number;
}

/** The tokens of largest gradient become other pieces: Ebrahimi et al., "HotFlip" (ACL 2018). */
export interface HotFlip {
  readonly kind: 'hotflip';
  /** In each text. */
  readonly flips: number;
}

/** The answer must not change where each word is a bad mixture of itself and its synonyms: Dong et al., ICLR 2021. */
export interface Ascc {
  readonly kind: 'ascc';
  /** ln of how much more the worst word is of the mixture than the best, after all steps. */
  readonly sharpness: number;
  /** At least 1. */
  readonly steps: number;
}

/** Each word becomes a random mixture of itself and its synonyms: Zhou et al., ACL 2021. */
export interface Dne {
  readonly kind: 'dne';
}

/** Whether a method needs to know which words stand for which. */
export const needsSynonyms = ({ kind }: AdversarialMethod): boolean =>
  kind === 'a2t' || kind === 'ascc' || kind === 'dne';

/** Beside each text a copy is learnt that an attack rewrote. */
export interface Augment {
  readonly kind: 'augment';
  /** A suite or an attack, as the rewriter knows it. */
  readonly attacks: string;
  /** Other copies each epoch. */
  readonly refresh: boolean;
  /** Texts that an attack may ask the model, as its weights are when an epoch begins, for one copy; 0: chance makes the copies. */
  readonly queries: number;
}

export const isAugment = (method: AdversarialMethod): method is Augment => method.kind === 'augment';

/** Does any of it count, and change what a text's tokens or embeddings are while it is learnt? At alpha = 1 it is plain training, to the bit. */
export const moves = ({ alpha, methods }: AdversarialOptions): boolean =>
  alpha < 1 && methods.some((method) => !isAugment(method));

/** One step up the gradient: by its sign (`linf`), or along it (`l2`: Miyato, Dai and Goodfellow, ICLR 2017, eq. 5). */
export interface Fgsm {
  readonly kind: 'fgsm';
  readonly epsilon: number;
  readonly norm: PerturbationNorm;
}

/** Several steps from a random start within the ball: Madry et al., ICLR 2018, section 2.1. Learnt is the last point. */
export interface Pgd {
  readonly kind: 'pgd';
  readonly epsilon: number;
  readonly norm: PerturbationNorm;
  /** At least 1; each is 2.5 epsilon / steps long. */
  readonly steps: number;
}

/** Every point of an ascent is learnt, 1 / steps each: Zhu et al., "FreeLB" (ICLR 2020), Algorithm 1. */
export interface FreeLb {
  readonly kind: 'freelb';
  /** Radius around the text. */
  readonly epsilon: number;
  readonly steps: number;
  /** Length of the random start, in epsilons. */
  readonly start: number;
  /** Length of a step, in epsilons. */
  readonly stride: number;
}

/** The answer must not change nearby: the divergence of the moved text's answer from the untouched one's (Jiang et al. 2020). */
export interface Smart {
  readonly kind: 'smart';
  readonly epsilon: number;
  readonly norm: PerturbationNorm;
  readonly steps: number;
}
