/** @file Labelled texts. Types only. */
import type { z } from 'zod';
import type { ExampleTexts } from './pair.js';

export interface Example extends ExampleTexts {
  /** Unique in its data set and stable: the row number unless the file contains ids. */
  readonly id: string;
  /** Index into the labels: the first true label, -1 if none is true. */
  readonly label: number;
  /** All true labels, ascending, for data with any number of labels per text. */
  readonly labels?: readonly number[] | undefined;
  /** The true number, for data with a number for each text; `label` is then 0. */
  readonly value?: number;
}

export interface Dataset {
  readonly name: string;
  /** Label names in index order. */
  readonly labels: readonly string[];
  readonly source: { readonly url: string; readonly license: string; readonly sha256: string };
  /** True if its examples are pairs of texts. */
  readonly pairs?: true;
  /** True if its examples have entities. */
  readonly tagged?: true;
  /** Streams the examples in file order; may be called again. Throws RobustError with the line that cannot be read. */
  examples(): AsyncIterable<Example>;
}

/** A source of rows other than a file: a database, another format. */
export interface DatasetReader {
  /**
   * Rows as objects with the same keys. Their names or flags say which columns are text and label, as for a file. Called more than once,
   * and must return the same rows each time.
   */
  rows(): AsyncIterable<Readonly<Record<string, unknown>>> | Iterable<Readonly<Record<string, unknown>>>;
}

export interface DatasetPlugin<O = unknown> {
  readonly kind: 'dataset';
  readonly name: string;
  /** One sentence: what it reads, and from where. */
  readonly summary: string;
  /** zod object; every option has a default, so that `{}` parses. */
  readonly options: z.ZodType<O>;
  create(options: O): DatasetReader;
}
