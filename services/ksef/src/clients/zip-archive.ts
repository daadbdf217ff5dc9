import { fromFd } from 'yauzl';
import type { Entry, ZipFile } from 'yauzl';
import { INVOICE_BYTES_MAX, METADATA_BYTES_MAX, PackageFault } from '../domain/export-package.js';
import type { PackedFile } from '../domain/export-package.js';

/** Maximum total length in bytes of the name, the extra fields and the comment of one file in a ZIP archive. */
const DESCRIPTION_BYTES_MAX = 1_024;
const FILE_BYTES_MAX = Math.max(INVOICE_BYTES_MAX, METADATA_BYTES_MAX);

/** A ZIP archive on the disk. Its files are unpacked one by one. */
export interface Archive {
  readonly files: readonly PackedFile[];
  /**
   * Unpacks a file of a ZIP archive into memory.
   * @throws PackageFault if the file cannot be unpacked
   */
  read(file: PackedFile): Promise<Buffer>;
}

/**
 * Reads the file directory of a ZIP archive. File names are not checked, because nothing is unpacked to the disk.
 * @param fd file descriptor, which stays open
 * @throws PackageFault if the file is not an archive, or has too many files
 */
export async function openArchive(fd: number, filesMax: number): Promise<Archive> {
  const zip = await openZip(fd);
  if (zip.entryCount > filesMax) {
    throw new PackageFault(`The KSeF package has ${zip.entryCount} files; the maximum is ${filesMax}.`);
  }
  const entries = await readEntries(zip);
  const files = new Map<PackedFile, Entry>(
    entries.map((entry) => [
      {
        name: entry.fileNameRaw.toString('latin1'),
        packedBytes: entry.compressedSize,
        bytes: entry.uncompressedSize,
      },
      entry,
    ]),
  );
  return {
    files: [...files.keys()],
    async read(file) {
      const entry = files.get(file);
      if (entry === undefined) throw new TypeError('The file that is to be read is not in this ZIP archive of KSeF.');
      if (file.bytes > FILE_BYTES_MAX)
        throw new PackageFault(`A file in the KSeF package is too large: it has ${file.bytes} bytes.`);
      try {
        return await unpack(zip, entry);
      } catch (error) {
        throw new PackageFault(`A file in the package cannot be unpacked: ${messageOf(error)}`);
      }
    },
  };
}

function openZip(fd: number): Promise<ZipFile> {
  return new Promise((resolve, reject) => {
    const options = { lazyEntries: true, autoClose: false, decodeStrings: false, validateEntrySizes: true };
    fromFd(fd, options, (error, zip) => {
      if (error === null) resolve(zip);
      else reject(new PackageFault(`The KSeF package is not a ZIP archive: ${messageOf(error)}`));
    });
  });
}

function readEntries(zip: ZipFile): Promise<readonly Entry[]> {
  return new Promise((resolve, reject) => {
    const entries: Entry[] = [];
    zip.on('error', (error) => reject(new PackageFault(`The KSeF package cannot be read: ${messageOf(error)}`)));
    zip.on('end', () => resolve(entries));
    zip.on('entry', (entry: Entry) => {
      if (entry.fileNameLength + entry.extraFieldLength + entry.fileCommentLength > DESCRIPTION_BYTES_MAX) {
        reject(new PackageFault('The directory entry of a file in the KSeF package has more than 1,024 bytes.'));
        return;
      }
      entries.push(entry);
      zip.readEntry();
    });
    zip.readEntry();
  });
}

/**
 * Unpacks an entry of a ZIP archive. The library reports an error if the file has more or fewer bytes than its entry
 * states.
 */
async function unpack(zip: ZipFile, entry: Entry): Promise<Buffer> {
  const stream = await new Promise<NodeJS.ReadableStream>((resolve, reject) => {
    zip.openReadStream(entry, (error, opened) => (error === null ? resolve(opened) : reject(error)));
  });
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message.slice(0, 200) : 'unknown';
}
