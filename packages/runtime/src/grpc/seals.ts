import { createHash, randomBytes } from 'node:crypto';
import { RequestSeal } from '@invoicecontrol/contracts/organization/v1/grant';
import type { Identity } from '../identity/identity.js';
import { signContent } from '../identity/signatures.js';
import type { ContentVerifier } from '../identity/signatures.js';
import { CLOCK_SKEW_MS } from './grants.js';
import { ProofRefused } from './proof-refused.js';

/** Service that seals requests. */
const SEALER = 'gateway';
/** Time for which a seal may be used. */
const LIFE_MS = 10_000;
/**
 * Time for which a used seal is remembered. After this time the seal has expired, even if the clocks of the two
 * machines differ by the permitted maximum.
 */
const REMEMBERED_MS = LIFE_MS + 2 * CLOCK_SKEW_MS;
/** Maximum number of used seals that a process remembers. While it is reached, sealed requests are refused. */
const USED_MAX = 10_000;
const NONCE_BYTES = 16;

/** Returns the hash of a serialized request, to which its seal is bound. */
export function requestHash(serialized: Uint8Array): Buffer {
  return createHash('sha256').update(serialized).digest();
}

/**
 * Seals a request that grants or revokes rights: a service accepts a seal for this rpc and these bytes alone, once, and
 * for a few seconds.
 * @param path of the rpc, such as `/invoicecontrol.organization.v1.ApiKeyService/CreateApiKey`
 * @returns the bytes of the metadata `request-bin`
 */
export function sealRequest(identity: Identity, path: string, hash: Buffer, now: Date = new Date()): Buffer {
  const seal = { rpc: path.slice(1), requestHash: hash, nonce: randomBytes(NONCE_BYTES), issuedTime: now };
  return signContent(identity, 'request', RequestSeal.encode(seal).finish());
}

/**
 * Creates a function that accepts each seal once.
 * @returns a function that throws {@link ProofRefused} for a request without its own unused seal
 */
export function sealBreaker(
  verifyContent: ContentVerifier,
): (seal: Buffer | undefined, path: string, hash: Buffer) => void {
  /** Used seals by their nonce, oldest first, each with the time until which it is remembered. */
  const used = new Map<string, number>();
  const forget = (nowMs: number): void => {
    for (const [nonce, untilMs] of used) {
      if (untilMs > nowMs) return;
      used.delete(nonce);
    }
  };
  const open = (seal: Buffer, path: string, hash: Buffer, nowMs: number): RequestSeal => {
    try {
      const { signer, content, validFrom, validTo } = verifyContent('request', seal);
      if (signer !== SEALER) throw new Error(`the seal is that of ${signer}`);
      const found = RequestSeal.decode(content);
      if (found.rpc !== path.slice(1)) throw new Error(`the seal is for ${found.rpc}`);
      if (!found.requestHash.equals(hash)) throw new Error('the seal is for another request');
      if (found.nonce.length !== NONCE_BYTES) throw new Error(`the seal has a nonce of ${found.nonce.length} bytes`);
      const issuedMs = found.issuedTime?.getTime() ?? NaN;
      const ageMs = nowMs - issuedMs;
      // A time that cannot be read is NaN, for which every comparison is false.
      const isInTime = ageMs >= -CLOCK_SKEW_MS && ageMs <= LIFE_MS + CLOCK_SKEW_MS;
      const isOfCertificate = issuedMs >= validFrom.getTime() - CLOCK_SKEW_MS && issuedMs <= validTo.getTime();
      if (!isInTime || !isOfCertificate) throw new Error(`the seal was issued ${Math.round(ageMs / 1_000)} s ago`);
      return found;
    } catch (error) {
      throw new ProofRefused('seal_invalid', error);
    }
  };
  return (seal, path, hash) => {
    if (seal === undefined) throw new ProofRefused('seal_missing');
    const nowMs = Date.now();
    const nonce = open(seal, path, hash, nowMs).nonce.toString('latin1');
    forget(nowMs);
    if (used.has(nonce)) throw new ProofRefused('seal_used');
    if (used.size >= USED_MAX)
      throw new ProofRefused('seal_invalid', new Error(`${USED_MAX} seals were used just now`));
    used.set(nonce, nowMs + REMEMBERED_MS);
  };
}
