/** @file Attacks learn once, on one worker; the others learn the same from its queries and answers. */
import { existsSync } from 'node:fs';
import { z } from 'zod';
import { RobustError } from '../core/errors.js';
import { LONGEST_TEXT, readFileSync } from '../files/read.js';
import { writeWhole } from '../files/write.js';
import { type Delivery, type FleetJob, parseMessage } from './messages.js';
import { CRASHED, type Phase, unexpected } from './phase.js';
import type { FolderStore } from './store.js';

/** Kept for a resumed run: the hash of the texts that attacks learnt from, and attack -> the hash of its tape. */
const tapesSchema = z.strictObject({ common: z.string(), tapes: z.record(z.string(), z.string()) });

export class PreparePhase implements Phase {
  readonly kind = 'prepare';
  /** Attack -> the hash of its tape. */
  readonly tapes: Record<string, string> = {};
  readonly #labels: readonly string[];
  readonly #common: string;
  readonly #store: FolderStore;
  readonly #given = new Set<string>();

  /** `labels`: of the attacks that learn; `common`: the hash of what they learn from. */
  constructor(labels: readonly string[], common: string, store: FolderStore) {
    this.#labels = labels;
    this.#common = common;
    this.#store = store;
  }

  async next(): Promise<FleetJob | undefined> {
    const attack = this.#labels.find((label) => !this.#given.has(label));
    if (attack === undefined) return undefined;
    this.#given.add(attack);
    return { kind: 'prepare', attack, common: this.#common };
  }

  onTaken(job: FleetJob): void {
    if (job.kind === 'prepare') this.#given.add(job.attack);
  }

  rest(job: FleetJob): FleetJob[] {
    return job.kind === 'prepare' && this.tapes[job.attack] === undefined ? [job] : [];
  }

  async splitJob(job: FleetJob): Promise<FleetJob[]> {
    throw new RobustError(`${job.kind === 'prepare' ? job.attack : ''} cannot be prepared: ${CRASHED}`, {
      code: 'MODEL_CRASHED',
      hint: 'Leave that attack out, or give workers more memory.',
    });
  }

  receive({ job, state }: Delivery, product: Buffer): void {
    if (job.kind !== 'prepare') throw unexpected('expected what was learnt');
    if (state === 'done') this.tapes[job.attack] ??= this.#store.put(product);
  }
}

/** The tapes in `file`, where they are of the same texts; else those that `prepare` makes, which are kept there. */
export async function loadOrLearnTapes(
  file: string,
  common: string,
  prepare: () => Promise<Readonly<Record<string, string>>>,
): Promise<Readonly<Record<string, string>>> {
  const known = existsSync(file)
    ? parseMessage(tapesSchema, readFileSync(file, 'utf8', LONGEST_TEXT), file)
    : undefined;
  if (known?.common === common) return known.tapes;
  const tapes = await prepare();
  writeWhole(file, JSON.stringify({ common, tapes }), 'what attacks learnt');
  return tapes;
}
