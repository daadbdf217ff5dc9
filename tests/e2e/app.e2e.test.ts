import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Tenant } from '@invoicecontrol/dev/tenant';
import { paymentRunText } from '@invoicecontrol/payment-files/testing/payment-run';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { AT_400_PERCENT, openApp, signIn } from './app-page.js';
import { launch, overflowOf, requireChromium } from './browser.js';
import { useSharedSystem } from './running-system.js';
import type { RunningSystem } from './running-system.js';

const IBAN = 'DE89370400440532013000';
const OTHER_IBAN = 'DE02120300000000202051';
const NAME = 'Hafenlogistik Brandt GmbH';
/** A text that would be a script, an override of the direction and a long word, if the page let it. */
const HOSTILE = `<img src=x onerror=alert(1)>${'W'.repeat(60)}`;

/** Returns the name of the element that has the focus. The text is code for the page of the browser. */
const FOCUSED = `(() => {
  const element = document.activeElement;
  return element.labels?.[0]?.textContent ?? element.textContent.trim();
})()`;

const executablePath = requireChromium();

/** A report by which the bank has settled all payments of a file. */
function reportText(messageId: string): string {
  const group = `<OrgnlMsgId>${messageId}</OrgnlMsgId><OrgnlMsgNmId>pain.001.001.09</OrgnlMsgNmId><GrpSts>ACSC</GrpSts>`;
  const head = '<GrpHdr><MsgId>R-1</MsgId><CreDtTm>2026-11-02T10:00:00</CreDtTm></GrpHdr>';
  return `<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.002.001.03"><CstmrPmtStsRpt>${head}<OrgnlGrpInfAndSts>${group}</OrgnlGrpInfAndSts></CstmrPmtStsRpt></Document>`;
}

