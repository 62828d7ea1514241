/** @file The source of a conversion: files, and the function that makes a graph from them. */
import type { Converted } from '../../../packages/onnx/src/convert/index.js';

/** Source of a conversion. */
export interface DrawingSource {
  readonly files: readonly string[];
  /** Name of the source, for people. */
  readonly called: string;
  readonly draw: () => Promise<Pick<Converted, 'model' | 'continued' | 'modelType' | 'options'>>;
  /** Writes the files beside the graph, where those of the source do not describe the model. */
  readonly describe?: (folder: string) => void;
}

/** A source of several parts: the description of the whole is written beside the graph. */
export interface ComposedSource extends Required<DrawingSource> {
  readonly draw: (half?: boolean) => Promise<Converted>;
}
