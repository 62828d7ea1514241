/** @file Opening what `--model`, `--defend` and `--data` name. */
import { createHash } from 'node:crypto';
import { type CheckedDataset, openDataset } from '../../../datasets/index.js';
import { type LoadedModel, type LoadOptions, loadModel } from '../../model/load.js';

import type { DefendedVictim } from './defend.js';

export interface VictimFlags {
  readonly model: string;
  readonly data: string;
  readonly 'text-column': string | undefined;
  readonly 'label-column': string | undefined;
  readonly 'id-column': string | undefined;
  readonly 'label-map': readonly (readonly [string, string])[] | undefined;
  readonly workers: number | undefined;
  readonly seed?: number;
  readonly defend?: readonly string[] | undefined;
}

export interface Victim {
  readonly model: LoadedModel;
  readonly dataset: CheckedDataset;
  /** The model behind its defences; its own name and hash say so. */
  readonly defence: DefendedVictim | undefined;
}

/** What answers, and what it is called: the model, or the model behind its defences. */
export function answering({ model, defence }: Pick<Victim, 'model' | 'defence'>) {
  const output = model.output && { output: model.output };
  if (defence === undefined) return { classifier: model, name: model.name, sha256: model.sha256, ...output };
  return {
    ...output,
    classifier: defence.classifier,
    name: model.name + defence.suffix,
    sha256: createHash('sha256').update(model.sha256).update(defence.fingerprint).digest('hex'),
    defence: defence.conditions,
  };
}

/** What a user should know of defences that had no effect. */
export const idleDefences = ({ defence }: Victim): string[] =>
  (defence?.idle() ?? []).map(({ name, read }) => `${name} changed none of the ${read} texts it read`);

/** Loads the model, then the data with its labels. Throws ModelError, DatasetError, UsageError. */
export async function openVictim(flags: VictimFlags, options: LoadOptions): Promise<Victim> {
  const { workers } = flags;
  const model = await loadModel(flags.model, { ...options, ...(workers === undefined ? {} : { workers }) });
  try {
    const dataset = await openDataset(flags.data, {
      labels: model.labels,
      textColumn: flags['text-column'],
      labelColumn: flags['label-column'],
      idColumn: flags['id-column'],
      labelMap: Object.fromEntries(flags['label-map'] ?? []),
    });
    return { model, dataset, defence: await behindDefences(flags, model) };
  } catch (error) {
    await model.close();
    throw error;
  }
}

async function behindDefences(
  { defend, seed = 42 }: VictimFlags,
  model: LoadedModel,
): Promise<DefendedVictim | undefined> {
  if (defend === undefined || defend.length === 0) return undefined;
  const { defend: behind } = await import('./defend.js');
  return behind(defend, model, seed, async (file) => {
    const texts: string[] = [];
    for await (const { text } of (await openDataset(file)).examples()) texts.push(text);
    return texts;
  });
}
