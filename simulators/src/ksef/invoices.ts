import type { Clock } from '../erp/clock.js';
import { checkDocument, failed } from './check-document.js';
import { escape, invoicingMode } from './confirmation.js';
import type { Confirmations } from './confirmations.js';
import { fa3Document } from './fa3-document.js';
import type { Faults, TakenFaults } from './faults.js';
import { sha256 } from './keys.js';
import { microTimestamp, newKsefNumber, newReferenceNumber, polishDay, timestamp } from './numbers.js';
import type {
  Confirmation,
  Context,
  FormCode,
  Invoice,
  InvoiceFacts,
  Registered,
  Session,
  Settings,
  Status,
} from './records.js';
import type { Store, Table } from './store.js';

export const FA3: FormCode = { systemCode: 'FA (3)', schemaVersion: '1-0E', value: 'FA' };

const processing: Readonly<Record<number, string>> = {
  100: 'Faktura przyjęta do dalszego przetwarzania',
  150: 'Trwa przetwarzanie',
};
/** Time in milliseconds from the assignment of a KSeF number to permanent storage. */
const STORAGE_MS = 1_000;
/** Number of microseconds between the storage dates of two invoices. */
export const STORAGE_STEP = 10;
const accepted: Status = { code: 200, description: 'Sukces' };

/** An invoice as a client sends it to KSeF (call S2). */
export interface ReceivedInvoice {
  readonly encrypted: Uint8Array;
  readonly key: Uint8Array;
  readonly invoiceHash: string;
  readonly invoiceSize: number;
}

/** An invoice that another taxpayer has registered (`POST /control/invoices`). */
export interface ForeignInvoice {
  readonly facts: InvoiceFacts;
  /** The KSeF document as buyers receive it. If undefined, the document is generated from the facts. */
  readonly xml: string | undefined;
  /** The hash in the metadata of a KSeF invoice. If undefined, the hash of the document is used. */
  readonly invoiceHash: string | undefined;
  /** Past time of permanent storage of the invoice, in the format of KSeF. If undefined, the current time is used. */
  readonly storedAt: string | undefined;
}

/** An invoice that KSeF accepted, in the form that queries and exports use. */
export interface AcceptedInvoice extends Invoice {
  readonly facts: InvoiceFacts;
  readonly ksefNumber: string;
  readonly acquiredAt: string;
}

interface InvoicesDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly faults: Faults;
  readonly contexts: Table<Context>;
  readonly settings: () => Settings;
  readonly confirmations: Confirmations;
  readonly checksNips: boolean;
}

/**
 * Processes invoices of the simulated KSeF from receipt to their final status, and maintains the repository of
 * registered documents.
 */
export class Invoices {
  readonly #deps: InvoicesDeps;
  readonly #invoices: Table<Invoice>;
  readonly #registered: Table<Registered>;
  readonly #documents: Table<string>;
  /** Last storage dates in microseconds: one for sent invoices, one for the invoices of other taxpayers. */
  readonly #lastStored = { sent: 0, foreign: 0 };

  constructor(deps: InvoicesDeps) {
    this.#deps = deps;
    this.#invoices = deps.store.table('invoices');
    this.#registered = deps.store.table('registered');
    this.#documents = deps.store.table('documents');
  }

  get(reference: string): Invoice | undefined {
    return this.#invoices.get(reference);
  }

