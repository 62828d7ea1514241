/** @file Which words made a classifier decide as it did. */
import type { GivenValues, Values } from '../config/setting.js';
import { explainSettings } from '../config/settings/index.js';
import type { DecisionRule } from '../core/decision.js';
import { defined } from '../core/defined.js';
import { must, RobustError } from '../core/errors.js';
import { quantity } from '../core/figure-text.js';
import { type ExampleTexts, queryText } from '../core/pair.js';
import { featuresOf, GRADIENT_METHODS, explain as weigh } from '../explain/index.js';
import type { LoadedModel } from '../model/load.js';
import { isHardLabel } from '../results/clean/scores.js';
import type { Explanation, ExplanationReport } from '../results/report/explanation.js';
import { isUnbounded } from '../tasks/words.js';
import { halves } from './attacks/score-probe.js';
import type { Context, UseCaseHooks } from './context.js';
import { type ExplainedModel, openModels } from './explanation/explain-models.js';
import { checkLabels, labelIn, textsOf } from './explanation/explain-texts.js';
import { explainedBeside } from './explanation/explained.js';
import { type ExplainedAnswer, explainedAnswer, scoreOfRule, withDecision } from './explanation/explained-score.js';
import { countedWork, stopwatch } from './progress.js';
import { type UseCaseFunction, useCase } from './use-case.js';

export interface ExplainOptions extends GivenValues<typeof explainSettings>, UseCaseHooks {
  /** The text to explain; without it those of `data`. */
  readonly text?: string | undefined;
  /** Called with the results so far if the work on texts of `data` is stopped. */
  onPartial?(report: ExplanationReport): void;
}

/** Texts of `data` that are explained where no number is given. */
const FEW = 10;

/** Throws RobustError, ModelError, RobustError INTERRUPTED. */
export const explain: UseCaseFunction<ExplainOptions, ExplanationReport> = useCase({
  settings: explainSettings,
  others: ['text', 'onPartial'],
  async run(choice, context, { text, onPartial }) {
    if (choice.model.length > 2)
      throw new RobustError(`--model: expected one or two models, got ${choice.model.length}`, {
        code: 'FLAG_INVALID',
      });
    const found = await context.scope(async (scope) => {
      const models = await openModels(choice, scope);
      const keep = (done: ExplainedTexts) => onPartial?.({ ...done, models: models.length, warnings: scope.warnings });
      return explainTexts(choice, text, models, scope, keep);
    });
    return { ...found, models: choice.model.length, warnings: context.warnings };
  },
});

type ExplainedTexts = Pick<ExplanationReport, 'explanations'>;

/** Explains texts by models that are open; `partial` is given what was done where the work is stopped. Throws RobustError INTERRUPTED. */
export async function explainTexts(
  choice: ExplainChoice,
  text: string | undefined,
  models: readonly ExplainedModel[],
  context: Context,
  partial: (done: ExplainedTexts) => void = () => {},
): Promise<ExplainedTexts> {
  const [{ loaded: first, decision }] = models as [ExplainedModel];
  checkLabels(
    choice.label,
    models.map(({ loaded }) => loaded),
  );
  const kind = first.tags ? 'tags' : decision?.kind;
  const texts = await textsOf(text, choice, { ...first, kind }, FEW, context.data);
  for (const each of models) if (isUnbounded(each.decision?.kind)) checkNumber(choice, each.loaded.name);
  const options = weighingOf(choice);
  const explanations: Explanation[] = [];
  const seconds = stopwatch();
  const worded = choice.data === undefined ? texts : texts.filter((each) => featuresOf(each.text).length > 0);
  const wordless = texts.length - worded.length;
  for (const [at, each] of worded.entries()) {
    const goOn = (): void => {
      if (context.hooks.signal?.aborted && at > 0) {
        context.warn(`stopped: these are the first ${at} of ${quantity(worded.length, 'text')}`);
        partial({ explanations });
      }
      context.check(`stopped after ${at} of ${quantity(worded.length, 'text')}`);
    };
    const found = await explainText(each, models, options, choice.label, goOn);
    await warnOfAnswers(each, found, models, options.methods, context);
    explanations.push(...found);
    context.run.work(countedWork('explain', 'texts', at + 1, worded.length, seconds()));
  }
  if (wordless > 0)
    context.warn(`${wordless} of ${quantity(texts.length, 'text')} have no words or marks and were left out`);
  if (worded.length === 0)
    throw new RobustError(`--data: expected texts of at least one word or mark, got none in ${texts.length}`, {
      code: 'TEXT_INVALID',
    });
  return { explanations };
}

