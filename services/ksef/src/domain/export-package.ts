import { isKsefNumber } from '@invoicecontrol/values/ksef-number';
import type { RefusedFile } from './inbox.js';

/** Name of the file that lists the invoices of a KSeF invoice package. */
export const METADATA_NAME = '_metadata.json';
/** Maximum number of invoices in a KSeF export package. KSeF documents a limit of 10,000 but has delivered 10,001. */
export const INVOICES_MAX = 10_100;
/** Maximum size of a downloaded package in bytes. KSeF documents a limit of 1 GB. */
export const PACKAGE_BYTES_MAX = 1_200_000_000;
/** Maximum number of parts in a KSeF export package. KSeF cuts packages into parts of 50 MB. */
export const PARTS_MAX = 100;
/** Maximum size of an invoice that the documents service stores, in bytes. */
export const INVOICE_BYTES_MAX = 10_485_760;
export const METADATA_BYTES_MAX = 48 * 1024 * 1024;
export const UNPACKED_BYTES_MAX = 16 * 1024 * 1024 * 1024;
/** Maximum ratio of unpacked to packed bytes of a KSeF package. Invoices with many equal lines reach a ratio of 40. */
export const RATIO_MAX = 200;
/** Size in bytes of an unpacked KSeF invoice package up to which the compression ratio is not checked. */
const RATIO_FREE_BYTES = 1024 * 1024;
const AES_BLOCK_BYTES = 16;
const NAME_SHOWN_MAX = 80;

/** Error for a KSeF package that cannot be received. Another export of the same time window may succeed. */
export class PackageFault extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'PackageFault';
  }
}

/** A part of a KSeF export package. Sizes are in bytes and hashes are SHA-256 in base64. */
export interface ExportedPart {
  readonly ordinalNumber: number;
  readonly url: string;
  readonly size: number;
  readonly hash: string;
  readonly encryptedSize: number;
  readonly encryptedHash: string;
}

/** A file in a KSeF invoice package, as described in the package's file directory. */
export interface PackedFile {
  readonly name: string;
  readonly packedBytes: number;
  readonly bytes: number;
}

/** An entry in the invoice list of a KSeF invoice package. */
export interface ListedInvoice {
  readonly ksefNumber: string;
  /** SHA-256 hash of an invoice file in a KSeF package, in base64. */
  readonly invoiceHash: string;
}

export interface ExpectedInvoice<F extends PackedFile> extends ListedInvoice {
  readonly file: F;
}

/**
 * Checks the parts of a KSeF invoice package and returns them in order.
 * @throws PackageFault if the parts are incomplete or too large
 */
export function checkParts(parts: readonly ExportedPart[]): readonly ExportedPart[] {
  const ordered = parts.toSorted((one, other) => one.ordinalNumber - other.ordinalNumber);
  if (ordered.length > PARTS_MAX) {
    throw new PackageFault(`The KSeF package has ${ordered.length} parts; the maximum is ${PARTS_MAX}.`);
  }
  if (ordered.some(({ ordinalNumber }, index) => ordinalNumber !== index + 1)) {
    throw new PackageFault('The parts of the KSeF package are not numbered consecutively from 1.');
  }
  const odd = ordered.find(({ size, encryptedSize }) => encryptedSize !== encryptedSizeOf(size));
  if (odd !== undefined) {
    throw new PackageFault(`The sizes of part ${odd.ordinalNumber} of the KSeF package contradict each other.`);
  }
  const bytes = ordered.reduce((sum, { size }) => sum + size, 0);
  if (bytes > PACKAGE_BYTES_MAX) {
    throw new PackageFault(`The KSeF package has ${bytes} bytes; the maximum is ${PACKAGE_BYTES_MAX}.`);
  }
  return ordered;
}

/**
 * Returns the size of an encrypted KSeF package part for data of the given size. AES-256-CBC with PKCS#7 always fills
 * the last block.
 */
export function encryptedSizeOf(bytes: number): number {
  return (Math.floor(bytes / AES_BLOCK_BYTES) + 1) * AES_BLOCK_BYTES;
}

/**
 * Finds the file with the list of invoices in a KSeF package before anything of the package is unpacked.
 * @param packageBytes size of the whole package
 * @throws PackageFault if the package has no list or exceeds a limit
 */
