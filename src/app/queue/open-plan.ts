/** @file The plan of a run on a worker: made of the document that its coordinator wrote, and the same to the last fact. */
import { isDeepStrictEqual } from 'node:util';
import { attackSettings } from '../../config/settings/index.js';
import { closingOnError } from '../../core/closing-stack.js';
import type { Dataset, Example } from '../../core/dataset.js';
import type { DecisionRule } from '../../core/decision.js';
import { RobustError } from '../../core/errors.js';
import type { ContentSource } from '../../fleet/content.js';
import { type PlanDocument, validate } from '../../fleet/messages.js';
import type { OpenPlan, ProcessorSetup } from '../../fleet/processor.js';
import { loadModel } from '../../model/load.js';
import { deviceOf } from '../../model/workers/device.js';
import { fingerprint } from '../../run/index.js';
import { chooseAttacks } from '../attacks/choose-attacks.js';
import { openAttacks } from '../attacks/open-attacks.js';
import { Context, withDefaults } from '../context.js';
import { openLanguage } from '../language.js';
import { attackList, planOf, runTerms } from '../runs/attack-plan.js';
import { defenceChoice, openingChoice } from '../victim/choice.js';
import { behindDefences, type OpenVictim } from '../victim/victim.js';
import { packagesOf, travelling } from './plan-settings.js';
import { fetchedModel } from './shared-model.js';

type Here = Pick<ProcessorSetup, 'cache' | 'threads' | 'device' | 'offline' | 'plugins'> & {
  warn(message: string): void;
};

/** Throws RobustError QUEUE_DAMAGED or QUEUE_PLUGIN_NOT_FOUND, before anything is loaded, where the plan names what no worker or this one does not load; WORKER_UNFIT where it would be another run here, and what loading the model throws. */
export async function openPlan(
  document: PlanDocument,
  examples: readonly Example[],
  content: ContentSource,
  { cache, threads, device: own, offline, plugins, warn }: Here,
): Promise<OpenPlan> {
  const { task, tags, ...settings } = validate(travelling, document.settings, 'the settings of a run');
  checkListed(settings, plugins);
  const choice = withDefaults(attackSettings, settings);
  const device = deviceHere(own, choice.device);
  const context = new Context({ onWarning: warn }, { offline, workers: threads ?? undefined });
  return closingOnError(context.opened, async (opened) => {
    const spec = await fetchedModel(document.model, content, cache);
    const language = await openLanguage(settings.language);
    const model = opened.add(
      await loadModel(spec, {
        ...context.loading(spec),
        ...openingChoice({ ...choice, precision: choice.precision ?? 'auto', device }),
        decision: task,
        tags,
      }),
    );
    const victim: OpenVictim = {
      model,
      dataset: givenExamples(document, examples),
      language,
      defence: await behindDefences(defenceChoice(choice), model, language, context),
      decision: document.decision as DecisionRule | undefined,
    };
    const list = attackList(choice);
    const chosen = await chooseAttacks(list.suites ?? [], list.attacks ?? [], list);
    const wanted = chosen.filter(({ label }) => document.attacks.includes(label));
    const places = new Map<string, string>();
    for (const { name, model: guesser } of document.guessers)
      places.set(name, await fetchedModel(guesser, content, cache));
    const attacks = await openAttacks(wanted, victim, choice.engine, context, {
      already: document.leftOut,
      placeOf: (name) => {
        const place = places.get(name);
        if (place === undefined) throw refuse(`its plan has no masked language model called ${name}`);
        return place;
      },
    });
    const plan = await planOf(runTerms(choice), {}, attacks, victim, context.patience);
    checkFingerprint(document.fingerprint, fingerprint(plan));
    return { plan, close: () => opened.close() };
  });
}

const givenExamples = ({ dataset }: PlanDocument, examples: readonly Example[]): OpenVictim['dataset'] =>
  ({
    ...dataset,
    async *examples() {
      yield* examples;
    },
  }) as Dataset as OpenVictim['dataset'];

/** Throws RobustError WORKER_UNFIT naming the facts in which the plan differs here. */
function checkFingerprint(expected: PlanDocument['fingerprint'], got: Readonly<Record<string, unknown>>): void {
  const facts = [...new Set([...Object.keys(expected), ...Object.keys(got)])];
  const different = facts
    .filter((fact) => !isDeepStrictEqual(expected[fact], got[fact]))
    .map((fact) => `${fact} (${display(expected[fact])} there, ${display(got[fact])} here)`);
  if (different.length > 0) throw refuse(`here it would be another run: ${different.join('; ')}`);
}

/** Throws RobustError QUEUE_PLUGIN_NOT_FOUND. Whoever can write to Redis can write a plan, and a package that it names is code. */
function checkListed(settings: Readonly<Record<string, unknown>>, plugins: readonly string[]): void {
  const missing = packagesOf(settings).find((name) => !plugins.includes(name));
  if (missing === undefined) return;
  throw new RobustError(`its plan names the package ${missing}, which no --plugin of this worker lists`, {
    code: 'QUEUE_PLUGIN_NOT_FOUND',
    hint: `If you trust that package, start the workers with it: robust worker --plugin ${missing}`,
  });
}

/** The run says which kind of device its searches ask, the worker which of several. Throws RobustError WORKER_UNFIT. */
function deviceHere(own: string | null, requested: string | undefined): string | undefined {
  if (own === null || own === 'auto') return requested;
  if (deviceOf(own)?.kind === requested) return requested && own;
  throw refuse(
    `its searches run the model on ${requested ?? 'cpu'}, and this worker was started with --runtime device=${own}`,
    'Start it without a device, or with that one.',
  );
}

const display = (value: unknown): string => (JSON.stringify(value) ?? 'nothing').slice(0, 80);

const refuse = (
  why: string,
  hint = 'Install the version of robust that the coordinator has, with the same packages.',
): RobustError => new RobustError(`this worker cannot take part in the run: ${why}`, { code: 'WORKER_UNFIT', hint });
