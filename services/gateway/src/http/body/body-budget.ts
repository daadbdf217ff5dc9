import { DomainError } from '@invoicecontrol/errors';
import { requestRefused } from '../../telemetry.js';
import { addressGroup } from '../limits/client-address.js';

const KIB = 1024;
const MIB = 1024 * KIB;

// Limits on the bytes of the request bodies that the gateway is receiving or processing at the same time. A parsed body
// takes several times its bytes, so the total of 52 MiB is a fraction of the 512 MiB that `k8s/base/gateway` gives the
// process. Callers with an API key, callers that send a signature, and all other callers have separate limits, so that
// one kind of caller cannot use up the memory for the others.

/** Maximum number of request body bytes for all requests with an API key together. */
export const KEYED_BODIES_BYTES_MAX = 36 * MIB;
/**
 * Maximum number of request body bytes on all routes with large bodies together. Even a few large history scans then
 * leave space for the invoices of other organizations.
 */
export const LONG_BODIES_BYTES_MAX = 28 * MIB;
/** Maximum number of request body bytes for one organization: the largest history scan and some invoices. */
export const ORGANIZATION_BODIES_BYTES_MAX = 12 * MIB;
/** Maximum number of request body bytes for all requests with neither key nor signature together. */
export const PUBLIC_BODIES_BYTES_MAX = 4 * MIB;
/** Maximum number of request body bytes for one address without key and signature: four bodies of the maximum size. */
export const ADDRESS_BODIES_BYTES_MAX = 64 * KIB;
/**
 * Maximum number of request body bytes for all requests with a signature together. A signature can be checked only once
 * the body is complete.
 */
export const SIGNED_BODIES_BYTES_MAX = 12 * MIB;
/**
 * Maximum number of request body bytes for all requests with a signature from addresses that have not sent a valid
 * signature yet. The remaining bytes are reserved for addresses that have sent one.
 */
export const UNPROVEN_BODIES_BYTES_MAX = 8 * MIB;
/** Maximum number of request body bytes for one IP address that sends signatures: one body of the maximum size. */
export const SENDER_BODIES_BYTES_MAX = MIB;

/** Counter for the request bodies that share one limit of bytes. */
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

/** The reservation of bytes for one request body. */
export interface BodyReservation {
  /**
   * Checks whether additional request body bytes fit into the limits.
   * @throws DomainError `unavailable` if the additional bytes would exceed a limit now
   */
  requireRoom(bytes: number): void;
  /**
   * Reserves additional bytes for the request body.
   * @throws DomainError `unavailable` if they exceed a limit; nothing is then reserved
   */
  add(bytes: number): void;
  /** Releases all reserved bytes of a request body. Bytes that arrive afterwards are not reserved. */
  giveBack(): void;
}

/**
 * Limits the number of request body bytes in this process, from their arrival until their request is complete. Bytes
 * are reserved when they arrive, not when they are announced, so a client that announces a large body and sends nothing
 * reserves nothing.
 */
export class BodyBudget {
  readonly #held = new Map<string, number>();

  /**
   * Creates the reservation of body bytes for a request with an API key.
   * @param isLong true for a route with large bodies
   */
  ofOrganization(organizationId: string, isLong: boolean): BodyReservation {
    const own: Pool = {
      name: `organization ${organizationId}`,
      bytesMax: ORGANIZATION_BODIES_BYTES_MAX,
      refusal: `The bodies of all requests in progress for this organization may have at most ${ORGANIZATION_BODIES_BYTES_MAX / MIB} MiB in total. Wait for a response, then retry this request.`,
    };
    return this.#reservation(isLong ? [own, keyed, long] : [own, keyed]);
  }

  /** Creates the reservation of body bytes for a request without key and signature. */
  ofAddress(address: string): BodyReservation {
    const own: Pool = {
      name: `address ${addressGroup(address)}`,
      bytesMax: ADDRESS_BODIES_BYTES_MAX,
      refusal: `The bodies of all requests without an API key from this IP address may have at most ${ADDRESS_BODIES_BYTES_MAX / KIB} KiB in total. Wait for a response, then retry this request.`,
    };
    return this.#reservation([own, open]);
  }

  /**
   * Reserves space for the body of a request with a signature.
   * @param isProven true if this address recently sent a valid signature
   */
  ofSender(address: string, isProven: boolean): BodyReservation {
    const own: Pool = {
      name: `sender ${addressGroup(address)}`,
      bytesMax: SENDER_BODIES_BYTES_MAX,
      refusal: `The bodies of all requests in progress from this IP address may have at most ${SENDER_BODIES_BYTES_MAX / MIB} MiB in total. Wait for a response, then retry this request.`,
    };
    return this.#reservation(isProven ? [own, signed] : [own, signed, unproven]);
  }

  /** Number of bytes that are currently reserved for request bodies. */
  get bytes(): number {
    return [keyed, open, signed].reduce((sum, { name }) => sum + (this.#held.get(name) ?? 0), 0);
  }

  #reservation(pools: readonly Pool[]): BodyReservation {
    let mine = 0;
    let isOver = false;
    const requireRoom = (bytes: number): void => {
      const full = pools.find(({ name, bytesMax }) => (this.#held.get(name) ?? 0) + bytes > bytesMax);
      if (full === undefined) return;
      requestRefused('body');
      throw new DomainError('unavailable', full.refusal);
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