  /** Lists the invoices of a KSeF session in the order in which they were received. */
  of(session: Session): readonly Invoice[] {
    return session.invoices.flatMap((reference) => this.#invoices.get(reference) ?? []);
  }

  /** Polls the invoice list of a KSeF session. Invoices that a fault currently hides are left out. */
  list(session: Session): readonly Invoice[] {
    const shown: Invoice[] = [];
    for (const invoice of this.of(session)) {
      if (invoice.hiddenLooks === 0) shown.push(invoice);
      else this.#invoices.put(invoice.referenceNumber, { ...invoice, hiddenLooks: invoice.hiddenLooks - 1 });
    }
    return shown;
  }

  /**
   * Receives the document in a KSeF request S2 and performs the checks that need only the document.
   * @returns its reference number
   */
  receive(session: Session, request: ReceivedInvoice, faults: TakenFaults): string {
    const now = this.#deps.clock.now();
    const { key, encrypted, invoiceHash, invoiceSize } = request;
    const checked = checkDocument(
      { encrypted, key, iv: Buffer.from(session.iv, 'base64'), invoiceHash, invoiceSize },
      { formCode: session.formCode, today: polishDay(now), checksNips: this.#deps.checksNips },
    );
    const { facts, failure } = checked;
    const forced = faults.effect('INVOICE_STATUS');
    const referenceNumber = newReferenceNumber('EE', now);
    if (checked.failure === null) this.#documents.put(referenceNumber, checked.text);
    this.#invoices.put(referenceNumber, {
      referenceNumber,
      session: session.referenceNumber,
      context: session.context,
      ordinalNumber: session.invoices.length + 1,
      invoiceHash,
      receivedAt: now.toISOString(),
      facts,
      failure,
      looks: 0,
      final: null,
      ksefNumber: null,
      acquiredAt: null,
      hiddenLooks: faults.effect('HIDE')?.polls ?? 0,
      forced:
        forced === undefined
          ? null
          : {
              ...failed(forced.code, ...(forced.details ?? [])),
              ...(forced.description === undefined ? {} : { description: forced.description }),
              ...(forced.extensions === undefined ? {} : { extensions: forced.extensions }),
              fault: forced.id,
            },
      upo: null,
    });
    return referenceNumber;
  }

