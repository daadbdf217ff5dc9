import { z } from 'zod';
import type { Answer, Call } from '../erp/call.js';
import type { Clock } from '../erp/clock.js';
import type { Authenticator, Caller } from './authentication.js';
import { isKnownForm } from './check-document.js';
import { xmlAnswer } from './confirmations.js';
import type { Confirmations } from './confirmations.js';
import type { TakenFaults } from './faults.js';
import { FA3 } from './invoices.js';
import type { ForeignInvoice, Invoices } from './invoices.js';
import { sha256 } from './keys.js';
import type { Keys } from './keys.js';
import { newReferenceNumber, timestamp } from './numbers.js';
import { paginate } from './pagination.js';
import { readBody } from './read-body.js';
import type { Registered, Session, Settings, Status } from './records.js';
import { badRequest, forbidden } from './refusal.js';
import type { Store, Table } from './store.js';
import { encryptionSchema, openSymmetricKey } from './symmetric-key.js';

const SESSION_MS = 12 * 3_600_000;
const INVOICES_MAX = 10_000;
const WRITE = ['InvoiceWrite', 'PefInvoiceWrite', 'EnforcementOperations'] as const;
const READ_STATUS = [...WRITE, 'Introspection'] as const;
const LIST = ['InvoiceWrite', 'Introspection', 'EnforcementOperations'] as const;

const sessionStatuses: Readonly<Record<number, Status>> = {
  100: { code: 100, description: 'Sesja interaktywna otwarta' },
  170: { code: 170, description: 'Sesja interaktywna zamknięta' },
  200: { code: 200, description: 'Sesja interaktywna przetworzona pomyślnie' },
  415: { code: 415, description: 'Błąd odszyfrowania dostarczonego klucza' },
  440: { code: 440, description: 'Sesja anulowana', details: ['Nie przesłano faktur'] },
  445: { code: 445, description: 'Błąd weryfikacji, brak poprawnych faktur' },
};

const hash = z.base64().length(44);
const openRequest = z.object({
  formCode: z.object({ systemCode: z.string(), schemaVersion: z.string(), value: z.string() }),
  encryption: encryptionSchema,
});
const sendRequest = z.object({
  invoiceHash: hash,
  invoiceSize: z.int().min(1),
  encryptedInvoiceHash: hash,
  encryptedInvoiceSize: z.int().min(1),
  // The encrypted content of an invoice is too long for a regular expression, so only its length is checked.
  encryptedInvoiceContent: z.string().min(1).refine(isBase64, 'must be base64'),
  offlineMode: z.boolean().optional(),
  hashOfCorrectedInvoice: hash.nullish(),
});

/** Invoices that another taxpayer has registered in one KSeF session. */
interface ForeignSession {
  readonly context: string;
  /** Reference number of the open KSeF session that contains the invoices. Undefined for a separate session. */
  readonly session: string | undefined;
  readonly invoices: readonly ForeignInvoice[];
}

interface SessionsDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly keys: Keys;
  readonly authenticator: Authenticator;
  readonly invoices: Invoices;
  readonly confirmations: Confirmations;
  readonly settings: () => Settings;
  readonly takesFa2: boolean;
}

/**
 * Handles interactive KSeF sessions with their invoices and confirmations (S1 to S8), and the list of KSeF sessions
 * (S9).
 */
export class Sessions {
  readonly #deps: SessionsDeps;
  readonly #sessions: Table<Session>;

  constructor(deps: SessionsDeps) {
    this.#deps = deps;
    this.#sessions = deps.store.table('sessions');
  }

