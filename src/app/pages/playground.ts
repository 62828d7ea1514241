/** @file One text at a time: what models say of it, what an attack makes of it, which words count. */
import { attacks as builtIn, suites } from '../../../attacks/index.js';
import type { CheckedDataset } from '../../../datasets/index.js';
import type { Values } from '../../config/setting.js';
import { attackSettings, explainSettings, type uiSettings, victimSettings } from '../../config/settings/index.js';
import type { Example } from '../../core/dataset.js';
import type { Decision, DecisionRule } from '../../core/decision.js';
import { defined } from '../../core/defined.js';
import { must, RobustError } from '../../core/errors.js';
import type { Outcome } from '../../core/outcome.js';
import { besideText, otherText, queryParts, queryText } from '../../core/pair.js';
import { didYouMean } from '../../core/suggest.js';
import type { TagObserver } from '../../core/tags/evidence.js';
import { textOfQuery } from '../../core/tags/tagged-query.js';
import { bundledModels, type LoadedModel, loadModel } from '../../model/load.js';
import type { ExplanationReport } from '../../results/report/explanation.js';
import { type RunPlan, readyAttacks, searchPart } from '../../run/index.js';
import { decisionOf } from '../../tasks/decide.js';
import { isUnbounded } from '../../tasks/words.js';
import type { AskedText, AttackEnd, AttackQuestion, ModelFacts, PlaygroundAnswer, UiSource } from '../../ui/source.js';
import { applicableAttacks } from '../attacks/applicable.js';
import { chooseAttacks } from '../attacks/choose-attacks.js';
import type { Context } from '../context.js';
import { withDefaults } from '../context.js';
import { explainTexts as explainOpened } from '../explain.js';
import { checkTagMethods, type ExplainedModel, type InsideModel, openInside } from '../explanation/explain-models.js';
import { noEntityFound } from '../explanation/explain-texts.js';
import { explainWith } from '../explanation/explained.js';
import { openLanguage } from '../language.js';
import { planOf, runTerms } from '../runs/attack-plan.js';
import { columnsOf } from '../victim/columns.js';
import { decisionWithoutData, writtenDelta } from '../victim/decide.js';
import { decisionChoice } from '../victim/decision-choice.js';
import { answerOf, entitiesAnswer, factsOf, goalFor, stepOf, surestEntity, truthOf, wordsFor } from './decided.js';

/** Queries for the weights of one text, for an answer within seconds. */
const SAMPLES = 500;

/** A model that is kept open after its first query. */
interface KeptOpen {
  readonly loaded: LoadedModel;
  readonly rule: DecisionRule | undefined;
  /** The parts of it that methods need, by method. */
  readonly inside: Map<string, Promise<InsideModel>>;
}

type PlaygroundChoice = Values<typeof uiSettings>;

export class Playground implements Pick<UiSource, 'models' | 'attacks' | 'about' | 'answer' | 'attack' | 'explain'> {
  readonly models: readonly string[];
  /** Each attack once, under the first suite that has it; attacks outside the suites last. */
  readonly attacks: UiSource['attacks'];
  readonly #choice: PlaygroundChoice;
  readonly #context: Context;
  readonly #open = new Map<string, Promise<KeptOpen>>();

  constructor(choice: PlaygroundChoice, context: Context) {
    this.models = [...new Set([...choice.model, victimSettings.model.schema.parse(undefined), ...bundledModels()])];
    this.attacks = groupAttacks();
    this.#choice = choice;
    this.#context = context;
  }

