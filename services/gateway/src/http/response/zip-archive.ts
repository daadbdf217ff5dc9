import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { ZipFile } from 'yazl';

/** A file of a ZIP archive. The bytes of the file are read when the archive reaches it. */
export interface ArchiveFile {
  /** Path of a file in the ZIP archive: letters, digits and `-_./`. */
  readonly name: string;
  /** True if the ZIP archive compresses the file. False for a file whose content is compressed already. */
  readonly compress: boolean;
  content(): AsyncIterable<Uint8Array>;
}

/** Maximum number of bytes of a file that are kept in memory until the reader of the ZIP archive takes them. */
const WAITING_BYTES_MAX = 64 * 1024;

/**
 * Writes a ZIP archive, one file after another, without keeping a file in memory. The end of the archive is written
 * only after all files are complete, so that an interrupted archive cannot be mistaken for a complete one.
 * @throws the error with which reading a file failed, after all earlier files were written
 */
export async function* zipArchive(files: AsyncIterable<ArchiveFile>, modifiedAt: Date): AsyncIterable<Uint8Array> {
  const zip = new ZipFile();
  const output = zip.outputStream as Readable;
  let current: Readable | undefined;
  let isLeft = false;
  // The error handler of the ZIP archive only prevents an uncaught error. A failure while reading a file is reported by
  // the stream of the file.
  zip.on('error', () => {});
  const write = async (): Promise<void> => {
    for await (const { name, compress, content } of files) {
      if (isLeft) return;
      current = Readable.from(content(), { objectMode: false, highWaterMark: WAITING_BYTES_MAX });
      // The end of a file is observed before its stream is passed to the ZIP archive, because the stream may end or
      // fail as soon as the archive receives it.
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