type ExplainChoice = Values<typeof explainSettings>;

/** How the words of each text are weighed. */
function weighingOf(choice: ExplainChoice) {
  const { baseline, scale, seed, features, steps, samples } = choice;
  return { methods: [...new Set(choice.method)], baseline, scale, seed, features, steps, ...defined({ samples }) };
}

/** One text by each of the models; `goOn` is called before each and may throw. */
async function explainText(
  { text, ...other }: ExampleTexts,
  models: readonly ExplainedModel[],
  options: ReturnType<typeof weighingOf>,
  fixed: string | undefined,
  goOn: () => void,
): Promise<Explanation[]> {
  const [{ loaded: first, decision }] = models as [ExplainedModel];
  const [row] = (await first.classify([queryText(text, other)])) as [Float32Array];
  // An entity is explained by its own type, whether it is found or not.
  const own = other.entities?.[other.entity ?? -1]?.type;
  const label = fixed ?? own;
  const named = label === undefined ? undefined : labelIn(label, first);
  const answer = explainedAnswer(row, first.labels, decision, named);
  const found: Explanation[] = [];
  for (const { loaded, explained, decision } of models) {
    goOn();
    const own = answerOf(answer, first, loaded, decision);
    const made = await weigh(explainedBeside(explained, other), text, { ...options, ...own });
    found.push(withDecision({ ...made, ...other }, own, decision));
  }
  return found;
}

/** Warns of texts that were cut and of answers without scores. */
async function warnOfAnswers(
  text: ExampleTexts,
  found: readonly Explanation[],
  models: readonly ExplainedModel[],
  methods: readonly string[],
  context: Context,
): Promise<void> {
  for (const [which, explanation] of found.entries()) {
    const { decision, loaded } = must(models[which]);
    if (isUnbounded(decision?.kind)) continue;
    await warnOfHardLabels(text, explanation, loaded, methods, context);
  }
  for (const { read, model } of found) {
    if (read)
      context.warn(
        `${model.name} reads the first ${read.words} of ${quantity(read.of, 'word')}; the others have no weight`,
      );
  }
}

/** Without scores, lime and shap see only which words change the label. */
async function warnOfHardLabels(
  { text, ...other }: ExampleTexts,
  { probabilities, model }: Explanation,
  victim: LoadedModel,
  methods: readonly string[],
  context: Context,
): Promise<void> {
  const sampled = methods.some((method) => method === 'lime' || method === 'shap');
  // Half a text need not contain the entity that is explained.
  if (!sampled || other.entities !== undefined || !isHardLabel(probabilities)) return;
  const parts = halves(text).map((half) => queryText(half, other));
  if (!(await victim.classify(parts)).every(isHardLabel)) return;
  context.warn(
    `${model.name} returns labels without scores (all are 0 or 1): lime and shap see only which words flip the label, and give most words no weight`,
  );
}

/** A number has no log-odds, and its gradients are not those of a label's probability. Throws RobustError. */
function checkNumber({ method, scale }: Pick<Values<typeof explainSettings>, 'method' | 'scale'>, name: string): void {
  const gradient = method.find((each) => GRADIENT_METHODS.includes(each));
  const unfit = scale === 'logit' ? '--method scale=logit' : gradient && `--method ${gradient}`;
  if (unfit === undefined) return;
  throw new RobustError(`${unfit}: expected a model of labels, got ${name}, which answers a number`, {
    code: 'TASK_UNSUPPORTED',
    hint: 'Use --method lime or --method shap, whose weights add up to the number.',
  });
}

/** The same by another model, whose labels may be in another order. */
function answerOf(
  answer: ExplainedAnswer,
  first: LoadedModel,
  model: LoadedModel,
  decision: DecisionRule | undefined,
): ExplainedAnswer {
  return (
    (answer.score && scoreOfRule(decision, model.labels)) ?? { label: labelIn(must(first.labels[answer.label]), model) }
  );
}
