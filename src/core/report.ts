/** @file What a run reports, and the ways to write it down. Types only. */
import type { AttackMetrics, CombinedRates, SuiteMetrics } from './attack-metrics.js';
import type { CleanMetrics } from './clean-metrics.js';
import type { ComparisonReport } from './comparison.js';
import type { DecisionRule } from './decision.js';
import type { EndpointReport } from './endpoint.js';
import type { OutcomeExplanation } from './explanation.js';
import type { LeftOut } from './left-out.js';
import type { Measure } from './measure.js';
import type { Outcome } from './outcome.js';
import type { OutputReading } from './output-reading.js';
import type { Overridden } from './override.js';
import type { GateResult, Verdict } from './verdict.js';

/** What a result depends on besides the model and the data, and what it was made by: enough to make it again, and to doubt it. */
export interface Provenance extends Overridden {
  /** ISO 8601, UTC. */
  readonly created: string;
  /** Processor, cores and memory. */
  readonly hardware: string;
  readonly platform: string;
  /** Of Node.js, and of the packages that numbers depend on. */
  readonly versions: Readonly<Record<string, string>>;
  /** The configuration file, if there was one. */
  readonly config: string | null;
  /** Setting -> its value and where it was set: a flag, a variable, a line of the configuration, the default. */
  readonly settings: Readonly<Record<string, { readonly value: unknown; readonly origin: string }>>;
  /** What must be equal for two runs to be comparable. */
  readonly fingerprint: Readonly<Record<string, unknown>>;
  /** Of a run put together from shards: which. */
  readonly merged?: readonly { readonly shard: number; readonly run: string; readonly platform: string }[];
}

/** What `robust attack` reports; `examples` streams from the journal, so that a report of any size fits in memory. */
export interface Report {
  readonly model: {
    readonly name: string;
    readonly sha256: string;
    readonly labels: readonly string[];
    /** How its raw output was read as probabilities. Absent where it answers probabilities by contract. */
    readonly output?: OutputReading;
    /** What defends it: attacks see the answers of the defended model only. */
    readonly defence?: string;
    /** What its scores mean. Absent where the most probable label is decided. */
    readonly decision?: DecisionRule;
  };
  /** Of a defended model: the same attacks on the undefended one, and its adversarial texts read by the defended one. */
  readonly undefended?: ComparisonReport;
  /** Of a victim that was asked over the network: how, and how much. */
  readonly endpoint?: EndpointReport;
  readonly data: {
    readonly name: string;
    readonly sha256: string;
    readonly examples: number;
    /** Different texts among them (core/text-census.ts), where not all differ. */
    readonly distinct?: number;
  };
  readonly seed: number;
  readonly engine: 'onnx' | 'tfjs';
  readonly toolVersion: string;
  readonly clean: CleanMetrics;
  readonly attacks: readonly AttackMetrics[];
  /** Of these attacks, each once: how what they measured is told. Absent where only what every attack measures is known. */
  readonly measures?: readonly Measure[];
  /** What the suites hold besides, and was not carried out on this victim. Absent where nothing was left out. */
  readonly leftOut?: readonly LeftOut[];
  /** Several attacks as one: an example is broken when any of them broke it. */
  readonly suites: readonly SuiteMetrics[];
  readonly overall: CombinedRates;
  readonly examples: AsyncIterable<Outcome>;
  /** The successes that tell most: of each attack and class in turn, those closest to their originals. */
  readonly closest: readonly Outcome[];
  /** Of these, where they were explained. */
  readonly explanations?: readonly OutcomeExplanation[];
  readonly warnings: readonly string[];
  /** What is missing from the run, which therefore no gate passes: "shard 3 of 4 is missing", or what a budget cut off. Absent where nothing is. */
  readonly partial?: readonly string[];
  readonly verdict: Verdict;
  /** Why the run is inconclusive by itself, whoever judges it; the gate has reasons of its own. Absent where it is not. */
  readonly reasons?: readonly string[];
  /** Present where thresholds or a baseline judged the run; `verdict` is then its verdict. */
  readonly gate?: GateResult;
  readonly run: string;
  readonly provenance?: Provenance;
  /** The command that replays it. */
  readonly command: string;
}

/** A way to write something down. */
export interface Renderer<T> {
  /** As in `-o`: also the name of the format. */
  readonly name: string;
  /** Of files, without the dot: what picks it. */
  readonly extension: string;
  /** The document in chunks, for files and for stdout. */
  render(what: T): AsyncIterable<string> | Iterable<string>;
}

export type ReportRenderer = Renderer<Report>;

/** A format of one's own: files of its ending are written by it. */
export interface ReporterPlugin extends ReportRenderer {
  readonly kind: 'reporter';
  /** One sentence: what the file is for. */
  readonly summary: string;
}