  /** Throws RobustError for what is no model of this page, and what loading it throws. */
  async about(model: string): Promise<ModelFacts> {
    const { loaded, rule } = await this.#model(model);
    return factsOf(loaded, decisionBy(rule, loaded), this.#own(model).textColumns);
  }

  /** Throws as `about` does, and RobustError for a lone text where the model reads pairs. */
  async answer(model: string, question: AskedText): Promise<PlaygroundAnswer> {
    const { loaded, rule } = await this.#model(model);
    if (loaded.tags) {
      const { spans } = await loaded.tags.tags(question.text);
      return entitiesAnswer(loaded.name, question.text, spans);
    }
    const text = this.#read(model, loaded, question);
    const [row] = (await loaded.classify([text])) as [Float32Array];
    return answerOf(loaded, decisionOf(rule, loaded.labels), row);
  }

  /** Throws as `answer` does, and what an attack that does not fit the model throws. */
  async attack(
    { model, attack, goal: wanted, truth, ...question }: AttackQuestion,
    step: Parameters<UiSource['attack']>[1],
    signal: AbortSignal,
  ): Promise<AttackEnd | undefined> {
    const { seed, language: spoken } = this.#choice;
    if (!builtIn.some(({ name }) => name === attack))
      throw new RobustError(`expected the name of an attack, got "${attack}"`, {
        code: 'ATTACK_NOT_FOUND',
        hint: didYouMean(
          attack,
          builtIn.map(({ name }) => name),
        ),
      });
    const { loaded, rule } = await this.#model(model);
    const decision = decisionBy(rule, loaded);
    const tagged = loaded.tags && (await foundEntity(model, loaded, loaded.tags, question.text));
    const read = tagged ? queryText(question.text, tagged) : this.#read(model, loaded, question);
    const [before] = (await loaded.classify([read])) as [Float32Array];
    if (isUnbounded(rule?.kind) && writtenDelta(this.#own(model).delta, loaded.decision) === undefined)
      throw deltaNeeded(model);
    const given = loaded.labels.indexOf(truth ?? '');
    const known = given >= 0 && decision.rule === undefined;
    const example = { ...exampleOf(question, decision, before), ...tagged, ...(known && { label: given }) };
    const { said } = answerOf(loaded, decision, before);
    const goal = goalFor(decision, before, wanted);
    const { patience } = this.#context;
    const language = await openLanguage(spoken, patience, async () => alone(loaded, example));
    const victim = { model: loaded, dataset: alone(loaded, example), language, defence: undefined, decision: rule };
    const choice = withDefaults(attackSettings, {
      model,
      attacks: [attack],
      goal,
      placeholders: 'keep',
      numExamples: 1,
      concurrency: 1,
      seed,
    });
    return this.#context.scope(async ({ opened }) => {
      const chosen = await chooseAttacks([], [attack], {}, patience);
      const fit = await applicableAttacks(chosen, victim, choice.engine, opened);
      const plan = withListener(await planOf(runTerms(choice), {}, fit, victim, patience), decision, example, step);
      const texts = { sample: [example], texts: [question.text] };
      const ready = await readyAttacks(plan, [attack], texts, this.#context.warn);
      let found: Outcome | undefined;
      const work = {
        attacks: ready,
        examples: [{ index: 0, example, before }],
        measured: async (outcome: Outcome) => outcome,
        known: () => false,
        onOutcome: (_: number, outcome: Outcome) => {
          found = outcome;
        },
      };
      await searchPart(plan, work, { signal, debug: (line) => this.#context.hooks.onDetail?.(line) });
      return (
        found && {
          outcome: found,
          labels: loaded.labels,
          ...defined({ rule }),
          words: wordsFor(decision, goal, said, known),
        }
      );
    });
  }

  /** Throws as `answer` does, and RobustError for an unknown method; RobustError INTERRUPTED. */
  async explain(
    models: readonly string[],
    { text, first }: AskedText,
    methods: readonly string[],
    signal: AbortSignal,
  ): Promise<ExplanationReport> {
    const { seed, engine } = { ...this.#choice, engine: 'onnx' as const };
    const choice = withDefaults(explainSettings, {
      model: models,
      method: methods as Values<typeof explainSettings>['method'],
      samples: SAMPLES,
      seed,
      beside: first,
    });
    const opened: ExplainedModel[] = [];
    for (const name of models) {
      const { loaded, rule, inside } = await this.#model(name);
      if (loaded.tags) checkTagMethods(choice.method);
      const parts: InsideModel = {};
      for (const method of choice.method) {
        const found = inside.get(method) ?? openInside(loaded, [method], engine, this.#context.opened);
        inside.set(method, found);
        // A failure may be tried again.
        found.catch(() => inside.delete(method));
        Object.assign(parts, await found);
      }
      const seen = explainWith(loaded, parts);
      const classifier = { labels: loaded.labels, classify: unlessEnded(loaded, signal) };
      opened.push({ loaded, explained: { ...seen, classifier }, decision: rule });
    }
    const found = await explainOpened(choice, text, opened, this.#context);
    return { ...found, models: opened.length, warnings: [] };
  }

  close(): Promise<void> {
    return this.#context.opened.close();
  }

  /** The flags, which apply to the models named with them. */
  #own(name: string): Partial<PlaygroundChoice> {
    return this.#choice.model.includes(name) ? this.#choice : {};
  }

  /** The text or pair as the model reads it. Throws RobustError if it reads pairs and one text is missing. */
  #read(name: string, { pairs }: LoadedModel, { text, first }: AskedText): string {
    if (!pairs && this.#own(name).textColumns === undefined) return text;
    if (first !== undefined) return queryText(text, besideText(first));
    throw new RobustError(`${name} reads pairs of texts: expected both, got one`, {
      code: 'PAIRS_MISMATCH',
      hint: 'Fill in both fields.',
    });
  }

  #model(name: string): Promise<KeptOpen> {
    if (!this.models.includes(name))
      throw new RobustError(`expected one of the models of this page, got "${name}"`, {
        code: 'MODEL_NOT_FOUND',
        hint: `Start it with robust ui -m ${name || 'MODEL'}, or choose from ${this.models.join(', ')}.`,
      });
    const known = this.#open.get(name);
    if (known !== undefined) return known;
    const opening = this.#load(name);
    this.#open.set(name, opening);
    opening.catch(() => this.#open.delete(name));
    return opening;
  }

  async #load(name: string): Promise<KeptOpen> {
    const own = this.#own(name);
    const decision = decisionChoice(own);
    const { loading, opened, data } = this.#context;
    const { kind, tags } = decision;
    const loaded = opened.add(await loadModel(name, { ...loading(name), decision: kind, tags }));
    const rule = await decisionWithoutData(decision, loaded, columnsOf(own), data);
    return { loaded, rule, inside: new Map() };
  }
}

/** Each attack once, under the first suite that has it; those of no suite last. */
function groupAttacks(): UiSource['attacks'] {
  const left = new Set(builtIn.map(({ name }) => name));
  const specs = [
    ...suites.map(({ name, attacks }) => ({ suite: name, specs: attacks })),
    { suite: 'others', specs: [...left] },
  ];
  const found = specs.map(({ suite, specs }) => ({
    suite,
    size: specs.length,
    members: specs.flatMap((spec) => {
      const plugin = builtIn.find(({ name }) => name === spec.split(':')[0]);
      return plugin && left.delete(plugin.name) ? { spec, name: plugin.name, summary: plugin.summary } : [];
    }),
  }));
  return found.filter(({ members }) => members.length > 0);
}

/** The text, or the pair with the second text to be attacked, and what the model says of it as its truth. */
const exampleOf = ({ text, first }: AskedText, decision: Decision, before: Float32Array): Example => ({
  id: '1',
  text,
  ...besideText(first),
  ...truthOf(decision, before),
});

const decisionBy = (rule: DecisionRule | undefined, { labels, output }: LoadedModel): Decision =>
  decisionOf(rule, labels, 0, output?.tags);

/** The surest entity of a text. Throws RobustError if the model finds none. */
async function foundEntity(model: string, { labels }: LoadedModel, { tags }: TagObserver, text: string) {
  const { spans } = await tags(text);
  if (spans.length > 0) return surestEntity(spans, labels);
  throw noEntityFound(model, 'Attack a text with one, or data with spans: start a run.');
}

const deltaNeeded = (model: string): RobustError =>
  new RobustError('an attack on a number: expected --task regression:delta=NUMBER, got none', {
    code: 'DECISION_INVALID',
    hint: `By how much must the number move? Start the page with robust ui -m ${model} --task regression:delta=0.5.`,
  });

/** A data set of one text. */
const alone = ({ labels }: LoadedModel, example: Example): CheckedDataset => ({
  name: 'one text',
  labels,
  source: { url: '', license: '', sha256: '' },
  ...(otherText(example) !== undefined && { pairs: true as const }),
  ...(example.entities !== undefined && { tagged: true as const }),
  size: 1,
  async *examples() {
    yield example;
  },
});

/** Adds a listener to the plan that receives the closest text of every batch of queries. */
function withListener(
  plan: RunPlan,
  decision: Decision,
  example: Example,
  step: Parameters<UiSource['attack']>[1],
): RunPlan {
  const { classifier } = plan.model;
  let queries = 0;
  let least = Number.POSITIVE_INFINITY;
  const classify = async (texts: readonly string[]): Promise<Float32Array[]> => {
    const rows = await classifier.classify(texts);
    queries += texts.length;
    const steps = rows.map((row) => stepOf(decision, example, row));
    const closest = Math.min(...steps.map(({ confidence }) => confidence));
    const at = steps.findIndex(({ confidence }) => confidence === closest);
    const found = steps[at];
    if (found === undefined) return rows;
    const text = must(queryParts(textOfQuery(must(texts[at]))).at(-1));
    step({ text, queries, ...found, closest: closest < least });
    least = Math.min(least, closest);
    return rows;
  };
  return { ...plan, model: { ...plan.model, classifier: { labels: classifier.labels, classify } } };
}

const unlessEnded =
  (model: LoadedModel, signal: AbortSignal): LoadedModel['classify'] =>
  async (texts) => {
    if (signal.aborted) throw new RobustError('the request was cancelled', { code: 'INTERRUPTED' });
    return model.classify(texts);
  };