describe.skipIf(executablePath === undefined)('the payment runs of the web application', () => {
  let running: RunningSystem;
  let browser: Browser;
  beforeAll(async () => {
    running = await useSharedSystem();
    browser = await launch(executablePath ?? '');
  });
  afterAll(async () => {
    await browser.close();
    await running.stop();
  });

  const open = (options?: BrowserContextOptions) => openApp(browser, running.origin, options);

  async function post({ keys }: Tenant, number: string): Promise<void> {
    const body = {
      supplier: { name: NAME, tax_id: 'DE994175284', bank_account: { iban: IBAN } },
      invoice_number: number,
      issue_date: '2026-03-02',
      currency: 'EUR',
      gross_amount: '580.00',
    };
    expect((await running.request('POST /invoices', { key: keys.owner, body })).status).toBe(202);
  }

  /** A run with a payment that is clean, one to an exchanged account, and one that pays no invoice of ours. */
  async function threePayments(): Promise<{ tenant: Tenant; text: string }> {
    const tenant = await running.newTenant();
    await post(tenant, 'HB-2210');
    await post(tenant, 'HB-2211');
    const payment = (number: string, account: string, name = NAME) => ({
      amount: '580.00' as const,
      name,
      account,
      texts: [number],
    });
    const lines = [payment('HB-2210', IBAN), payment('HB-2211', OTHER_IBAN), payment('X-9', IBAN, HOSTILE)];
    return { tenant, text: paymentRunText(lines, { messageId: tenant.organizationId.slice(0, 30) }) };
  }

  const choose = (page: Page, text: string) =>
    page.locator('input[type=file]').setInputFiles({
      name: 'run.xml',
      mimeType: 'application/xml',
      buffer: Buffer.from(text),
    });

  /** Stores the run over the API and returns its id. */
  async function store(tenant: Tenant, text: string): Promise<string> {
    const { body } = await running.request<{ id: string }>('POST /payment-runs', {
      key: tenant.keys.analyst,
      bytes: text,
      headers: { 'content-type': 'application/xml' },
    });
    return body.id;
  }

  test('go from the dropped file to the bank: three lists, evidence, release, download', async () => {
    const { tenant, text } = await threePayments();
    const { page, check } = await open();
    await signIn(page, tenant.keys.analyst);
    await page.getByText('No payment run has been checked yet.').waitFor();
    await check();

    await choose(page, text);
    await page.getByRole('tab', { name: 'Hold 1' }).waitFor();
    for (const tab of ['Hold 1', 'Unknown 1', 'Pay 1']) await page.getByRole('tab', { name: tab }).waitFor();
    await page.getByText('ACCOUNT_DIFFERS').waitFor();
    await page.getByText('Evidence').first().click();
    await page
      .getByRole('cell', { name: /^DE02\*+0?2051$/ })
      .first()
      .waitFor();
    expect(await page.content()).not.toContain(OTHER_IBAN);
    await check();

    await page.getByRole('tab', { name: 'Unknown 1' }).click();
    await page.getByText(HOSTILE).waitFor();
    await check();
    await page.getByRole('button', { name: 'Release' }).click();
    await page.getByRole('dialog').waitFor();
    await check();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });

    await page.getByRole('tab', { name: 'Hold 1' }).click();
    await page.getByRole('button', { name: 'Release' }).click();
    await page.getByRole('button', { name: 'Release this payment' }).click();
    await page.getByText('Write a note.').waitFor();
    await page.getByLabel('Note').fill('The supplier confirmed the account by telephone.');
    await page.getByRole('button', { name: 'Release this payment' }).click();
    await page.getByText('The payment was released.').waitFor();
    await page.getByText('Released by you').waitFor();

    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download the file for the bank' }).click(),
    ]);
    const file = await readFile(await download.path(), 'utf8');
    expect(file).toContain('<NbOfTxs>2</NbOfTxs>');
    expect(['HB-2210', 'HB-2211', 'X-9'].map((number) => file.includes(number))).toEqual([true, true, false]);
    await page.getByText('2 payments,').waitFor();
    const [rest] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download unknown payments' }).click(),
    ]);
    expect(await readFile(await rest.path(), 'utf8')).toContain('X-9');
    await page.getByText(`${rest.suggestedFilename()} was downloaded.`).waitFor();
    await page.getByRole('button', { name: 'Download the file for the bank' }).click();
    await page
      .getByRole('alert')
      .getByText(/Request /)
      .waitFor();

    await page.locator('input[type=file]').setInputFiles({
      name: 'report.xml',
      mimeType: 'application/xml',
      buffer: Buffer.from(reportText(tenant.organizationId.slice(0, 30))),
    });
    await page.getByText('The report of the bank was stored').waitFor();
    await page.getByText('The bank reported ACSC').first().waitFor();

    await page.getByRole('button', { name: 'Check again' }).click();
    await page.getByText('All payments were checked again').waitFor();
    await page.getByRole('link', { name: 'All payment runs' }).click();
    await page.getByRole('link', { name: /^Run of / }).click();
    await page.getByRole('tab', { name: 'Pay 1' }).click();
    await page.getByText('Given out').last().waitFor();
    await check();
  });

  test('need a second person where the organization requires four eyes', async () => {
    const { tenant, text } = await threePayments();
    const settings = { key: tenant.keys.owner, body: { four_eyes: true } };
    expect((await running.request('PATCH /organizations/current', settings)).status).toBe(200);
    const path = `/app/payment-runs/${await store(tenant, text)}?list=UNKNOWN`;

    const first = await open();
    await signIn(first.page, tenant.keys.analyst, path);
    await first.page.getByRole('button', { name: 'Release' }).click();
    await first.page.getByText('Your organization requires four eyes').waitFor();
    await first.page.getByLabel('Note').fill('A deposit that the director approved.');
    await first.page.getByRole('button', { name: 'Release this payment' }).click();
    await first.page.getByText('You released this payment. Another person must confirm it.').waitFor();
    expect(await first.page.getByRole('button', { name: /^Release$|Confirm/ }).count()).toBe(0);
    await first.check();

    const second = await open();
    await signIn(second.page, tenant.keys.admin, path);
    await second.page.getByText('A second person must confirm this release.').waitFor();
    await second.page.getByText('A deposit that the director approved.').waitFor();
    await second.page.getByRole('button', { name: 'Confirm the release' }).click();
    await second.page.getByLabel('Note').fill('Agreed.');
    await second.page.getByRole('button', { name: 'Confirm this release' }).click();
    await second.page.getByText('Confirmed by you').waitFor();
    await second.check();
  });

  test('show the faults of a refused file with their places, and store nothing', async () => {
    const { tenant, text } = await threePayments();
    const { page, check } = await open();
    await signIn(page, tenant.keys.analyst);
    await choose(page, text.replace('<NbOfTxs>3</NbOfTxs>', '<NbOfTxs>4</NbOfTxs>'));
    await page.getByText('The file was refused').waitFor();
    await page
      .getByRole('alert')
      .getByText(/NbOfTxs/)
      .first()
      .waitFor();
    await check();
    await page.reload();
    await page.getByText('No payment run has been checked yet.').waitFor();
    const { body } = await running.request<{ items: unknown[] }>('GET /payment-runs', { key: tenant.keys.viewer });
    expect(body.items).toEqual([]);
  });

  test('are read-only for a viewer, and a run of another organization looks like a missing page', async () => {
    const { tenant, text } = await threePayments();
    const runId = await store(tenant, text);
    const { page, check } = await open();
    await signIn(page, tenant.keys.viewer, `/app/payment-runs/${runId}?list=HOLD`);
    await page.getByText('ACCOUNT_DIFFERS').waitFor();
    expect(await page.getByRole('button').allTextContents()).toEqual(['Sign out']);
    await page.getByRole('link', { name: 'All payment runs' }).click();
    await page.getByRole('link', { name: /^Run of / }).waitFor();
    expect(await page.locator('input[type=file]').count()).toBe(0);
    await check();

    const stranger = await running.newTenant();
    const other = await open();
    await signIn(other.page, stranger.keys.owner, `/app/payment-runs/${runId}`);
    await other.page.getByRole('heading', { name: 'Page not found' }).waitFor();
    await other.check();
  });

  test.each([
    ['on a phone of 320 px', { viewport: { width: 320, height: 640 } }],
    ['at a zoom of 400 %', AT_400_PERCENT],
    ['in the dark', { colorScheme: 'dark' }],
    ['with forced colours', { forcedColors: 'active' }],
  ] as const)('can be used %s without scrolling sideways', async (_, options) => {
    const { tenant, text } = await threePayments();
    const path = `/app/payment-runs/${await store(tenant, text)}`;
    const { page, check } = await open(options);
    await page.goto(path);
    await page.getByLabel('API key').waitFor();
    await check();
    await signIn(page, tenant.keys.analyst, path);
    for (const list of ['HOLD', 'UNKNOWN', 'PAY']) {
      await page.goto(`${path}?list=${list}`);
      await page.getByRole('article').first().waitFor();
      expect(await overflowOf(page)).toEqual([]);
    }
    await check();
    await page.getByRole('link', { name: 'All payment runs' }).click();
    await page.getByRole('link', { name: /^Run of / }).waitFor();
    expect(await overflowOf(page)).toEqual([]);
    await check();
  });
});

