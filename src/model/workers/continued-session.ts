/**
 * @file A causal model that computes what texts share once: the prompt once a model, a text's beginning once a text. Its graph takes keys
 * and values of earlier tokens (convert/past.ts), and computes each token by the same operations wherever a text is cut, so that the bits
 * of an answer depend neither on what was kept nor on other texts.
 */
import { PADDING_KEY, pastNames } from '../../../packages/onnx/src/convert/past.js';
import { DataType } from '../../../packages/onnx/src/graph/data-type.js';
import { readModelOutline } from '../../../packages/onnx/src/graph/load.js';
import type { Feed } from '../../../packages/onnx/src/graph/tensor.js';
import { must } from '../../core/errors.js';
import { sharedTokens } from '../tokens/encoder.js';
import { type Beginning, Beginnings } from './beginnings.js';
import { type TokenBatch, type TokenInput, tokenFeeds } from './feeds.js';
import { OrtSession, type Ports, type Result, type Results } from './session.js';
import { FEWEST_TOKENS, inRuns, type Plan, promptTokens, RUN_TOKENS, worthKeeping } from './text-runs.js';

/** Keys and values kept, in bytes; those of the prompt come to it. */
const ROOM = 2 ** 28;
/** Keys and values that one run may answer, in bytes: it holds them once more. */
const RUN_ROOM = 2 ** 26;
const IDS = 'input_ids';

export class ContinuedSession {
  /** Inputs and outputs of the whole graph; `filler` as below. */
  readonly ports: Ports & { readonly filler: number | undefined };
  readonly #session: OrtSession;
  /** The id that fills up shorter texts of a batch: the graph reads the last other token. */
  readonly filler: number | undefined;
  readonly #heads: number;
  readonly #size: number;
  readonly #names: Readonly<Record<'prompt' | 'past' | 'present', readonly string[]>>;
  /** It takes the keys and values of a prompt. */
  readonly #prompted: boolean;
  readonly #beginnings = new Beginnings(ROOM);
  #prompt: Beginning | undefined;

  private constructor(session: OrtSession, inputs: readonly string[], padding: number | undefined) {
    this.#session = session;
    const past = session.ports.inputs.filter(({ name }) => name.startsWith('past.'));
    const names = (what: 'prompt' | 'past' | 'present') => pastNames(what, past.length / 2);
    this.#names = { prompt: names('prompt'), past: names('past'), present: names('present') };
    this.#prompted = session.ports.inputs.some(({ name }) => name === this.#names.prompt[0]);
    // Answers stand right behind a text.
    this.filler = this.#prompted ? undefined : padding;
    [, this.#heads, , this.#size] = must(past[0]).shape as [unknown, number, unknown, number];
    const ids = must(session.ports.inputs.find(({ name }) => name === IDS));
    this.ports = {
      inputs: inputs.map((name) => ({ ...ids, name })),
      outputs: session.ports.outputs.filter(({ name }) => !name.startsWith('present.')),
      filler: this.filler,
    };
  }

  /** `inputs`: the inputs of the whole graph. Throws ModelError. */
  static async open(file: string, inputs: readonly string[]): Promise<ContinuedSession> {
    const { metadata } = await readModelOutline(file);
    const padding = metadata.get(PADDING_KEY);
    const session = await OrtSession.open({ source: file });
    return new ContinuedSession(session, inputs, padding === undefined ? undefined : Number(padding));
  }

  refuse(what: string) {
    return this.#session.refuse(what);
  }

  async release(): Promise<void> {
    await this.#session.release();
  }

  /** The output of texts, filled up to one length. `given`: the prompt that most begin with. `cut`: computes them in two runs, from this token on. Throws ModelError. */
  async run(output: string, batch: TokenBatch, given?: Int32Array, cut?: number): Promise<Result> {
    const { ids, texts, length } = batch;
    const prompt = this.#prompted ? given : undefined;
    const each = Array.from({ length: texts }, (_, row) => this.#read(ids.subarray(row * length, (row + 1) * length)));
    const planned = this.#plans(each, prompt);
    const plans = cut === undefined ? planned : await this.#cutAt(planned, cut);
    const rows: Float32Array[] = [];
    let dims: readonly number[] = [];
    for (const group of this.#groups(plans)) {
      const plans = cut === undefined ? await this.#led(group) : group;
      const results = await this.#compute(plans, cut === undefined, output);
      const { data, dims: found } = must(results.get(output));
      dims = found;
      const width = data.length / plans.length;
      for (const [at, { row }] of plans.entries())
        rows[row] = (data as Float32Array).slice(at * width, (at + 1) * width);
    }
    const width = rows[0]?.length ?? 0;
    const data = new Float32Array(texts * width);
    for (const [row, values] of rows.entries()) data.set(values, row * width);
    return { type: 'float32', dims: [texts, ...dims.slice(1)], data };
  }

  /** A text without what fills it up; of padding alone the first token is read. */
  #read(ids: Int32Array): Int32Array {
    if (this.filler === undefined) return ids;
    const last = ids.findLastIndex((id) => id !== this.filler);
    return ids.subarray(0, Math.max(0, last) + 1);
  }

  #plans(texts: readonly Int32Array[], prompt: Int32Array | undefined): Plan[] {
    return texts.map((ids, row) => {
      const limit = Math.max(0, ids.length - FEWEST_TOKENS);
      const from = promptTokens(ids, prompt, limit);
      const { base, shared } = this.#beginnings.longest(ids, from);
      return { row, ids, from, cut: Math.max(from, Math.min(shared, limit)), base, limit };
    });
  }

