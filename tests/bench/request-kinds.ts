// Counts the database commands that each kind of request causes, as proxies see them. One request is sent at a time.
import { randomUUID } from 'node:crypto';
import type { DatabaseCommand } from './counting-proxy.js';
import { mean } from './cell.js';
import { invoiceAt } from './invoices.js';
import type { BenchInvoice } from './invoices.js';

/** Number of measured API requests of each kind. */
const REQUESTS = 10;

/** The database work of one kind of request, on average. */
export interface KindOfRequest {
  readonly name: string;
  readonly before: DatabaseWork;
  /** Database work that the request causes in total, including the work after its response. */
  readonly inTotal: DatabaseWork;
}

export interface DatabaseWork {
  readonly commands: number;
  /**
   * Length of the longest chain of database commands in which each command began after the response to the previous
   * one.
   */
  readonly steps: number;
  /**
   * Length of the longest chain of database writes of a request, each of which waits for the journal of the database.
   */
  readonly journalWaits: number;
  /** Number of bytes of the writing database commands, as they are sent. */
  readonly writtenBytes: number;
}

/** A benchmarked request and the database commands that the analysis service sent for it. */
export interface Counted {
  readonly commands: readonly DatabaseCommand[];
  readonly answeredAtMs: number;
  /** Parsed body of the response to the benchmarked request. */
  readonly body: unknown;
}

export interface Call {
  readonly method: 'GET' | 'POST';
  /** Path of the benchmarked request below `/v1`. */
  readonly path: string;
  readonly body?: unknown;
  readonly idempotencyKey?: string;
}

/**
 * Measures each kind of request of an organization.
 * @param count makes a request and returns its database commands, including those after its response
 * @param firstIndex number of the first generated invoice that has not been posted yet
 */
export async function measureKinds(
  count: (call: Call) => Promise<Counted>,
  { stored, firstIndex }: { readonly stored: number; readonly firstIndex: number },
): Promise<KindOfRequest[]> {
  const invoices = Array.from({ length: REQUESTS * 3 }, (_, index) => invoiceAt(firstIndex + index, stored));
  const [plain, keyed, copied] = [0, 1, 2].map((part) => invoices.slice(part * REQUESTS, (part + 1) * REQUESTS)) as [
    BenchInvoice[],
    BenchInvoice[],
    BenchInvoice[],
  ];
  const keys = keyed.map(() => randomUUID());
  const post = (body: BenchInvoice, idempotencyKey?: string): Call => ({
    method: 'POST',
    path: '/invoices',
    body,
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
  });
  const kinds: KindOfRequest[] = [];
  const measure = async (name: string, calls: readonly Call[]): Promise<unknown[]> => {
    const counted: Counted[] = [];
    for (const call of calls) counted.push(await count(call));
    const before = counted.map(({ commands, answeredAtMs }) =>
      workOf(commands.filter(({ sentAtMs }) => sentAtMs < answeredAtMs)),
    );
    kinds.push({ name, before: average(before), inTotal: average(counted.map(({ commands }) => workOf(commands))) });
    return counted.map(({ body }) => body);
  };

  const posted = await measure(
    'POST /invoices',
    plain.map((invoice) => post(invoice)),
  );
  await measure(
    'with an Idempotency-Key',
    keyed.map((invoice, index) => post(invoice, keys[index])),
  );
  await measure(
    'the same request again',
    keyed.map((invoice, index) => post(invoice, keys[index])),
  );
  for (const invoice of copied) await count(post(invoice));
  const copies = await measure(
    'of a copy, with a finding',
    copied.map((invoice) => post(invoice)),
  );
  await measure(
    'of a new supplier',
    plain.map((invoice, index) => post(ofNewSupplier(invoice, firstIndex + index))),
  );
  const ids = posted.map(idOf);
  const get = (path: string): Call => ({ method: 'GET', path });
  await measure(
    'GET /invoices/{id}',
    ids.map((id) => get(`/invoices/${id}`)),
  );
  await measure(
    'GET /invoices/{id}/analysis/latest',
    ids.map((id) => get(`/invoices/${id}/analysis/latest`)),
  );
  await measure(
    'GET /invoices',
    ids.map(() => get('/invoices')),
  );
  await measure(
    'POST /invoices/{id}/reanalyze',
    ids.map((id) => ({ ...get(`/invoices/${id}/reanalyze`), method: 'POST' })),
  );
  const listed = await measure(
    'GET /findings',
    copies.map((copy) => get(`/findings?invoice_id=${idOf(copy)}`)),
  );
  const findings = listed.flatMap((page) => (page as { items: { id: string }[] }).items.slice(0, 1));
  await measure(
    'POST /findings/{id}/review',
    findings.map(({ id }) => ({ method: 'POST', path: `/findings/${id}/review`, body: { disposition: 'CONFIRMED' } })),
  );
  return kinds;
}

function idOf(body: unknown): string {
  return (body as { id: string }).id;
}

function ofNewSupplier(invoice: BenchInvoice, number: number): BenchInvoice {
  const { tax_id: _, bank_account: _account, ...supplier } = invoice.supplier;
  const name = `Neulieferant ${randomUUID().slice(0, 8)} GmbH`;
  return { ...invoice, supplier: { ...supplier, name } as BenchInvoice['supplier'], invoice_number: `N-${number}` };
}

function workOf(commands: readonly DatabaseCommand[]): DatabaseWork {
  const writes = commands.filter(({ isWrite }) => isWrite);
  return {
    commands: commands.length,
    steps: longestChain(commands),
    journalWaits: longestChain(writes),
    writtenBytes: writes.reduce((sum, { bytes }) => sum + bytes, 0),
  };
}

function average(works: readonly DatabaseWork[]): DatabaseWork {
  return {
    commands: mean(works.map(({ commands }) => commands)),
    steps: mean(works.map(({ steps }) => steps)),
    journalWaits: mean(works.map(({ journalWaits }) => journalWaits)),
    writtenBytes: mean(works.map(({ writtenBytes }) => writtenBytes)),
  };
}

/**
 * Returns the length of the longest chain of database commands in which each was sent after the response to the
 * previous one.
 */
export function longestChain(commands: readonly DatabaseCommand[]): number {
  let length = 0;
  let endedAtMs = Number.NEGATIVE_INFINITY;
  for (const { sentAtMs, answeredAtMs } of commands.toSorted((a, b) => a.answeredAtMs - b.answeredAtMs)) {
    if (sentAtMs < endedAtMs) continue;
    length += 1;
    endedAtMs = answeredAtMs;
  }
  return length;
}
