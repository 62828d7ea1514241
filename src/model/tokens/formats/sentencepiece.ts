/** @file SentencePiece's model file (spiece.model, sentencepiece.bpe.model): the parts of its protobuf that encoding needs. */
import { MessageFields } from '../../../../packages/onnx/src/graph/wire.js';

/** sentencepiece_model.proto, ModelProto.SentencePiece.Type. */
export const PieceType = { normal: 1, unknown: 2, control: 3, userDefined: 4, unused: 5, byte: 6 } as const;

interface SpmPiece {
  readonly text: string;
  readonly score: number;
  /** One of PieceType. */
  readonly type: number;
}

export interface SentencePieceModel {
  /** In id order. */
  readonly pieces: readonly SpmPiece[];
  readonly kind: 'unigram' | 'bpe';
  readonly unknownId: number;
  readonly byteFallback: boolean;
  /** Its character map, base64; empty where it has none. */
  readonly charsmap: string;
}

/** The number of each field read: sentencepiece_model.proto. */
const MODEL = { pieces: 1, trainer: 2, normalizer: 3 };
const PIECE = { text: 1, score: 2, type: 3 };
const TRAINER = { modelType: 3, byteFallback: 35, unknownId: 40 };
const NORMALIZER = { charsmap: 2 };

/** Throws Error where the file is damaged, or of a kind that has no subwords. */
export function readSentencePiece(file: Uint8Array): SentencePieceModel {
  const model = new MessageFields(file);
  const trainer = new MessageFields(model.message(MODEL.trainer) ?? NONE);
  const normalizer = new MessageFields(model.message(MODEL.normalizer) ?? NONE);
  const pieces = model.messages(MODEL.pieces).map(pieceOf);
  const [modelType, unknownId] = [trainer.int(TRAINER.modelType) || 1, trainer.int(TRAINER.unknownId)];
  const kind = ({ 1: 'unigram', 2: 'bpe' } as const)[modelType];
  if (kind === undefined) throw new Error(`expected a unigram or BPE model of SentencePiece, got type ${modelType}`);
  if (pieces[unknownId] === undefined) throw new Error(`expected a SentencePiece model, got ${pieces.length} pieces`);
  const charsmap = Buffer.from(normalizer.message(NORMALIZER.charsmap) ?? NONE).toString('base64');
  return { pieces, kind, unknownId, byteFallback: trainer.int(TRAINER.byteFallback) !== 0, charsmap };
}

const NONE = new Uint8Array();

function pieceOf(message: Uint8Array): SpmPiece {
  const fields = new MessageFields(message);
  return {
    text: fields.string(PIECE.text),
    score: fields.float(PIECE.score),
    type: fields.int(PIECE.type) || PieceType.normal,
  };
}
