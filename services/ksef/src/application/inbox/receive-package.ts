import { setTimeout as delay } from 'node:timers/promises';
import { DomainError, isTemporary } from '@invoicecontrol/errors';
import { systemContext } from '@invoicecontrol/runtime/request-context';
import { sha256 } from '../../domain/encryption.js';
import { CONTENT_DIFFERS, NO_HASH_STATED } from '../../domain/export-package.js';
import type { ListedInvoice } from '../../domain/export-package.js';
import { uploadIdOf } from '../../domain/inbox.js';
import type { Inbox, KeptRefusal, RefusedFile } from '../../domain/inbox.js';
import type { Reception } from '../../domain/kept-refusals.js';
import { backoffMs } from '../../domain/submission-waits.js';
import { inboxInvoice } from '../../telemetry.js';
import type { DownloadedInvoice } from '../ksef-calls.js';
import type { ChannelDocuments, MonthlyLimits, OpenPackage, ReceivedInvoice, UploadAnalyses } from './stores.js';

/**
 * Maximum number of attempts for each call to an unavailable service while a KSeF invoice package is received. All
 * attempts together take about 15 seconds. If the service only restarts, the package therefore need not be downloaded
 * again.
 */
const ATTEMPTS_MAX = 5;
const context = systemContext('ksef inbox');
/** Kinds of errors with which the analysis service refuses a received invoice for good. */
const LASTING: ReadonlySet<string> = new Set([
  'already_exists',
  'idempotency_mismatch',
  'invalid',
  'not_found',
  'too_large',
  'unsupported_media_type',
]);

export interface ReceiveDeps {
  readonly documents: ChannelDocuments;
  readonly analyses: UploadAnalyses;
  readonly waitFactor: number;
}

export interface ReceiveOptions {
  /** Checks whether an invoice document that was stored at the given time is new: no inbox run has counted it yet. */
  readonly isNew: (storedAt: Date) => boolean;
  readonly limits: MonthlyLimits;
  readonly signal: AbortSignal;
}

/** Result of receiving the invoices of a KSeF invoice package. */
export interface Received {
  readonly reception: Reception;
  /**
   * Message if the plan of the organization allows no more invoices. The rest of the invoice package was then not
   * received.
   */
  readonly exceeded?: string | undefined;
  /** Failure that interrupted receiving a KSeF invoice package. The rest of the package was then not received. */
  readonly failure?: unknown;
}

/**
 * Processes the invoices of a package in the order of KSeF: each invoice is stored in the documents service, and its
 * analysis is requested. Both happen only once for each KSeF number, so the function can be repeated at any point. An
 * invoice that cannot be stored or analyzed is refused and does not delay other invoices.
 * @throws the reason of the abort if the signal is aborted
 */
export async function receivePackage(
  deps: ReceiveDeps,
  inbox: Inbox,
  opened: OpenPackage,
  options: ReceiveOptions,
): Promise<Received> {
  const receiver = invoiceReceiver(deps, inbox, options);
  for (const refusal of opened.refused) receiver.refuse(refusal);
  try {
    for (const expected of opened.expected) {
      options.signal.throwIfAborted();
      const { ksefNumber, invoiceHash } = expected;
      const content = await opened.read(expected);
      if (sha256(content) !== invoiceHash) {
        receiver.refuse({ ksefNumber, reason: CONTENT_DIFFERS, invoiceHash });
        continue;
      }
      const exceeded = await receiver.receive({ ksefNumber, invoiceHash, content });
      if (exceeded !== undefined) return { reception: receiver.reception(), exceeded };
    }
  } catch (error) {
    options.signal.throwIfAborted();
    return { reception: receiver.reception(), failure: error };
  }
  return { reception: receiver.reception() };
}

/**
 * Receives a single invoice that was refused before. The invoice is refused again unless KSeF has stated a hash of its
 * content, with the invoice or in the package in which it was refused, and every stated hash matches.
 * @throws DomainError if a service is unavailable; the reason of the abort if the signal is aborted
 */
