// Submits invoices to KSeF before and after a restore. KSeF keeps what it registered after the backup, and no invoice
// may be registered a second time.
import type { System } from '@invoicecontrol/dev/system';
import type { Tenant } from '@invoicecontrol/dev/tenant';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { fa3 } from '../e2e/ksef-actions.js';
import type { Ksef } from '../e2e/ksef-actions.js';

const ENDS_MS_MAX = 60_000;

/** Kinds of invoices by the time of their submission to KSeF, before or after the backup. */
const KINDS = ['submitted before the backup', 'queued at the backup', 'submitted after the backup'] as const;
type Kind = (typeof KINDS)[number];

interface Submission {
  readonly id: string;
  readonly status: string;
  readonly ksefNumber: string | null;
}

/** A company that submits its invoices to KSeF, with the API keys of its organization. */
export interface Filer {
  readonly nip: string;
  readonly key: string;
  readonly connectionId: string;
  readonly invoices: Readonly<Record<Kind, string>>;
}

/** Connects a company of the tenant to KSeF and stores one invoice of each kind, without submitting an invoice. */
export async function connectFiler(system: System, ksef: Ksef, tenant: Tenant): Promise<Filer> {
  const { nip, token } = await ksef.newCompany();
  const key = tenant.keys.owner;
  const body = { environment: 'TEST', context_nip: nip, ksef_token: token };
  const { id: connectionId } = await call<{ id: string }>(system, key, 'POST /ksef-connections', body);
  await call(system, key, `POST /ksef-connections/${connectionId}/test`);
  const invoices: Partial<Record<Kind, string>> = {};
  for (const [at, kind] of KINDS.entries())
    invoices[kind] = await storeInvoice(system, key, fa3({ nip, number: `FV/2026/${at + 1}` }));
  return { nip, key, connectionId, invoices: invoices as Record<Kind, string> };
}

/**
 * Submits the invoices that are to be submitted before the backup. The last submission stays queued, because KSeF is
 * unavailable from then on.
 */
export async function submitBeforeBackup(system: System, ksef: Ksef, filer: Filer): Promise<void> {
  await accepted(system, filer, 'submitted before the backup');
  await ksef.fault({ context: filer.nip, operation: 'S1', kind: 'STATUS', status: 503 });
  await submit(system, filer, 'queued at the backup');
}

/**
 * Submits the two invoices that the backup of the restore rehearsal does not record as registered in KSeF, and returns
 * their KSeF numbers. The function runs once before and once after the restore, because the restored database no longer
 * shows that KSeF has registered the invoices.
 */
export async function submitRest(system: System, filer: Filer): Promise<Readonly<Record<string, string>>> {
  const numbers: Record<string, string> = {};
  for (const kind of ['queued at the backup', 'submitted after the backup'] as const)
    numbers[kind] = await accepted(system, filer, kind);
  return numbers;
}

async function accepted(system: System, filer: Filer, kind: Kind): Promise<string> {
  const { id } = await submit(system, filer, kind);
  const path = `GET /ksef-connections/${filer.connectionId}/submissions/${id}`;
  let last: Submission | undefined;
  await eventually(
    async () => {
      last = await call<Submission>(system, filer.key, path);
      if (last.status !== 'ACCEPTED') throw new Error(`The invoice ${kind} is ${last.status}.`);
    },
    { timeoutMs: ENDS_MS_MAX },
  );
  return String(last?.ksefNumber);
}

/** Submits an invoice to KSeF, or returns the submission that already exists. */
function submit(system: System, { key, connectionId, invoices }: Filer, kind: Kind): Promise<Submission> {
  return call(system, key, `POST /ksef-connections/${connectionId}/submissions`, { invoice_id: invoices[kind] });
}

async function storeInvoice(system: System, key: string, xml: string): Promise<string> {
  const bytes = Buffer.from(xml);
  const reservation = { mediaType: 'application/xml', byteSize: bytes.length };
  const upload = await call<{ upload_id: string; upload_url: string }>(system, key, 'POST /uploads', reservation);
  const { pathname, search } = new URL(upload.upload_url, system.baseUrl);
  const headers = { 'content-type': 'application/xml' };
  const sent = await fetch(`${new URL(system.baseUrl).origin}${pathname}${search}`, {
    method: 'PUT',
    body: bytes,
    headers,
  });
  if (!sent.ok) throw new Error(`The upload was answered with ${sent.status}: ${await sent.text()}`);
  return (await call<{ id: string }>(system, key, 'POST /invoices/from-upload', { upload_id: upload.upload_id })).id;
}

async function call<Body>(system: System, key: string, target: string, body?: object): Promise<Body> {
  const [method = '', path = ''] = target.split(' ');
  const response = await fetch(`${system.baseUrl}${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${target} was answered with ${response.status}: ${text}`);
  return JSON.parse(text) as Body;
}