  /** Texts cut at this token, or as near as may be, whatever is kept. */
  async #cutAt(texts: readonly Plan[], wanted: number): Promise<Plan[]> {
    const plans = texts.map((plan): Plan => {
      const cut = Math.min(wanted, plan.limit);
      return { ...plan, cut: cut - plan.from < FEWEST_TOKENS ? plan.from : cut, base: undefined };
    });
    const keyOf = ({ from, cut }: Plan): string => `${from} ${cut}`;
    const done: Plan[] = [];
    for (const key of new Set(plans.map(keyOf))) {
      const alike = plans.filter((plan) => keyOf(plan) === key);
      const [{ from, cut }] = alike as [Plan];
      const before = alike.map((plan) => ({ ...plan, ids: plan.ids.subarray(0, cut), cut: from }));
      const states = cut > from ? await this.#run(before, from, this.#names.present) : undefined;
      done.push(
        ...alike.map((plan, at) => ({ ...plan, base: states && this.#whole(must(before[at]), from, at, states) })),
      );
    }
    return done;
  }

  /** The texts in runs, each behind one prompt. Bits do not depend on it. */
  #groups(plans: readonly Plan[]): Plan[][] {
    const bytes = this.#names.past.length * this.#heads * this.#size * Float32Array.BYTES_PER_ELEMENT;
    return [...new Set(plans.map(({ from }) => from))].flatMap((from) => {
      const sorted = plans.filter((plan) => plan.from === from).sort((a, b) => b.cut - a.cut);
      return inRuns(sorted, RUN_ROOM / bytes);
    });
  }

  /** Computes what texts share beyond what is kept first, where that costs less. */
  async #led(plans: readonly Plan[]): Promise<readonly Plan[]> {
    const [first] = plans as [Plan];
    const least = Math.min(...plans.map(({ cut }) => cut));
    const shared = Math.min(...plans.map(({ ids, limit }) => Math.min(limit, sharedTokens(ids, first.ids))));
    const more = shared - least;
    if (more < FEWEST_TOKENS || more * (plans.length - 1) <= RUN_TOKENS) return plans;
    const ids = first.ids.slice(0, shared);
    const base = await this.#states({ ...first, ids, cut: Math.min(first.cut, shared - FEWEST_TOKENS) });
    this.#beginnings.keep(base);
    return plans.map((plan) => (plan.cut >= shared ? plan : { ...plan, cut: shared, base }));
  }

