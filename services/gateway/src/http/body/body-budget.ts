import { DomainError } from '@invoicecontrol/errors';
import { addressGroup } from '../limits/client-address.js';

const KIB = 1024;
const MIB = 1024 * KIB;

// Bytes of bodies that may be read or worked on at the same time. What is made of a body takes some times its bytes, so the
// whole, 52 MiB, is a fraction of what the process may have: `k8s/base/gateway` gives it 512 MiB. The three kinds of callers
// have room of their own, so that none can take that of another.

/** Maximum for the bodies of requests with a key. */
export const KEYED_BODIES_BYTES_MAX = 36 * MIB;
/** Part of it for bodies of routes that take long ones: a few scans leave room for the invoices of everybody. */
export const LONG_BODIES_BYTES_MAX = 28 * MIB;
/** Maximum for one organization: the longest scan, and some invoices. */
export const ORGANIZATION_BODIES_BYTES_MAX = 12 * MIB;
/** Maximum for the bodies of requests with neither key nor signature. */
export const PUBLIC_BODIES_BYTES_MAX = 4 * MIB;
/** Maximum for one address with neither: four of the longest bodies. */
export const ADDRESS_BODIES_BYTES_MAX = 64 * KIB;
/** Maximum for the bodies of requests with a signature, which can be checked only once the body is complete. */
export const SIGNED_BODIES_BYTES_MAX = 12 * MIB;
/** Part of it for addresses that have not sent a valid signature; the rest is reserved for those that have. */
export const UNPROVEN_BODIES_BYTES_MAX = 8 * MIB;
/** Maximum for one address that sends signatures: the longest body. */
export const SENDER_BODIES_BYTES_MAX = MIB;

/** The bodies that share a bound. */
interface Pool {
  readonly name: string;
  readonly bytesMax: number;
  readonly refusal: string;
}

const BUSY = 'The service is processing too much data right now. Retry the request in a moment.';
const keyed: Pool = { name: 'keyed', bytesMax: KEYED_BODIES_BYTES_MAX, refusal: BUSY };
const long: Pool = { name: 'long', bytesMax: LONG_BODIES_BYTES_MAX, refusal: BUSY };
const open: Pool = { name: 'public', bytesMax: PUBLIC_BODIES_BYTES_MAX, refusal: BUSY };
const signed: Pool = { name: 'signed', bytesMax: SIGNED_BODIES_BYTES_MAX, refusal: BUSY };
const unproven: Pool = { name: 'unproven', bytesMax: UNPROVEN_BODIES_BYTES_MAX, refusal: BUSY };

/** The reservation of one body. */
export interface BodyReservation {
  /** @throws DomainError `unavailable` when so many more bytes would not fit now */
  requireRoom(bytes: number): void;
  /** Holds so many more bytes. @throws DomainError `unavailable` when they do not fit; nothing more is held then */
  add(bytes: number): void;
  /** Gives everything back; what arrives afterwards is not held. */
  giveBack(): void;
}

/**
 * Bounds the bytes of bodies in this process, from their arrival until their request is settled. Bytes are reserved as they
 * arrive, not as they are announced: a client that announces much and sends nothing holds nothing.
 */
export class BodyBudget {
  readonly #held = new Map<string, number>();

  /** @param isLong whether the route takes long bodies */
  ofOrganization(organizationId: string, isLong: boolean): BodyReservation {
    const own: Pool = {
      name: `organization ${organizationId}`,
      bytesMax: ORGANIZATION_BODIES_BYTES_MAX,
      refusal: `The bodies of requests of this organization that are in progress may have at most ${ORGANIZATION_BODIES_BYTES_MAX / MIB} MiB in total. Wait for a response, then retry this request.`,
    };
    return this.#reservation(isLong ? [own, keyed, long] : [own, keyed]);
  }

  /** Reserves for a request with neither key nor signature. */
  ofAddress(address: string): BodyReservation {
    const own: Pool = {
      name: `address ${addressGroup(address)}`,
      bytesMax: ADDRESS_BODIES_BYTES_MAX,
      refusal: `The bodies of requests without an API key from this address may have at most ${ADDRESS_BODIES_BYTES_MAX / KIB} KiB in total. Wait for a response, then retry this request.`,
    };
    return this.#reservation([own, open]);
  }

  /**
   * Reserves for a request with a signature.
   * @param isProven whether a valid signature came from this address lately
   */
  ofSender(address: string, isProven: boolean): BodyReservation {
    const own: Pool = {
      name: `sender ${addressGroup(address)}`,
      bytesMax: SENDER_BODIES_BYTES_MAX,
      refusal: `The bodies of requests from this address that are in progress may have at most ${SENDER_BODIES_BYTES_MAX / MIB} MiB in total. Wait for a response, then retry this request.`,
    };
    return this.#reservation(isProven ? [own, signed] : [own, signed, unproven]);
  }

  /** All bytes that are held. */
  get bytes(): number {
    return [keyed, open, signed].reduce((sum, { name }) => sum + (this.#held.get(name) ?? 0), 0);
  }

  #reservation(pools: readonly Pool[]): BodyReservation {
    let mine = 0;
    let isOver = false;
    const requireRoom = (bytes: number): void => {
      const full = pools.find(({ name, bytesMax }) => (this.#held.get(name) ?? 0) + bytes > bytesMax);
      if (full !== undefined) throw new DomainError('unavailable', full.refusal);
    };
    const change = (bytes: number): void => {
      mine += bytes;
      for (const { name } of pools) {
        const held = (this.#held.get(name) ?? 0) + bytes;
        if (held === 0) this.#held.delete(name);
        else this.#held.set(name, held);
      }
    };
    return {
      requireRoom,
      add(bytes) {
        if (isOver) return;
        requireRoom(bytes);
        change(bytes);
      },
      giveBack() {
        isOver = true;
        change(-mine);
      },
    };
  }
}
