import { crc32, inflateRawSync } from 'node:zlib';

const END_OF_DIRECTORY = 0x06054b50;
const DIRECTORY_ENTRY = 0x02014b50;
const LOCAL_HEADER = 0x04034b50;
const STORED = 0;

/**
 * Reads the files of a ZIP archive by name. Throws if the archive is incomplete or a file does not match its checksum.
 */
export function readZip(archive: Buffer): ReadonlyMap<string, Buffer> {
  const end = archive.length - 22;
  if (end < 0 || archive.readUInt32LE(end) !== END_OF_DIRECTORY)
    throw new Error('The ZIP archive has no end-of-directory record.');
  const count = archive.readUInt16LE(end + 10);
  const files = new Map<string, Buffer>();
  let at = archive.readUInt32LE(end + 16);
  for (let index = 0; index < count; index++) {
    if (archive.readUInt32LE(at) !== DIRECTORY_ENTRY) throw new Error(`Entry ${index} is damaged.`);
    const nameLength = archive.readUInt16LE(at + 28);
    const name = archive.toString('utf8', at + 46, at + 46 + nameLength);
    const local = archive.readUInt32LE(at + 42);
    if (archive.readUInt32LE(local) !== LOCAL_HEADER) throw new Error(`${name} has no header.`);
    const begin = local + 30 + archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28);
    const packed = archive.subarray(begin, begin + archive.readUInt32LE(at + 20));
    const content = archive.readUInt16LE(at + 10) === STORED ? packed : inflateRawSync(packed);
    if (crc32(content) !== archive.readUInt32LE(at + 16))
      throw new Error(`The file ${name} in the ZIP archive does not match its checksum.`);
    files.set(name, content);
    at += 46 + nameLength + archive.readUInt16LE(at + 30) + archive.readUInt16LE(at + 32);
  }
  return files;
}
