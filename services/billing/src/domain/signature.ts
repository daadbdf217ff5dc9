import { createHmac, timingSafeEqual } from 'node:crypto';

const HEADER_LENGTH_MAX = 4_096;
/**
 * Maximum number of signatures in the header of a payment notification. While the secret is being rotated, the header
 * has two signatures.
 */
export const SIGNATURES_MAX = 20;
/**
 * Maximum difference, in either direction, between the current time and the time in the signature of a payment
 * notification.
 */
export const TOLERANCE_SECONDS = 300;
const HMAC_HEX = /^[0-9a-f]{64}$/;

/**
 * Checks whether the header `Paddle-Signature` proves that the payment provider sent the given bytes:
 * `ts=<seconds>;h1=<hex>[;h1=<hex>...]`, HMAC-SHA256 over `<ts>:<bytes>` (billing reference, section 4).
 * @param secrets accepted secrets; any of them may match any `h1`
 */
export function isSignedByProvider(
  header: string,
  body: Uint8Array,
  { secrets, now }: { readonly secrets: readonly string[]; readonly now: Date },
): boolean {
  const parsed = parseHeader(header);
  if (parsed === undefined) return false;
  if (Math.abs(now.getTime() / 1_000 - Number(parsed.ts)) > TOLERANCE_SECONDS) return false;
  const given = parsed.signatures.map((hex) => Buffer.from(hex, 'hex'));
  let isGood = false;
  for (const secret of secrets) {
    const expected = createHmac('sha256', secret).update(`${parsed.ts}:`).update(body).digest();
    for (const signature of given) isGood = timingSafeEqual(signature, expected) || isGood;
  }
  return isGood;
}

function parseHeader(header: string): { ts: string; signatures: string[] } | undefined {
  if (header.length > HEADER_LENGTH_MAX) return undefined;
  const times: string[] = [];
  const signatures: string[] = [];
  for (const part of header.split(';')) {
    const at = part.indexOf('=');
    const [name, value] = [part.slice(0, at), part.slice(at + 1)];
    if (name === 'ts' && /^\d{1,12}$/.test(value)) times.push(value);
    else if (name === 'h1' && value !== '') signatures.push(value);
    else return undefined;
  }
  const [ts] = times;
  if (ts === undefined || times.length > 1 || signatures.length === 0 || signatures.length > SIGNATURES_MAX) {
    return undefined;
  }
  // A signature in the header of a payment notification that is not an HMAC is ignored, and the other signatures are
  // still checked.
  return { ts, signatures: signatures.filter((value) => HMAC_HEX.test(value)) };
}
