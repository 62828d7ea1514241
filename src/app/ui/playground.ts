/** @file One text at a time: what models say of it, what an attack makes of it, which words count. */
import { attacks as builtIn, suites } from '../../../attacks/index.js';
import type { CheckedDataset } from '../../../datasets/index.js';
import type { Values } from '../../config/setting.js';
import { attackSettings, explainSettings, type uiSettings } from '../../config/settings/index.js';
import type { Example } from '../../core/dataset.js';
import { type Decision, type DecisionRule, decisionOf, isLabeller, isRegressor } from '../../core/decision.js';
import { PluginError, RobustError, UsageError } from '../../core/errors.js';
import type { ExplanationReport } from '../../core/explanation.js';
import type { Outcome } from '../../core/outcome.js';
import { didYouMean } from '../../core/suggest.js';
import { bundledModels, type LoadedModel, loadModel } from '../../model/load.js';
import { type RunPlan, readyAttacks, searchPart } from '../../run/index.js';
import type { AttackEnd, AttackQuestion, PlaygroundAnswer, UiSource } from '../../ui/source.js';
import { applicableAttacks } from '../attacks/applicable.js';
import { chooseAttacks } from '../attacks/choose-attacks.js';
import type { Context } from '../context.js';
import { withDefaults } from '../context.js';
import { explained as explainOpened } from '../explain.js';
import { type InsideModel, type OpenModels, openInside } from '../explanation/explain-models.js';
import { explained } from '../explanation/explained.js';
import { openLanguage } from '../language.js';
import { planOf } from '../runs/attack-plan.js';
import { decisionWithoutData } from '../victim/decide.js';

/** Texts asked to weigh the words of one: an answer within seconds. */
const SAMPLES = 500;

/** A model that was asked, kept open. */
interface KeptOpen {
  readonly loaded: LoadedModel;
  readonly rule: DecisionRule | undefined;
  /** What a method must see of it, by method. */
  readonly inside: Map<string, Promise<InsideModel>>;
}

type PlaygroundChoice = Values<typeof uiSettings>;

export class Playground implements Pick<UiSource, 'models' | 'attacks' | 'answer' | 'attack' | 'explain'> {
  readonly models: readonly string[];
  /** Each attack once, under the first suite that has it; those of none last. */
  readonly attacks: UiSource['attacks'];
  readonly #choice: PlaygroundChoice;
  readonly #context: Context;
  readonly #open = new Map<string, Promise<KeptOpen>>();
  readonly #closing: { close(): Promise<void> }[] = [];

  constructor(choice: PlaygroundChoice, context: Context) {
    this.models = [...new Set([...choice.model, ...bundledModels()])];
    this.attacks = grouped();
    this.#choice = choice;
    this.#context = context;
  }

  /** Throws UsageError for what is no model of this page, and what loading it throws. */
  async answer(model: string, text: string): Promise<PlaygroundAnswer> {
    const { loaded, rule } = await this.#model(model);
    const [row] = (await loaded.classify([text])) as [Float32Array];
    return answerOf(loaded, decisionOf(rule, loaded.labels), row);
  }

