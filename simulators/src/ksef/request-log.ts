import type { Call } from '../erp/call.js';
import type { OperationName } from './operations.js';
import type { Store, Table } from './store.js';

const REQUESTS_MAX = 20_000;

export interface LoggedRequest {
  readonly n: number;
  readonly at: string;
  /** KSeF operation that the request calls, or null if KSeF has no such operation. */
  readonly operation: OperationName | null;
  readonly method: string;
  /** Path of the KSeF request from `/v2` on, including the query. */
  readonly path: string;
  /** Headers of the KSeF request without bearer tokens. */
  readonly headers: Readonly<Record<string, string>>;
  /** Body of the KSeF request as it was sent, without `encryptedInvoiceContent`. */
  readonly body: string;
  /** Status of the response, or null if the simulator has not answered the KSeF request. */
  readonly status: number | null;
  readonly context: string | null;
  readonly sessionReferenceNumber: string | null;
  readonly invoiceHash: string | null;
}

interface Send {
  readonly context: string | null;
  readonly invoiceHash: string;
  readonly count: number;
}

interface RequestFacts {
  readonly call: Call;
  readonly target: string;
  readonly operation: OperationName | null;
  readonly context: string | null;
  readonly sessionReferenceNumber: string | null;
  readonly at: Date;
}

/** Log of all requests to one KSeF environment, with counters. */
export class RequestLog {
  readonly #requests: Table<LoggedRequest>;
  readonly #sends: Table<Send>;
  readonly #numbers: Table<number>;
  /** All KSeF tokens that were ever created. The log must not contain their text. */
  readonly #tokens: Table<string>;

  constructor(store: Store) {
    this.#requests = store.table('requests');
    this.#sends = store.table('sends');
    this.#numbers = store.table('numbers');
    this.#tokens = store.table('tokens');
  }

  /** Starts to search all later KSeF requests for a secret token. */
  watch(token: string): void {
    this.#tokens.put(token, token);
  }

  /**
   * Adds a request to the log of the simulated KSeF.
   * @returns its number in the log
   */
  add({ call, target, operation, context, sessionReferenceNumber, at }: RequestFacts): number {
    const { authorization: _, ...headers } = call.headers;
    const { text: body, invoiceHash } = readLoggedBody(call.body);
    const n = this.#count('last');
    this.#requests.put(String(n), {
      n,
      at: at.toISOString(),
      operation,
      method: call.method,
      path: target,
      headers,
      body,
      status: null,
      context,
      sessionReferenceNumber,
      invoiceHash,
    });
    this.#requests.delete(String(n - REQUESTS_MAX));
    if (operation === 'S2' && invoiceHash !== null) {
      const key = JSON.stringify([context, invoiceHash]);
      this.#sends.put(key, { context, invoiceHash, count: (this.#sends.get(key)?.count ?? 0) + 1 });
    }
    if (this.#holdsToken(call, target)) {
      this.#count('plaintextTokens');
      this.#count(`plaintextTokens of ${context ?? ''}`);
    }
    return n;
  }

  answered(n: number, status: number): void {
    const request = this.#requests.get(String(n));
    if (request !== undefined) this.#requests.put(String(n), { ...request, status });
  }

  after(n: number, context: string | undefined): readonly LoggedRequest[] {
    const isWanted = (one: LoggedRequest): boolean => one.n > n && (context === undefined || one.context === context);
    return [...this.#requests.values()].filter(isWanted).sort((a, b) => a.n - b.n);
  }

  /** Counts the KSeF requests that send an invoice (S2) by the hash of the invoice. */
  sends(context: string | undefined): Readonly<Record<string, number>> {
    // A Map is used for the counts, because the caller of KSeF chooses the hash of an invoice. The hash may be
    // `__proto__`, which a plain object could not count.
    const counts = new Map<string, number>();
    for (const send of this.#sends.values()) {
      if (context !== undefined && send.context !== context) continue;
      counts.set(send.invoiceHash, (counts.get(send.invoiceHash) ?? 0) + send.count);
    }
    return Object.fromEntries(counts);
  }

  /** Counts KSeF requests that contained a known token in plain text. */
  plaintextTokens(context: string | undefined): number {
    const name = context === undefined ? 'plaintextTokens' : `plaintextTokens of ${context}`;
    return this.#numbers.get(name) ?? 0;
  }

  #count(name: string): number {
    const next = (this.#numbers.get(name) ?? 0) + 1;
    this.#numbers.put(name, next);
    return next;
  }

  #holdsToken(call: Call, target: string): boolean {
    const written = [target, call.path, ...Object.values(call.query), ...Object.values(call.headers), call.body];
    for (const token of this.#tokens.values()) {
      if (written.some((text) => text.includes(token))) return true;
    }
    return false;
  }
}

function readLoggedBody(text: string): { readonly text: string; readonly invoiceHash: string | null } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { text, invoiceHash: null };
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return { text, invoiceHash: null };
  const { encryptedInvoiceContent, ...rest } = value as Readonly<Record<string, unknown>>;
  const hash = rest['invoiceHash'];
  return {
    text: encryptedInvoiceContent === undefined ? text : JSON.stringify(rest),
    invoiceHash: typeof hash === 'string' ? hash : null,
  };
}
