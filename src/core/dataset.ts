/** @file What is classified: labelled texts. Types only. */
import type { z } from 'zod';
import type { ExampleTexts } from './pair.js';

export interface Example extends ExampleTexts {
  /** Unique in its data set and stable: the row number unless the file names one. */
  readonly id: string;
  /** Index into the labels; of several true ones the first, -1 where none is true. */
  readonly label: number;
  /** All that are true, ascending: of data with any number of labels a text. */
  readonly labels?: readonly number[];
  /** The true number, of data with a number for each text; `label` is then 0. */
  readonly value?: number;
}

export interface Dataset {
  readonly name: string;
  /** Label names in index order. */
  readonly labels: readonly string[];
  readonly source: { readonly url: string; readonly license: string; readonly sha256: string };
  /** Its examples are pairs of texts. */
  readonly pairs?: true;
  /** Streams the examples in file order; may be called again. Throws DatasetError naming the line it cannot read. */
  examples(): AsyncIterable<Example>;
}

/** Where rows come from that no file here holds: a database, another format. */
export interface DatasetReader {
  /**
   * The rows as objects, all of the same keys; which of them are text and label is told by their names or by flags, as of a file. Called more
   * than once, and must give the same each time.
   */
  rows(): AsyncIterable<Readonly<Record<string, unknown>>> | Iterable<Readonly<Record<string, unknown>>>;
}

export interface DatasetPlugin<O = unknown> {
  readonly kind: 'dataset';
  readonly name: string;
  /** One sentence: what it reads, from where. */
  readonly summary: string;
  /** zod object; every option has a default, so that `{}` parses. */
  readonly options: z.ZodType<O>;
  create(options: O): DatasetReader;
}