export async function receiveAgain(
  deps: ReceiveDeps,
  inbox: Inbox,
  { refusal, file }: { readonly refusal: KeptRefusal; readonly file: DownloadedInvoice },
  options: ReceiveOptions,
): Promise<Received> {
  const receiver = invoiceReceiver(deps, inbox, options);
  const { ksefNumber } = refusal;
  const stated = [file.statedHash, refusal.invoiceHash].filter((hash) => hash !== undefined);
  const [invoiceHash] = stated;
  if (invoiceHash === undefined) {
    receiver.refuse({ ksefNumber, reason: NO_HASH_STATED });
  } else if (stated.some((hash) => hash !== sha256(file.xml))) {
    receiver.refuse({ ksefNumber, reason: CONTENT_DIFFERS });
  } else {
    const exceeded = await receiver.receive({ ksefNumber, invoiceHash, content: file.xml });
    if (exceeded !== undefined) return { reception: receiver.reception(), exceeded };
  }
  return { reception: receiver.reception() };
}

/**
 * Returns functions that store the invoices of one KSeF inbox, request their analyses one after another, and count the
 * invoices.
 */
function invoiceReceiver(
  { documents, analyses, waitFactor }: ReceiveDeps,
  { organizationId, companyId, environment, refused: kept }: Inbox,
  { isNew: isNewAt, limits, signal }: ReceiveOptions,
): {
  refuse(refusal: RefusedFile): void;
  /**
   * Stores a received invoice and requests its analysis, or refuses the invoice.
   * @returns message if the plan of the organization allows no more invoices
   */
  receive(invoice: ListedInvoice & { readonly content: Buffer }): Promise<string | undefined>;
  reception(): Reception;
} {
  const refused: RefusedFile[] = [];
  const stored = new Set<string>();
  const uncounted = new Set(
    kept.filter((one) => one.isUncounted === true && one.closedAt === undefined).map(({ ksefNumber }) => ksefNumber),
  );
  let lastStoredAt: Date | undefined;
  let received = 0;
  let repeated = 0;
  const refuse = (refusal: RefusedFile): void => {
    inboxInvoice(environment, 'REFUSED');
    refused.push(refusal);
  };
  const patiently = <T>(work: () => Promise<T>): Promise<T> => retryTemporary(work, waitFactor, signal);

  async function analyze(invoice: Omit<ReceivedInvoice, 'content'>): Promise<void> {
    try {
      await patiently(() => analyses.request(invoice, limits.analyses, context));
    } catch (error) {
      // The invoice document from KSeF cannot be read. Users see it as a failed upload.
      if (!(error instanceof DomainError) || error.kind !== 'unprocessable') throw error;
    }
  }

  return {
    refuse,
    async receive({ ksefNumber, invoiceHash, content }) {
      const invoice = { organizationId, companyId, ksefNumber, uploadId: uploadIdOf(companyId, ksefNumber) };
      let isNew = false;
      try {
        const { storedAt } = await patiently(() =>
          documents.store({ ...invoice, content }, limits.uploadBytes, context),
        );
        isNew = isNewAt(storedAt) || uncounted.has(ksefNumber);
        await analyze(invoice);
        if (lastStoredAt === undefined || storedAt > lastStoredAt) lastStoredAt = storedAt;
      } catch (error) {
        if (!(error instanceof DomainError)) throw error;
        if (error.kind === 'usage_exceeded') return error.publicMessage;
        if (!LASTING.has(error.kind)) throw error;
        refuse({ ksefNumber, reason: error.publicMessage, invoiceHash, ...(isNew ? { isUncounted: true } : {}) });
        return undefined;
      }
      stored.add(ksefNumber);
      if (isNew) received++;
      else repeated++;
      inboxInvoice(environment, isNew ? 'RECEIVED' : 'REPEATED');
      return undefined;
    },
    reception: () => ({ received, repeated, refused, stored, lastStoredAt }),
  };
}

async function retryTemporary<T>(work: () => Promise<T>, waitFactor: number, signal: AbortSignal): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      const mayPass =
        isTemporary(error) ||
        (error instanceof DomainError && ['in_progress', 'concurrent_change', 'rate_limited'].includes(error.kind));
      if (!mayPass || attempt >= ATTEMPTS_MAX) throw error;
    }
    await delay(backoffMs(attempt, 1) * waitFactor, undefined, { signal });
  }
}
