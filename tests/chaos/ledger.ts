// Records the requests of chaos clients and the responses to them. Each response is a guarantee that must hold whatever
// fails afterwards.
import { setTimeout as delay } from 'node:timers/promises';
import type { Tenant } from '@invoicecontrol/dev/tenant';
import type { AcceptedAnalysis, Finding, LatestAnalysis, Scan } from '../e2e/shapes.js';
import type { Row } from '../e2e/crash/sample-invoices.js';

/** Time limit for one attempt of a chaos client's request. The gateway responds earlier. */
const ATTEMPT_MS_MAX = 15_000;
const SCAN_ATTEMPT_MS_MAX = 60_000;
/** Pauses in milliseconds of a chaos client that waits longer after each attempt. */
const RETRY_PAUSE_MS = { first: 500, max: 4_000 } as const;

/**
 * Outcome of a request of a chaos client. ACKNOWLEDGED: the response was a success. REFUSED: the response was a
 * refusal, although the request is valid. UNKNOWN: no response has decided the outcome yet.
 */
type Outcome = 'ACKNOWLEDGED' | 'REFUSED' | 'UNKNOWN';

interface Entry {
  readonly organizationId: string;
  outcome: Outcome;
  /** True if the chaos client repeats the request until its outcome is known. */
  readonly isRetried: boolean;
  /** Last failure among the responses to the request of a chaos client. */
  lastFailure?: string;
}

/** Values that a response states about an invoice. */
export interface InvoiceAnswer {
  readonly invoiceId: string;
  readonly decision: string;
  readonly riskScore: number;
  /** Types of the findings in the response, in sorted order. */
  readonly findingTypes: readonly string[];
}

export interface InvoiceEntry extends Entry {
  readonly idempotencyKey: string | undefined;
  /** Buyer's name of the invoice, which no other invoice has, so that the audit can find its records. */
  readonly sentAs: string;
  readonly answers: InvoiceAnswer[];
  /** Progress of the chaos client with an invoice that is sent as a document. */
  readonly upload?: { id?: string; isStored?: boolean };
}

export interface ScanEntry extends Entry {
  readonly idempotencyKey: string | undefined;
  readonly rows: readonly Row[];
  /** The invoice number of the first row of a history scan, which no other row and no invoice has. */
  readonly firstNumber: string;
  readonly answers: Scan[];
}

export interface ReviewEntry extends Entry {
  readonly findingId: string;
  readonly disposition: string;
}

export interface AssignmentEntry extends Entry {
  readonly findingId: string;
  readonly assigneeUserId: string;
}

/** Data about the chaos clients that the audit uses. */
export interface LedgerBooks {
  readonly invoices: readonly InvoiceEntry[];
  readonly scans: readonly ScanEntry[];
  readonly reviews: readonly ReviewEntry[];
  readonly assignments: readonly AssignmentEntry[];
  /** Descriptions of API reads whose result differs from an earlier response. */
  readonly wrongReads: readonly string[];
}

export interface Ledger {
  readonly books: LedgerBooks;
  /** Number of responses by HTTP status. `none` counts requests without a response. */
  readonly statuses: ReadonlyMap<string, number>;
  postInvoice(tenant: Tenant, entry: InvoiceEntry, body: object): Promise<Outcome>;
  /** Sends an invoice as a document. Steps that already have a response are not repeated. */
  uploadInvoice(tenant: Tenant, entry: InvoiceEntry, document: Buffer): Promise<Outcome>;
  postScan(tenant: Tenant, entry: ScanEntry): Promise<Outcome>;
  review(tenant: Tenant, entry: ReviewEntry): Promise<Outcome>;
  assign(tenant: Tenant, entry: AssignmentEntry): Promise<Outcome>;
  /** Returns the unreviewed findings of an invoice. Undefined if the request got no response. */
  findingsOf(tenant: Tenant, answer: InvoiceAnswer): Promise<readonly Finding[] | undefined>;
  /**
   * Sends the read requests of an ordinary API client.
   * @throws Error if there is no response
   */
  read(tenant: Tenant): Promise<void>;
  /** Repeats an attempt of a request until its outcome is known or the ledger is closed. */
  untilKnown(attempt: () => Promise<Outcome>): Promise<Outcome>;
  /** Ends all requests that the chaos clients still retry. */
  close(): void;
}

