import { Constructed, fromBER, ObjectIdentifier, OctetString, Sequence } from 'asn1js';
import { sniffMediaType } from '../media-type.js';
import type { ReadingFailure } from '../reading.js';
import { refuse } from '../refuse.js';

/** Maximum number of nested signatures around an invoice, as in `.xml.p7m.p7m`. */
const ENVELOPES_MAX = 4;
/** Maximum size of a signed invoice file, the same as for a reserved upload, plus a third for base64. */
const ENVELOPE_BYTES_MAX = 10_485_760;
/**
 * Maximum number of parts of the content of a signed invoice file. Content in parts of 100 bytes or more stays below
 * this number.
 */
const ASN1_NODES_MAX = 200_000;
const ASN1_DEPTH_MAX = 100;
const SIGNED_DATA = '1.2.840.113549.1.7.2';

type Content = { readonly content: Uint8Array } | { readonly failure: ReadingFailure };

/**
 * Returns the signed content of a CAdES envelope (DER, BER, base64 or PEM), even if several envelopes are nested. The
 * signature is not verified: the invoice is read as if it were not signed.
 */
export function signedContent(bytes: Uint8Array): Content {
  if (bytes.length > ENVELOPE_BYTES_MAX) {
    return refuse(
      'TOO_LARGE',
      `The signed file has ${bytes.length} bytes; the maximum is ${ENVELOPE_BYTES_MAX}. Send the invoice without its annexes.`,
    );
  }
  let content = bytes;
  for (let envelopes = 0; envelopes < ENVELOPES_MAX; envelopes += 1) {
    const opened = open(content);
    if ('failure' in opened) return opened;
    content = opened.content;
    if (sniffMediaType(content) !== 'application/pkcs7-mime') return { content };
  }
  return refuse(
    'UNSUPPORTED_FORMAT',
    `The invoice file is signed more than ${ENVELOPES_MAX} times. Send the invoice with only one signature.`,
  );
}

function open(bytes: Uint8Array): Content {
  const { result, offset } = fromBER(bytes[0] === 0x30 ? bytes : fromBase64(bytes), {
    maxDepth: ASN1_DEPTH_MAX,
    maxNodes: ASN1_NODES_MAX,
    maxContentLength: ENVELOPE_BYTES_MAX,
    parseEmbedded: false,
  });
  if (offset === -1)
    return refuse(
      'DAMAGED',
      'The signed file is damaged: the signature around the invoice cannot be read. Send the file again.',
    );
  const content = contentOf(result);
  if (content === undefined) {
    return refuse(
      'NO_INVOICE',
      'The signed file contains no invoice. Send the invoice inside the signature file, not as a separate file.',
    );
  }
  return { content };
}

function fromBase64(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const text = Buffer.from(bytes).toString('latin1');
  return new Uint8Array(Buffer.from(text.replace(/-----[A-Z0-9 ]+-----/g, ''), 'base64'));
}

/** Reads ContentInfo, SignedData and EncapsulatedContentInfo of a signed invoice file (RFC 5652, sections 3 and 5). */
function contentOf(contentInfo: unknown): Uint8Array | undefined {
  const [type, explicit] = membersOf(contentInfo);
  if (!(type instanceof ObjectIdentifier) || type.valueBlock.toString() !== SIGNED_DATA) return undefined;
  const [signedData] = membersOf(explicit);
  const encapsulated = membersOf(signedData)[2];
  const [octets] = membersOf(membersOf(encapsulated)[1]);
  return octets instanceof OctetString ? new Uint8Array(octets.getValue()) : undefined;
}

function membersOf(block: unknown): readonly unknown[] {
  return block instanceof Sequence || block instanceof Constructed ? block.valueBlock.value : [];
}
