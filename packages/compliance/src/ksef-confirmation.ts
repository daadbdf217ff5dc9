import { DOMParser } from '@xmldom/xmldom';
import { SignedXml } from 'xml-crypto';
import { parseXml } from './parse-xml.js';

/** A confirmation of one session page is far below it. */
export const CONFIRMATION_BYTES_MAX = 4 * 1024 * 1024;

const NAMESPACE = 'http://upo.schematy.mf.gov.pl/KSeF/v4-3';
const SIGNATURE = 'http://www.w3.org/2000/09/xmldsig#';
/** The document, and what a signature says of itself. */
const REFERENCES_MAX = 8;
/** A signature over a SHA-1 hash can be moved to another document. */
const WEAK_SIGNATURE = 'http://www.w3.org/2000/09/xmldsig#rsa-sha1';
const WEAK_HASH = 'http://www.w3.org/2000/09/xmldsig#sha1';

/** The document that a confirmation should confirm. */
export interface Confirmed {
  readonly ksefNumber: string;
  /** Base64 of SHA-256. */
  readonly sha256: string;
}

/**
 * Holds a confirmation of receipt (UPO, version 4-3) against the document that it should confirm. Number and hash are read
 * from the canonical text that the signature covers, never from the bytes. Whose certificate it is cannot be told here.
 *
 * @returns a sentence; undefined when signature, number and hash are right
 */
export function confirmationFault(xml: Uint8Array, { ksefNumber, sha256 }: Confirmed): string | undefined {
  if (xml.length > CONFIRMATION_BYTES_MAX) {
    return `The confirmation has ${xml.length} bytes; at most ${CONFIRMATION_BYTES_MAX} are read.`;
  }
  const malformed = parseFault(xml);
  if (malformed !== undefined) return malformed;
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(xml);
  } catch {
    return 'The confirmation is not encoded in UTF-8.';
  }
  const signed = signedText(text);
  if ('fault' in signed) return signed.fault;
  const documents = readDocuments(Buffer.from(signed.text));
  if (documents === undefined) return 'What is signed is not a confirmation of KSeF of version 4-3.';
  const entries = documents.filter((document) => document.ksefNumber === ksefNumber);
  if (entries.length === 0) return `The confirmation does not name the document ${ksefNumber}.`;
  if (entries.some((entry) => entry.sha256 !== sha256)) {
    return `The confirmation names another hash for the document ${ksefNumber}.`;
  }
  return undefined;
}

function parseFault(xml: Uint8Array): string | undefined {
  const parsed = parseXml(xml);
  if ('document' in parsed) {
    parsed.document.dispose();
    return undefined;
  }
  return parsed.fault === 'DOCTYPE'
    ? 'The confirmation has a document type declaration.'
    : 'The confirmation is not correct XML.';
}

/** The canonical text of the whole document without its signature, once the signature is verified. */
function signedText(xml: string): { readonly text: string } | { readonly fault: string } {
  const document = new DOMParser().parseFromString(xml, 'text/xml');
  const signatures = document.getElementsByTagNameNS(SIGNATURE, 'Signature');
  const signature = signatures.item(0);
  if (signature === null) return { fault: 'The confirmation has no signature.' };
  if (signatures.length > 1) return { fault: `The confirmation has ${signatures.length} signatures; one is expected.` };
  if (signature.parentNode !== document.documentElement) {
    return { fault: 'The signature of the confirmation is not directly below its root element.' };
  }
  const verifier = new SignedXml({ getCertFromKeyInfo: SignedXml.getCertFromKeyInfo });
  delete verifier.SignatureAlgorithms[WEAK_SIGNATURE];
  delete verifier.HashAlgorithms[WEAK_HASH];
  try {
    verifier.loadSignature(signature);
    if (verifier.getReferences().length > REFERENCES_MAX) return { fault: 'The signature has too many references.' };
    if (!verifier.checkSignature(xml)) return { fault: WRONG_SIGNATURE };
  } catch {
    // The library throws for a wrong signature as well as for one that it cannot read.
    return { fault: WRONG_SIGNATURE };
  }
  const whole = verifier.getReferences().flatMap(({ uri }, at) => (uri === '' ? [at] : []));
  const text = verifier.getSignedReferences()[whole[0] ?? -1];
  if (whole.length !== 1 || text === undefined)
    return { fault: 'The signature does not cover the whole confirmation.' };
  return { text };
}

const WRONG_SIGNATURE = 'The signature of the confirmation is wrong, or of a kind that cannot be verified.';

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
