import { createHmac, randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { Answer, Call } from '../erp/call.js';
import type { Clock } from '../erp/clock.js';
import type { Authenticator, Caller } from './authentication.js';
import { checkDocument, failed, isKnownForm } from './check-document.js';
import { invoicingMode, writeConfirmation } from './confirmation.js';
import type { ConfirmedDocument } from './confirmation.js';
import type { Faults, TakenFaults } from './faults.js';
import { sha256 } from './keys.js';
import type { Keys } from './keys.js';
import { newKsefNumber, newReferenceNumber, polishDay, timestamp } from './numbers.js';
import { readBody } from './read-body.js';
import type { Confirmation, Context, Invoice, Registered, Session, Settings, Status } from './records.js';
import { badRequest, forbidden } from './refusal.js';
import type { Store, Table } from './store.js';

const SESSION_MS = 12 * 3_600_000;
const DOWNLOAD_MS = 3 * 86_400_000;
const INVOICES_MAX = 10_000;
const PAGE_SIZE_MIN = 10;
const PAGE_SIZE_MAX = 1_000;
const FA3 = { systemCode: 'FA (3)', schemaVersion: '1-0E', value: 'FA' } as const;
const WRITE = ['InvoiceWrite', 'EnforcementOperations'] as const;
const READ_STATUS = [...WRITE, 'Introspection'] as const;

const sessionStatuses: Readonly<Record<number, Status>> = {
  100: { code: 100, description: 'Sesja interaktywna otwarta' },
  170: { code: 170, description: 'Sesja interaktywna zamknięta' },
  200: { code: 200, description: 'Sesja interaktywna przetworzona pomyślnie' },
  415: { code: 415, description: 'Błąd odszyfrowania dostarczonego klucza' },
  440: { code: 440, description: 'Sesja anulowana', details: ['Nie przesłano faktur'] },
  445: { code: 445, description: 'Błąd weryfikacji, brak poprawnych faktur' },
};
const processing: Readonly<Record<number, string>> = {
  100: 'Faktura przyjęta do dalszego przetwarzania',
  150: 'Trwa przetwarzanie',
};
const accepted: Status = { code: 200, description: 'Sukces' };

const hash = z.base64().length(44);
const openRequest = z.object({
  formCode: z.object({ systemCode: z.string(), schemaVersion: z.string(), value: z.string() }),
  encryption: z.object({
    encryptedSymmetricKey: z.base64().min(1),
    initializationVector: z.base64().length(24),
    publicKeyId: z.base64().length(44).nullish(),
  }),
});
const sendRequest = z.object({
  invoiceHash: hash,
  invoiceSize: z.int().min(1),
  encryptedInvoiceHash: hash,
  encryptedInvoiceSize: z.int().min(1),
  // Too long for a regular expression.
  encryptedInvoiceContent: z.string().min(1).refine(isBase64, 'must be base64'),
  offlineMode: z.boolean().optional(),
  hashOfCorrectedInvoice: hash.nullish(),
});

/** An invoice that somebody else has registered (`POST /control/invoices`). */
export interface ForeignInvoice {
  readonly context: string;
  readonly sellerNip: string;
  readonly kind: string;
  readonly number: string;
  readonly invoiceHash: string | undefined;
}

interface SessionsDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly keys: Keys;
  readonly faults: Faults;
  readonly authenticator: Authenticator;
  readonly contexts: Table<Context>;
  readonly settings: () => Settings;
  readonly environment: { readonly label: string; readonly checksNips: boolean; readonly takesFa2: boolean };
  /** The URL of the environment without a trailing slash. */
  readonly baseUrl: () => string;
}

/** Interactive sessions, their invoices and confirmations: calls S1 to S8, and lists of sessions (S9). */
export class Sessions {
  readonly #deps: SessionsDeps;
  readonly #sessions: Table<Session>;
  readonly #invoices: Table<Invoice>;
  readonly #registered: Table<Registered>;
  readonly #confirmations: Table<Confirmation>;
  readonly #secrets: Table<string>;

  constructor(deps: SessionsDeps) {
    this.#deps = deps;
    this.#sessions = deps.store.table('sessions');
    this.#invoices = deps.store.table('invoices');
    this.#registered = deps.store.table('registered');
    this.#confirmations = deps.store.table('confirmations');
    this.#secrets = deps.store.table('secrets');
  }

