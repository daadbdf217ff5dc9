import { X509Certificate } from 'node:crypto';
import { parseXml } from './parse-xml.js';
import { isTrusted, isValidAt } from './seal-holder.js';
import { verifySeal } from './xml-seal.js';

/** Maximum size of a KSeF confirmation in bytes, far above the size of a confirmation for a whole KSeF session. */
export const CONFIRMATION_BYTES_MAX = 4 * 1024 * 1024;

const NAMESPACE = 'http://upo.schematy.mf.gov.pl/KSeF/v4-3';

/** Invoice file that a confirmation of KSeF (UPO) is expected to confirm. */
export interface Confirmed {
  readonly ksefNumber: string;
  /** SHA-256 hash of the confirmed invoice file, in base64. */
  readonly sha256: string;
}

/** The certificates whose seals on KSeF confirmations are trusted. */
export interface SealTrust {
  /**
   * Certificates of holders of KSeF seals or of their issuers, in DER format. If the list is empty, every holder is
   * accepted and reported as unknown.
   */
  readonly trusted: readonly Uint8Array[];
  /** Time at which certificates must be valid if the seal of a KSeF confirmation states no time. */
  readonly now: Date;
}

/** Result of checking a KSeF confirmation: a sentence that describes the fault, or the holder of the valid seal. */
export type ConfirmationCheck =
  | { readonly fault: string }
  | {
      /** SHA-256 hash of the seal certificate of KSeF, in hexadecimal with colons. */
      readonly sealedBy: string;
      /**
       * Seal certificate of the KSeF confirmation in DER. A caller that has revocation lists checks it against them.
       */
      readonly certificate: Uint8Array;
      /** False if no trusted certificate belongs to the holder of the seal of a KSeF confirmation. */
      readonly isHolderKnown: boolean;
    };

/**
 * Checks a KSeF confirmation of receipt (UPO, version 4-3) against the document that it should confirm, and its seal
 * against the trusted certificates. The KSeF number and the hash are read from the canonical text that the signature
 * covers, and never from the raw bytes.
 */
export function checkConfirmation(
  xml: Uint8Array,
  { ksefNumber, sha256 }: Confirmed,
  trust: SealTrust,
): ConfirmationCheck {
  if (xml.length > CONFIRMATION_BYTES_MAX) {
    return { fault: `The KSeF confirmation has ${xml.length} bytes; the maximum is ${CONFIRMATION_BYTES_MAX}.` };
  }
  const malformed = parseFault(xml);
  if (malformed !== undefined) return { fault: malformed };
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(xml);
  } catch {
    return { fault: 'The KSeF confirmation is not encoded in UTF-8.' };
  }
  const seal = verifySeal(text);
  if ('fault' in seal) return seal;
  const { certificate, issuers, sealedAt: at = trust.now } = seal;
  const sealedBy = certificate.fingerprint256;
  if (!isValidAt(certificate, at)) {
    const { validFrom, validTo } = certificate;
    return {
      fault: `The certificate ${sealedBy} was not valid when the confirmation was sealed. It is valid from ${validFrom} to ${validTo}.`,
    };
  }
  const isHolderKnown = trust.trusted.length > 0;
  const trusted = trust.trusted.map((der) => new X509Certificate(der));
  if (isHolderKnown && !isTrusted(certificate, { issuers, trusted, at })) {
    return { fault: `The KSeF confirmation is sealed with certificate ${sealedBy}, which is not trusted.` };
  }
  const documents = readDocuments(Buffer.from(seal.text));
  if (documents === undefined) {
    return { fault: 'The signed content is not a KSeF confirmation of version 4-3.' };
  }
  const entries = documents.filter((document) => document.ksefNumber === ksefNumber);
  if (entries.length === 0) return { fault: `The KSeF confirmation does not name document ${ksefNumber}.` };
  if (entries.some((entry) => entry.sha256 !== sha256)) {
    return { fault: `The KSeF confirmation states a different hash for document ${ksefNumber}.` };
  }
  return { sealedBy, certificate: new Uint8Array(certificate.raw), isHolderKnown };
}

function parseFault(xml: Uint8Array): string | undefined {
  const parsed = parseXml(xml);
  if ('document' in parsed) {
    parsed.document.dispose();
    return undefined;
  }
  return parsed.fault === 'DOCTYPE'
    ? 'The KSeF confirmation has a document type declaration.'
    : 'The KSeF confirmation is not well-formed XML.';
}

function readDocuments(signed: Uint8Array): readonly Confirmed[] | undefined {
  const parsed = parseXml(signed);
  if ('fault' in parsed) return undefined;
  const { document } = parsed;
  try {
    const names = { u: NAMESPACE };
    if (document.get('/u:Potwierdzenie', names) === null) return undefined;
    return document.find('/u:Potwierdzenie/u:Dokument', names).map((entry) => ({
      ksefNumber: entry.get('u:NumerKSeFDokumentu', names)?.content.trim() ?? '',
      sha256: entry.get('u:SkrotDokumentu', names)?.content.trim() ?? '',
    }));
  } finally {
    document.dispose();
  }
}
