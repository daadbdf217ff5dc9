import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { ZipFile } from 'yazl';

/** A file of an archive; its bytes are asked for when its turn comes. */
export interface ArchiveFile {
  /** Path in the archive: letters, digits and `-_./`. */
  readonly name: string;
  /** False for what is compressed already. */
  readonly compress: boolean;
  content(): AsyncIterable<Uint8Array>;
}

/** Bytes of a file that may wait for the reader of the archive. */
const WAITING_BYTES_MAX = 64 * 1024;

/**
 * A ZIP archive as it is written: one file after the other, none of them held in memory. Its end is written only when all files
 * are complete, so an archive that was broken off cannot be opened as if it were whole.
 * @throws what the content of a file throws, after what was written before it
 */
export async function* zipArchive(files: AsyncIterable<ArchiveFile>, modifiedAt: Date): AsyncIterable<Uint8Array> {
  const zip = new ZipFile();
  const output = zip.outputStream as Readable;
  let current: Readable | undefined;
  let isLeft = false;
  // The content of a file reports its own failure below.
  zip.on('error', () => {});
  const write = async (): Promise<void> => {
    for await (const { name, compress, content } of files) {
      if (isLeft) return;
      current = Readable.from(content(), { objectMode: false, highWaterMark: WAITING_BYTES_MAX });
      // Registered first: the archive takes the stream, and it may end or fail at once.
      const ended = finished(current, { writable: false });
      zip.addReadStream(current, name, { mtime: modifiedAt, mode: 0o100644, compress });
      await ended;
    }
    zip.end();
  };
  const writing = write().catch((error: unknown) => output.destroy(error as Error));
  try {
    yield* output as AsyncIterable<Uint8Array>;
    await writing;
  } finally {
    isLeft = true;
    current?.destroy();
    output.destroy();
  }
}
