import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Tenant } from '@invoicecontrol/dev/tenant';
import { printInvoice } from '@invoicecontrol/extraction/testing/printed-invoice';
import { sampleInvoice } from '@invoicecontrol/extraction/testing/sample-invoice';
import type { Browser, BrowserContextOptions } from 'playwright-core';
import { AT_400_PERCENT, openApp, signIn } from './app-page.js';
import { launch, overflowOf, requireChromium } from './browser.js';
import { useSharedSystem } from './running-system.js';
import type { RunningSystem } from './running-system.js';
import { ubl, uploadFile } from './uploading.js';

const NAME = 'Hafenlogistik Brandt GmbH';
/** Markup that a malicious supplier could write into an invoice. */
const MARKUP = '<img src=x onerror=alert(1)>';
const written = MARKUP.replaceAll('<', '&lt;').replaceAll('>', '&gt;');

const executablePath = requireChromium();

describe.skipIf(executablePath === undefined)('the invoices of the web application', () => {
  let running: RunningSystem;
  let browser: Browser;
  let tenant: Tenant;
  /** The bytes of the uploaded PDF, and the ids of its invoice and of an invoice in XML. */
  let pdf: Buffer;
  let pdfInvoice: string;
  let xmlInvoice: string;
  /** Id of the second of two invoices that differ only in the spelling of their number. */
  let repeated: string;
  beforeAll(async () => {
    running = await useSharedSystem();
    browser = await launch(executablePath ?? '');
    tenant = await running.newTenant();
    pdf = Buffer.from(await printInvoice(sampleInvoice()));
    pdfInvoice = await upload(pdf, 'application/pdf');
    const xml = ubl('XML-1').replaceAll('Nordlicht Energie GmbH', `Nordlicht${written}`);
    xmlInvoice = await upload(Buffer.from(xml), 'application/xml');
    await post('HB-2210');
    repeated = await post('hb 02210');
  });
  afterAll(async () => {
    await browser.close();
    await running.stop();
  });

  async function upload(bytes: Uint8Array, mediaType: string): Promise<string> {
    const key = tenant.keys.owner;
    const upload_id = await uploadFile(running, key, bytes, mediaType);
    await running.request('POST /invoices/from-upload', { key, body: { upload_id } });
    const { body } = await running.request<{ invoice_id: string }>(`GET /uploads/${upload_id}/status`, { key });
    return body.invoice_id;
  }

  async function post(number: string): Promise<string> {
    const body = {
      supplier: { name: NAME, tax_id: 'DE994175284', bank_account: { iban: 'DE89370400440532013000' } },
      invoice_number: number,
      issue_date: '2026-03-02',
      currency: 'EUR',
      gross_amount: '580.00',
    };
    const answer = await running.request<{ id: string }>('POST /invoices', { key: tenant.keys.owner, body });
    expect(answer.status).toBe(202);
    return answer.body.id;
  }

  const open = (options?: BrowserContextOptions) => openApp(browser, running.origin, options);

  test('show the document beside its fields: a field leads to its box, and a box to its field', async () => {
    const { page, check } = await open();
    await signIn(page, tenant.keys.analyst, `/app/invoices/${pdfInvoice}`);
    const box = page.getByRole('button', { name: /^Gross amount: / });
    const field = page.getByRole('button', { name: /^Gross amount .* certain/ });
    await box.waitFor();
    await check();
    await field.focus();
    await page.keyboard.press('Enter');
    expect(await box.getAttribute('aria-pressed')).toBe('true');
    await page.getByRole('button', { name: /^Invoice number: / }).focus();
    await page.keyboard.press('Enter');
    expect(await box.getAttribute('aria-pressed')).toBe('false');
    const numberField = page.getByRole('button', { name: /^Invoice number .* certain/ });
    expect(await numberField.getAttribute('aria-pressed')).toBe('true');
    await check();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download the original' }).click(),
    ]);
    expect((await readFile(await download.path())).equals(pdf)).toBe(true);
  });

  test('in XML open as a readable view of their own, and show markup as text', async () => {
    const { page, check } = await open();
    await signIn(page, tenant.keys.analyst, `/app/invoices/${xmlInvoice}`);
    await page.getByRole('heading', { name: `XML-1 · Nordlicht${MARKUP}` }).waitFor();
    await page.getByText('100% certain, read from XML').first().waitFor();
    expect(await page.locator('img').count()).toBe(0);
    await check();
    const [tab] = await Promise.all([
      page.context().waitForEvent('page'),
      page.getByRole('link', { name: 'Open the readable view of the XML' }).click(),
    ]);
    await tab.getByText('XML-1').first().waitFor();
  });

  test('show their findings with the evidence, and lead to the finding, its supplier and the compared invoice', async () => {
    const { page, check } = await open();
    await signIn(page, tenant.keys.analyst, `/app/invoices?decision=BLOCK`);
    await page.getByRole('link', { name: 'hb 02210' }).click();
    await page.getByText('Evidence').first().click();
    await page.getByRole('cell', { name: 'HB-2210', exact: true }).waitFor();
    await check();
    await page.getByRole('button', { name: 'Analyze again' }).click();
    await page.getByText('The invoice was analyzed again. The decision is: Do not pay.').waitFor();
    const timeline = page.getByRole('region', { name: 'Timeline' });
    await timeline.getByText(/: received/).waitFor();
    await timeline.getByText('analyzed again, Do not pay').waitFor();
    await timeline.getByRole('link', { name: 'finding raised, DUPLICATE_INVOICE' }).waitFor();
    await check();
    await page.getByRole('link', { name: 'All findings about this supplier' }).click();
    await page.getByText(`Only findings about ${NAME}`).waitFor();
    await check();
    await page.getByRole('navigation', { name: 'List of findings' }).getByRole('link').first().click();
    await page.getByRole('link', { name: /^Invoice hb 02210/ }).waitFor();
    await page.getByRole('link', { name: /^HB-2210 of / }).click();
    await page.getByRole('heading', { name: `HB-2210 · ${NAME}` }).waitFor();
    expect(page.url()).not.toContain(repeated);
    await check();
  });

  test('are shown in the language of the browser, or in the one that the person chooses, also after a sign-out', async () => {
    const { page, check } = await open({ locale: 'de-AT', viewport: { width: 320, height: 640 } });
    await page.goto(`/app/invoices/${repeated}`);
    await page.getByRole('heading', { name: 'Anmelden' }).waitFor();
    expect(await page.evaluate('document.documentElement.lang')).toBe('de');
    await check();
    await page.getByLabel('API-Schlüssel').fill(tenant.keys.analyst);
    await page.keyboard.press('Enter');
    await page.getByText('580,00 EUR').first().waitFor();
    await page.getByRole('button', { name: 'Erneut analysieren' }).waitFor();
    expect(await overflowOf(page)).toEqual([]);
    await check();
    await page.getByLabel('Sprache').selectOption('Polski');
    await page.getByRole('button', { name: 'Analizuj ponownie' }).waitFor();
    expect(await page.evaluate('document.documentElement.lang')).toBe('pl');
    expect(await overflowOf(page)).toEqual([]);
    await check();
    await page.getByRole('button', { name: 'Wyloguj' }).click();
    await page.getByLabel('Klucz API').waitFor();
    await page.reload();
    await page.getByLabel('Klucz API').waitFor();
    await check();
  });

  test('show a viewer the content without the document, and another organization nothing', async () => {
    const { page, check } = await open();
    await signIn(page, tenant.keys.viewer, `/app/invoices/${pdfInvoice}`);
    await page.getByRole('heading', { name: 'Content' }).waitFor();
    expect(await page.getByRole('button').allTextContents()).toEqual(['Sign out']);
    expect(await page.getByRole('link', { name: 'Download the original' }).count()).toBe(0);
    await check();

    const stranger = await running.newTenant();
    const other = await open();
    await signIn(other.page, stranger.keys.owner, `/app/invoices/${pdfInvoice}`);
    await other.page.getByRole('heading', { name: 'Page not found' }).waitFor();
    await other.check();
  });

  test.each([
    ['on a phone of 320 px', { viewport: { width: 320, height: 640 } }],
    ['at a zoom of 400 %', AT_400_PERCENT],
    ['in the dark', { colorScheme: 'dark' }],
    ['with forced colours', { forcedColors: 'active' }],
  ] as const)('can be read %s without scrolling sideways', async (_, options) => {
    const { page, check } = await open(options);
    await signIn(page, tenant.keys.analyst, '/app/invoices');
    await page.getByRole('link', { name: 'hb 02210' }).waitFor();
    expect(await overflowOf(page)).toEqual([]);
    await check();
    await page.goto(`/app/invoices/${pdfInvoice}`);
    await page.getByRole('button', { name: /^Gross amount: / }).waitFor();
    expect(await overflowOf(page)).toEqual([]);
    await check();
    await page.goto(`/app/invoices/${repeated}`);
    await page.getByText('Evidence').first().click();
    expect(await overflowOf(page)).toEqual([]);
    await check();
  });
});
