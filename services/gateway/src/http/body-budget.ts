import { DomainError } from '@invoicecontrol/errors';
import { addressGroup } from './client-address.js';

const MIB = 1024 * 1024;

/**
 * Bytes of bodies that may be read or worked on at the same time. What is made of a body takes some times its bytes, so the
 * whole is a fraction of what the process may have: `k8s/base/gateway` gives it 512 MiB.
 */
export const BODIES_BYTES_MAX = 48 * MIB;
/** Of these, for bodies of routes that take long ones: a few scans leave room for the invoices of everybody. */
export const LONG_BODIES_BYTES_MAX = 36 * MIB;
/** Of these, for requests without a key: they leave room for those with one. */
export const PUBLIC_BODIES_BYTES_MAX = 4 * MIB;
/** Of one organization. */
export const ORGANIZATION_BODIES_BYTES_MAX = 24 * MIB;
/** Of one address without a key. */
export const ADDRESS_BODIES_BYTES_MAX = MIB;

/** The bodies that share a bound. */
interface Pool {
  readonly name: string;
  readonly bytesMax: number;
  readonly refusal: string;
}

const BUSY = 'Too many bytes of requests are being processed right now. Repeat the request in a moment.';
const everything: Pool = { name: 'process', bytesMax: BODIES_BYTES_MAX, refusal: BUSY };
const longOnes: Pool = { name: 'long', bytesMax: LONG_BODIES_BYTES_MAX, refusal: BUSY };
const publicOnes: Pool = { name: 'public', bytesMax: PUBLIC_BODIES_BYTES_MAX, refusal: BUSY };

/** What one body holds. */
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
      refusal: `Requests of this organization that are not answered yet have bodies of ${ORGANIZATION_BODIES_BYTES_MAX / MIB} MiB. Wait for an answer, then repeat this one.`,
    };
    return this.#reservation(isLong ? [own, everything, longOnes] : [own, everything]);
  }

  /** For a request without a key. */
  ofAddress(address: string): BodyReservation {
    const own: Pool = {
      name: `address ${addressGroup(address)}`,
      bytesMax: ADDRESS_BODIES_BYTES_MAX,
      refusal: `Requests without a key from this address have bodies of ${ADDRESS_BODIES_BYTES_MAX / MIB} MiB. Wait for an answer, then repeat this one.`,
    };
    return this.#reservation([own, everything, publicOnes]);
  }

  /** All bytes that are held. */
  get bytes(): number {
    return this.#held.get(everything.name) ?? 0;
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