  /** S1 */
  open(call: Call, faults: TakenFaults): Answer {
    const caller = this.#deps.authenticator.authorize(call, WRITE);
    const { formCode, encryption } = readBody(call, openRequest);
    if (!isKnownForm(formCode) || (formCode.systemCode === 'FA (2)' && !this.#deps.environment.takesFa2)) {
      throw badRequest(21_405, 'formCode: nieobsługiwany kod formularza.');
    }
    const keyId = encryption.publicKeyId ?? undefined;
    if (keyId !== undefined && !this.#deps.keys.isKnown(keyId)) {
      throw badRequest(21_470, `Klucz o identyfikatorze ${keyId} nie jest wspierany.`);
    }
    const encryptedKey = Buffer.from(encryption.encryptedSymmetricKey, 'base64');
    const key = this.#deps.keys.decrypt('SymmetricKeyEncryption', encryptedKey, keyId);
    const isKeyRight = key?.length === 32 && faults.effect('SESSION_STATUS') === undefined;
    const now = this.#deps.clock.now();
    const validUntil = new Date(now.getTime() + SESSION_MS);
    const referenceNumber = newReferenceNumber('SO', now);
    this.#sessions.put(referenceNumber, {
      referenceNumber,
      context: caller.context,
      tokenReferenceNumber: caller.token.referenceNumber,
      formCode,
      createdAt: now.toISOString(),
      updatedAt: now.toISOString(),
      validUntil: validUntil.toISOString(),
      closedAt: null,
      key: isKeyRight ? key.toString('base64') : null,
      iv: encryption.initializationVector,
      status: isKeyRight ? 100 : 415,
      looks: 0,
      looksMore: faults.effect('UPO_LATE')?.polls ?? 0,
      invoices: [],
      upo: null,
      isForeign: false,
    });
    return { status: 201, body: { referenceNumber, validUntil: timestamp(validUntil) } };
  }

  /** S2 */
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

    const now = this.#deps.clock.now();
    const checked = checkDocument(
      {
        encrypted,
        key: Buffer.from(session.key, 'base64'),
        iv: Buffer.from(session.iv, 'base64'),
        invoiceHash: request.invoiceHash,
        invoiceSize: request.invoiceSize,
      },
      { formCode: session.formCode, today: polishDay(now), checksNips: this.#deps.environment.checksNips },
    );
    const forced = faults.effect('INVOICE_STATUS');
    const referenceNumber = newReferenceNumber('EE', now);
    this.#invoices.put(referenceNumber, {
      referenceNumber,
      session: reference,
      context: session.context,
      ordinalNumber: session.invoices.length + 1,
      invoiceHash: request.invoiceHash,
      receivedAt: now.toISOString(),
      ...checked,
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
    this.#sessions.put(reference, {
      ...session,
      invoices: [...session.invoices, referenceNumber],
      updatedAt: now.toISOString(),
    });
    return { status: 202, body: { referenceNumber } };
  }

  /** S3 */
  invoice(call: Call, reference: string, invoiceReference: string): Answer {
    const session = this.#require(reference, this.#deps.authenticator.authorize(call, READ_STATUS));
    const invoice = this.#invoices.get(invoiceReference);
    if (invoice?.session !== session.referenceNumber) throw unknownInvoice(invoiceReference);
    return { status: 200, body: this.#present(this.#look(invoice, session)) };
  }

  /** S4 */
  invoices(call: Call, reference: string): Answer {
    const session = this.#require(reference, this.#deps.authenticator.authorize(call, READ_STATUS));
    const shown: Invoice[] = [];
    for (const invoice of this.#invoicesOf(session)) {
      if (invoice.hiddenLooks === 0) shown.push(invoice);
      else this.#invoices.put(invoice.referenceNumber, { ...invoice, hiddenLooks: invoice.hiddenLooks - 1 });
    }
    const { page, continuationToken } = paginate(shown, call);
    const invoices = page.map((invoice) => this.#present(this.#look(invoice, session)));
    return { status: 200, body: { continuationToken, invoices } };
  }

  /** S5 */
  close(call: Call, reference: string): Answer {
    const session = this.#require(reference, this.#deps.authenticator.authorize(call, WRITE));
    if (session.status !== 100) throw badRequest(21_180, `Status sesji ${session.status} uniemożliwia jej zamknięcie.`);
    this.#close(session);
    return { status: 204 };
  }

  /** S6 */
  status(call: Call, reference: string): Answer {
    const caller = this.#deps.authenticator.authorize(call, READ_STATUS);
    const session = this.#finish(this.#require(reference, caller));
    const page = session.upo === null ? undefined : this.#download(session.upo);
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

  /** S7 */
  confirmation(call: Call, reference: string, upoReference: string, faults: TakenFaults): Answer {
    const session = this.#require(reference, this.#deps.authenticator.authorize(call, READ_STATUS));
    const found = session.upo === upoReference ? this.#confirmations.get(upoReference) : undefined;
    if (found === undefined) {
      throw badRequest(
        21_178,
        `UPO o numerze referencyjnym ${upoReference} dla sesji ${reference} nie zostało znalezione.`,
      );
    }
    return xmlAnswer(found.xml, faults.effect('BAD_HASH') !== undefined);
  }

  /** S8, by the reference number of the invoice or by its number in KSeF */
  invoiceConfirmation(call: Call, reference: string, id: string): Answer {
    const session = this.#require(reference, this.#deps.authenticator.authorize(call, READ_STATUS));
    const invoice = this.#invoicesOf(session).find((one) => one.referenceNumber === id || one.ksefNumber === id);
    if (invoice === undefined || invoice.ksefNumber === null) {
      throw badRequest(21_178, `UPO faktury ${id} dla sesji ${reference} nie zostało znalezione.`);
    }
    return xmlAnswer(this.#invoiceConfirmation(invoice, session).xml, false);
  }

  /** S9 */
  list(call: Call): Answer {
    const { context } = this.#deps.authenticator.authorize(call, READ_STATUS);
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
        return query['sessionType'] === 'Online' && session.context === context && isNamed && created >= from && created <= to;
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

  /** A confirmation by its pre-signed address, without a token. */
  downloadConfirmation(call: Call, reference: string): Answer {
    const { expires = '', signature = '' } = call.query;
    const isRight = signature === this.#sign(reference, expires) && Number(expires) > this.#deps.clock.now().getTime();
    const found = isRight ? this.#confirmations.get(reference) : undefined;
    return found === undefined ? { status: 403, body: '' } : xmlAnswer(found.xml, false);
  }

  /** The session of an invoice that was there before, for `POST /control/invoices`. @returns undefined for a duplicate */
  registerForeign({ context, sellerNip, kind, number, invoiceHash }: ForeignInvoice): Registered | undefined {
    if (this.#registered.get(duplicateKey({ sellerNip, kind, number })) !== undefined) return undefined;
    const now = this.#deps.clock.now();
    const session = newReferenceNumber('SO', now);
    const referenceNumber = newReferenceNumber('EE', now);
    const invoice: Invoice = {
      referenceNumber,
      session,
      context,
      ordinalNumber: 1,
      invoiceHash: invoiceHash ?? sha256(randomBytes(32)),
      receivedAt: now.toISOString(),
      facts: {
        sellerNip,
        sellerName: 'Sprzedawca',
        buyer: { type: 'None', value: null },
        buyerName: null,
        kind,
        number,
        issueDate: polishDay(now),
        currency: 'PLN',
        net: 100,
        vat: 23,
        gross: 123,
        isSelfInvoicing: false,
        hasAttachment: false,
        formCode: FA3,
      },
      failure: null,
      looks: 0,
      final: null,
      ksefNumber: null,
      acquiredAt: null,
      hiddenLooks: 0,
      forced: null,
      upo: null,
    };
    this.#sessions.put(session, {
      referenceNumber: session,
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
      invoices: [referenceNumber],
      upo: null,
      isForeign: true,
    });
    this.#register(invoice);
    return this.#registered.get(duplicateKey({ sellerNip, kind, number }));
  }

  /** What the counters say of sessions, also of one context alone. */
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

  /** The invoice behind a registered document, for queries of metadata. */
  registered(): readonly { readonly registered: Registered; readonly invoice: Invoice }[] {
    return [...this.#registered.values()].flatMap((registered) => {
      const invoice = this.#invoices.get(registered.invoice);
      return invoice === undefined ? [] : [{ registered, invoice }];
    });
  }

  #require(reference: string, { context }: Caller): Session {
    const session = this.#sessions.get(reference);
    if (session === undefined) {
      throw badRequest(21_173, `Sesja o numerze referencyjnym ${reference} nie została znaleziona.`);
    }
    if (session.context !== context) throw forbidden('insufficient-resource-access');
    return this.#expire(session);
  }

  /** A session that is past its time closes itself. */
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

  /** Looks at a closed session, and ends it as soon as all of its invoices have ended. */
  #finish(session: Session): Session {
    if (session.status !== 170) return session;
    const invoices = this.#invoicesOf(session).map((invoice) => this.#look(invoice, session));
    const looks = session.looks + 1;
    const looksNeeded = Math.max(this.#deps.settings().sessionPolls, session.looksMore);
    if (looks <= looksNeeded || invoices.some(({ final }) => final === null)) return this.#update(session, { looks });
    const documents = invoices.flatMap((invoice) => toConfirmedDocument(invoice));
    if (documents.length === 0) return this.#update(session, { looks, status: 445 });
    const upo = this.#confirm(session, documents, true);
    return this.#update(session, { looks, status: 200, upo });
  }

  #invoicesOf(session: Session): readonly Invoice[] {
    return session.invoices.flatMap((reference) => this.#invoices.get(reference) ?? []);
  }

  /** A look at an invoice: after enough of them it ends. */
  #look(invoice: Invoice, session: Session): Invoice {
    if (invoice.final !== null) return invoice;
    const looked = { ...invoice, looks: invoice.looks + 1 };
    this.#invoices.put(invoice.referenceNumber, looked);
    const isHeld = looked.forced !== null && looked.forced.code < 200 && this.#deps.faults.has(looked.forced.fault);
    if (isHeld || looked.looks <= this.#deps.settings().invoicePolls) return looked;
    const refusal = this.#refusalOf(looked, session);
    return refusal === undefined ? this.#register(looked) : this.#end(looked, refusal);
  }

  /** In the order of the KSeF reference, section 14. */
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

  #register(invoice: Invoice): Invoice {
    const { facts } = invoice;
    if (facts === null) throw new Error(`The invoice ${invoice.referenceNumber} could not be read.`);
    const key = duplicateKey(facts);
    const now = this.#deps.clock.now();
    // There already where the process was killed between these two writes.
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
    return this.#end({ ...invoice, ksefNumber, acquiredAt: now.toISOString() }, accepted);
  }

  #end(invoice: Invoice, final: Status): Invoice {
    const ended = { ...invoice, final };
    this.#invoices.put(invoice.referenceNumber, ended);
    return ended;
  }

  #present(invoice: Invoice): Readonly<Record<string, unknown>> {
    const { final, facts, ksefNumber, acquiredAt, forced, looks } = invoice;
    const session = this.#sessions.get(invoice.session);
    const isAccepted = ksefNumber !== null && acquiredAt !== null && facts !== null && session !== undefined;
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

  #presentAccepted(invoice: Invoice, session: Session, issueDate: string): Readonly<Record<string, unknown>> {
    const { url, expires } = this.#download(this.#invoiceConfirmation(invoice, session).referenceNumber);
    return {
      invoicingMode: invoicingMode(issueDate, new Date(invoice.receivedAt)),
      upoDownloadUrl: url,
      upoDownloadUrlExpirationDate: expires,
    };
  }

  /** Permanent storage follows a second after the number. */
  #storedAt({ acquiredAt }: Invoice): string | null {
    const storedMs = acquiredAt === null ? Number.POSITIVE_INFINITY : Date.parse(acquiredAt) + 1_000;
    return storedMs <= this.#deps.clock.now().getTime() ? timestamp(new Date(storedMs)) : null;
  }

  #count(session: Session): {
    readonly invoiceCount: number;
    readonly successfulInvoiceCount: number;
    readonly failedInvoiceCount: number;
  } {
    const invoices = this.#invoicesOf(session);
    const successful = invoices.filter(({ final }) => final?.code === 200).length;
    return {
      invoiceCount: invoices.length,
      successfulInvoiceCount: successful,
      failedInvoiceCount: invoices.filter(({ final }) => final !== null).length - successful,
    };
  }

  #invoiceConfirmation(invoice: Invoice, session: Session): Confirmation {
    // Read anew: several looks may hold the same invoice.
    const upo = this.#invoices.get(invoice.referenceNumber)?.upo ?? null;
    const known = upo === null ? undefined : this.#confirmations.get(upo);
    if (known !== undefined) return known;
    const made = this.#confirm(session, toConfirmedDocument(invoice), false);
    this.#invoices.put(invoice.referenceNumber, { ...invoice, upo: made });
    const confirmation = this.#confirmations.get(made);
    if (confirmation === undefined) throw new Error(`The confirmation ${made} was not stored.`);
    return confirmation;
  }

  /** @returns the reference number */
  #confirm(session: Session, documents: readonly ConfirmedDocument[], isCollective: boolean): string {
    const referenceNumber = newReferenceNumber('EU', this.#deps.clock.now());
    const xml = writeConfirmation(
      {
        environment: this.#deps.environment.label,
        session: session.referenceNumber,
        context: session.context,
        tokenReferenceNumber: session.tokenReferenceNumber,
        formCode: session.formCode,
        documents,
        isCollective,
      },
      this.#deps.keys.seal(),
    );
    this.#confirmations.put(referenceNumber, { referenceNumber, session: session.referenceNumber, xml });
    return referenceNumber;
  }

  #download(reference: string): { readonly url: string; readonly expires: string } {
    const expires = new Date(this.#deps.clock.now().getTime() + DOWNLOAD_MS);
    const query = `expires=${expires.getTime()}&signature=${this.#sign(reference, String(expires.getTime()))}`;
    return { url: `${this.#deps.baseUrl()}/downloads/${reference}?${query}`, expires: timestamp(expires) };
  }

  #sign(reference: string, expires: string): string {
    let secret = this.#secrets.get('downloads');
    if (secret === undefined) {
      secret = randomBytes(32).toString('hex');
      this.#secrets.put('downloads', secret);
    }
    return createHmac('sha256', secret).update(`${reference} ${expires}`).digest('base64url');
  }
}

