/** @file A partially downloaded file: segments that are filled in parallel, and a file with the progress of each. */
import { constants, existsSync } from 'node:fs';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { closingOnError } from '../../core/closing-stack.js';
import { readFile } from '../../files/read.js';
import { writeAll } from '../../files/write.js';
import { onDisk } from './cache.js';

/** Bytes of a segment at least: a connection takes a while to get fast. */
export const LEAST_SEGMENT = 4 * 2 ** 20;
const MOST_SEGMENTS = 16;

/** Part of a file, all in bytes. */
export interface FileSegment {
  readonly start: number;
  /** Behind its last. */
  readonly end: number;
  /** The first byte that is not here yet. */
  at: number;
}

export class PartialFile {
  #segments: readonly FileSegment[];

  private constructor(
    readonly path: string,
    private readonly size: number,
    private readonly bytes: FileHandle,
    /** The segments' `at`, 8 bytes each; absent for a single segment, whose progress is the file's length. */
    private notes: FileHandle | undefined,
    segments: readonly FileSegment[],
  ) {
    this.#segments = segments;
  }

  /**
   * Opens the file at `path`, or creates it. Its content may be wrong, because only the hash decides. A file without notes is assumed to be
   * filled from its start. Throws ModelError (OUTPUT_UNREACHABLE).
   */
  static async open(path: string, size: number): Promise<PartialFile> {
    const open = (file: string) => openForUpdate(file);
    const bytes = await open(path);
    return closingOnError(bytes, async () => {
      let length = (await bytes.stat()).size;
      if (length > size) {
        await bytes.truncate(0);
        length = 0;
      }
      const segments = segmentsOf(size);
      const known = existsSync(notesOf(path));
      if (known) {
        const places = placesIn(await onDisk(path, () => readFile(notesOf(path))), segments.length);
        // Notes may be older than the file, and of another one.
        for (const [at, segment] of segments.entries()) segment.at = within(segment, Math.min(places[at] ?? 0, length));
      } else for (const segment of segments) segment.at = within(segment, length);
      const notes = segments.length > 1 ? await open(notesOf(path)) : undefined;
      const file = new PartialFile(path, size, bytes, notes, segments);
      await onDisk(path, async () => file.#note(...segments.keys()));
      return file;
    });
  }

  get segments(): readonly FileSegment[] {
    return this.#segments;
  }

  /** Bytes that are here. */
  get done(): number {
    return this.#segments.reduce((sum, { start, at }) => sum + at - start, 0);
  }

  /** The next bytes of a segment. They are noted once they are written: whatever ends this process, no note says more than there is. */
  async append(segment: FileSegment, chunk: Uint8Array): Promise<void> {
    await onDisk(this.path, async () => {
      writeAll(this.bytes.fd, chunk, segment.at);
      segment.at += chunk.length;
      this.#note(this.#segments.indexOf(segment));
    });
  }

  /** Empties the file, which is one segment from now on. */
  async join(): Promise<FileSegment> {
    const whole = { start: 0, end: this.size, at: 0 };
    await onDisk(this.path, async () => {
      await this.bytes.truncate(0);
      await this.notes?.close();
      this.notes = undefined;
      await rm(notesOf(this.path), { force: true });
    });
    this.#segments = [whole];
    return whole;
  }

  async sync(): Promise<void> {
    await onDisk(this.path, () => this.bytes.sync());
  }

  async close(): Promise<void> {
    await this.notes?.close();
    await this.bytes.close();
  }

  #note(...which: readonly number[]): void {
    if (this.notes === undefined) return;
    const place = Buffer.alloc(8);
    for (const at of which) {
      place.writeBigUInt64LE(BigInt(this.#segments[at]!.at));
      writeAll(this.notes.fd, place, at * 8);
    }
  }
}

/** Removes a file and its notes, where they are. Throws ModelError (OUTPUT_UNREACHABLE). */
export const removePartial = (path: string): Promise<void> =>
  onDisk(path, async () => {
    await rm(path, { force: true });
    await removeNotes(path);
  });

/** Removes the notes of a file that was renamed. Throws the system's error. */
export const removeNotes = (path: string): Promise<void> => rm(notesOf(path), { force: true });

const notesOf = (path: string): string => `${path}.places`;

const openForUpdate = (path: string): Promise<FileHandle> =>
  onDisk(path, () => open(path, constants.O_RDWR | constants.O_CREAT, 0o666));

/** Parts of equal length, the last one a little longer. */
function segmentsOf(size: number): FileSegment[] {
  const count = Math.max(1, Math.min(MOST_SEGMENTS, Math.floor(size / LEAST_SEGMENT)));
  const length = Math.floor(size / count);
  return Array.from({ length: count }, (_, at) => {
    const start = at * length;
    return { start, end: at === count - 1 ? size : start + length, at: start };
  });
}

/** Empty if the notes have another number of segments: written by another version, or truncated. */
const placesIn = (notes: Buffer, count: number): number[] =>
  notes.length === count * 8 ? Array.from({ length: count }, (_, at) => Number(notes.readBigUInt64LE(at * 8))) : [];

const within = ({ start, end }: FileSegment, at: number): number => Math.max(start, Math.min(end, at));
