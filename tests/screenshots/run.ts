// Runs `npm run screenshots`, which takes the pictures of the guide about the web application: it starts the product,
// sends invoices as a customer would, and photographs the pages in Chromium.
import { mkdir, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';
import { findChromium } from '@invoicecontrol/dev/chromium';
import { identitiesForTests } from '@invoicecontrol/dev/identities-for-tests';
import { createTenant } from '@invoicecontrol/dev/tenant';
import type { Tenant } from '@invoicecontrol/dev/tenant';
import { printInvoice } from '@invoicecontrol/extraction/testing/printed-invoice';
import { sampleInvoice } from '@invoicecontrol/extraction/testing/sample-invoice';
import { paymentRunText } from '@invoicecontrol/payment-files/testing/payment-run';
import { newSecrets } from '@invoicecontrol/topology/start';
import type { Page } from 'playwright-core';
import { apiOf } from '../bench/erp-companies.js';
import { step } from '../bench/progress.js';
import { endAfter, logDirectory, onEnd, runProgram } from '../bench/run-program.js';
import { startSystem } from '../bench/servers.js';
import { startStores } from '../bench/stores.js';
import { launch } from '../e2e/browser.js';

const MINUTES_MAX = 10;
const PICTURES = fileURLToPath(new URL('../../../docs/guides/pictures/', import.meta.url));
const VIEWPORT = { width: 1_280, height: 800 };
/** Quality of the pictures, at which small letters stay sharp. */
const QUALITY = 70;
const IBAN = 'DE89370400440532013000';
const OTHER_IBAN = 'DE02120300000000202051';
const SUPPLIER = 'Hafenlogistik Brandt GmbH';

await runProgram(main);

async function main(): Promise<void> {
  endAfter(MINUTES_MAX);
  const executablePath = findChromium();
  if (executablePath === undefined) throw new Error('Install Chromium, or name it in CHROMIUM.');
  step('starting MongoDB, NATS and the services');
  const stores = await startStores();
  const identities = await identitiesForTests();
  const logDir = await logDirectory('screenshots');
  const system = await startSystem({ ...stores, secrets: newSecrets(), identities, logDir, name: 'pictures', env: {} });
  const tenant = await createTenant(system.organization.address, identities, 'Harbour Foods');
  step('sending invoices');
  const ids = await sendInvoices(system.gateway.address, tenant);
  const browser = await launch(executablePath);
  onEnd(() => browser.close());
  const baseURL = new URL(`http://${system.gateway.address}`).origin;
  const page = await (await browser.newContext({ baseURL, viewport: VIEWPORT, colorScheme: 'light' })).newPage();
  await page.goto('/app');
  await page.getByLabel('API key').fill(tenant.keys.admin);
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Sign out' }).waitFor();
  await mkdir(PICTURES, { recursive: true });
  await takeAll(page, ids);
}

interface Ids {
  readonly invoiceId: string;
  readonly runId: string;
  readonly uploadId: string;
}

/** Sends the invoices that the pictures show: one as a PDF, a repeated one, one without a number, and payments. */
async function sendInvoices(gateway: string, { keys }: Tenant): Promise<Ids> {
  const api = apiOf(gateway, keys.owner);
  const upload = async (bytes: Uint8Array): Promise<{ readonly uploadId: string; readonly invoiceId: string }> => {
    const mediaType = 'application/pdf';
    const reserved = await api.post('/uploads', { body: { mediaType, byteSize: bytes.length } });
    const uploadId = reserved.data.upload_id;
    await api.sendFile(uploadId, bytes, { mediaType });
    const headers = { prefer: 'respond-async, wait=20' };
    // The document without a number is refused, and its state says what is missing.
    await api.post('/invoices/from-upload', { body: { upload_id: uploadId }, headers }).catch(() => undefined);
    const { data } = await api.get('/uploads/{uploadId}/status', { path: { uploadId } });
    return { uploadId, invoiceId: data.invoice_id ?? '' };
  };
  const { invoiceId } = await upload(await printInvoice(sampleInvoice()));
  const second = sampleInvoice(2);
  const lines = second.lines.map((line) => line.replace('Invoice No: |', 'Delivered by van |'));
  const { uploadId } = await upload(await printInvoice({ ...second, lines }));
  for (const [number, amount] of [
    ['HB-2210', '580.00'],
    ['HB-2211', '1240.00'],
    ['hb 02210', '580.00'],
  ] as const) {
    const supplier = { name: SUPPLIER, tax_id: 'DE994175284', bank_account: { iban: IBAN } };
    const body = { supplier, invoice_number: number, issue_date: '2026-11-02', currency: 'EUR', gross_amount: amount };
    await api.post('/invoices', { body });
  }
  const payments = paymentRunText([
    { amount: '580.00', name: SUPPLIER, account: IBAN, texts: ['HB-2210'] },
    { amount: '1240.00', name: SUPPLIER, account: OTHER_IBAN, texts: ['HB-2211'] },
  ]);
  const run = await api.postXml('/payment-runs', Buffer.from(payments));
  return { invoiceId, uploadId, runId: run.data.id };
}

async function takeAll(page: Page, { invoiceId, uploadId, runId }: Ids): Promise<void> {
  await page.goto('/app/findings');
  await page.getByRole('navigation', { name: 'List of findings' }).getByRole('link').first().click();
  await page.getByRole('heading', { name: 'Evidence' }).waitFor();
  await page.getByRole('heading', { name: 'History' }).waitFor();
  await take(page, 'findings');
  await page.goto(`/app/invoices/${invoiceId}`);
  const box = page.getByRole('button', { name: /^Gross amount: / });
  await box.click();
  await page.getByRole('heading', { name: 'Document' }).scrollIntoViewIfNeeded();
  await page.getByRole('heading', { name: 'Document' }).evaluate('(heading) => heading.scrollIntoView()');
  await take(page, 'invoice');
  await page.goto(`/app/uploads/${uploadId}`);
  await page.getByRole('button', { name: 'Correct the fields' }).click();
  await page.getByRole('button', { name: sampleInvoice(2).truth['number'] ?? '', exact: true }).click();
  await page.getByRole('heading', { name: 'Correct the fields' }).evaluate('(heading) => heading.scrollIntoView()');
  await take(page, 'correction');
  await page.goto(`/app/payment-runs/${runId}?list=HOLD`);
  await page.getByRole('article').first().waitFor();
  await take(page, 'payment-run');
  await page.goto('/app/report');
  await page.getByRole('table', { name: 'By type' }).waitFor();
  await take(page, 'report');
}

/** Photographs what the window shows. */
async function take(page: Page, name: string): Promise<void> {
  step(`taking the picture ${name}`);
  const picture = await sharp(await page.screenshot())
    .webp({ quality: QUALITY, effort: 6 })
    .toBuffer();
  await writeFile(`${PICTURES}${name}.webp`, picture);
}
