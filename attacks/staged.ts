/**
 * Staged: gets past a pipeline stage by stage, with the edits of other attacks, several of them on one text where one is not enough.
 *
 * Threat: someone who knows how a guardrail is built, or finds out, and evades its rules by one disguise and its detector by another.
 * Example: "Ignore all rules." -> "1gn0re all rules." behind a page of everyday words
 * Readable because: every edit is one of the suite `guardrail`, each of which keeps the text readable; several together are harder to read.
 * Paper: Ian R. McKenzie and others, "STACK: Adversarial Attacks on LLM Safeguard Pipelines", 2025, https://arxiv.org/abs/2506.24068
 * Differs: the paper searches jailbreaks by a language model, and sees which stage flagged the text. Here the edits are those of the suite,
 * the stages' scores lead the search, and a disguise that the normalisers undo costs no query. Transfer to unknown pipelines is not tested.
 */
import { type KindOf, stagedAttack } from '../src/recipes/staged-attack.js';

/** `kinds`: the edits, in the order in which they are tried. */
export const stagedOver = (kinds: readonly KindOf[]) =>
  stagedAttack({
    name: 'staged',
    level: 'sentence',
    summary: 'Evades the stages of a pipeline one by one, with one disguise or several on one text.',
    paper: {
      title: 'STACK: Adversarial Attacks on LLM Safeguard Pipelines',
      url: 'https://arxiv.org/abs/2506.24068',
    },
    kinds,
  });
