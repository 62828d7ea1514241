/** Characters per piece: a call a line would cost more than making the line. */
const PIECE_CHARACTERS = 65_536;

export type Chunks = Iterable<string> | AsyncIterable<string>;

/** The same text in fewer, larger pieces; nothing that comes is held back for long. */
export async function* inPieces(chunks: Chunks): AsyncGenerator<string> {
  let piece = '';
  for await (const chunk of chunks) {
    piece += chunk;
    if (piece.length < PIECE_CHARACTERS) continue;
    yield piece;
    piece = '';
  }
  if (piece !== '') yield piece;
}