/** A page of what there is, by `pageSize` and the header `x-continuation-token`. */
export function paginate<T>(
  rows: readonly T[],
  call: Call,
): { readonly page: readonly T[]; readonly continuationToken: string | null } {
  const pageSize = Number(call.query['pageSize'] ?? PAGE_SIZE_MIN);
  if (!Number.isInteger(pageSize) || pageSize < PAGE_SIZE_MIN || pageSize > PAGE_SIZE_MAX) {
    throw badRequest(21_405, `pageSize: wymagana liczba od ${PAGE_SIZE_MIN} do ${PAGE_SIZE_MAX}.`);
  }
  const token = call.headers['x-continuation-token'] ?? '';
  const text = Buffer.from(token, 'base64url').toString('utf8');
  if (token !== '' && !/^from \d{1,9}$/.test(text)) throw badRequest(21_418);
  const from = token === '' ? 0 : Number(text.slice('from '.length));
  const next = from + pageSize;
  const continuationToken = next < rows.length ? Buffer.from(`from ${next}`).toString('base64url') : null;
  return { page: rows.slice(from, next), continuationToken };
}

function unknownInvoice(reference: string): Error {
  return badRequest(21_405, `Faktura o numerze referencyjnym ${reference} nie została znaleziona w sesji.`);
}