  /** Opens a KSeF session for sending invoices (call S1). */
  open(call: Call, faults: TakenFaults): Answer {
    const caller = this.#deps.authenticator.authorize(call, WRITE);
    const { formCode, encryption } = readBody(call, openRequest);
    if (!isKnownForm(formCode) || (formCode.systemCode === 'FA (2)' && !this.#deps.takesFa2)) {
      throw badRequest(21_405, 'formCode: nieobsługiwany kod formularza.');
    }
    const openedKey = openSymmetricKey(this.#deps.keys, encryption);
    const key = faults.effect('SESSION_STATUS') === undefined ? openedKey : undefined;
    const now = this.#deps.clock.now();
    const validUntil = new Date(now.getTime() + SESSION_MS);
    const referenceNumber = newReferenceNumber('SO', now);
    this.#sessions.put(referenceNumber, {
      referenceNumber,
      context: caller.context,
      ...caller.proof,
      formCode,
      createdAt: now.toISOString(),
      updatedAt: now.toISOString(),
      validUntil: validUntil.toISOString(),
      closedAt: null,
      key: key?.toString('base64') ?? null,
      iv: encryption.initializationVector,
      status: key === undefined ? 415 : 100,
      looks: 0,
      looksMore: faults.effect('UPO_LATE')?.polls ?? 0,
      invoices: [],
      upo: null,
      isForeign: false,
    });
    return { status: 201, body: { referenceNumber, validUntil: timestamp(validUntil) } };
  }

  /** Receives an invoice in a KSeF session (S2). */
  send(call: Call, reference: string, faults: TakenFaults): Answer {
    const caller = this.#deps.authenticator.authorize(call, WRITE);
    const session = this.#require(reference, caller);
    const request = readBody(call, sendRequest);
    if (session.status !== 100 || session.key === null) {
      throw badRequest(21_180, `Status sesji ${session.status} uniemożliwia wysyłkę faktur.`);
    }
    if (session.invoices.length >= INVOICES_MAX) {
      const detail = `Sesja o numerze referencyjnym ${reference} osiągnęła dozwolony limit liczby faktur ${INVOICES_MAX}.`;
      throw badRequest(21_155, detail);
    }
    if (request.hashOfCorrectedInvoice) throw badRequest(21_167);
    const encrypted = Buffer.from(request.encryptedInvoiceContent, 'base64');
    if (encrypted.length !== request.encryptedInvoiceSize) {
      throw badRequest(21_402, 'Długość treści nie zgadza się z rozmiarem pliku.');
    }
    if (sha256(encrypted) !== request.encryptedInvoiceHash) {
      throw badRequest(21_403, 'Skrót treści nie zgadza się ze skrótem pliku.');
    }

    const { invoiceHash, invoiceSize } = request;
    const key = Buffer.from(session.key, 'base64');
    const referenceNumber = this.#deps.invoices.receive(session, { encrypted, key, invoiceHash, invoiceSize }, faults);
    this.#update(session, { invoices: [...session.invoices, referenceNumber] });
    return { status: 202, body: { referenceNumber } };
  }

  /** Returns the status of an invoice in a session of the simulated KSeF (call S3). */
  invoice(call: Call, reference: string, invoiceReference: string): Answer {
    const session = this.#require(reference, this.#deps.authenticator.authorize(call, READ_STATUS));
    const { invoices } = this.#deps;
    const invoice = invoices.get(invoiceReference);
    if (invoice?.session !== session.referenceNumber) {
      throw badRequest(21_405, `Faktura o numerze referencyjnym ${invoiceReference} nie została znaleziona w sesji.`);
    }
    return { status: 200, body: invoices.present(invoices.look(invoice, session), session) };
  }

