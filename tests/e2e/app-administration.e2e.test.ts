import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Tenant } from '@invoicecontrol/dev/tenant';
import { printInvoice } from '@invoicecontrol/extraction/testing/printed-invoice';
import { sampleInvoice } from '@invoicecontrol/extraction/testing/sample-invoice';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { AT_400_PERCENT, openApp, signIn } from './app-page.js';
import { launch, overflowOf, requireChromium } from './browser.js';
import { useSharedSystem } from './running-system.js';
import type { RunningSystem } from './running-system.js';
import { ubl, uploadXml } from './uploading.js';

/** Markup that a malicious person could write into the name of a file or an address. */
const MARKUP = '<img src=x onerror=alert(1)>';

/** An invoice whose number stands on the page without a label, so that no program takes it for the number. */
function withoutLabelOfNumber() {
  const invoice = sampleInvoice();
  return { ...invoice, lines: invoice.lines.map((line) => line.replace('Invoice No: |', 'Delivered by van |')) };
}

/** The pages of the web application that other test files do not open on a phone. */
const PAGES = [
  '/uploads',
  '/suppliers',
  '/vendors',
  '/scans',
  '/scans/new',
  '/report',
  '/webhooks',
  '/members',
  '/keys',
  '/companies',
  '/rules',
  '/usage',
  '/billing',
  '/audit',
  '/notifications',
  '/settings',
];

const executablePath = requireChromium();