function readInstant(query: Call['query'], name: string): number | undefined {
  const text = query[name];
  if (text === undefined) return undefined;
  const instant = Date.parse(text);
  if (Number.isNaN(instant)) throw badRequest(21_405, `${name}: nieprawidłowa data.`);
  return instant;
}

function toConfirmedDocument(invoice: Invoice): readonly ConfirmedDocument[] {
  const { facts, ksefNumber, acquiredAt, receivedAt, invoiceHash } = invoice;
  if (facts === null || ksefNumber === null || acquiredAt === null) return [];
  const { sellerNip, number, issueDate } = facts;
  const instants = { receivedAt: new Date(receivedAt), acquiredAt: new Date(acquiredAt) };
  return [{ sellerNip, ksefNumber, number, issueDate, ...instants, invoiceHash }];
}

/** By which KSeF tells duplicates, across all contexts. */
function duplicateKey({ sellerNip, kind, number }: Pick<Registered, 'sellerNip' | 'kind' | 'number'>): string {
  return JSON.stringify([sellerNip, kind, number]);
}

function isBase64(text: string): boolean {
  return Buffer.from(text, 'base64').toString('base64') === text;
}

function xmlAnswer(xml: string, isCut: boolean): Answer {
  return {
    status: 200,
    headers: { 'content-type': 'application/xml', 'x-ms-meta-hash': sha256(xml) },
    body: isCut ? xml.slice(0, Math.floor(xml.length / 2)) : xml,
  };
}
