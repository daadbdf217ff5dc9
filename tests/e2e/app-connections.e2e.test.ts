import { readFile } from 'node:fs/promises';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { notificationUrl, startErps, startPaddle } from '@invoicecontrol/dev/simulators';
import type { Tenant } from '@invoicecontrol/dev/tenant';
import type { ErpSimulators } from '@invoicecontrol/simulators/erp';
import type { PaddleSimulator } from '@invoicecontrol/simulators/paddle';
import type { Browser } from 'playwright-core';
import { openApp, signIn } from './app-page.js';
import { launch, overflowOf, requireChromium } from './browser.js';
import { fa3, startKsef } from './ksef-actions.js';
import type { Ksef } from './ksef-actions.js';
import { startRunningSystem } from './running-system.js';
import type { RunningSystem } from './running-system.js';
import { uploadXml } from './uploading.js';

/** Markup that somebody who can write to an ERP could enter as the name of a vendor. */
const MARKUP = '<img src=x onerror=alert(1)>';

const executablePath = requireChromium();

describe.skipIf(executablePath === undefined)('the connections of the web application', () => {
  let running: RunningSystem;
  let browser: Browser;
  let erps: ErpSimulators;
  let ksef: Ksef;
  let paddle: PaddleSimulator;
  /** The page to which the checkout leads a buyer back. The address of the app is known only when it runs. */
  const returnPage = createServer((_, response) => {
    response.writeHead(302, { location: `${running.origin}/app/billing?checkout=done` }).end();
  });
  let tenant: Tenant;
  beforeAll(async () => {
    returnPage.listen(0, '127.0.0.1');
    await once(returnPage, 'listening');
    const CHECKOUT_SUCCESS_URL = `http://127.0.0.1:${(returnPage.address() as AddressInfo).port}/`;
    const [started, register, provider] = await Promise.all([
      startErps({}),
      startKsef(),
      startPaddle({ CHECKOUT_SUCCESS_URL }),
    ]);
    erps = started.simulators;
    ksef = register;
    paddle = provider.simulator;
    running = await startRunningSystem({
      ...started.env,
      ...ksef.env,
      ...provider.env,
      ERP_POLL_SECONDS: '1',
      KSEF_WAIT_FACTOR: '0.05',
      KSEF_REQUEST_SECONDS: '5',
    });
    paddle.setNotificationUrl(notificationUrl(running.system.baseUrl));
    browser = await launch(executablePath ?? '');
    tenant = await running.newTenant();
  }, 120_000);
  afterAll(async () => {
    await browser.close();
    await running.stop();
    await erps.stop();
    await ksef.stop();
    await paddle.stop();
    returnPage.close();
  });

  /** Creates a simulated company in Business Central with one vendor. */
  async function businessCentral() {
    const url = erps.urls.businessCentral;
    const [tenantId, companyId, clientId] = [randomUUID(), randomUUID(), randomUUID()];
    const control = async (method: string, path: string, body: object): Promise<void> => {
      const answer = await fetch(`${url}/control/tenants/${tenantId}${path}`, {
        method,
        body: JSON.stringify(body),
        headers: { 'content-type': 'application/json' },
      });
      expect(answer.ok).toBe(true);
    };
    const company = { environmentName: 'Production', companyId, companyName: 'Cronus', clientId };
    await control('PUT', '', { ...company, clientSecret: 'right~secret.1' });
    const vendor = { id: randomUUID(), number: 'V1', displayName: `Brandt ${MARKUP}` };
    await control('POST', '/records', { entity: 'vendors', records: [vendor] });
    return { tenantId, companyId, clientId };
  }

  test('an ERP is connected, tested, read and paused, and its vendors are listed', async () => {
    const { tenantId, companyId, clientId } = await businessCentral();
    const { page, check } = await openApp(browser, running.origin);
    await signIn(page, tenant.keys.admin, '/app/erp');
    await page.getByText('No ERP is connected yet.').waitFor();
    await check();
    await page.getByRole('button', { name: 'Connect an ERP' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Product').selectOption('Xero');
    await dialog.getByRole('button', { name: 'Go to the ERP' }).waitFor();
    await dialog.getByLabel('Product').selectOption('Business Central');
    await dialog.getByRole('button', { name: 'Connect', exact: true }).click();
    await dialog.getByText('Enter a value.').first().waitFor();
    await check();
    await dialog.getByLabel('Tenant of Microsoft Entra').fill(tenantId);
    await dialog.getByLabel('Company in the ERP').fill(companyId);
    await dialog.getByLabel('Client id').fill(clientId);
    await dialog.getByLabel('Client secret').fill('right~secret.1');
    await dialog.getByRole('button', { name: 'Connect', exact: true }).click();
    await page.getByRole('link', { name: 'Business Central' }).click();
    await page.getByRole('button', { name: 'Test' }).click();
    await page.getByText('The ERP answers.').waitFor();
    await page.getByText(/vendors: 1 read, 1 new/).waitFor();
    await check();
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByText('connected, paused').waitFor();
    await page.getByRole('link', { name: 'Vendors' }).click();
    await page.getByRole('link', { name: `Brandt ${MARKUP}` }).click();
    await page.getByText('No bill has been imported.').waitFor();
    expect(await page.locator('main img').count()).toBe(0);
    await check();
  });

  test('a plan is bought on the page of the payment provider, which leads back to the plan, and then to the portal', async () => {
    const { keys } = await running.newTenant('FREE');
    const { page, check } = await openApp(browser, running.origin);
    await signIn(page, keys.admin, '/app/billing');
    await page.getByRole('button', { name: 'Buy a plan' }).click();
    await page.getByLabel('Plan', { exact: true }).selectOption('SCALE');
    await page.getByLabel('Additional companies').selectOption('2');
    await check();
    // The pages of the provider are the only ones of another origin to which the app leads.
    await page.context().unrouteAll();
    await page.getByRole('button', { name: 'Go to the checkout' }).click();
    await page.waitForURL(`${running.origin}/app/billing?checkout=done`);
    await page.getByText('SCALE', { exact: true }).waitFor();
    await page.getByText('active', { exact: true }).waitFor();
    expect(await page.getByRole('button', { name: 'Buy a plan' }).count()).toBe(0);
    await check();
    await page.getByRole('button', { name: 'Payment methods, bills and cancellation' }).click();
    await page.waitForURL(/\/portal\?token=/);
  });

  test('an invoice is submitted to KSeF, accepted, and confirmed, and the inbox is read', async () => {
    const { nip, token } = await ksef.newCompany();
    const key = tenant.keys.admin;
    const upload_id = await uploadXml(running, key, fa3({ nip, number: 'FV/2026/0001' }));
    const { body } = await running.request<{ id: string }>('POST /invoices/from-upload', { key, body: { upload_id } });
    const { page, check } = await openApp(browser, running.origin, { viewport: { width: 320, height: 640 } });
    await signIn(page, key, '/app/ksef');
    await page.getByText('No connection to KSeF has been created yet.').waitFor();
    await page.getByRole('button', { name: 'Connect to KSeF' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Credential').selectOption('Certificate');
    await dialog.getByLabel('Private key of the certificate').waitFor();
    await dialog.getByLabel('Credential').selectOption('Token');
    await dialog.getByLabel('Environment').selectOption('test');
    await dialog.getByLabel('NIP').fill(nip);
    await dialog.getByLabel('Token', { exact: true }).fill(token);
    await check();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('row').getByRole('link').click();
    await page.getByRole('button', { name: 'Test' }).click();
    await page.getByText('KSeF accepts the credential.').waitFor();
    await page.getByRole('button', { name: 'Receive purchase invoices' }).click();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'Stop receiving' }).waitFor();
    await page.getByRole('button', { name: 'Submit invoices' }).click();
    await dialog.getByLabel('Ids of the invoices').fill(`${body.id}\n${randomUUID()}`);
    await dialog.getByRole('button', { name: 'Submit invoices' }).click();
    await page.getByText('Submitted: 1. Refused: 1.').waitFor();
    expect(await overflowOf(page)).toEqual([]);
    await check();
    await page
      .getByRole('region', { name: /^Submissions/ })
      .getByRole('link')
      .click();
    await page.getByText('accepted', { exact: true }).waitFor();
    await page.goto('/app/ksef');
    const all = page.getByRole('region', { name: 'Submissions of all connections' });
    await all.getByRole('link').waitFor();
    await page.getByLabel('State of the submissions').selectOption('rejected');
    await page.getByText('No submission matches these filters.').waitFor();
    await page.goto(`/app/ksef?invoice=${body.id}`);
    await page.getByText('Only submissions of one invoice').waitFor();
    expect(await overflowOf(page)).toEqual([]);
    await check();
    await all.getByRole('link').click();
    await page.getByRole('heading', { level: 1, name: 'Submission' }).waitFor();
    await page.getByText('accepted', { exact: true }).waitFor();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download the confirmation (UPO)' }).click(),
    ]);
    expect(await readFile(await download.path(), 'utf8')).toContain(nip);
    expect(await overflowOf(page)).toEqual([]);
    await check();
  });
});