  /** Counts a poll of the KSeF invoice, which gets its final status after enough polls. */
  look(invoice: Invoice, session: Session): Invoice {
    if (invoice.final !== null) return invoice;
    const looked = { ...invoice, looks: invoice.looks + 1 };
    this.#invoices.put(invoice.referenceNumber, looked);
    const isHeld = looked.forced !== null && looked.forced.code < 200 && this.#deps.faults.has(looked.forced.fault);
    if (isHeld || looked.looks <= this.#deps.settings().invoicePolls) return looked;
    const refusal = this.#refusalOf(looked, session);
    if (refusal !== undefined) return this.#end(looked, refusal);
    const now = this.#deps.clock.now();
    return this.#register(looked, now, this.#nextStorage('sent', now.getTime() + STORAGE_MS));
  }

  /** Converts an invoice to the form in which the calls S3 and S4 show it. */
  present(invoice: Invoice, session: Session): Readonly<Record<string, unknown>> {
    const { final, facts, ksefNumber, acquiredAt, forced, looks } = invoice;
    const isAccepted = ksefNumber !== null && acquiredAt !== null && facts !== null;
    const running = forced !== null && forced.code < 200 ? forced.code : looks <= 1 ? 100 : 150;
    return {
      ordinalNumber: invoice.ordinalNumber,
      invoiceNumber: isAccepted ? facts.number : null,
      ksefNumber,
      referenceNumber: invoice.referenceNumber,
      invoiceHash: invoice.invoiceHash,
      invoicingDate: timestamp(new Date(invoice.receivedAt)),
      acquisitionDate: acquiredAt === null ? null : timestamp(new Date(acquiredAt)),
      permanentStorageDate: this.#storedAt(invoice),
      ...(isAccepted ? this.#presentAccepted(invoice, session, facts.issueDate) : {}),
      status: final ?? { code: running, description: processing[running] ?? `Status ${running}` },
    };
  }

  /** Returns the confirmation (UPO) of an accepted invoice. The confirmation is created at the first request. */
  confirm(invoice: Invoice, session: Session): Confirmation {
    const { confirmations } = this.#deps;
    // The record of the KSeF invoice is read again, because the caller may have read it before the confirmation was
    // created.
    const current = this.#invoices.get(invoice.referenceNumber) ?? invoice;
    const known = current.upo === null ? undefined : confirmations.get(current.upo);
    const confirmation = known ?? confirmations.confirm(session, [current], false);
    if (confirmation === undefined) throw new Error(`Invoice ${invoice.referenceNumber} was not accepted.`);
    if (known === undefined) {
      this.#invoices.put(current.referenceNumber, { ...current, upo: confirmation.referenceNumber });
    }
    return confirmation;
  }

  /** Checks whether KSeF has an invoice with this seller, kind and number. */
  isRegistered(facts: InvoiceFacts): boolean {
    return this.#registered.get(duplicateKey(facts)) !== undefined;
  }

  /**
   * Registers an invoice in another KSeF session (`POST /control/invoices`). The document must not be registered yet.
   */
  registerForeign(
    { session, context, ordinalNumber }: Pick<Invoice, 'session' | 'context' | 'ordinalNumber'>,
    { facts, xml, invoiceHash, storedAt }: ForeignInvoice,
  ): Registered {
    const at = storedAt === undefined ? this.#deps.clock.now() : new Date(storedAt);
    const referenceNumber = newReferenceNumber('EE', at);
    if (xml !== undefined) this.#documents.put(referenceNumber, xml);
    const invoice: Invoice = {
      referenceNumber,
      session,
      context,
      ordinalNumber,
      invoiceHash: invoiceHash ?? sha256(xml ?? writeDocument(facts)),
      receivedAt: at.toISOString(),
      facts,
      failure: null,
      looks: 0,
      final: null,
      ksefNumber: null,
      acquiredAt: null,
      hiddenLooks: 0,
      forced: null,
      upo: null,
    };
    this.#register(invoice, at, storedAt ?? this.#nextStorage('foreign', at.getTime()));
    const registered = this.#registered.get(duplicateKey(facts));
    if (registered === undefined) throw new Error(`Invoice ${referenceNumber} was not registered.`);
    return registered;
  }

  /** Checks whether an accepted invoice has reached permanent storage in KSeF. */
  isStored(reference: string): boolean {
    return storageDateOf(this.requireAccepted(reference)) <= timestamp(this.#deps.clock.now());
  }

  /** Lists the documents registered in KSeF with their invoices. */
  registered(): readonly { readonly registered: Registered; readonly invoice: Invoice }[] {
    return [...this.#registered.values()].flatMap((registered) => {
      const invoice = this.#invoices.get(registered.invoice);
      return invoice === undefined ? [] : [{ registered, invoice }];
    });
  }

  /** Returns all invoices that the simulated KSeF accepted. */
  accepted(): readonly AcceptedInvoice[] {
    return this.registered().flatMap(({ invoice }) => (hasNumber(invoice) ? [invoice] : []));
  }

  /** Returns an invoice that KSeF accepted by its reference number. */
  requireAccepted(reference: string): AcceptedInvoice {
    const invoice = this.#invoices.get(reference);
    if (invoice === undefined || !hasNumber(invoice)) throw new Error(`Invoice ${reference} was not accepted.`);
    return invoice;
  }

  /** Returns the document of an accepted invoice exactly as it was sent. */
  documentOf({ referenceNumber, facts }: AcceptedInvoice): string {
    return this.#documents.get(referenceNumber) ?? writeDocument(facts);
  }

  /** Returns the refusal of an invoice by KSeF. The checks have the order given in section 14 of the KSeF reference. */
  #refusalOf({ referenceNumber, forced, failure, facts, context }: Invoice, session: Session): Status | undefined {
    if (forced !== null && forced.code > 200) {
      const { fault: _, ...status } = forced;
      return status;
    }
    if (session.status === 415) return failed(405);
    if (failure !== null) return failure;
    if (facts === null) return failed(500);
    const grants = this.#deps.contexts.get(context)?.grants ?? [];
    if (facts.sellerNip !== context && !grants.includes(facts.sellerNip) && !grants.includes('*')) {
      return failed(410, `Podmiot ${context} nie może wystawić faktury w imieniu sprzedawcy ${facts.sellerNip}.`);
    }
    if (facts.hasAttachment) return failed(415);
    const original = this.#registered.get(duplicateKey(facts));
    if (original === undefined || original.invoice === referenceNumber) return undefined;
    const { ksefNumber, sessionReferenceNumber } = original;
    return {
      ...failed(
        440,
        `Duplikat faktury. Faktura o numerze KSeF: ${ksefNumber} została już prawidłowo przesłana do systemu w sesji: ${sessionReferenceNumber}`,
      ),
      extensions: { originalSessionReferenceNumber: sessionReferenceNumber, originalKsefNumber: ksefNumber },
    };
  }

  /**
   * Returns the next storage date of a KSeF invoice. All storage dates are different, so that the time window of an
   * export can end between any two invoices.
   */
  #nextStorage(origin: 'sent' | 'foreign', ms: number): string {
    this.#lastStored[origin] = Math.max(ms * 1_000, this.#lastStored[origin] + STORAGE_STEP);
    return microTimestamp(this.#lastStored[origin]);
  }

  #register(invoice: Invoice, now: Date, storedAt: string): Invoice {
    const { facts } = invoice;
    if (facts === null) throw new Error(`Invoice ${invoice.referenceNumber} could not be read.`);
    const key = duplicateKey(facts);
    // The KSeF document is already registered if the simulator was killed after it had registered the document and
    // before it stored the invoice.
    const ksefNumber = this.#registered.get(key)?.ksefNumber ?? newKsefNumber(facts.sellerNip, now);
    this.#registered.put(key, {
      sellerNip: facts.sellerNip,
      kind: facts.kind,
      number: facts.number,
      ksefNumber,
      invoiceHash: invoice.invoiceHash,
      sessionReferenceNumber: invoice.session,
      context: invoice.context,
      invoice: invoice.referenceNumber,
    });
    return this.#end({ ...invoice, ksefNumber, acquiredAt: now.toISOString(), storedAt }, accepted);
  }

  #end(invoice: Invoice, final: Status): Invoice {
    const ended = { ...invoice, final };
    this.#invoices.put(invoice.referenceNumber, ended);
    return ended;
  }

  #presentAccepted(invoice: Invoice, session: Session, issueDate: string): Readonly<Record<string, unknown>> {
    const { url, expires } = this.#deps.confirmations.link(this.confirm(invoice, session).referenceNumber);
    return {
      invoicingMode: invoicingMode(issueDate, new Date(invoice.receivedAt)),
      upoDownloadUrl: url,
      upoDownloadUrlExpirationDate: expires,
    };
  }

  #storedAt(invoice: Invoice): string | null {
    return hasNumber(invoice) && this.isStored(invoice.referenceNumber) ? storageDateOf(invoice) : null;
  }
}

