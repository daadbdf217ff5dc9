import { createCipheriv } from 'node:crypto';
import { Readable } from 'node:stream';
import { ZipFile } from 'yazl';
import { sha256 } from './keys.js';

const BLOCK = Buffer.alloc(64 * 1024);

/** A file in a KSeF invoice package. Its bytes are generated when they are needed. */
export interface PackageFile {
  readonly name: string;
  readonly content: () => Iterable<Uint8Array>;
}

/** A part of a KSeF invoice package: a piece of the ZIP archive that is encrypted separately. */
export interface PackagePart {
  /** Size of the part of a KSeF package in bytes, before its encryption. */
  readonly size: number;
  /** SHA-256 hash of the part of a KSeF package before its encryption, in base64. */
  readonly hash: string;
  readonly encrypted: Buffer;
  readonly encryptedHash: string;
}

interface PartOptions {
  readonly key: Buffer;
  readonly iv: Buffer;
  /** Maximum size of a part of a KSeF package in bytes, before its encryption. */
  readonly bytesMax: number;
  /**
   * Modification time of all files in a KSeF invoice package. It is fixed, so that a package always has the same bytes.
   */
  readonly modifiedAt: Date;
}

/** Packs the files of a KSeF invoice package into a ZIP archive and encrypts it in parts (AES-256-CBC, PKCS#7). */
export async function packFiles(files: Iterable<PackageFile>, options: PartOptions): Promise<readonly PackagePart[]> {
  const { key, iv, bytesMax, modifiedAt } = options;
  const parts: PackagePart[] = [];
  let pieces: Buffer[] = [];
  let size = 0;
  const endPart = (): void => {
    const plain = Buffer.concat(pieces);
    const cipher = createCipheriv('aes-256-cbc', key, iv);
    const encrypted = Buffer.concat([cipher.update(plain), cipher.final()]);
    parts.push({ size, hash: sha256(plain), encrypted, encryptedHash: sha256(encrypted) });
    pieces = [];
    size = 0;
  };
  for await (const chunk of zip(files, modifiedAt)) {
    for (let at = 0; at < chunk.length;) {
      const piece = chunk.subarray(at, at + bytesMax - size);
      pieces.push(piece);
      size += piece.length;
      at += piece.length;
      if (size === bytesMax) endPart();
    }
  }
  if (size > 0) endPart();
  return parts;
}

/** Yields the given number of zero bytes as the content of a file in a KSeF invoice package. */
export function* zeros(bytes: number): Iterable<Uint8Array> {
  for (let left = bytes; left > 0; left -= BLOCK.length) yield BLOCK.subarray(0, left);
}

async function* zip(files: Iterable<PackageFile>, modifiedAt: Date): AsyncIterable<Buffer> {
  const archive = new ZipFile();
  const output = archive.outputStream as Readable;
  archive.on('error', (error: Error) => output.destroy(error));
  for (const { name, content } of files) {
    // Files of a KSeF invoice package are opened one after another, so that ten thousand documents and their
    // compressors are never in memory at once.
    archive.addReadStreamLazy(name, { mtime: modifiedAt, mode: 0o100644 }, (give) => {
      give(null, Readable.from(content(), { objectMode: false }));
    });
  }
  archive.end();
  yield* output as AsyncIterable<Buffer>;
}
