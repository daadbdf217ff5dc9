import { Grant } from '@invoicecontrol/contracts/organization/v1/grant';
import { signContent } from '../identity/signatures.js';
import type { ContentVerifier } from '../identity/signatures.js';
import type { Identity } from '../identity/identity.js';
import { ProofRefused } from './proof-refused.js';

/** Service that authenticates callers, and whose signature therefore proves who a caller is. */
const ISSUER = 'organization';
/**
 * Time for which the gateway may use a grant. The gateway keeps an authentication for up to 30 seconds while the
 * organization service is unavailable, and then a request may have to wait for its body.
 */
const LIFE_SECONDS = 60;
/** Maximum difference between the clocks of two machines. */
export const CLOCK_SKEW_MS = 10_000;
/** Maximum number of verified grants that a service remembers. The oldest is forgotten first. */
const GRANTS_MAX = 2_000;

/** The facts that a grant proves. */
export type GrantedFacts = Omit<Grant, 'issuedTime' | 'livesSeconds'>;

/**
 * Signs who the caller of a request is. Only a service whose certificate names the organization service can issue
 * grants that other services accept.
 * @param now time of this machine, which the verifying services compare with theirs
 * @returns the bytes of the metadata `grant-bin`
 */
export function issueGrant(identity: Identity, facts: GrantedFacts, now: Date = new Date()): Buffer {
  const grant = Grant.encode({ ...facts, issuedTime: now, livesSeconds: LIFE_SECONDS }).finish();
  return signContent(identity, 'grant', grant);
}

/** Use of a grant: for a request that is being handled, or for work that the caller started some time ago. */
export type GrantUse = 'request' | 'work';

/**
 * Creates a function that verifies a grant and returns the facts that it proves. The result of each verification is
 * cached.
 * @returns a function that throws {@link ProofRefused} if the organization service did not issue the grant, or if the
 *   grant is too old for the given use
 */
export function grantReader(
  identity: Identity,
  verifyContent: ContentVerifier,
): (bytes: Buffer, use: GrantUse) => Grant {
  const verified = new Map<string, Grant>();
  identity.onChange(() => verified.clear());
  const verify = (bytes: Buffer): Grant => {
    try {
      const { signer, content, validFrom, validTo } = verifyContent('grant', bytes);
      if (signer !== ISSUER) throw new Error(`the grant was signed by ${signer}`);
      const grant = Grant.decode(content);
      const issuedMs = issuedMsOf(grant);
      if (!(issuedMs >= validFrom.getTime() - CLOCK_SKEW_MS && issuedMs <= validTo.getTime()))
        throw new Error('the grant was signed with a certificate that was not valid at that time');
      return grant;
    } catch (error) {
      throw new ProofRefused('grant_invalid', error);
    }
  };
  return (bytes, use) => {
    const name = bytes.toString('latin1');
    let grant = verified.get(name);
    if (grant === undefined) {
      grant = verify(bytes);
      verified.set(name, grant);
      if (verified.size > GRANTS_MAX) {
        const [oldest] = verified.keys();
        if (oldest !== undefined) verified.delete(oldest);
      }
    }
    const ageMs = Date.now() - issuedMsOf(grant);
    if (ageMs < -CLOCK_SKEW_MS) throw new ProofRefused('grant_expired', new Error('the clock of the issuer is ahead'));
    if (use === 'request' && ageMs > grant.livesSeconds * 1_000 + CLOCK_SKEW_MS)
      throw new ProofRefused('grant_expired', new Error(`the grant was issued ${Math.round(ageMs / 1_000)} s ago`));
    return grant;
  };
}

function issuedMsOf({ issuedTime }: Grant): number {
  if (issuedTime === undefined) throw new Error('the grant does not say when it was issued');
  return issuedTime.getTime();
}