describe.skipIf(executablePath === undefined)('the findings of the web application', () => {
  let running: RunningSystem;
  let browser: Browser;
  beforeAll(async () => {
    running = await useSharedSystem();
    browser = await launch(executablePath ?? '');
  });
  afterAll(async () => {
    await browser.close();
    await running.stop();
  });

  interface Listed {
    readonly id: string;
    readonly type: string;
    readonly disposition: string;
  }

  /** Posts an invoice twice, and returns the finding about it. */
  async function repeatOf(tenant: Tenant, [first, again] = ['HB-3310', 'hb 03310']): Promise<Listed> {
    for (const number of [first, again]) {
      const body = {
        supplier: { name: NAME, tax_id: 'DE994175284', bank_account: { iban: IBAN } },
        invoice_number: number,
        issue_date: '2026-03-02',
        currency: 'EUR',
        gross_amount: '580.00',
      };
      expect((await running.request('POST /invoices', { key: tenant.keys.owner, body })).status).toBe(202);
    }
    const { body } = await running.request<{ items: Listed[] }>('GET /findings?sort=newest', {
      key: tenant.keys.owner,
    });
    const finding = body.items.find(({ type }) => type.includes('DUPLICATE'));
    if (finding === undefined) throw new Error('no finding about the repeated invoice');
    return finding;
  }

  /** An organization with an invoice that arrived twice, and the finding about it. */
  async function repeatedInvoice(): Promise<{ tenant: Tenant; finding: Listed }> {
    const tenant = await running.newTenant();
    return { tenant, finding: await repeatOf(tenant, ['HB-2210', 'hb 02210']) };
  }

  const dispositionOf = async ({ keys }: Tenant, { id }: Pick<Listed, 'id'>) =>
    (await running.request<Listed>(`GET /findings/${id}`, { key: keys.viewer })).body.disposition;

  test('are found and decided by somebody who has no mouse, from the sign-in to the sign-out', async () => {
    const tenant = await running.newTenant();
    for (const number of [1, 2, 3]) await repeatOf(tenant, [`KB-${number}`, `kb 000${number}`]);
    const { page, check } = await openApp(browser, running.origin);
    await page.goto('/app');
    await page.getByLabel('API key').waitFor();
    const focusWith = async (key: string, name: string): Promise<void> => {
      for (let presses = 0; presses < 60; presses += 1) {
        await page.keyboard.press(key);
        if ((await page.evaluate<string>(FOCUSED)) === name) return;
      }
      throw new Error(`The key ${key} does not lead to "${name}".`);
    };
    if ((await page.evaluate<string>(FOCUSED)) !== 'API key') await focusWith('Tab', 'API key');
    await page.keyboard.type(tenant.keys.analyst);
    await page.keyboard.press('Enter');
    await page.getByText('No payment run has been checked yet.').waitFor();
    await focusWith('Tab', 'Findings');
    await page.keyboard.press('Enter');
    await page.getByRole('navigation', { name: 'List of findings' }).getByRole('link').nth(2).waitFor();
    const decided = [
      ['c', 'CONFIRMED', 'Confirmed'],
      ['f', 'FALSE_POSITIVE', 'False positive'],
      ['u', 'UNDER_REVIEW', 'Under review'],
    ] as const;
    for (const [key, disposition, name] of decided) {
      await page.keyboard.press('j');
      // An open finding is shown beside the list, and can be decided.
      await page.getByRole('button', { name: 'Open again (o)' }).waitFor({ state: 'detached' });
      await page.getByRole('button', { name: 'Confirm (c)' }).waitFor();
      // The page does not offer a decision that the API would refuse.
      expect(await page.getByRole('button', { name: 'Resolved (r)' }).count()).toBe(0);
      await check();
      await page.keyboard.press(key);
      await page.getByText(`The finding is now: ${name}.`).waitFor();
      const id = new URL(page.url()).pathname.split('/').at(-1) ?? '';
      expect(await dispositionOf(tenant, { id })).toBe(disposition);
    }
    await focusWith('Shift+Tab', 'Sign out');
    await page.keyboard.press('Enter');
    await page.getByLabel('API key').waitFor();
  });

  test('are decided by the keyboard alone, undone, and accepted with a note', async () => {
    const { tenant, finding } = await repeatedInvoice();
    const { page, check } = await openApp(browser, running.origin);
    await signIn(page, tenant.keys.analyst, '/app/findings');
    await page.getByText('Choose a finding').waitFor();
    await page.keyboard.press('?');
    await page.getByRole('dialog').waitFor();
    await check();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.keyboard.press('j');
    await page.waitForURL(`**/app/findings/${finding.id}`);
    await page.getByRole('cell', { name: 'HB-2210', exact: true }).waitFor();
    await check();

    await page.keyboard.press('f');
    await page.getByText('The finding is now: False positive.').waitFor();
    expect(await dispositionOf(tenant, finding)).toBe('FALSE_POSITIVE');
    await page.keyboard.press('z');
    await page.getByText('The review was undone.').waitFor();
    expect(await dispositionOf(tenant, finding)).toBe('OPEN');

    await page.keyboard.press('x');
    await page.getByRole('dialog').waitFor();
    await page.getByLabel('Note').fill('Agreed with the supplier: c, f and x are letters here.');
    await check();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByText('The finding is now: Accepted risk.').waitFor();
    expect(await dispositionOf(tenant, finding)).toBe('ACCEPTED_RISK');
    await page.getByText('you: reviewed, Accepted risk').waitFor();
    await check();
  });

  test('are shown by a saved view, which survives a change, a reload and the way back, and is shared by an admin', async () => {
    const { tenant } = await repeatedInvoice();
    const { page, check } = await openApp(browser, running.origin);
    await signIn(page, tenant.keys.admin, '/app/findings?severity=HIGH&family=DUP');
    await page.getByRole('button', { name: 'Save as a new view' }).click();
    await page.getByLabel('Name').fill('Repeats');
    await page.getByLabel('Shown to').selectOption('everybody in the organization');
    await page.getByLabel('Open this view first').selectOption('yes');
    await check();
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await page.waitForURL(/view=[0-9a-f-]{36}&severity=HIGH&family=DUP$/);
    await page.getByRole('combobox', { name: /^Order/ }).selectOption('Newest first');
    await page.getByText('The view is changed and not saved.').waitFor();
    await page.reload();
    await page.getByText('The view is changed and not saved.').waitFor();
    await check();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('The view is changed and not saved.').waitFor({ state: 'detached' });
    await page.getByRole('navigation', { name: 'List of findings' }).getByRole('link').first().click();
    await page.getByRole('heading', { name: 'Evidence' }).waitFor();
    await page.goBack();
    expect(page.url()).toContain('sort=newest');
    await page.getByLabel('View', { exact: true }).selectOption('No view');
    await page.waitForURL(/\/findings\?view=none$/);

    // Another member finds the shared view, which opens first, and may not change it.
    const other = await openApp(browser, running.origin);
    await signIn(other.page, tenant.keys.analyst, '/app/findings');
    await other.page.waitForURL(/family=DUP&sort=newest$/);
    expect(await other.page.getByLabel('View', { exact: true }).inputValue()).not.toBe('none');
    expect(await other.page.getByRole('button', { name: 'Delete the view' }).count()).toBe(0);
    await other.check();
    await page.getByLabel('View', { exact: true }).selectOption('Repeats (shared)');
    await page.getByRole('button', { name: 'Delete the view' }).click();
    await page.waitForURL(/\/findings\?view=none$/);
    await page.getByRole('option', { name: 'Repeats (shared)' }).waitFor({ state: 'detached' });
    await check();
  });

  test('that somebody else has decided since are shown as they are now, and can then be decided', async () => {
    const { tenant, finding } = await repeatedInvoice();
    const { page, check } = await openApp(browser, running.origin);
    await signIn(page, tenant.keys.analyst, `/app/findings/${finding.id}`);
    const underReview = page.getByRole('button', { name: 'Under review (u)' });
    await underReview.waitFor();
    const decided = { key: tenant.keys.owner, body: { disposition: 'UNDER_REVIEW' } };
    expect((await running.request(`POST /findings/${finding.id}/review`, decided)).status).toBe(200);
    await page.keyboard.press('f');
    await page.getByText('Another reviewer has changed the disposition of the finding').waitFor();
    await underReview.waitFor({ state: 'detached' });
    await page.locator(`#row-${finding.id}`).getByText('Under review').waitFor();
    await check();
    await page.keyboard.press('f');
    await page.getByText('The finding is now: False positive.').waitFor();
    expect(await dispositionOf(tenant, finding)).toBe('FALSE_POSITIVE');
  });

  test('are decided several at once, and one that somebody else has decided since is refused with the reason', async () => {
    const { tenant, finding } = await repeatedInvoice();
    const second = await repeatOf(tenant);
    const { page, check } = await openApp(browser, running.origin);
    await signIn(page, tenant.keys.analyst, `/app/findings/${finding.id}`);
    await page.getByRole('button', { name: 'Assign (a)' }).waitFor();
    // The key selects a row of the list, which may load after the finding beside it.
    await page.locator(`#row-${finding.id}`).waitFor();
    await page.keyboard.press('s');
    await page.getByText('1 finding selected').waitFor();
    await page.locator(`#row-${second.id}`).getByRole('checkbox').check();
    await page.getByText('2 findings selected').waitFor();
    await check();
    const decided = { key: tenant.keys.owner, body: { disposition: 'UNDER_REVIEW' } };
    expect((await running.request(`POST /findings/${second.id}/review`, decided)).status).toBe(200);
    await page.keyboard.press('f');
    await page.getByText('Done: 1. Refused: 1.').waitFor();
    await page.getByText('Another reviewer has changed the disposition of the finding').waitFor();
    await check();
    expect(await dispositionOf(tenant, finding)).toBe('FALSE_POSITIVE');
    expect(await dispositionOf(tenant, second)).toBe('UNDER_REVIEW');

    // The refused finding is shown as it is now. Findings of different dispositions are guarded too.
    const row = page.locator(`#row-${second.id}`);
    await row.getByText('Under review').waitFor();
    await row.getByRole('checkbox').check();
    await page.locator(`#row-${finding.id}`).getByRole('checkbox').check();
    await page.getByText('2 findings selected').waitFor();
    const confirmed = { key: tenant.keys.owner, body: { disposition: 'CONFIRMED' } };
    expect((await running.request(`POST /findings/${second.id}/review`, confirmed)).status).toBe(200);
    await page.keyboard.press('f');
    await row.getByText('Confirmed').waitFor();
    await page.getByText('Done: 1. Refused: 1.').waitFor();
    expect(await dispositionOf(tenant, second)).toBe('CONFIRMED');

    await page.locator(`#row-${finding.id}`).getByRole('checkbox').check();
    await page.getByText('1 finding selected').waitFor();
    await page.keyboard.press('a');
    await page.getByLabel('Member').selectOption('admin');
    await page.getByRole('dialog').getByRole('button', { name: 'Assign' }).click();
    await page.getByText('Done: 1.', { exact: true }).waitFor();
  });

  test('are assigned to a person by name, listed for the assignee, and name in their history who did it', async () => {
    const { tenant, finding } = await repeatedInvoice();
    const { page, check } = await openApp(browser, running.origin);
    const assignee = async () =>
      (
        await running.request<{ assigneeUserId: string | null }>(`GET /findings/${finding.id}`, {
          key: tenant.keys.viewer,
        })
      ).body.assigneeUserId;
    await signIn(page, tenant.keys.analyst, `/app/findings/${finding.id}`);
    await page.getByRole('button', { name: 'Assign (a)' }).waitFor();
    await page.keyboard.press('a');
    await page.getByLabel('Member').waitFor();
    await check();
    // The list of the browser finds a name by typing.
    await page.getByLabel('Member').focus();
    await page.keyboard.type('adm');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByText('The finding is now assigned to admin.').waitFor();
    expect(await assignee()).toBe(tenant.users.admin);
    await page.getByText('Assigned to admin', { exact: true }).waitFor();
    await page.getByText('you: assigned, admin').waitFor();
    await check();

    await page.keyboard.press('m');
    await page.getByText('The finding is now assigned to you.').waitFor();
    expect(await assignee()).toBe(tenant.users.analyst);

    const other = await openApp(browser, running.origin);
    await signIn(other.page, tenant.keys.admin, `/app/findings/${finding.id}`);
    await other.page.getByText('analyst: assigned, you').waitFor();
    await other.page.getByLabel('Assigned to').selectOption('me');
    await other.page.getByText('No finding matches these filters.').waitFor();
    await other.page.getByLabel('Assigned to').selectOption('analyst');
    await other.page.getByRole('navigation', { name: 'List of findings' }).getByRole('link').first().waitFor();
    await other.check();
  });

  test('can be read on a phone, filtered by the address, and not decided by a viewer', async () => {
    const { tenant, finding } = await repeatedInvoice();
    const { page, check } = await openApp(browser, running.origin, { viewport: { width: 320, height: 640 } });
    await signIn(page, tenant.keys.viewer, '/app/findings?disposition=CONFIRMED');
    await page.getByText('No finding matches these filters.').waitFor();
    await page.getByText('Disposition: Confirmed').click();
    await page.getByLabel('Open', { exact: true }).check();
    await page.waitForURL(/disposition=CONFIRMED%2COPEN/);
    await page.getByRole('navigation', { name: 'List of findings' }).getByRole('link').first().waitFor();
    expect(await overflowOf(page)).toEqual([]);
    await check();
    await page.goto(`/app/findings/${finding.id}`);
    await page.getByRole('cell', { name: 'HB-2210' }).first().waitFor();
    expect(await overflowOf(page)).toEqual([]);
    await check();
    await page.keyboard.press('c');
    await page.keyboard.press('a');
    expect(await page.getByRole('button', { name: /Confirm|Assign/ }).count()).toBe(0);
    expect(await dispositionOf(tenant, finding)).toBe('OPEN');
  });
});

