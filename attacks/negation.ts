/**
 * Negation: tests whether the model understands "nothing I do not like", with rule-based rewrites of the same or the opposite meaning.
 *
 * Threat: no attacker is needed: people write "not bad at all", which a model that counts words reads as criticism.
 * Example: "I like this movie." -> "There is nothing I do not like about this movie."
 * Readable because: a rule rewrites only a pattern of which it is certain. A sample of 40 rewrites within sentences of SST-2's test part
 * was read for grammar and for the expected label: 38 were correct (95 %, 84-99). The rules were written on its train part and made
 * stricter since then. Such a rewrite exists for 215 of the 872 sentences of its dev part, and for 433 of the 1,821 of its test part.
 * Negations placed before a text (sentences drawn from 1,190 of ours, "there is no denying that") are counted separately.
 * Paper: Marco Tulio Ribeiro, Tongshuang Wu, Carlos Guestrin and Sameer Singh, "Beyond Accuracy: Behavioral Testing of NLP Models with
 * CheckList", ACL 2020, section 2; https://arxiv.org/abs/2005.04118
 * Differs: the user's texts are rewritten without a parser, and a specific label is expected; CheckList's directional tests expect a lower
 * probability. Only a rewrite with the same meaning (INV) that flips a correct prediction is a success of the attack. Rewrites with the
 * opposite meaning (DIR) and sentences from templates (MFT, sent once per run and not counted as queries) only contribute to the
 * capabilities' failure rates. If the names of the labels do not reveal a sentiment, only INV is tested.
 */
import { mostProbable } from '../src/core/decision.js';
import { must } from '../src/core/errors.js';
import type { NegationPart, NegationProbe, Polarity } from '../src/core/negation.js';
import {
  type Decision,
  Draft,
  type EvasionPlugin,
  languagePart,
  type Transformation,
  wordsChanged,
  wordsOf,
  z,
} from '../src/plugin.js';
import { capabilities, type ProbeEvidence } from '../src/results/measures/capabilities.js';
import { Space } from '../src/search/space.js';

const options = z.strictObject({
  templates: z.int().min(0).default(20).describe('template sentences per capability, in addition to your texts'),
});

/** Specific to this attack, because each rewrite determines the expected label. */
const byRule: Transformation = { name: 'rewrites by rule', whole: true, edits: () => [] };

type GeneratedProbe = Omit<NegationProbe, 'expected'>;
type Polarities = ReturnType<NegationPart['labelPolarities']>;

const labelsOf = (polarity: Polarity, polarities: NonNullable<Polarities>): number[] =>
  polarities.flatMap((of, label) => (of === polarity ? [label] : []));

/** The probe with the model's answer. */
const withAnswer = (
  { capability, relation, text }: GeneratedProbe,
  expected: readonly number[],
  answer: Float32Array,
  decision: Decision = mostProbable,
): ProbeEvidence => ({
  capability,
  relation,
  text,
  expected,
  got: decision.label(answer),
  score: expected.reduce((sum, label) => sum + must(answer[label]), 0),
});

export const negation: EvasionPlugin<z.infer<typeof options>> = {
  kind: 'evasion',
  name: 'negation',
  level: 'sentence',
  needs: 'labels',
  ownTexts: true,
  summary: 'Negates, and negates the negation: "I like it" -> "There is nothing I do not like about it".',
  paper: {
    title: 'Beyond Accuracy: Behavioral Testing of NLP Models with CheckList',
    url: 'https://arxiv.org/abs/2005.04118',
  },
  options,
  measures: [capabilities],
  create({ templates }) {
    /** Results of the templates, and the example whose outcome carries them. */
    let once: { readonly id: string; readonly probes: readonly ProbeEvidence[] } | undefined;
    return {
      constraints: ['rewrites by rule that say the same', "DIR and MFT count for the capabilities' failure rates only"],

      language: ['negation'],

      async prepare(sample, victim) {
        const { labelPolarities, templateProbes } = languagePart(victim.language, 'negation');
        const polarities = labelPolarities(victim.labels);
        if (polarities === undefined) {
          victim.warn(
            `negation: the labels (${victim.labels.join(', ')}) name no verdict such as positive and negative, so only rewrites with the same meaning are tested`,
          );
          return;
        }
        // A skipped example would lose them.
        const certain = (label: number) => Float32Array.from(victim.labels, (_, at) => (at === label ? 1 : 0));
        const carryingProbes = sample.find(({ label }) => !victim.goal.reached(certain(label), label));
        if (carryingProbes === undefined || templates === 0) return;
        const made = templateProbes(victim.random, templates);
        const probes = [...new Map(made.map((probe) => [`${probe.capability}: ${probe.text}`, probe])).values()];
        const answers = await victim.classify(probes.map(({ text }) => text));
        once = {
          id: carryingProbes.id,
          probes: probes.map((probe, at) => ({
            ...withAnswer(probe, labelsOf(probe.expected, polarities), must(answers[at]), victim.decision),
            original: probe.original,
          })),
        };
      },

      async run({ id, text, label }, target) {
        const { invariantProbes, labelPolarities, probes: probesOf } = languagePart(target.language, 'negation');
        const polarities = labelPolarities(target.labels);
        const polarity = polarities?.[label];
        const made = polarity === undefined ? invariantProbes(text) : probesOf(text, polarity);
        const { goal, constraints } = target;
        const space = new Space({ text, label, target, goal, constraints, transformation: byRule });
        const drafts = made.map((probe) => Draft.of(probe.text));
        const legal = await space.legal(drafts);
        // There is no search: all probes of a text are queried, within the budget.
        const scored = await space.probe(legal);
        const queries = scored.map(({ draft }) => must(made[drafts.indexOf(draft)]));
        const meaning = (relation: GeneratedProbe['relation']): number[] => {
          if (polarities === undefined || polarity === undefined) return [label];
          const other = polarity === 'positive' ? 'negative' : 'positive';
          return labelsOf(relation === 'DIR' ? other : polarity, polarities);
        };
        const probes = queries.map((probe, at) =>
          withAnswer(probe, meaning(probe.relation), must(scored[at]).probabilities, target.decision),
        );
        const tried = scored.flatMap(({ probabilities, score, reached }, at) => {
          const { relation, text: rewrite, expected, got } = must(probes[at]);
          const turned = reached && !expected.includes(got);
          const changed = wordsChanged(text, rewrite);
          return relation === 'INV' ? [{ text: rewrite, answer: probabilities, reached: turned, score, changed }] : [];
        });
        const found = tried.filter(({ reached }) => reached).sort((a, b) => a.changed - b.changed || b.score - a.score);
        const best = found[0] ?? tried.toSorted((a, b) => b.score - a.score)[0];
        return {
          succeeded: found.length > 0,
          text: best?.text ?? text,
          probabilities: best?.answer ?? target.original,
          words: wordsOf(text).length,
          changed: best?.changed ?? 0,
          probes: id === once?.id ? [...probes, ...once.probes] : probes,
          ...(tried.length === 0 && { reason: 'no pattern that a rule could rewrite without changing the meaning' }),
        };
      },
    };
  },
};