/** Returns the time of permanent storage of an invoice in the format of KSeF. */
export function storageDateOf({ storedAt, acquiredAt }: AcceptedInvoice): string {
  return storedAt ?? timestamp(new Date(Date.parse(acquiredAt) + STORAGE_MS));
}

function hasNumber(invoice: Invoice): invoice is AcceptedInvoice {
  return invoice.facts !== null && invoice.ksefNumber !== null && invoice.acquiredAt !== null;
}

/** Writes a document for an invoice that was registered without one. */
function writeDocument(facts: InvoiceFacts): string {
  const { number, sellerNip, sellerName, kind, issueDate, buyer, thirdSubjects = [], authorizedSubject } = facts;
  return fa3Document({
    number: escape(number),
    seller: sellerNip,
    sellerName: escape(sellerName),
    kind,
    issueDate,
    buyer: buyer.value,
    recipients: thirdSubjects.flatMap(({ identifier }) => identifier.value ?? []),
    authorized: authorizedSubject?.nip,
    amounts: { net: facts.net.toFixed(2), vat: facts.vat.toFixed(2), gross: facts.gross.toFixed(2) },
  });
}

/** Builds the key by which KSeF finds duplicates across all contexts. */
function duplicateKey({ sellerNip, kind, number }: Pick<Registered, 'sellerNip' | 'kind' | 'number'>): string {
  return JSON.stringify([sellerNip, kind, number]);
}
