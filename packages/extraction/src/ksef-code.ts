import { isCalendarDate } from '@invoicecontrol/values/calendar-date';
import type { KsefCode } from './reading.js';

/**
 * Pattern of the link of KOD I (KSeF reference, section 16). 43 characters of base64url are the 32 bytes of SHA-256.
 */
const LINK =
  /^https:\/\/qr(?:-test|-demo)?\.ksef\.mf\.gov\.pl\/invoice\/(\d{10})\/(\d{2})-(\d{2})-(\d{4})\/([A-Za-z0-9_-]{43})=?\/?$/;

/**
 * Finds the KSeF QR code among the codes of a document. Undefined if there is none, or if there are several different
 * ones.
 */
export function findKsefCode(texts: readonly string[]): KsefCode | undefined {
  const codes = texts.flatMap((text) => readKsefCode(text) ?? []);
  const [first] = codes;
  return codes.every((code) => isSameCode(code, first)) ? first : undefined;
}

/** Reads the link of a KSeF QR code. Undefined for any other text. */
export function readKsefCode(text: string): KsefCode | undefined {
  const [, sellerNip, day, month, year, hash] = LINK.exec(text.trim()) ?? [];
  if (sellerNip === undefined || hash === undefined) return undefined;
  const issueDate = `${year}-${month}-${day}`;
  if (!isCalendarDate(issueDate)) return undefined;
  return { sellerNip, issueDate, sha256: Buffer.from(hash, 'base64url').toString('hex') };
}

function isSameCode(one: KsefCode, other: KsefCode | undefined): boolean {
  return one.sellerNip === other?.sellerNip && one.issueDate === other.issueDate && one.sha256 === other.sha256;
}