interface Answer {
  readonly status: number;
  readonly text: string;
  /** True if the refusal of the chaos client's request is temporary, so that the request can be repeated. */
  readonly isForNow: boolean;
}

/**
 * Opens the record of everything that clients have sent and received.
 * @param baseUrl ends in `/v1`
 */
export function openLedger(baseUrl: string): Ledger {
  const books = {
    invoices: [] as InvoiceEntry[],
    scans: [] as ScanEntry[],
    reviews: [] as ReviewEntry[],
    assignments: [] as AssignmentEntry[],
    wrongReads: [] as string[],
  };
  const statuses = new Map<string, number>();
  let isClosed = false;

  const call = async (
    tenant: Tenant,
    route: string,
    { body, document, idempotencyKey, timeoutMs = ATTEMPT_MS_MAX }: CallOptions = {},
  ): Promise<Answer | undefined> => {
    const [method = '', path = ''] = route.split(' ');
    let answer: Answer | undefined;
    try {
      const response = await fetch(`${baseUrl}${path}`, {
        method,
        headers: {
          authorization: `Bearer ${tenant.keys.owner}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...(document === undefined ? {} : { 'content-type': 'application/xml' }),
          ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        ...(document === undefined ? {} : { body: new Uint8Array(document) }),
        signal: AbortSignal.timeout(timeoutMs),
      });
      const isForNow = response.headers.has('retry-after');
      answer = { status: response.status, text: await response.text(), isForNow };
    } catch {
      // If the response is incomplete, the outcome of the client's request is not known.
    }
    const status = String(answer?.status ?? 'none');
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    return answer;
  };
  /** Sends a request of a chaos client once and records the outcome. */
  const attempt = async <E extends Entry>(
    kept: E[],
    entry: E,
    send: () => Promise<Answer | undefined>,
    acknowledge: (text: string) => void,
  ): Promise<Outcome> => {
    if (!kept.includes(entry)) kept.push(entry);
    const answer = await send();
    if (answer !== undefined && answer.status < 300) {
      acknowledge(answer.text);
      entry.outcome = 'ACKNOWLEDGED';
      return entry.outcome;
    }
    entry.lastFailure = answer === undefined ? 'no answer' : `${answer.status} ${answer.text}`;
    const isRefused = answer !== undefined && answer.status < 500 && !mayBeRepeated.has(answer.status);
    if (isRefused && entry.outcome === 'UNKNOWN') entry.outcome = 'REFUSED';
    else if (isRefused) books.wrongReads.push(`what was acknowledged before is answered ${entry.lastFailure}`);
    return isRefused ? 'REFUSED' : 'UNKNOWN';
  };

  const answerOf = (text: string): InvoiceAnswer => {
    const { id: invoiceId, decision, risk_score: riskScore, findings } = JSON.parse(text) as AcceptedAnalysis;
    return { invoiceId, decision, riskScore, findingTypes: findings.map(({ type }) => type).toSorted() };
  };
  /**
   * Reserves an upload, sends its file and requests its analysis.
   * @returns the first response that was not a success, or the last response
   */
  const sendDocument = async (
    tenant: Tenant,
    upload: NonNullable<InvoiceEntry['upload']>,
    document: Buffer,
  ): Promise<Answer | undefined> => {
    if (upload.id === undefined) {
      const body = { mediaType: 'application/xml', byteSize: document.length };
      const reserved = await call(tenant, 'POST /uploads', { body });
      if (reserved?.status !== 201) return reserved;
      upload.id = (JSON.parse(reserved.text) as { upload_id: string }).upload_id;
    }
    if (upload.isStored !== true) {
      const stored = await call(tenant, `PUT /uploads/${upload.id}/content`, { document });
      // A 409 response means that an earlier PUT stored the uploaded file and its response was lost.
      const wasStored = stored?.status === 409 && !stored.isForNow;
      if (stored?.status !== 204 && !wasStored) return stored;
      upload.isStored = true;
    }
    return call(tenant, 'POST /invoices/from-upload', { body: { upload_id: upload.id } });
  };

  return {
    books,
    statuses,
    postInvoice(tenant, entry, body) {
      const { idempotencyKey } = entry;
      const send = () => call(tenant, 'POST /invoices', { body, idempotencyKey });
      return attempt(books.invoices, entry, send, (text) => entry.answers.push(answerOf(text)));
    },
    uploadInvoice(tenant, entry, document) {
      const { upload } = entry;
      if (upload === undefined) throw new TypeError(`${entry.sentAs} is not sent as a document`);
      const send = () => sendDocument(tenant, upload, document);
      return attempt(books.invoices, entry, send, (text) => {
        const told = answerOf(text);
        const [first] = entry.answers;
        // A repeated request returns the current decision, which reviews change. The response must be about the same
        // invoice.
        entry.answers.push(first === undefined ? told : { ...first, invoiceId: told.invoiceId });
      });
    },
    postScan(tenant, entry) {
      const { idempotencyKey, rows } = entry;
      const options = { body: { rows }, idempotencyKey, timeoutMs: SCAN_ATTEMPT_MS_MAX };
      const send = () => call(tenant, 'POST /scans', options);
      return attempt(books.scans, entry, send, (text) => entry.answers.push(JSON.parse(text) as Scan));
    },
    review(tenant, entry) {
      const { findingId, disposition } = entry;
      const send = () => call(tenant, `POST /findings/${findingId}/review`, { body: { disposition } });
      return attempt(books.reviews, entry, send, (text) => {
        const told = (JSON.parse(text) as Finding).disposition;
        if (told !== disposition) books.wrongReads.push(`finding ${findingId} was made ${disposition} and is ${told}`);
      });
    },
    assign(tenant, entry) {
      const { findingId, assigneeUserId } = entry;
      const body = { assignee_user_id: assigneeUserId };
      return attempt(
        books.assignments,
        entry,
        () => call(tenant, `PATCH /findings/${findingId}/assignment`, { body }),
        () => {},
      );
    },
    async findingsOf(tenant, { invoiceId, decision, riskScore }) {
      const answer = await call(tenant, `GET /invoices/${invoiceId}/analysis/latest`);
      if (answer === undefined || answer.status >= 500 || mayBeRepeated.has(answer.status)) return undefined;
      const told = answer.status < 300 ? (JSON.parse(answer.text) as LatestAnalysis) : undefined;
      if (told?.decision !== decision || told.risk_score !== riskScore) {
        const now = told === undefined ? `${answer.status}` : `${told.decision} ${told.risk_score}`;
        books.wrongReads.push(`invoice ${invoiceId} was answered ${decision} ${riskScore} and is read as ${now}`);
      }
      return told?.findings;
    },
    async read(tenant) {
      for (const path of ['/invoices?limit=1', '/scans?limit=1']) {
        const answer = await call(tenant, `GET ${path}`);
        if (answer?.status !== 200) throw new Error(`${path}: ${answer?.status ?? 'no answer'}`);
      }
    },
    async untilKnown(work) {
      for (let pauseMs: number = RETRY_PAUSE_MS.first; ; pauseMs = Math.min(2 * pauseMs, RETRY_PAUSE_MS.max)) {
        const outcome = await work();
        if (outcome !== 'UNKNOWN' || isClosed) return outcome;
        await delay(pauseMs);
      }
    },
    close() {
      isClosed = true;
    },
  };
}

interface CallOptions {
  readonly body?: object;
  readonly document?: Buffer;
  readonly idempotencyKey?: string | undefined;
  readonly timeoutMs?: number;
}

/** HTTP statuses of temporary refusals: request in progress, conflict, too many requests. */
const mayBeRepeated: ReadonlySet<number> = new Set([408, 409, 425, 429]);
