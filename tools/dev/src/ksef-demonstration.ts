// Demonstrates the path from a decision to a KSeF number: an organization submits one of its own sales invoices to the
// simulated KSeF.
import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { createClient } from '@invoicecontrol/client';
import type { Client, Schemas } from '@invoicecontrol/client';
import { fa3Document } from '@invoicecontrol/simulators/ksef/fa3-document';
import { nameRow, table } from './decision-table.js';
import { uploadDocument } from './demonstration-uploads.js';
import type { Tenant } from './tenant.js';

/** NIP of the company of the demonstration. */
export const NIP = '5265877635';
export const COMPANY_NAME = 'Wisła Narzędzia sp. z o.o.';
/**
 * Time limit in milliseconds for the submission of the demonstration, because KSeF takes a few polls until it has
 * decided.
 */
const ACCEPTED_MS_MAX = 30_000;
const POLL_EACH_MS = 200;

/** The organization of the KSeF demonstration, with the values that are kept between starts. */
export interface Filing {
  readonly tenant: Tenant;
  /** Time when the demonstration was created (RFC 3339). The submitted invoice is dated in the month before. */
  readonly since: string;
  /** KSeF token of the company, which the simulator also stores. */
  readonly token: string;
  readonly uploadId?: string;
  /** The upload of the scanned paper bill that had also come through KSeF. */
  readonly paperUploadId?: string;
}

/** Returns a token in the form that KSeF issues: reference, taxpayer and 64 hexadecimal digits. */
export function newKsefToken(since: Date): string {
  const day = since.toISOString().slice(0, 10).replaceAll('-', '');
  const part = (): string => randomBytes(5).toString('hex').toUpperCase();
  return `${day}-EC-${part()}-${part()}-00|nip-${NIP}|${randomBytes(32).toString('hex')}`;
}

/** Uploads the invoice that the demonstration submits to KSeF. */
export function uploadFiledInvoice(baseUrl: string, { tenant, since }: Filing): Promise<string> {
  const xml = filedInvoice(new Date(since));
  return uploadDocument(baseUrl, tenant.keys.owner, { mediaType: 'application/xml', bytes: Buffer.from(xml) });
}

/**
 * Connects the company to KSeF, waits for the decision on its invoice, submits the invoice, and waits for its KSeF
 * number. A repeated call shows the results of the first call again.
 * @returns a line that says where the results can be seen
 */
export async function demonstrateKsef(
  baseUrl: string,
  { tenant, token, uploadId }: Filing & { readonly uploadId: string },
  ksefUrl: string,
  print: (line: string) => void,
): Promise<string> {
  await registerToken(ksefUrl, token);
  const apiKey = tenant.keys.owner;
  const api = createClient({ baseUrl, apiKey });
  const connectionId = await connect(api, token);
  const { data: analysis } = await api.post('/invoices/from-upload', { body: { upload_id: uploadId } });
  if (!('decision' in analysis))
    throw new Error('The invoice for KSeF was queued, although the demonstration waited for its decision.');
  const { invoice } = (await api.get('/invoices/{invoiceId}', { path: { invoiceId: analysis.id } })).data;
  const path = { connectionId };
  const created = await api.post('/ksef-connections/{connectionId}/submissions', {
    path,
    body: { invoice_id: analysis.id },
  });
  const submission = await ended(api, created.data);
  print('');
  print('An invoice of its own that an organization submits to KSeF:');
  const rows = [
    ['', 'number', 'supplier', 'amount', 'decision', 'KSeF', 'KSeF number'],
    [
      ...nameRow('FA(3), uploaded as XML', invoice),
      analysis.decision,
      submission.status,
      submission.ksefNumber ?? submission.nextStep,
    ],
  ];
  for (const line of table(rows)) print(line);
  if (submission.verificationUrl !== null) print(`anybody can verify it at ${submission.verificationUrl}`);
  return `curl -s ${baseUrl}/ksef-connections/${connectionId}/submissions -H 'Authorization: Bearer ${apiKey}'`;
}

/**
 * Registers a KSeF token in the simulator, as the company would do in KSeF itself. The invoices of the company in KSeF
 * are kept.
 */
async function registerToken(ksefUrl: string, token: string): Promise<void> {
  const response = await fetch(`${ksefUrl}/test/control/contexts/${NIP}`, {
    method: 'PUT',
    body: JSON.stringify({ tokens: [{ token }] }),
  });
  if (!response.ok) throw new Error(`The simulator of KSeF refuses the token: ${await response.text()}`);
}

/**
 * Returns the KSeF connection that an earlier run of the demonstration created, or creates one and tests it so that it
 * accepts submissions.
 */
async function connect(api: Client, token: string): Promise<string> {
  for await (const { id, status } of api.items('/ksef-connections')) if (status === 'CONNECTED') return id;
  const { data } = await api.post('/ksef-connections', {
    body: { environment: 'TEST', context_nip: NIP, ksef_token: token },
  });
  const { data: result } = await api.post('/ksef-connections/{connectionId}/test', { path: { connectionId: data.id } });
  if (result.status !== 'CONNECTED') throw new Error('The simulator of KSeF refuses the token of the demonstration.');
  return data.id;
}

/** Returns the completed KSeF submission, or its state after the time limit. */
async function ended(api: Client, first: Schemas['KsefSubmission']): Promise<Schemas['KsefSubmission']> {
  const deadline = performance.now() + ACCEPTED_MS_MAX;
  const path = { connectionId: first.connectionId, submissionId: first.id };
  let submission = first;
  while (submission.completedAt === null && performance.now() < deadline) {
    await delay(POLL_EACH_MS);
    submission = (await api.get('/ksef-connections/{connectionId}/submissions/{submissionId}', { path })).data;
  }
  return submission;
}

/** Returns an FA(3) invoice without a bank account, because the customer has paid by card. */
function filedInvoice(since: Date): string {
  const month = new Date(Date.UTC(since.getUTCFullYear(), since.getUTCMonth() - 1, 15)).toISOString();
  const issueDate = month.slice(0, 10);
  return fa3Document({
    number: `FV/${issueDate.slice(0, 4)}/${issueDate.slice(5, 7)}/0017`,
    seller: NIP,
    sellerName: COMPANY_NAME,
    issueDate,
    item: 'Wiertarka',
    amounts: { net: '1000.00', vat: '230.00', gross: '1230.00' },
    isPaid: true,
  });
}
