// Sends the load of a soak test: everything that customers do, at fixed intervals and at a low rate.
import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { ApiError } from '@invoicecontrol/client';
import type { Client } from '@invoicecontrol/client';
import type { Tenant } from '@invoicecontrol/dev/tenant';
import { fa3Document } from '@invoicecontrol/simulators/ksef/fa3-document';
import { makeDocuments } from './document-files.js';
import type { DocumentKind } from './document-files.js';
import type { Company } from './erp-companies.js';
import { invoiceAt } from './invoices.js';
import { scanRows } from './scan-rows.js';
import { analyzeUpload, putContent, reserve } from './upload-client.js';

/**
 * A customer in a soak test: an organization with its keys, its ERP and, for one of the customers, its connection to
 * KSeF.
 */
export interface Customer {
  readonly tenant: Tenant;
  readonly api: Client;
  readonly storedCount: number;
  readonly erp: { readonly company: Company; readonly connectionId: string };
}

/** A taxpayer of the simulated KSeF, to whom suppliers issue invoices and who issues some. */
export interface Taxpayer {
  readonly nip: string;
  readonly connectionId: string;
  readonly customer: Customer;
  /** Lets a supplier issue an invoice to the taxpayer in the simulated KSeF. */
  issue(number: string): Promise<void>;
}

/** Results of one activity in a soak test: how many runs succeeded, and how many failed, by error. */
export interface Done {
  ok: number;
  readonly failed: Record<string, number>;
}

export interface SoakLoad {
  readonly done: Readonly<Record<string, Done>>;
  /** Stops beginning new activities, and waits until those in progress have ended. */
  stop(): Promise<void>;
}

/** An activity that customers repeat at fixed intervals. The promise that `run` returns rejects if a run fails. */
interface Activity {
  readonly name: string;
  readonly everyMs: number;
  readonly run: (turn: number) => Promise<void>;
}

const SCANNED_ROWS = 500;
const NEW_BILLS = 20;
const BILLS_ALREADY = 500;
const REVIEWED_MAX = 5;
const OUTCOME_LENGTH_MAX = 60;

export function startSoakLoad(origin: string, customers: readonly Customer[], taxpayer: Taxpayer): SoakLoad {
  const customerOf = (turn: number): Customer => customers[turn % customers.length] ?? taxpayer.customer;
  const uploadDocument = async (kind: DocumentKind, turn: number): Promise<void> => {
    const [file] = await makeDocuments(kind, turn, 1);
    if (file === undefined) throw new Error(`no document of the kind ${kind}`);
    const target = { origin, key: customerOf(turn).tenant.keys.owner };
    const reservation = await reserve(target, file.mediaType, file.bytes.length);
    const stored = await putContent(target, reservation, file);
    if (stored !== 204) throw new Error(`PUT ${stored}`);
    const status = await analyzeUpload(target, reservation);
    if (status !== 200) throw new Error(`decision ${status}`);
  };

  const activities: readonly Activity[] = [
    {
      name: 'invoices posted',
      everyMs: 500,
      run: async (turn) => {
        const { api, storedCount } = customerOf(turn);
        await api.post('/invoices', {
          body: invoiceAt(storedCount + turn, storedCount),
          idempotencyKey: randomUUID(),
        });
      },
    },
    {
      name: 'lists read',
      everyMs: 1_000,
      run: async (turn) => {
        const { api } = customerOf(turn);
        await (turn % 2 === 0 ? api.get('/invoices') : api.get('/findings/summary'));
      },
    },
    {
      name: 'findings reviewed',
      everyMs: 10_000,
      run: async (turn) => {
        const { api } = customerOf(turn);
        const { data } = await api.get('/findings', { query: { disposition: 'OPEN', limit: REVIEWED_MAX } });
        for (const { id } of data.items) {
          await api.post('/findings/{findingId}/review', {
            path: { findingId: id },
            body: { disposition: turn % 4 === 0 ? 'CONFIRMED' : 'FALSE_POSITIVE' },
          });
        }
      },
    },
    { name: 'XML uploaded', everyMs: 4_000, run: (turn) => uploadDocument('xml', turn) },
    { name: 'PDF uploaded', everyMs: 10_000, run: (turn) => uploadDocument('text', turn) },
    { name: 'scanned page uploaded', everyMs: 60_000, run: (turn) => uploadDocument('ocr', turn) },
    {
      name: `histories of ${SCANNED_ROWS} rows scanned`,
      everyMs: 60_000,
      run: async (turn) => {
        const { api, tenant, storedCount } = customerOf(turn);
        await api.post('/scans', {
          body: { companyId: tenant.companyId, rows: scanRows(turn, SCANNED_ROWS, storedCount) },
          idempotencyKey: randomUUID(),
        });
      },
    },
    {
      name: `ERP runs with ${NEW_BILLS} new bills`,
      everyMs: 30_000,
      run: async (turn) => {
        const {
          api,
          erp: { company, connectionId },
        } = customerOf(turn);
        await company.enterBills(BILLS_ALREADY + turn * NEW_BILLS, NEW_BILLS);
        await api.post('/erp-connections/{connectionId}/sync', { path: { connectionId } });
      },
    },
    {
      name: 'invoices submitted to KSeF',
      everyMs: 60_000,
      run: async (turn) => {
        const { api } = taxpayer.customer;
        const xml = Buffer.from(ownInvoice(taxpayer.nip, turn));
        const target = { origin, key: taxpayer.customer.tenant.keys.owner };
        const reservation = await reserve(target, 'application/xml', xml.length);
        await putContent(target, reservation, { mediaType: 'application/xml', bytes: xml });
        const { data } = await api.post('/invoices/from-upload', { body: { upload_id: reservation.upload_id } });
        if (!('decision' in data)) throw new Error('the decision was queued');
        await api.post('/ksef-connections/{connectionId}/submissions', {
          path: { connectionId: taxpayer.connectionId },
          body: { invoice_id: data.id },
        });
      },
    },
    { name: 'invoices issued in KSeF', everyMs: 30_000, run: (turn) => taxpayer.issue(`SOAK/${turn}`) },
    {
      name: 'runs of the KSeF inbox',
      everyMs: 300_000,
      run: async () => {
        await taxpayer.customer.api.post('/ksef-connections/{connectionId}/inbox/runs', {
          path: { connectionId: taxpayer.connectionId },
        });
      },
    },
  ];
  return repeat(activities);
}

