/** @file ONNX models in TypeScript: read, write, edit, find shapes, differentiate, and convert checkpoints. */
export { type GradientOptions, gradientGraph, gradientOf } from './autodiff/gradient-graph.js';
export type { Runtime } from './autodiff/runtime.js';
export { simplify } from './autodiff/simplify/index.js';
export { type Converted, convertCheckpoint, type DrawingOptions } from './convert/index.js';
export { type SaveOptions, saveModel } from './convert/save.js';
export type { Task } from './convert/task.js';
export type { Random } from './convert/weights.js';
export { OnnxError, type OnnxErrorCode, type OnnxErrorDetails } from './errors.js';
export { float, floats, GraphBuilder, graph, strings } from './graph/builder.js';
export { DataType, type TypedArray } from './graph/data-type.js';
export { embedded, prune, renameTensors, withGraph, withInitializers, withOutputs } from './graph/edit.js';
export { type EmbeddingLookup, embeddingLookups } from './graph/embedding-lookups.js';
export { loadModel } from './graph/load.js';
export type { Attribute, Dimension, Graph, Model, Node, ValueInfo } from './graph/model.js';
export { readModel } from './graph/read.js';
export { symbolicShapes } from './graph/symbolic-shapes.js';
export { type Feed, Tensor } from './graph/tensor.js';
export { writeModel } from './graph/write.js';