  /** Throws as `answer` does, and what an attack that does not fit the model throws. */
  async attack(
    { model, attack, text }: AttackQuestion,
    step: Parameters<UiSource['attack']>[1],
    signal: AbortSignal,
  ): Promise<AttackEnd | undefined> {
    const { seed, language: spoken } = this.#choice;
    if (!builtIn.some(({ name }) => name === attack)) {
      throw new PluginError(`expected the name of an attack, got "${attack}"`, {
        code: 'ATTACK_NOT_FOUND',
        hint: didYouMean(
          attack,
          builtIn.map(({ name }) => name),
        ),
      });
    }
    const { loaded, rule } = await this.#model(model);
    const decision = decisionOf(rule, loaded.labels);
    const [before] = (await loaded.classify([text])) as [Float32Array];
    const example: Example = { id: '1', text, ...truthOf(decision, before) };
    const { patience } = this.#context;
    const language = await openLanguage(spoken, patience, async () => alone(loaded, example));
    const victim = { model: loaded, dataset: alone(loaded, example), language, defence: undefined, decision: rule };
    const choice = withDefaults(attackSettings, { model, attacks: [attack], numExamples: 1, concurrency: 1, seed });
    const fit = await applicableAttacks(await chooseAttacks([], [attack], {}, patience), victim, choice.engine);
    try {
      const plan = watched(await planOf(choice, {}, fit, victim, patience), decision, example, step);
      const texts = { sample: [example], texts: [text] };
      const ready = await readyAttacks(plan, [attack], texts, this.#context.warn);
      let found: Outcome | undefined;
      const work = {
        attacks: ready,
        examples: [{ index: 0, example, before }],
        measured: (outcome: Outcome) => outcome,
        known: () => false,
        found: (_: number, outcome: Outcome) => {
          found = outcome;
        },
      };
      await searchPart(plan, work, { signal, debug: (line) => this.#context.hooks.onDetail?.(line) });
      return found && { outcome: found, labels: loaded.labels };
    } finally {
      await fit.inside?.close();
    }
  }

  /** Throws as `answer` does, and UsageError for an unknown method; RobustError INTERRUPTED. */
  async explain(
    models: readonly string[],
    text: string,
    methods: readonly string[],
    signal: AbortSignal,
  ): Promise<ExplanationReport> {
    const { seed, engine } = { ...this.#choice, engine: 'onnx' as const };
    const choice = withDefaults(explainSettings, {
      model: models,
      method: methods as Values<typeof explainSettings>['method'],
      samples: SAMPLES,
      seed,
    });
    const opened: OpenModels['models'][number][] = [];
    for (const name of models) {
      const { loaded, rule, inside } = await this.#model(name);
      const parts: InsideModel = {};
      for (const method of choice.method) {
        const found = inside.get(method) ?? openInside(loaded, [method], engine, this.#closing);
        inside.set(method, found);
        // What failed may be tried again.
        found.catch(() => inside.delete(method));
        Object.assign(parts, await found);
      }
      const seen = explained(loaded, parts);
      const classifier = { labels: loaded.labels, classify: unlessEnded(loaded, signal) };
      opened.push({ loaded, explained: { ...seen, classifier }, ...(rule && { decision: rule }) });
    }
    const found = await explainOpened(choice, text, opened, this.#context);
    return { ...found, models: opened.length, warnings: [] };
  }

  async close(): Promise<void> {
    for (const each of this.#closing.splice(0).reverse()) await each.close();
  }

  #model(name: string): Promise<KeptOpen> {
    if (!this.models.includes(name)) {
      throw new UsageError(`expected one of the models of this page, got "${name}"`, {
        code: 'MODEL_NOT_NAMED',
        hint: `Start it with robust ui -m ${name || 'MODEL'}, or choose from ${this.models.join(', ')}.`,
      });
    }
    const known = this.#open.get(name);
    if (known !== undefined) return known;
    const opening = this.#load(name);
    this.#open.set(name, opening);
    opening.catch(() => this.#open.delete(name));
    return opening;
  }

  async #load(name: string): Promise<KeptOpen> {
    const { workers } = this.#choice;
    const loading = this.#context.loading(name);
    const loaded = await loadModel(name, { ...loading, ...(workers !== undefined && { workers }) });
    this.#closing.push(loaded);
    const rule = await decisionWithoutData({}, loaded, loading);
    return { loaded, rule, inside: new Map() };
  }
}

function grouped(): UiSource['attacks'] {
  const groups = suites.map(({ name, attacks }) => ({ suite: name, names: attacks.map((spec) => spec.split(':')[0]) }));
  const left = new Set(builtIn.map(({ name }) => name));
  const found = [...groups, { suite: 'others', names: [...left] }].map(({ suite, names }) => ({
    suite,
    names: names.filter((name): name is string => name !== undefined && left.delete(name)),
  }));
  return found.filter(({ names }) => names.length > 0);
}

const answerOf = ({ name, labels }: LoadedModel, decision: Decision, row: Float32Array): PlaygroundAnswer => {
  if (isRegressor(decision)) return { model: name, said: decision.value(row).toFixed(3), scores: [] };
  const decided = decision.labels(row);
  return {
    model: name,
    said: decided.map((label) => labels[label]).join(' + ') || 'none',
    scores: labels.map((label, at) => ({ label, score: row[at] as number, decided: decided.includes(at) })),
  };
};

/** What the model says is taken for true: the attack is to change it. */
const truthOf = (decision: Decision, row: Float32Array): Pick<Example, 'label' | 'labels' | 'value'> => {
  if (isRegressor(decision)) return { label: 0, value: decision.value(row) };
  const label = decision.label(row);
  return isLabeller(decision) ? { label, labels: decision.labels(row) } : { label };
};

/** A data set of one text. */
const alone = ({ labels }: LoadedModel, example: Example): CheckedDataset => ({
  name: 'one text',
  labels,
  source: { url: '', license: '', sha256: '' },
  size: 1,
  async *examples() {
    yield example;
  },
});

/** The plan with somebody who sees the closest of the texts that are asked together. */
function watched(
  plan: RunPlan,
  decision: Decision,
  example: Example,
  step: Parameters<UiSource['attack']>[1],
): RunPlan {
  const { classifier } = plan.model;
  let asked = 0;
  let least = Number.POSITIVE_INFINITY;
  const classify = async (texts: readonly string[]): Promise<Float32Array[]> => {
    const rows = await classifier.classify(texts);
    asked += texts.length;
    const sure = rows.map((row) => decision.confidence(row, example));
    const at = sure.indexOf(Math.min(...sure));
    const confidence = sure[at];
    if (confidence === undefined) return rows;
    step({ text: texts[at] as string, asked, confidence, closest: confidence < least });
    least = Math.min(least, confidence);
    return rows;
  };
  return { ...plan, model: { ...plan.model, classifier: { labels: classifier.labels, classify } } };
}

const unlessEnded =
  (model: LoadedModel, signal: AbortSignal): LoadedModel['classify'] =>
  async (texts) => {
    if (signal.aborted) throw new RobustError('nobody waits for it any more', { code: 'INTERRUPTED' });
    return model.classify(texts);
  };
