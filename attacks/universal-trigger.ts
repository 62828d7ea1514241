/**
 * Universal trigger: searches one short phrase that makes the model err when it precedes any text of a class, and tries it on all.
 *
 * Threat: someone with one-time white-box access who then attacks every text with the same few words.
 * Example: "a lovely film" -> "unfunny tedious bore a lovely film"
 * Readable because: the text itself is unchanged, but a reader sees the phrase and may take it into account. The success rate shows the
 * effect of a few foreign words, and the words show what the model relies on.
 * Paper: Eric Wallace, Shi Feng, Nikhil Kandpal, Matt Gardner and Sameer Singh, "Universal Adversarial Triggers for Attacking and Analyzing
 * NLP", EMNLP 2019, section 2; https://arxiv.org/abs/1908.07125
 * Differs: the trigger consists of whole words, so that it can be typed. Triggers are searched for each true label, on correctly classified
 * examples of the data set. These are also attacked, so they are divided into two halves, and an example of one half is attacked with the
 * trigger learned from the other (cross-fitting): no example is scored with a trigger that it helped to choose.
 */
import { must } from '../src/core/errors.js';
import { type EvasionPlugin, type Example, firstOrder, type Victim, z } from '../src/plugin.js';
import { crossFitted } from '../src/search/cross-fitted.js';

const options = z.strictObject({
  words: z.int().min(1).max(10).default(3).describe('words in the trigger (paper: 1 to 3)'),
  candidates: z.int().min(1).default(20).describe('words tried per position, the steepest first (paper: 20)'),
  sample: z
    .int()
    .min(1)
    .max(64)
    .default(16)
    .describe('examples per label for the search of a trigger; two are searched'),
  rounds: z
    .int()
    .min(1)
    .default(5)
    .describe('passes over the positions; the search ends with the first one without a gain'),
});
type TriggerOptions = z.infer<typeof options>;

const put = (trigger: readonly string[], text: string): string => `${trigger.join(' ')} ${text}`;

/** The gradient of the goal at one word of the trigger, summed over the examples. */
async function gradientAt(
  place: number,
  trigger: readonly string[],
  examples: readonly Example[],
  model: NonNullable<Victim['gradients']>,
  goal: Victim['goal'],
): Promise<Float32Array> {
  const sign = goal.target === undefined ? 1 : -1;
  const from = put(trigger.slice(0, place), '').length - (place === 0 ? 1 : 0);
  const gradient = new Float32Array(model.hidden);
  const answers = await Promise.all(
    examples.map(({ text, label }) => model.gradient(put(trigger, text), goal.target ?? label)),
  );
  for (const { tokens, values } of answers) {
    const row = tokens.findIndex((token) => !token.special && token.start >= from && token.end > from);
    for (let k = 0; row >= 0 && k < model.hidden; k++) gradient[k]! += sign * must(values[row * model.hidden + k]);
  }
  return gradient;
}

/** The trigger for the examples of one label; undefined if the model's vocabulary has no suitable word. */
async function seek(
  examples: readonly Example[],
  victim: Victim,
  chosen: TriggerOptions,
): Promise<readonly string[] | undefined> {
  const model = victim.gradients;
  if (model === undefined) throw new RangeError('expected a victim with gradients');
  const { goal } = victim;
  /** Mean of the goal's score over the sample, which the trigger maximises. */
  const scores = async (triggers: readonly (readonly string[])[]): Promise<number[]> => {
    const texts = triggers.flatMap((trigger) => examples.map(({ text }) => put(trigger, text)));
    const rows = await victim.classify(texts);
    return triggers.map((_, t) =>
      examples.reduce((sum, { label }, e) => sum + goal.score(must(rows[t * examples.length + e]), label), 0),
    );
  };
  let trigger: readonly string[] = new Array<string>(chosen.words).fill('the');
  let best = must((await scores([trigger]))[0]);
  for (let round = 0; round < chosen.rounds; round++) {
    const before = best;
    for (let place = 0; place < chosen.words; place++) {
      const gradient = await gradientAt(place, trigger, examples, model, victim.goal);
      const [steepest = []] = await firstOrder(model, [gradient], chosen.candidates);
      if (steepest.length === 0) return undefined;
      const tried = steepest.map(({ id }) => trigger.with(place, must(model.tokenText(id)).trim()));
      const found = await scores(tried);
      const highest = Math.max(...found);
      if (highest <= best) continue;
      best = highest;
      trigger = tried[found.indexOf(highest)] as readonly string[];
    }
    if (best === before) break;
  }
  return trigger;
}

export const universalTrigger: EvasionPlugin<TriggerOptions> = {
  kind: 'evasion',
  name: 'universal-trigger',
  level: 'word',
  needs: 'gradients',
  ownTexts: true,
  summary: 'Inserts the same few words before every text of a class: "unfunny tedious bore a lovely film".',
  paper: {
    title: 'Universal Adversarial Triggers for Attacking and Analyzing NLP',
    url: 'https://arxiv.org/abs/1908.07125',
  },
  options,
  create: (chosen) =>
    crossFitted({
      name: 'trigger',
      bound: `the same ${chosen.words} words put before every text of a label`,
      sample: chosen.sample,
      put,
      seek: (examples, victim) => seek(examples, victim, chosen),
      noPhrase: "no entry of the model's vocabulary is a word",
    }),
};
