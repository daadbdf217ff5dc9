import type { Answer, Call } from '../erp/call.js';
import type { Clock } from '../erp/clock.js';
import { writeConfirmation } from './confirmation.js';
import type { ConfirmedDocument } from './confirmation.js';
import { sha256 } from './keys.js';
import type { Keys } from './keys.js';
import { newReferenceNumber } from './numbers.js';
import type { Confirmation, Invoice, Session } from './records.js';
import type { SignedLinks } from './signed-links.js';
import type { Store, Table } from './store.js';

const DOWNLOAD_MS = 3 * 86_400_000;

interface ConfirmationsDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly keys: Keys;
  /** Name of the KSeF environment that confirmations state. */
  readonly label: string;
  readonly links: SignedLinks;
}

/** Creates the confirmations (UPO) of KSeF sessions and of single invoices, and their pre-signed addresses. */
export class Confirmations {
  readonly #deps: ConfirmationsDeps;
  readonly #confirmations: Table<Confirmation>;

  constructor(deps: ConfirmationsDeps) {
    this.#deps = deps;
    this.#confirmations = deps.store.table('confirmations');
  }

  get(reference: string): Confirmation | undefined {
    return this.#confirmations.get(reference);
  }

  /**
   * Creates the KSeF confirmation of the accepted invoices among the given ones.
   * @returns undefined if none is accepted
   */
  confirm(session: Session, invoices: readonly Invoice[], isCollective: boolean): Confirmation | undefined {
    const documents = invoices.flatMap((invoice) => toConfirmedDocument(invoice));
    if (documents.length === 0) return undefined;
    const referenceNumber = newReferenceNumber('EU', this.#deps.clock.now());
    const xml = writeConfirmation(
      {
        environment: this.#deps.label,
        session: session.referenceNumber,
        context: session.context,
        proof: session,
        formCode: session.formCode,
        documents,
        isCollective,
        sealedAt: this.#deps.clock.now(),
      },
      this.#deps.keys.seal(),
    );
    const confirmation = { referenceNumber, session: session.referenceNumber, xml };
    this.#confirmations.put(referenceNumber, confirmation);
    return confirmation;
  }

  /** Returns an address of a KSeF confirmation that needs no token, with its expiry time. */
  link(reference: string): { readonly url: string; readonly expires: string } {
    return this.#deps.links.sign(`/downloads/${reference}`, DOWNLOAD_MS);
  }

  /** Returns the KSeF confirmation at a pre-signed address, without a token. */
  download(call: Call, reference: string): Answer {
    const found = this.#deps.links.isValid(call) ? this.#confirmations.get(reference) : undefined;
    return found === undefined ? { status: 403, body: '' } : xmlAnswer(found.xml, false);
  }
}

/**
 * Returns the response that contains a KSeF confirmation. If `isCut` is true, half of the confirmation is sent with the
 * hash of the whole.
 */
export function xmlAnswer(xml: string, isCut: boolean): Answer {
  return {
    status: 200,
    headers: { 'content-type': 'application/xml', 'x-ms-meta-hash': sha256(xml) },
    body: isCut ? xml.slice(0, Math.floor(xml.length / 2)) : xml,
  };
}

function toConfirmedDocument(invoice: Invoice): readonly ConfirmedDocument[] {
  const { facts, ksefNumber, acquiredAt, receivedAt, invoiceHash } = invoice;
  if (facts === null || ksefNumber === null || acquiredAt === null) return [];
  const { sellerNip, number, issueDate } = facts;
  const instants = { receivedAt: new Date(receivedAt), acquiredAt: new Date(acquiredAt) };
  return [{ sellerNip, ksefNumber, number, issueDate, ...instants, invoiceHash }];
}
