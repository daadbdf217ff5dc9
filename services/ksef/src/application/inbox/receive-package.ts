import { setTimeout as delay } from 'node:timers/promises';
import { DomainError, isTemporary } from '@invoicecontrol/errors';
import { systemContext } from '@invoicecontrol/runtime/request-context';
import { sha256 } from '../../domain/encryption.js';
import { CONTENT_DIFFERS } from '../../domain/export-package.js';
import { REFUSED_MAX, uploadIdOf } from '../../domain/inbox.js';
import type { Inbox, ReceivedCounts, RefusedInvoice } from '../../domain/inbox.js';
import { backoffMs } from '../../domain/submission-waits.js';
import { inboxInvoice } from '../../telemetry.js';
import type { ChannelDocuments, MonthlyLimits, OpenPackage, ReceivedInvoice, UploadAnalyses } from './stores.js';

/**
 * Maximum number of attempts to call an unavailable service. They take about 15 seconds, so that a restart of the
 * service does not require another download.
 */
const ATTEMPTS_MAX = 5;
const context = systemContext('ksef inbox');
/** Kinds of refusals that repeating the call cannot change. */
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

/** Result of receiving a package from KSeF. */
export interface Reception {
  readonly counts: ReceivedCounts;
  /** Message if the organization's plan allows no more invoices. The rest of the package was not received. */
  readonly exceeded: string | undefined;
}

/**
 * Passes the invoices of a package on in the order of KSeF: each invoice is stored in the documents service, and its
 * analysis is requested. Both happen once for each KSeF number, so this function may be repeated at any point.
 * @param since start of the export; documents that were stored earlier had been received before
 * @throws DomainError if a service is unavailable; the reason of the signal
 */
export async function receivePackage(
  { documents, analyses, waitFactor }: ReceiveDeps,
  inbox: Inbox,
  opened: OpenPackage,
  { since, limits, signal }: { readonly since: Date; readonly limits: MonthlyLimits; readonly signal: AbortSignal },
): Promise<Reception> {
  const { organizationId, companyId, environment } = inbox;
  const refused: RefusedInvoice[] = [];
  let received = 0;
  let repeated = 0;
  const refuse = (ksefNumber: string, reason: string): void => {
    inboxInvoice(environment, 'REFUSED');
    if (refused.length < REFUSED_MAX) refused.push({ ksefNumber, reason });
  };
  const counts = (): ReceivedCounts => ({ received, repeated, refused });
  const patiently = <T>(work: () => Promise<T>): Promise<T> => retryTemporary(work, waitFactor, signal);

  async function receive(invoice: ReceivedInvoice): Promise<void> {
    const { content: _, ...stored } = invoice;
    let storedAt: Date;
    try {
      ({ storedAt } = await patiently(() => documents.store(invoice, limits.uploadBytes, context)));
    } catch (error) {
      if (!(error instanceof DomainError) || !LASTING.has(error.kind)) throw error;
      refuse(invoice.ksefNumber, error.publicMessage);
      return;
    }
    try {
      await patiently(() => analyses.request(stored, limits.analyses, context));
    } catch (error) {
      // The document cannot be read. Users see it as a failed upload.
      if (!(error instanceof DomainError) || error.kind !== 'unprocessable') throw error;
    }
    if (storedAt >= since) received++;
    else repeated++;
    inboxInvoice(environment, storedAt >= since ? 'RECEIVED' : 'REPEATED');
  }

  for (const { ksefNumber, reason } of opened.refused) refuse(ksefNumber, reason);
  for (const expected of opened.expected) {
    signal.throwIfAborted();
    const { ksefNumber, invoiceHash } = expected;
    const content = await opened.read(expected);
    if (sha256(content) !== invoiceHash) {
      refuse(ksefNumber, CONTENT_DIFFERS);
      continue;
    }
    try {
      const uploadId = uploadIdOf(companyId, ksefNumber);
      await receive({ organizationId, companyId, uploadId, ksefNumber, content });
    } catch (error) {
      if (!(error instanceof DomainError) || error.kind !== 'usage_exceeded') throw error;
      return { counts: counts(), exceeded: error.publicMessage };
    }
  }
  return { counts: counts(), exceeded: undefined };
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