/**
 * Begins each activity at fixed intervals, even if its previous run is still in progress, as independent customers do.
 */
function repeat(activities: readonly Activity[]): SoakLoad {
  const ended = new AbortController();
  setMaxListeners(activities.length, ended.signal);
  const done: Record<string, Done> = {};
  const begun = new Set<Promise<void>>();
  const loop = async ({ name, everyMs, run }: Activity): Promise<void> => {
    const own: Done = (done[name] = { ok: 0, failed: {} });
    const beganMs = performance.now();
    for (let turn = 0; !ended.signal.aborted; turn += 1) {
      const one = run(turn).then(
        () => void (own.ok += 1),
        (error: unknown) => {
          const how = outcomeOf(error);
          own.failed[how] = (own.failed[how] ?? 0) + 1;
        },
      );
      begun.add(one);
      void one.finally(() => begun.delete(one));
      const dueMs = beganMs + (turn + 1) * everyMs;
      await delay(Math.max(0, dueMs - performance.now()), undefined, { signal: ended.signal }).catch(() => {});
    }
  };
  const loops = activities.map(loop);
  return {
    done,
    async stop() {
      ended.abort();
      await Promise.all(loops);
      await Promise.all(begun);
    },
  };
}

function outcomeOf(error: unknown): string {
  if (error instanceof ApiError) return `${error.status} ${error.code}`;
  const text = error instanceof Error ? error.message : String(error);
  return text.slice(0, OUTCOME_LENGTH_MAX);
}

/**
 * Returns a sales invoice of the taxpayer that was paid by card. The number of the run makes each invoice different.
 */
function ownInvoice(seller: string, turn: number): string {
  const issueDate = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
  const netCents = 100_000 + ((turn * 7_919) % 90_000);
  const vatCents = Math.round(netCents * 0.23);
  return fa3Document({
    number: `FV/SOAK/${turn}`,
    seller,
    sellerName: 'Wisła Narzędzia sp. z o.o.',
    issueDate,
    item: 'Wiertarka',
    amounts: { net: twoDecimals(netCents), vat: twoDecimals(vatCents), gross: twoDecimals(netCents + vatCents) },
    isPaid: true,
  });
}

/** KSeF requires amounts with two decimals. */
function twoDecimals(cents: number): string {
  return (cents / 100).toFixed(2);
}
