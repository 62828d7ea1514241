/** @file SentencePiece's model file (spiece.model, sentencepiece.bpe.model): the parts of its protobuf that encoding needs. */
import { places } from '../../../onnx/wire.js';

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
  const pieces: SpmPiece[] = [];
  let [modelType, unknownId, byteFallback, charsmap] = [1, 0, false, ''];
  for (const { number, value } of fieldsOf(file)) {
    if (!(value instanceof Uint8Array)) continue;
    if (number === MODEL.pieces) pieces.push(pieceOf(value));
    if (number === MODEL.trainer) {
      for (const field of fieldsOf(value)) {
        if (field.number === TRAINER.modelType) modelType = Number(field.value);
        if (field.number === TRAINER.unknownId) unknownId = Number(field.value);
        if (field.number === TRAINER.byteFallback) byteFallback = Number(field.value) !== 0;
      }
    }
    if (number === MODEL.normalizer) {
      for (const field of fieldsOf(value)) {
        if (field.number === NORMALIZER.charsmap) charsmap = Buffer.from(field.value as Uint8Array).toString('base64');
      }
    }
  }
  const kind = ({ 1: 'unigram', 2: 'bpe' } as const)[modelType];
  if (kind === undefined) throw new Error(`expected a unigram or BPE model of SentencePiece, got type ${modelType}`);
  if (pieces[unknownId] === undefined) throw new Error(`expected a SentencePiece model, got ${pieces.length} pieces`);
  return { pieces, kind, unknownId, byteFallback, charsmap };
}

function pieceOf(bytes: Uint8Array): SpmPiece {
  let [text, score, type]: [string, number, number] = ['', 0, PieceType.normal];
  for (const { number, value } of fieldsOf(bytes)) {
    if (number === PIECE.text) text = Buffer.from(value as Uint8Array).toString('utf8');
    if (number === PIECE.score && value instanceof Uint8Array) score = Buffer.from(value).readFloatLE(0);
    if (number === PIECE.type) type = Number(value);
  }
  return { text, score, type };
}

/** Varints as numbers, all else as bytes. */
function* fieldsOf(bytes: Uint8Array): Generator<{ readonly number: number; readonly value: number | Uint8Array }> {
  for (const { number, wire, from, end } of places((at) => bytes[at], 0, bytes.length)) {
    if (wire !== 0) yield { number, value: bytes.subarray(from, end) };
    else {
      let value = 0;
      for (let at = end - 1; at >= from; at--) value = value * 128 + (bytes[at]! & 0x7f);
      yield { number, value };
    }
  }
}
