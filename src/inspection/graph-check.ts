/** @file Examines ONNX graphs, safetensors and other weights: data files, operators, structure. No graph is run. */
import { safetensorsHeader } from '../../packages/onnx/src/convert/checkpoint/safetensors.js';
import { everyGraph, tensors } from '../../packages/onnx/src/graph/edit.js';
import { dataFile } from '../../packages/onnx/src/graph/external.js';
import { readModelOutline } from '../../packages/onnx/src/graph/load.js';
import type { Node } from '../../packages/onnx/src/graph/model.js';
import { operatorOf } from '../../packages/onnx/src/graph/operators/index.js';
import { SELF } from '../../packages/onnx/src/graph/outline.js';
import { messageOf } from '../core/errors.js';
import { type ModelCheck, type ModelFinding, modelCheck } from '../results/backdoor/model-scan.js';
import type { FileKind, KnownFile } from './file-kinds.js';

/** Domains whose operators are compiled into onnxruntime. Operators of others need a library that the user loads. */
const BUILT_IN = [
  '',
  'ai.onnx',
  'ai.onnx.ml',
  'ai.onnx.training',
  'ai.onnx.preview.training',
  'com.microsoft',
  'com.microsoft.nchwc',
  'com.ms.internal.nhwc',
];

interface ExaminedGraphs {
  readonly findings: ModelFinding[];
  readonly notExamined: string[];
  graphs: number;
  nodes: number;
  tensors: number;
}

/** Formats that only hold numbers and texts for one known library, and are not parsed here. */
const UNPARSED: Partial<Record<FileKind, string>> = {
  gguf: 'GGUF is not parsed',
  fasttext: 'fastText is not parsed',
  unknown: 'unknown format',
};

/** Files that hold weights; those of the last four are examined as pickles. */
const WEIGHTS: readonly FileKind[] = ['onnx', 'safetensors', 'gguf', 'fasttext', 'pickle', 'zip', 'numpy', 'hdf5'];

export async function checkGraphs(files: readonly KnownFile[]): Promise<ModelCheck> {
  const found: ExaminedGraphs = { findings: [], notExamined: [], graphs: 0, nodes: 0, tensors: 0 };
  for (const file of files) {
    try {
      if (file.kind === 'onnx') await examineGraph(file, found);
      else if (file.kind === 'safetensors') found.tensors += safetensorsHeader(file.path).length;
    } catch (error) {
      found.notExamined.push(`${file.name}: ${messageOf(error)}`);
    }
    const why = UNPARSED[file.kind];
    if (why !== undefined && file.bytes > 0) found.notExamined.push(`${file.name}: ${why}`);
  }
  if (files.every(({ kind }) => !WEIGHTS.includes(kind))) found.notExamined.push('the folder holds no file of weights');
  const examined = `${found.graphs} ONNX graphs of ${found.nodes} nodes, ${found.tensors} tensors of safetensors`;
  return modelCheck('graph', examined, found.findings, found.notExamined, found.graphs + found.tensors);
}

async function examineGraph({ name, path }: KnownFile, found: ExaminedGraphs): Promise<void> {
  const model = await readModelOutline(path);
  const graphs = everyGraph(model.graph);
  const nodes = graphs.flatMap((graph) => graph.nodes);
  found.graphs += 1;
  found.nodes += nodes.length;
  found.findings.push(...operatorFindings(name, nodes));
  const locations = new Map(
    graphs
      .flatMap(tensors)
      .flatMap(({ name: tensor, external }) =>
        external === undefined || external.location === SELF ? [] : [[external.location, tensor] as const],
      ),
  );
  for (const [location, tensor] of locations) found.findings.push(dataFinding({ name, path }, location, tensor));
}

function operatorFindings(file: string, nodes: readonly Pick<Node, 'domain' | 'op'>[]): ModelFinding[] {
  const called = ({ domain, op }: Pick<Node, 'domain' | 'op'>): string => (domain === '' ? op : `${domain}.${op}`);
  const foreign = nodes.filter(({ domain }) => !BUILT_IN.includes(domain));
  const unknown = nodes.filter((node) => BUILT_IN.includes(node.domain) && operatorOf(node) === undefined);
  const names = (of: typeof nodes): string[] => [...new Set(of.map(called))].sort();
  return [
    ...names(foreign).map((operator) => ({
      level: 'danger' as const,
      file,
      what: `the operator ${operator} is not part of onnxruntime: it runs code of a library that has to be loaded for it`,
    })),
    ...(unknown.length === 0
      ? []
      : [
          {
            level: 'note' as const,
            file,
            what: `operators unknown to robust, built into onnxruntime: ${names(unknown).join(', ')}`,
          },
        ]),
  ];
}

function dataFinding(
  { name: file, path }: Pick<KnownFile, 'name' | 'path'>,
  location: string,
  tensor: string,
): ModelFinding {
  try {
    dataFile(path, tensor, location);
    return { level: 'note', file, what: `numbers in the file "${location}" beside it` };
  } catch (error) {
    const what = messageOf(error);
    return { level: what.endsWith('no such file') ? 'warning' : 'danger', file, what };
  }
}