describe.skipIf(executablePath === undefined)('the session of the web application', () => {
  let running: RunningSystem;
  let browser: Browser;
  beforeAll(async () => {
    running = await useSharedSystem();
    browser = await launch(executablePath ?? '');
  });
  afterAll(async () => {
    await browser.close();
    await running.stop();
  });

  test('is in a cookie that scripts cannot read, survives a reload and a second tab, and ends with the sign-out', async () => {
    const { page, check } = await openApp(browser, running.origin);
    await signIn(page, running.tenant.keys.analyst);
    const [cookie] = await page.context().cookies();
    expect(cookie).toMatchObject({ httpOnly: true, secure: true, sameSite: 'Strict', path: '/', expires: -1 });
    expect(await page.evaluate('[document.cookie, localStorage.length, sessionStorage.length]')).toEqual(['', 0, 0]);
    await page.reload();
    await page.getByRole('button', { name: 'Sign out' }).waitFor();
    const tab = await page.context().newPage();
    await tab.goto('/app/payment-runs');
    await tab.getByRole('button', { name: 'Sign out' }).click();
    await tab.getByLabel('API key').waitFor();
    expect(await page.context().cookies()).toEqual([]);
    await page.reload();
    await page.getByLabel('API key').waitFor();
    await check();
  });

  test('is refused for a text that is no key and for an unknown key, and says what to do', async () => {
    const { page, check } = await openApp(browser, running.origin);
    await page.goto('/app');
    const field = page.getByLabel('API key');
    await field.fill('secret');
    await page.keyboard.press('Enter');
    await page.getByText('This is not an API key.').waitFor();
    const { analyst } = running.tenant.keys;
    await field.fill(`${analyst.slice(0, -1)}${analyst.endsWith('x') ? 'y' : 'x'}`);
    await page.keyboard.press('Enter');
    await page.getByText('This API key is unknown, expired or revoked.').waitFor();
    await check();
    await field.fill(analyst);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Sign out' }).waitFor();
    expect(page.url()).toBe(`${running.origin}/app/payment-runs`);
  });

  test('is announced a minute before it ends unused, can be kept, and asks to sign in after its end', async () => {
    const { page, check } = await openApp(browser, running.origin);
    const { keys } = await running.newTenant();
    await page.clock.install();
    await signIn(page, keys.analyst);
    // A response that arrives after the clock has moved on is a use of the session, and takes the warning away.
    await page.getByText('No payment run has been checked yet.').waitFor();
    await page.clock.fastForward('29:05');
    await page.getByText('Your session ends in a minute.').waitFor();
    await check();
    await page.getByRole('button', { name: 'Stay signed in' }).click();
    await page.getByText('Your session ends in a minute.').waitFor({ state: 'detached' });
    await page.clock.fastForward('30:05');
    await page.getByText('Your session has ended.').waitFor();
    await check();
    expect(await page.getByText('Your session ends in a minute.').count()).toBe(0);
  });

  test('that ends while a note is written asks to sign in above the page, and the note stays', async () => {
    const tenant = await running.newTenant();
    const { body: created } = await running.request<{ id: string; key: string }>('POST /api-keys', {
      key: tenant.keys.owner,
      body: { name: 'Short-lived', role: 'ANALYST' },
    });
    const text = paymentRunText([{ amount: '1.00', name: NAME, account: IBAN, texts: ['X-1'] }]);
    const run = await running.request<{ id: string }>('POST /payment-runs', {
      key: tenant.keys.owner,
      bytes: text,
      headers: { 'content-type': 'application/xml' },
    });
    const { page, check } = await openApp(browser, running.origin);
    await signIn(page, created.key, `/app/payment-runs/${run.body.id}`);
    await page.getByRole('button', { name: 'Release' }).click();
    await page.getByLabel('Note').fill('A deposit.');
    await running.request(`DELETE /api-keys/${created.id}`, { key: tenant.keys.owner });
    await page.getByRole('button', { name: 'Release this payment' }).click();
    await page.getByText('Your session has ended.').waitFor();
    await check();
    await page.getByLabel('API key').fill(tenant.keys.analyst);
    await page.keyboard.press('Enter');
    await page.getByText('Your session has ended.').waitFor({ state: 'detached' });
    expect(await page.getByLabel('Note').inputValue()).toBe('A deposit.');
    await page.getByRole('button', { name: 'Release this payment' }).click();
    await page.getByText('The payment was released.').waitFor();
  });
});