describe.skipIf(executablePath === undefined)('the pages around the invoices in the web application', () => {
  let running: RunningSystem;
  let browser: Browser;
  /** An organization whose plan has webhooks. */
  let tenant: Tenant;
  beforeAll(async () => {
    running = await useSharedSystem();
    browser = await launch(executablePath ?? '');
    tenant = await running.newTenant('SCALE');
    await running.setPlan(tenant.organizationId, { additionalLegalEntities: 2 });
  });
  afterAll(async () => {
    await browser.close();
    await running.stop();
  });

  const open = (options?: BrowserContextOptions) => openApp(browser, running.origin, options);

  /** Opens a page by the navigation, without loading the web application again. */
  async function go(page: Page, name: string): Promise<void> {
    await page.getByRole('navigation').getByRole('link', { name, exact: true }).click();
    await page.getByRole('heading', { level: 1, name }).waitFor();
  }

  /** Fills the fields of the open dialog, clicks its button, and waits until the dialog has closed. */
  async function submitted(page: Page, name: string, fields: Readonly<Record<string, string>> = {}): Promise<void> {
    for (const [label, text] of Object.entries(fields)) await page.getByLabel(label, { exact: true }).fill(text);
    await page.getByRole('dialog').getByRole('button', { name, exact: true }).click();
    const dialog = page.getByRole('dialog');
    await page.locator('body:not(:has([role=dialog])), [role=dialog] [role=alert]').first().waitFor();
    expect(await dialog.getByRole('alert').allTextContents()).toEqual([]);
  }

  test('a batch of files is sent with its progress, and a document with a missing field is completed', async () => {
    const { page, check } = await open();
    await signIn(page, tenant.keys.analyst, '/app/uploads');
    await page.getByText('No file has been sent since the sign-in.').waitFor();
    await check();
    const incomplete = ubl('UP-2').replace('<cbc:ID>UP-2</cbc:ID>', '');
    await page.locator('input[type=file]').setInputFiles([
      { name: `${MARKUP}.xml`, mimeType: 'application/xml', buffer: Buffer.from(ubl('UP-1')) },
      { name: 'incomplete.xml', mimeType: 'application/xml', buffer: Buffer.from(incomplete) },
      { name: 'letter.docx', mimeType: 'application/octet-stream', buffer: Buffer.from('PK') },
    ]);
    await page.getByText('3 of 3 files are done').waitFor();
    await page.getByText('The app sends PDF, PNG').waitFor();
    expect(await page.getByRole('link', { name: `${MARKUP}.xml` }).count()).toBe(1);
    await check();
    await page.getByRole('link', { name: 'incomplete.xml' }).click();
    await page.getByRole('heading', { name: 'Fields that are missing' }).waitFor();
    await check();
    await page.getByRole('button', { name: 'Correct the fields' }).click();
    await page.getByLabel('Invoice number').fill('UP-2');
    await check();
    await page.getByRole('button', { name: 'Save and check the invoice' }).click();
    await page.getByRole('link', { name: 'Open the invoice' }).click();
    await page.getByRole('heading', { name: /^UP-2 · / }).waitFor();
  });

  test('the uploads of the organization are listed newest first, page by page and by their state, and those of others are not', async () => {
    const [own, other] = [await running.newTenant('SCALE'), await running.newTenant('SCALE')];
    const analyze = async (key: string, xml: string): Promise<string> => {
      const upload_id = await uploadXml(running, key, xml);
      await running.request('POST /invoices/from-upload', { key, body: { upload_id } });
      return upload_id;
    };
    const decided = await analyze(own.keys.analyst, ubl('LIST-1'));
    const failed = await analyze(own.keys.analyst, ubl('LIST-2').replace('<cbc:ID>LIST-2</cbc:ID>', ''));
    await analyze(other.keys.analyst, ubl('LIST-3'));
    const { page, check } = await open();
    // The pages of the list are those of the API, with one upload each instead of fifty.
    await page.route(/\/v1\/uploads\?/, (route) =>
      route.continue({ url: route.request().url().replace('limit=50', 'limit=1') }),
    );
    await signIn(page, own.keys.analyst, '/app/uploads');
    const table = page.getByRole('table', { name: 'Uploads of the organization, newest first' });
    await table.waitFor();
    const addresses = () =>
      table.locator('tbody th a').evaluateAll((links) => links.map((link) => link.getAttribute('href')));
    expect(await addresses()).toEqual([`/app/uploads/${failed}`]);
    await page.getByRole('button', { name: 'Show more' }).click();
    await table.getByText('decided', { exact: true }).waitFor();
    expect(await addresses()).toEqual([`/app/uploads/${failed}`, `/app/uploads/${decided}`]);
    expect(await page.getByRole('button', { name: 'Show more' }).count()).toBe(0);
    const { body } = await running.request<{ failure: { message: string } }>(`GET /uploads/${failed}/status`, {
      key: own.keys.analyst,
    });
    await table.getByText(body.failure.message, { exact: true }).waitFor();
    await table.getByText('Missing: Invoice number').waitFor();
    await check();

    const state = page.getByLabel('State of the uploads');
    await state.selectOption('COMPLETED');
    await page.waitForURL(/status=COMPLETED/);
    await table.getByText('could not be read').waitFor({ state: 'detached' });
    await table.getByText('decided', { exact: true }).waitFor();
    expect(await addresses()).toEqual([`/app/uploads/${decided}`]);
    await state.selectOption('QUEUED');
    await page.getByText('No upload has this state.').waitFor();
    await check();
    await page.goto('/app/uploads?status=FAILED');
    await table.getByText('Missing: Invoice number').waitFor();
    expect(await addresses()).toEqual([`/app/uploads/${failed}`]);
    await page.setViewportSize({ width: 320, height: 640 });
    expect(await overflowOf(page)).toEqual([]);
    await check();
    await table.locator('tbody th a').click();
    await page.getByRole('heading', { name: 'Fields that are missing' }).waitFor();
  });

  test('a missing field is filled by choosing its words on the picture of the page, with the mouse or the keyboard', async () => {
    const number = sampleInvoice().truth['number'] ?? '';
    const pdf = Buffer.from(await printInvoice(withoutLabelOfNumber()));
    const { page, check } = await open();
    await signIn(page, tenant.keys.analyst, '/app/uploads');
    const file = { name: 'no-number.pdf', mimeType: 'application/pdf', buffer: pdf };
    await page.locator('input[type=file]').setInputFiles([file]);
    await page.getByRole('link', { name: 'no-number.pdf' }).click();
    await page.getByRole('heading', { name: 'Fields that are missing' }).waitFor();
    await page.getByRole('button', { name: 'Correct the fields' }).click();
    await page.getByText('The words that you choose fill: Invoice number').waitFor();
    await page.getByRole('button', { name: number, exact: true }).click();
    const field = page.getByLabel('Invoice number');
    expect(await field.inputValue()).toBe(number);
    await check();

    // A second word is added, and a word that is chosen again is taken away.
    await page.getByRole('button', { name: 'INVOICE', exact: true }).click();
    expect(await field.inputValue()).toBe(`${number} INVOICE`);
    await page.keyboard.press('Space');
    expect(await field.inputValue()).toBe(number);
    await page.keyboard.press('Home');
    await page.keyboard.press('ArrowRight');
    await page.getByLabel('Supplier', { exact: true }).focus();
    await page.getByText('The words that you choose fill: Supplier').waitFor();
    const words = page.getByRole('group', { name: 'Words: Page 1 of 1' });
    await words.locator('button[tabindex="0"]').focus();
    await page.keyboard.press('Home');
    await page.keyboard.press('Enter');
    for (const key of ['ArrowRight', 'Enter', 'ArrowRight', 'Enter']) await page.keyboard.press(key);
    expect(await page.getByLabel('Supplier', { exact: true }).inputValue()).toBe('Ashdown Tools Ltd');
    await page.setViewportSize({ width: 320, height: 640 });
    expect(await overflowOf(page)).toEqual([]);
    await check();
    await page.getByRole('button', { name: 'Save and check the invoice' }).click();
    await page.getByRole('link', { name: 'Open the invoice' }).click();
    await page.getByRole('heading', { name: `${number} · Ashdown Tools Ltd` }).waitFor();
  });

  test('a webhook is created with its secret shown once, tested, changed and deleted', async () => {
    const { page, check } = await open();
    await signIn(page, tenant.keys.admin, '/app/webhooks');
    await page.getByText('No webhook has been created yet.').waitFor();
    await check();
    await page.getByRole('button', { name: 'Create a webhook' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Create the webhook' }).click();
    await page.getByText('Choose at least one event.').waitFor();
    await check();
    await page.getByLabel('Address').fill('https://hooks.example.com/<b>');
    await page.getByLabel('finding.created').check();
    await page.getByRole('dialog').getByRole('button', { name: 'Create the webhook' }).click();
    await page.getByText('The secret is shown once.').waitFor();
    await page.getByText(/^whsec_/).waitFor();
    await check();
    await page.getByRole('button', { name: 'Close' }).click();
    expect(await page.content()).not.toContain('whsec_');
    await page.getByRole('link', { name: /^https:\/\/hooks\.example\.com/ }).click();
    await page.getByText('0 delivered, 0 failed').waitFor();

    await page.getByRole('button', { name: 'Send a test' }).click();
    await submitted(page, 'Send the test');
    await page.getByRole('cell', { name: /\(test\)$/ }).waitFor();
    await page.getByLabel('Event', { exact: true }).selectOption('scan.completed');
    await page.waitForURL(/event=scan\.completed/);
    await page.getByText('Nothing has been delivered yet.').waitFor();
    await page.getByLabel('Event', { exact: true }).selectOption('Any');
    await page.getByLabel('Created from').fill('2099-01-01');
    await page.getByText('Nothing has been delivered yet.').waitFor();
    await page.getByLabel('Created from').fill('');
    await page.getByRole('cell', { name: /\(test\)$/ }).waitFor();
    await check();
    await page.getByRole('link', { name: /^invoice\.analysis\.completed, / }).click();
    await page.getByRole('heading', { name: 'Attempts, oldest first' }).waitFor();
    await check();
    await page.goBack();
    await page.getByRole('button', { name: 'Disable' }).click();
    await page.getByText('The webhook is disabled.').waitFor();
    await page.getByRole('button', { name: 'New secret' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'New secret' }).click();
    await page.getByText(/^whsec_/).waitFor();
    await page.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('button', { name: 'Delete' }).click();
    await submitted(page, 'Delete');
    await page.getByText('No webhook has been created yet.').waitFor();
  });

  test('members, keys and companies are administered, and the audit trail and the e-mails tell of it', async () => {
    const { page, check } = await open();
    await signIn(page, tenant.keys.owner, '/app/members');
    await page.getByRole('button', { name: 'Invite a person' }).click();
    await submitted(page, 'Send the invitation', { 'E-mail address': 'ada@example.com' });
    await page.getByRole('rowheader', { name: 'ada@example.com' }).waitFor();
    await page.getByRole('button', { name: 'Change: ada@example.com' }).click();
    await page.getByRole('dialog').getByLabel('Role').selectOption('VIEWER');
    await submitted(page, 'Save');
    await page.getByRole('row', { name: /ada@example\.com.*VIEWER/ }).waitFor();
    await check();

    await go(page, 'API keys');
    await page.getByRole('button', { name: 'Create an API key' }).click();
    await page.getByLabel('Name').fill('Reporting');
    await page.getByLabel('findings:read').check();
    await check();
    await page.getByRole('dialog').getByRole('button', { name: 'Create the key' }).click();
    await page.getByText(/^ick_live_/).waitFor();
    await page.getByRole('button', { name: 'Close' }).click();
    expect(await page.content()).not.toContain('ick_live_');
    await page.getByRole('row', { name: /Reporting.*findings:read/ }).waitFor();
    await page.getByRole('button', { name: 'Revoke: Reporting' }).click();
    await submitted(page, 'Revoke');
    await page.getByRole('rowheader', { name: /^Reporting/ }).waitFor({ state: 'detached' });
    await check();

    await go(page, 'Companies');
    await page.getByRole('button', { name: 'Add a company' }).click();
    await submitted(page, 'Save', { Name: MARKUP, Country: 'de' });
    await page.getByRole('rowheader', { name: MARKUP }).waitFor();
    await page.getByRole('button', { name: `Remove: ${MARKUP}` }).click();
    await submitted(page, 'Remove');
    await page.getByRole('rowheader', { name: MARKUP }).waitFor({ state: 'detached' });

    await go(page, 'Routing rules');
    await page.getByRole('button', { name: 'Add a rule' }).click();
    await page.getByLabel('duplicates').check();
    await page.getByLabel('Name', { exact: true }).fill('Repeats');
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await page.getByText('Enter a value.').waitFor();
    await check();
    await page.getByLabel('Assigned to').selectOption({ index: 1 });
    await submitted(page, 'Save');
    await page.getByRole('row', { name: /Repeats duplicates/ }).waitFor();
    await page.getByRole('button', { name: 'Turn off' }).click();
    await page.getByRole('button', { name: 'Turn on' }).waitFor();

    await go(page, 'Audit trail');
    await page.getByText('api_key.revoked').first().waitFor();
    await page.getByRole('row', { name: /you.*company\.removed/ }).waitFor();
    await check();
    await page.getByLabel('Action').fill('company.removed');
    await page.waitForURL(/action=company\.removed/);
    await page.getByText('api_key.revoked').first().waitFor({ state: 'detached' });
    await page.getByRole('row', { name: /you.*company\.removed/ }).waitFor();
    await page.getByLabel('Outcome').selectOption('refused');
    await page.getByText('Nothing was recorded in this time.').waitFor();
    await page.getByLabel('Outcome').selectOption('Any');
    await page
      .getByRole('row', { name: /company\.removed/ })
      .getByRole('link', { name: 'you' })
      .click();
    await page.getByText('Only events of you').waitFor();
    await check();
    await page.getByRole('button', { name: 'Show everybody' }).click();
    await page.getByText('Only events of you').waitFor({ state: 'detached' });
    await go(page, 'Notifications');
    await page.getByRole('rowheader').first().waitFor();
    await go(page, 'Usage');
    await page.getByRole('row', { name: /^Webhooks/ }).waitFor();
    await page.getByRole('img', { name: 'Analyses by month' }).waitFor();
    await page.getByLabel('Show in the chart').selectOption('Payments checked');
    await page.getByRole('img', { name: 'Payments checked by month' }).waitFor();
    const months = page.getByRole('table', { name: 'Earlier months' }).getByRole('rowheader');
    expect(await months.count()).toBe(12);
    expect(await months.first().textContent()).toBe(new Date().toISOString().slice(0, 7));
    await check();
  });

  test('an owner changes the settings, and deletes the organization against its name for a recovery token', async () => {
    const own = await running.newTenant();
    const { body } = await running.request<{ name: string }>('GET /organizations/current', { key: own.keys.owner });
    const { page, check } = await open();
    await signIn(page, own.keys.owner, '/app/settings');
    await page.getByRole('button', { name: 'Require four eyes' }).click();
    await page.getByText('The rule of four eyes is stored.').waitFor();
    await page.getByRole('button', { name: 'Change the base currency' }).click();
    await submitted(page, 'Save', { 'Base currency': 'pln' });
    await page.getByText('PLN', { exact: true }).waitFor();
    await check();
    await page.getByRole('button', { name: 'Delete the organization' }).click();
    await page.getByLabel('Name of the organization').fill('another');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete the organization' }).click();
    await page.getByRole('dialog').getByRole('alert').waitFor();
    await check();
    await page.getByLabel('Name of the organization').fill(body.name);
    await page.getByRole('dialog').getByRole('button', { name: 'Delete the organization' }).click();
    const dialog = page.getByRole('dialog', { name: 'The organization was deleted' });
    const token = await dialog.locator('code').textContent();
    await dialog.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('link', { name: 'Restore a deleted organization' }).click();
    await page.getByLabel('Recovery token').fill('wrong');
    await page.getByRole('button', { name: 'Restore the organization' }).click();
    await page.getByRole('alert').waitFor();
    await check();
    await page.getByLabel('Recovery token').fill(token ?? '');
    await page.getByRole('button', { name: 'Restore the organization' }).click();
    const key = await page.getByRole('dialog').locator('code').textContent();
    await page.getByRole('button', { name: 'Close' }).click();
    await signIn(page, key ?? '', '/app/settings');
    await page.getByText('Four eyes for payments').waitFor();
    expect(await page.getByRole('button', { name: 'Delete the organization' }).count()).toBe(1);
  });

  test('a ledger is scanned, its suppliers and their accounts are shown, and the report adds up and is saved', async () => {
    const own = await running.newTenant();
    const { page, check } = await open();
    await signIn(page, own.keys.analyst, '/app/scans/new');
    const ledger = [
      'Ledger of 2026',
      'Kreditor;VAT ID;IBAN;Invoice number;Date;Gross amount;Currency',
      `"Brandt ${MARKUP}";DE994175284;DE89370400440532013000;HB-2210;02.03.2026;1.580,00;EUR`,
      `"Brandt ${MARKUP}";DE994175284;DE89370400440532013000;hb 02210;02.03.2026;1.580,00;EUR`,
      `"Brandt ${MARKUP}";DE994175284;;HB-2211;31.02.2026;1,00;EUR`,
      ';;;;;3.161,00;',
    ].join('\r\n');
    const file = { name: 'ledger.csv', mimeType: 'text/csv', buffer: Buffer.from(ledger, 'latin1') };
    await page.locator('input[type=file]').setInputFiles(file);
    await page.getByText('Rows to send: 2. Rows that are no invoices: 1. Faults: 1.').waitFor();
    await page.getByText('"31.02.2026" is not a date').waitFor();
    await check();
    await page.getByLabel('Invoice number').selectOption('no column');
    await page.getByText('Choose a column for: Invoice number.').waitFor();
    await page.getByLabel('Invoice number').selectOption('#4 Invoice number');
    await page.getByRole('button', { name: 'Start the scan' }).click();
    await page.waitForURL(/\/scans\/[0-9a-f-]{36}$/);
    await page.getByText('DUPLICATE_INVOICE').first().waitFor();
    const saving = page.getByRole('heading', { name: 'Savings' });
    await saving.waitFor();
    await page.getByRole('img', { name: 'Invoices by month of issue' }).waitFor();
    await page.getByRole('table', { name: 'Findings by kind' }).getByRole('link', { name: 'duplicates' }).waitFor();
    await page
      .getByRole('table', { name: /^Suppliers with the largest/ })
      .getByRole('link')
      .first()
      .waitFor();
    const [report] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save as CSV' }).click(),
    ]);
    expect(await readFile(await report.path(), 'utf8')).toContain('2026-03');
    await check();
    await page.getByRole('link', { name: 'Findings of this scan' }).click();
    await page.getByText('Only findings of one history scan').waitFor();
    await page.getByRole('navigation', { name: 'List of findings' }).getByRole('link').first().waitFor();
    await go(page, 'Suppliers');
    await page.getByLabel('Name or tax id begins with').fill('brandt');
    await page.waitForURL(/q=brandt/);
    await page.getByRole('link', { name: `Brandt ${MARKUP}` }).click();
    await page.getByRole('button', { name: 'Record a verification' }).click();
    await submitted(page, 'Record', { Contact: '+49 40 1234', Note: 'Ms Brandt read the account out.' });
    await page.getByText('Ms Brandt read the account out.').waitFor();
    await page.getByRole('link', { name: 'hb 02210' }).waitFor();
    await check();
    await go(page, 'Invoices');
    await page.getByLabel('Number, supplier or tax id begins with').fill('hb-22');
    await page.waitForURL(/q=hb-22/);
    await page.getByRole('link', { name: 'HB-2210' }).waitFor();
    await check();
    await go(page, 'Report');
    await page.getByRole('table', { name: 'By type' }).getByText('DUPLICATE_INVOICE').first().waitFor();
    await check();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save as CSV' }).click(),
    ]);
    const { body: summary } = await running.request<{ total: Record<string, string | number> }>(
      'GET /findings/summary',
      { key: own.keys.viewer },
    );
    const { count, open: unreviewed, amountAtRisk, amountConfirmed, amountConfirmedInScans } = summary.total;
    const figures = [count, unreviewed, amountAtRisk, amountConfirmed, amountConfirmedInScans];
    expect(await readFile(await download.path(), 'utf8')).toContain(`Totals,,${figures.join(',')},EUR`);
    await page.emulateMedia({ media: 'print' });
    expect(await page.getByRole('button', { name: 'Print' }).isVisible()).toBe(false);
  });

  test('a part of the web application that cannot be loaded leaves English texts, or a sentence in its place', async () => {
    const { page } = await open({ locale: 'de-DE' });
    await page.route(/\/assets\/(?:de|keys-page)-[^/]*\.js$/, (route) => route.abort());
    await signIn(page, tenant.keys.admin, '/app/keys');
    expect(await page.evaluate('document.documentElement.lang')).toBe('en');
    await page.getByRole('alert').getByText('Something went wrong on this page.').waitFor();
    await page.getByRole('link', { name: 'Members' }).click();
    await page.getByRole('heading', { level: 1, name: 'Mitglieder' }).waitFor();
    await page.unrouteAll();
    await page.goto('/app/keys');
    await page.getByRole('heading', { level: 1, name: 'API-Schlüssel' }).waitFor();
    expect(await page.evaluate('document.documentElement.lang')).toBe('de');
  });

  test('every page can be used at a zoom of 400 %, and a dialog can be filled and sent', async () => {
    const { page, check } = await open(AT_400_PERCENT);
    await signIn(page, tenant.keys.owner, '/app/findings');
    for (const path of ['/findings', '/invoices', '/payment-runs', ...PAGES]) {
      await page.goto(`/app${path}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.getByText('Loading').first().waitFor({ state: 'detached' });
      expect({ path, overflow: await overflowOf(page) }).toEqual({ path, overflow: [] });
      await check();
    }
    await page.goto('/app/webhooks');
    await page.getByRole('button', { name: 'Create a webhook' }).click();
    await page.getByLabel('Address').fill('https://hooks.example.com/zoomed');
    await page.getByLabel('finding.created').check();
    expect(await overflowOf(page)).toEqual([]);
    await check();
    // The button is reached by scrolling in the dialog, and nothing covers it.
    await page.getByRole('dialog').getByRole('button', { name: 'Create the webhook' }).click();
    await page.getByText(/^whsec_/).waitFor();
    await page.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('link', { name: /zoomed$/ }).click();
    await page.getByRole('button', { name: 'Delete' }).click();
    await submitted(page, 'Delete');
  });

  test('every page fits a phone in the dark, in each language, and explains itself to a viewer', async () => {
    const dark = { viewport: { width: 320, height: 640 }, colorScheme: 'dark', locale: 'pl-PL' } as const;
    const { page, check } = await open(dark);
    await page.goto('/app');
    await page.getByLabel('Klucz API').fill(tenant.keys.owner);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Wyloguj' }).waitFor();
    for (const path of PAGES) {
      await page.goto(`/app${path}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.getByText('Wczytywanie').first().waitFor({ state: 'detached' });
      expect({ path, overflow: await overflowOf(page) }).toEqual({ path, overflow: [] });
      await check();
    }

    const viewer = await open();
    await signIn(viewer.page, tenant.keys.viewer, '/app/keys');
    await viewer.page.getByRole('heading', { name: 'Not allowed' }).waitFor();
    expect(await viewer.page.getByRole('link', { name: 'API keys' }).count()).toBe(0);
    await viewer.page.goto('/app/settings');
    await viewer.page.getByText('Four eyes for payments').waitFor();
    await viewer.page.goto('/app/webhooks');
    await viewer.page.getByRole('heading', { level: 1 }).waitFor();
    expect(await viewer.page.getByRole('button').allTextContents()).toEqual(['Sign out']);
    await viewer.check();
  });
});