  /** Lists the invoices in a session of the simulated KSeF (call S4). */
  invoices(call: Call, reference: string): Answer {
    const session = this.#require(reference, this.#deps.authenticator.authorize(call, READ_STATUS));
    const { page, continuationToken } = paginate(this.#deps.invoices.list(session), call);
    const invoices = page.map((invoice) =>
      this.#deps.invoices.present(this.#deps.invoices.look(invoice, session), session),
    );
    return { status: 200, body: { continuationToken, invoices } };
  }

  /** Closes a KSeF session (call S5). */
  close(call: Call, reference: string): Answer {
    const session = this.#require(reference, this.#deps.authenticator.authorize(call, WRITE));
    if (session.status !== 100) throw badRequest(21_180, `Status sesji ${session.status} uniemożliwia jej zamknięcie.`);
    this.#close(session);
    return { status: 204 };
  }

  /** Returns the status of a session of the simulated KSeF (call S6). */
  status(call: Call, reference: string): Answer {
    const caller = this.#deps.authenticator.authorize(call, READ_STATUS);
    const session = this.#finish(this.#require(reference, caller));
    const page = session.upo === null ? undefined : this.#deps.confirmations.link(session.upo);
    return {
      status: 200,
      body: {
        status: sessionStatuses[session.status],
        dateCreated: timestamp(new Date(session.createdAt)),
        dateUpdated: timestamp(new Date(session.updatedAt)),
        ...(session.status === 100 ? { validUntil: timestamp(new Date(session.validUntil)) } : {}),
        ...(page === undefined
          ? {}
          : {
              upo: {
                pages: [
                  {
                    referenceNumber: session.upo,
                    downloadUrl: page.url,
                    downloadUrlExpirationDate: page.expires,
                  },
                ],
              },
            }),
        ...this.#count(session),
      },
    };
  }

  /** Returns the collective confirmation (UPO) of a KSeF session (call S7). */
  confirmation(call: Call, reference: string, upoReference: string, faults: TakenFaults): Answer {
    const session = this.#require(reference, this.#deps.authenticator.authorize(call, READ_STATUS));
    const found = session.upo === upoReference ? this.#deps.confirmations.get(upoReference) : undefined;
    if (found === undefined) {
      throw badRequest(
        21_178,
        `UPO o numerze referencyjnym ${upoReference} dla sesji ${reference} nie zostało znalezione.`,
      );
    }
    return xmlAnswer(found.xml, faults.effect('BAD_HASH') !== undefined);
  }

  /** Returns the KSeF confirmation of an invoice (S8), by its reference number or by its KSeF number. */
  invoiceConfirmation(call: Call, reference: string, id: string): Answer {
    const session = this.#require(reference, this.#deps.authenticator.authorize(call, READ_STATUS));
    const invoice = this.#deps.invoices.of(session).find((one) => one.referenceNumber === id || one.ksefNumber === id);
    if (invoice === undefined || invoice.ksefNumber === null) {
      throw badRequest(21_178, `UPO faktury ${id} dla sesji ${reference} nie zostało znalezione.`);
    }
    return xmlAnswer(this.#deps.invoices.confirm(invoice, session).xml, false);
  }

  /** Lists the sessions that the caller has opened in the simulated KSeF (call S9). */
  list(call: Call): Answer {
    const { context } = this.#deps.authenticator.authorize(call, LIST);
    const { query } = call;
    if (query['sessionType'] !== 'Online' && query['sessionType'] !== 'Batch') {
      throw badRequest(21_405, 'sessionType: wymagana wartość Online albo Batch.');
    }
    const from = readInstant(query, 'dateCreatedFrom') ?? Number.NEGATIVE_INFINITY;
    const to = readInstant(query, 'dateCreatedTo') ?? Number.POSITIVE_INFINITY;
    const found = [...this.#sessions.values()]
      .map((session) => this.#expire(session))
      .filter((session) => {
        const created = Date.parse(session.createdAt);
        const isNamed = query['referenceNumber'] === undefined || query['referenceNumber'] === session.referenceNumber;
        return (
          query['sessionType'] === 'Online' &&
          session.context === context &&
          isNamed &&
          created >= from &&
          created <= to
        );
      })
      .reverse();
    const { page, continuationToken } = paginate(found, call);
    const sessions = page.map((session) => {
      const { invoiceCount, ...counts } = this.#count(session);
      return {
        referenceNumber: session.referenceNumber,
        status: sessionStatuses[session.status],
        dateCreated: timestamp(new Date(session.createdAt)),
        dateUpdated: timestamp(new Date(session.updatedAt)),
        validUntil: timestamp(new Date(session.validUntil)),
        totalInvoiceCount: invoiceCount,
        ...counts,
      };
    });
    return { status: 200, body: { continuationToken, sessions } };
  }

  /** Checks whether the KSeF session belongs to the taxpayer's context and is open. */
  isOpen(reference: string, context: string): boolean {
    const session = this.#sessions.get(reference);
    return session?.context === context && this.#expire(session).status === 100;
  }

  /** Registers another taxpayer's invoices in an open KSeF session or in an earlier one (`POST /control/invoices`). */
  registerForeign({ context, session, invoices }: ForeignSession): readonly Registered[] {
    const now = this.#deps.clock.now();
    const shared = this.#sessions.get(session ?? '');
    const referenceNumber = shared?.referenceNumber ?? newReferenceNumber('SO', now);
    const count = shared?.invoices.length ?? 0;
    const registered = invoices.map((invoice, n) =>
      this.#deps.invoices.registerForeign({ session: referenceNumber, context, ordinalNumber: count + n + 1 }, invoice),
    );
    const references = registered.map(({ invoice }) => invoice);
    if (shared !== undefined) {
      this.#update(shared, { invoices: [...shared.invoices, ...references] });
      return registered;
    }
    this.#sessions.put(referenceNumber, {
      referenceNumber,
      context,
      tokenReferenceNumber: newReferenceNumber('EC', now),
      formCode: FA3,
      createdAt: now.toISOString(),
      updatedAt: now.toISOString(),
      validUntil: new Date(now.getTime() + SESSION_MS).toISOString(),
      closedAt: now.toISOString(),
      key: null,
      iv: '',
      status: 170,
      looks: 0,
      looksMore: 0,
      invoices: references,
      upo: null,
      isForeign: true,
    });
    return registered;
  }

  /** Counts the KSeF sessions of one context or of all contexts. */
  countSessions(context: string | undefined): Readonly<Record<'opened' | 'open' | 'empty', number>> {
    const own = [...this.#sessions.values()]
      .map((session) => this.#expire(session))
      .filter((session) => !session.isForeign && (context === undefined || session.context === context));
    return {
      opened: own.length,
      open: own.filter(({ status }) => status === 100).length,
      empty: own.filter(({ invoices }) => invoices.length === 0).length,
    };
  }

  #require(reference: string, { context }: Caller): Session {
    const session = this.#sessions.get(reference);
    if (session === undefined) {
      throw badRequest(21_173, `Sesja o numerze referencyjnym ${reference} nie została znaleziona.`);
    }
    if (session.context !== context) throw forbidden('insufficient-resource-access');
    return this.#expire(session);
  }

  /** Closes a KSeF session that has expired. */
  #expire(session: Session): Session {
    const isOver = session.status === 100 && Date.parse(session.validUntil) <= this.#deps.clock.now().getTime();
    return isOver ? this.#close(session) : session;
  }

  #close(session: Session): Session {
    return this.#update(session, {
      status: session.invoices.length === 0 ? 440 : 170,
      closedAt: this.#deps.clock.now().toISOString(),
    });
  }

  #update(session: Session, changes: Partial<Session>): Session {
    const changed = { ...session, ...changes, updatedAt: this.#deps.clock.now().toISOString() };
    this.#sessions.put(session.referenceNumber, changed);
    return changed;
  }

  /** Checks a closed KSeF session and sets its final status once all of its invoices are final. */
  #finish(session: Session): Session {
    if (session.status !== 170) return session;
    const invoices = this.#deps.invoices.of(session).map((invoice) => this.#deps.invoices.look(invoice, session));
    const looks = session.looks + 1;
    const looksNeeded = Math.max(this.#deps.settings().sessionPolls, session.looksMore);
    if (looks <= looksNeeded || invoices.some(({ final }) => final === null)) return this.#update(session, { looks });
    const confirmation = this.#deps.confirmations.confirm(session, invoices, true);
    return confirmation === undefined
      ? this.#update(session, { looks, status: 445 })
      : this.#update(session, { looks, status: 200, upo: confirmation.referenceNumber });
  }

  #count(session: Session): {
    readonly invoiceCount: number;
    readonly successfulInvoiceCount: number;
    readonly failedInvoiceCount: number;
  } {
    const invoices = this.#deps.invoices.of(session);
    const successful = invoices.filter(({ final }) => final?.code === 200).length;
    return {
      invoiceCount: invoices.length,
      successfulInvoiceCount: successful,
      failedInvoiceCount: invoices.filter(({ final }) => final !== null).length - successful,
    };
  }
}

function readInstant(query: Call['query'], name: string): number | undefined {
  const text = query[name];
  if (text === undefined) return undefined;
  const instant = Date.parse(text);
  if (Number.isNaN(instant)) throw badRequest(21_405, `${name}: nieprawidłowa data.`);
  return instant;
}

function isBase64(text: string): boolean {
  return Buffer.from(text, 'base64').toString('base64') === text;
}