  /** Keys and values of one text. */
  async #states(plan: Plan): Promise<Beginning> {
    const results = await this.#run([plan], plan.cut, this.#names.present);
    return this.#whole(plan, plan.cut, 0, results);
  }

  /** The output of texts behind one prompt; some of them are kept. */
  async #compute(plans: readonly Plan[], keep: boolean, output: string): Promise<Results> {
    const cut = Math.min(...plans.map((plan) => plan.cut));
    const enough = this.filler !== undefined || must(plans[0]).ids.length - cut >= FEWEST_TOKENS;
    const kept = keep && enough ? worthKeeping(plans, cut) : [];
    const results = await this.#run(plans, cut, kept.length === 0 ? [output] : undefined);
    for (const at of kept) this.#beginnings.keep(this.#whole(must(plans[at]), cut, at, results));
    return results;
  }

  async #run(plans: readonly Plan[], cut: number, wanted?: readonly string[]): Promise<Results> {
    const [first] = plans as [Plan];
    const { from } = first;
    const most = Math.max(...plans.map((plan) => plan.ids.length - cut));
    const length = this.filler === undefined ? most : Math.max(FEWEST_TOKENS, most);
    const prompt = from === 0 ? undefined : await this.#promptOf(first.ids.subarray(0, from));
    const ids = new Int32Array(plans.length * length).fill(this.filler ?? 0);
    for (const [at, plan] of plans.entries()) ids.set(plan.ids.subarray(cut), at * length);
    const feeds = new Map<string, Feed>(tokenFeeds(INPUTS, { ids, texts: plans.length, length }, {}));
    const alike = plans.every((plan) => sharedTokens(plan.ids, first.ids) >= cut);
    const bases = (alike ? [first] : plans).map(({ base }) => base);
    for (const [part, name] of this.#names.past.entries()) feeds.set(name, this.#joined(bases, part, cut - from));
    if (this.#prompted) {
      for (const [part, name] of this.#names.prompt.entries()) {
        feeds.set(name, this.#feed(1, from, prompt?.parts[part] ?? EMPTY));
      }
    }
    return this.#session.run(feeds, wanted);
  }

  /** The first keys or values of each text, [texts, heads, tokens, size]. */
  #joined(bases: readonly (Beginning | undefined)[], part: number, tokens: number): Feed {
    if (tokens === 0) return this.#feed(1, 0, EMPTY);
    const [heads, size] = [this.#heads, this.#size];
    const data = new Float32Array(bases.length * heads * tokens * size);
    let at = 0;
    for (const base of bases) {
      const { ids, from, parts } = must(base);
      const all = (ids.length - from) * size;
      for (let head = 0; head < heads; head++, at += tokens * size) {
        data.set(must(parts[part]).subarray(head * all, head * all + tokens * size), at);
      }
    }
    return this.#feed(bases.length, tokens, data);
  }

  #feed(texts: number, tokens: number, data: Float32Array): Feed {
    return { type: DataType.float, dims: [texts, this.#heads, tokens, this.#size], data };
  }

  /** The keys and values of a text: those before the cut, and those that a run has just answered at row `at`. */
  #whole({ ids, from, base }: Plan, cut: number, at: number, results: Results): Beginning {
    const [heads, size] = [this.#heads, this.#size];
    const [before, after] = [(cut - from) * size, (ids.length - cut) * size];
    const kept = base === undefined ? 0 : (base.ids.length - base.from) * size;
    const parts = this.#names.present.map((name, part) => {
      const { data, dims } = must(results.get(name));
      const fresh = data as Float32Array;
      const length = must(dims[2]) * size;
      const whole = new Float32Array(heads * (before + after));
      for (let head = 0; head < heads; head++) {
        const to = head * (before + after);
        if (before > 0) whole.set(must(must(base).parts[part]).subarray(head * kept, head * kept + before), to);
        const start = (at * heads + head) * length;
        whole.set(fresh.subarray(start, start + after), to + before);
      }
      return whole;
    });
    return { ids: ids.slice(), from, parts };
  }

  /** The keys and values of the prompt, which are computed once. */
  async #promptOf(ids: Int32Array): Promise<Beginning> {
    if (this.#prompt?.ids.length !== ids.length || sharedTokens(this.#prompt.ids, ids) < ids.length) {
      const own = ids.slice();
      this.#prompt = await this.#states({ row: 0, ids: own, from: 0, cut: 0, base: undefined, limit: 0 });
    }
    return this.#prompt;
  }
}

const EMPTY = new Float32Array(0);
const INPUTS: readonly TokenInput[] = [{ name: IDS, role: 'ids', type: DataType.int64 }];
