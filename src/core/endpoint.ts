/** @file A victim that is asked over the network, as a record and a report tell of it. */

/** Of one whose answers vary: so many further answers are asked of a text that turned the prediction, and so many must be turned too. */
export const FURTHER_ANSWERS = 3;
export const CONFIRMING_ANSWERS = 2;

/** Texts of a request, unless the endpoint is used to fewer: their number outweighs what a request costs by itself. */
export const TEXTS_PER_REQUEST = 64;

export interface EndpointFacts {
  readonly protocol: string;
  /** Without secrets. */
  readonly address: string;
  /** What it says that it is: model, version. */
  readonly facts: Readonly<Record<string, string>>;
  /** What a few questions before the run found. */
  readonly probe: EndpointProbe;
  /** Of one text. */
  readonly price?: number;
}

/** Differences are of probabilities. */
export interface EndpointProbe {
  /** Texts that were asked. */
  readonly queries: number;
  /** Largest difference between two answers to one text that was asked alone twice. */
  readonly repeated: number;
  /** The same between a text alone and among others. */
  readonly company: number;
  /** Every score is a whole multiple of it: 1 of labels alone, 0.0001 of four decimals; null where they are finer. */
  readonly grid: number | null;
}

/** What was asked. */
export interface EndpointCounts {
  /** Requests, those for metadata left out. */
  readonly requests: number;
  /** Of these, those that were sent again. */
  readonly repeated: number;
  /** Texts in all of them. */
  readonly texts: number;
}

/** Of a whole run. */
export interface EndpointReport extends EndpointFacts, EndpointCounts {
  /** Where a price was given. */
  readonly cost?: number;
}
