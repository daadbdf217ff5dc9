// Sends the demonstration's invoices as an integrator would and prints the results.
import { setTimeout as delay } from 'node:timers/promises';
import { createClient } from '@invoicecontrol/client';
import type { Client, Schemas } from '@invoicecontrol/client';
import { nameRow, table } from './decision-table.js';
import type { Named } from './decision-table.js';
import { documentStories } from './demonstration-documents.js';
import type { DocumentName } from './demonstration-documents.js';
import { copyToTry, demonstrationInvoices } from './demonstration-invoices.js';
import type { UploadIds } from './demonstration-uploads.js';

/**
 * Time limit for reading a scanned page of the demonstration. Its text is recognised within seconds, or later on a busy
 * machine.
 */
const SCAN_MS_MAX = 30_000;
const POLL_EACH_MS = 100;

/**
 * Analyzes the demonstration's invoices, both those sent as JSON and those uploaded as documents. Each invoice has a
 * fixed idempotency key or upload, so a second start shows the first results again.
 * @returns a copy of one of the invoices, which users can post themselves, and the number of webhook events about the
 * invoices
 */
export async function demonstrate(
  baseUrl: string,
  apiKey: string,
  uploads: UploadIds,
  print: (line: string) => void,
): Promise<{ toTry: Schemas['Invoice']; events: number }> {
  const api = createClient({ baseUrl, apiKey });
  let events = 0;
  const rows: string[][] = [['', 'number', 'supplier', 'amount', 'decision', 'score', 'findings']];
  const show = (named: Named, { decision, risk_score, findings }: Schemas['AcceptedAnalysis']): void => {
    events += 1 + findings.length;
    const found = findings.map(({ type, severity }) => `${type} (${severity})`).join(', ');
    rows.push([...named, decision, String(risk_score), found || '-']);
  };
  // Every start derives the same dates from the day on which the organization was created.
  const since = new Date((await api.get('/organizations/current')).data.createdAt);
  const xml = await analyzeUpload(api, uploads.xml);
  // The text of the scanned document is recognised while the other invoices of the demonstration are analyzed.
  await api.post('/invoices/from-upload', {
    body: { upload_id: uploads.scan },
    headers: { prefer: 'respond-async' },
  });
  for (const [index, { about, invoice }] of demonstrationInvoices(since).entries()) {
    const { data } = await api.post('/invoices', { body: invoice, idempotencyKey: `demonstration-${index + 1}` });
    show(nameRow(about, invoice), data);
  }
  show(await nameDocument(api, 'xml', xml), xml);
  if (await hasEnded(api, uploads.scan)) {
    const scan = await analyzeUpload(api, uploads.scan);
    show(await nameDocument(api, 'scan', scan), scan);
  } else {
    rows.push([documentStories.scan, '', '', '', 'QUEUED', '', `GET /v1/uploads/${uploads.scan}/status`]);
  }
  const hybrid = await analyzeUpload(api, uploads.hybrid);
  show(await nameDocument(api, 'hybrid', hybrid), hybrid);
  for (const line of table(rows)) print(line);
  return { toTry: copyToTry(since), events };
}

/** Waits for the decision on an invoice of the demonstration. A repeated request returns the first decision. */
async function analyzeUpload(api: Client, uploadId: string): Promise<Schemas['AcceptedAnalysis']> {
  const { data } = await api.post('/invoices/from-upload', { body: { upload_id: uploadId } });
  if (!('decision' in data))
    throw new Error(`The upload ${uploadId} was queued, although the demonstration waited for its decision.`);
  return data;
}

/** Waits for a limited time until the queued analysis of an invoice has ended. Returns true if it has ended. */
async function hasEnded(api: Client, uploadId: string): Promise<boolean> {
  const deadline = performance.now() + SCAN_MS_MAX;
  while (performance.now() < deadline) {
    const { status } = (await api.get('/uploads/{uploadId}/status', { path: { uploadId } })).data;
    if (status === 'COMPLETED' || status === 'FAILED') return true;
    await delay(POLL_EACH_MS);
  }
  return false;
}

/** Returns a line that states what the product read in a document. */
async function nameDocument(api: Client, name: DocumentName, { id }: Schemas['AcceptedAnalysis']): Promise<Named> {
  const { invoice } = (await api.get('/invoices/{invoiceId}', { path: { invoiceId: id } })).data;
  return nameRow(documentStories[name], invoice);
}