export function checkDirectory<F extends PackedFile>(files: readonly F[], packageBytes: number): F {
  if (files.length > INVOICES_MAX + 1) {
    throw new PackageFault(`The KSeF package has ${files.length} files; the maximum is ${INVOICES_MAX + 1}.`);
  }
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  if (bytes > UNPACKED_BYTES_MAX) {
    throw new PackageFault(
      `The files in the KSeF package have ${bytes} bytes in total; the maximum is ${UNPACKED_BYTES_MAX}.`,
    );
  }
  if (bytes > RATIO_FREE_BYTES && bytes > packageBytes * RATIO_MAX) {
    throw new PackageFault(`The files in the KSeF package are more than ${RATIO_MAX} times as large as the package.`);
  }
  const list = files.find(({ name }) => name === METADATA_NAME);
  if (list === undefined) throw new PackageFault(`The KSeF package has no ${METADATA_NAME}.`);
  if (list.bytes > METADATA_BYTES_MAX) {
    throw new PackageFault(`${METADATA_NAME} has ${list.bytes} bytes; the maximum is ${METADATA_BYTES_MAX}.`);
  }
  return list;
}

/**
 * Compares the files of a KSeF package with its invoice list in both directions. Only files that have the KSeF number
 * of a listed invoice are unpacked.
 * @returns the listed invoices with their files, in the order of the list, and as refused all other files and listed
 *   invoices
 * @throws PackageFault if the list has too many invoices
 */
export function matchFiles<F extends PackedFile>(
  files: readonly F[],
  listed: readonly ListedInvoice[],
): { readonly expected: readonly ExpectedInvoice<F>[]; readonly refused: readonly RefusedFile[] } {
  const hashes = new Map(listed.map(({ ksefNumber, invoiceHash }) => [ksefNumber, invoiceHash]));
  if (hashes.size > INVOICES_MAX) {
    throw new PackageFault(`The KSeF package lists ${hashes.size} invoices; the maximum is ${INVOICES_MAX}.`);
  }
  const refused: RefusedFile[] = [];
  const named = new Map<string, F>();
  for (const file of files) {
    if (file.name === METADATA_NAME) continue;
    const [, ksefNumber = ''] = /^([0-9A-F-]{1,64})\.xml$/.exec(file.name) ?? [];
    const reason = !isKsefNumber(ksefNumber)
      ? 'The name of the file in the package is not a KSeF number.'
      : named.has(ksefNumber)
        ? 'The KSeF package has two files for this invoice; only the first file is used.'
        : !hashes.has(ksefNumber)
          ? 'The KSeF package has a file for this invoice, but its list of invoices does not name the invoice.'
          : file.bytes > INVOICE_BYTES_MAX
            ? `The invoice file has ${file.bytes} bytes; the maximum is ${INVOICE_BYTES_MAX}.`
            : undefined;
    if (reason === undefined) named.set(ksefNumber, file);
    else refused.push({ ...refusedAs(ksefNumber, file.name, hashes.get(ksefNumber)), reason });
  }
  const refusedNumbers = new Set(refused.map(({ ksefNumber }) => ksefNumber));
  const expected: ExpectedInvoice<F>[] = [];
  for (const [ksefNumber, invoiceHash] of hashes) {
    const file = named.get(ksefNumber);
    if (file !== undefined) expected.push({ ksefNumber, invoiceHash, file });
    else if (!refusedNumbers.has(ksefNumber)) {
      const reason = 'The list of invoices in the package names this invoice, but the package has no file for it.';
      refused.push({ ...refusedAs(ksefNumber, ksefNumber, invoiceHash), reason });
    }
  }
  return { expected, refused };
}

/** Sentence about an invoice file whose content differs from the content that KSeF registered. */
export const CONTENT_DIFFERS =
  'The file in the package differs from the file that KSeF registered: its SHA-256 hash differs from the stated hash.';

/** Names a refused invoice by its KSeF number, or otherwise by the name of its file in the KSeF package. */
function refusedAs(ksefNumber: string, name: string, invoiceHash: string | undefined): Omit<RefusedFile, 'reason'> {
  if (!isKsefNumber(ksefNumber)) return { ksefNumber: shown(name) };
  return { ksefNumber, ...(invoiceHash === undefined ? {} : { invoiceHash }) };
}

/** Sentence about an invoice whose content cannot be compared with what KSeF registered. */
export const NO_HASH_STATED = 'KSeF states no SHA-256 for this invoice, so its file cannot be checked.';

/** Makes the name of a file in a KSeF package safe to show, because the sender chose the name. */
function shown(name: string): string {
  return name.replaceAll(/[^\w.-]/g, '?').slice(0, NAME_SHOWN_MAX);
}
