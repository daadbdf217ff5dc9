// Opens every page of the documentation site in Chromium, as a visitor with a phone and with a wide screen would.
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { accessibilityFaultsOf, launch, openPage, overflowOf, requireChromium } from './browser.js';
import { useSharedSystem } from './running-system.js';

const executable = requireChromium();
/** The width of the smallest phone, at which no page may scroll sideways. */
const PHONE = { width: 320, height: 640 };
const WIDE = { width: 1440, height: 900 };

describe.skipIf(executable === undefined)('the documentation site in Chromium', () => {
  let browser: Browser;
  let origin: string;
  beforeAll(async () => {
    ({ origin } = await useSharedSystem());
    browser = await launch(executable ?? '');
  });
  afterAll(() => browser.close());

  /** Returns the addresses of all pages, which the menu lists. The reference lists its pages where it is open. */
  async function listPages(): Promise<string[]> {
    const { page } = await openPage(browser, origin, { viewport: WIDE });
    await page.goto(`${origin}/docs/api`);
    const paths = await page.locator('#menu a').evaluateAll((links) => links.map((link) => link.getAttribute('href')));
    await page.context().close();
    return paths.filter((path) => path !== null);
  }

  test('breaks no policy and does not scroll sideways on a phone, on any page', async () => {
    const paths = await listPages();
    expect(paths.length).toBeGreaterThan(40);
    const { page, faults } = await openPage(browser, origin, { viewport: PHONE });
    for (const path of paths) {
      await page.goto(`${origin}${path}`);
      expect({ path, overflow: await overflowOf(page) }).toEqual({ path, overflow: [] });
    }
    expect(faults).toEqual([]);
    await page.context().close();
  });

  test.each(['light', 'dark'] as const)('has no fault that axe knows in %s colours', async (colorScheme) => {
    const { page, faults } = await openPage(browser, origin, { viewport: WIDE, colorScheme });
    for (const path of [
      '/docs',
      '/docs/guides/receiving-webhooks',
      '/docs/guides/receivers',
      '/docs/guides/uploading-documents',
      '/docs/client',
      '/docs/api',
      '/docs/api/uploads',
      '/docs/events',
      '/docs/errors',
    ]) {
      await page.goto(`${origin}${path}`);
      expect({ path, faults: await accessibilityFaultsOf(page) }).toEqual({ path, faults: [] });
    }
    expect(faults).toEqual([]);
    await page.context().close();
  });

  test('finds a section by the keyboard, and opens it', async () => {
    const { page, faults } = await openPage(browser, origin, { viewport: PHONE });
    await page.goto(`${origin}/docs`);
    await page.keyboard.press('/');
    await page.keyboard.type('requirements receiver');
    await page.locator('#results a').first().waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL('**/docs/guides/receiving-webhooks#3-requirements-on-a-receiver');
    expect(faults).toEqual([]);
    await page.context().close();
  });

  test('copies a block of code, and keeps the chosen colours on the next page', async () => {
    const { page, faults } = await openPage(browser, origin, {
      viewport: WIDE,
      colorScheme: 'light',
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    await page.goto(`${origin}/docs/guides/first-integration`);
    await page.getByRole('button', { name: 'Copy' }).first().click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe('npm start\n');
    const background = () => page.evaluate('getComputedStyle(document.body).backgroundColor');
    const light = await background();
    await page.getByRole('button', { name: 'Dark' }).click();
    const dark = await background();
    await page.goto(`${origin}/docs/errors`);
    expect([light === dark, await background()]).toEqual([false, dark]);
    expect(faults).toEqual([]);
    await page.context().close();
  });

  test('shows all operations in the console without breaking its policy', async () => {
    const { page, faults } = await openPage(browser, origin, { viewport: WIDE });
    await page.goto(`${origin}/docs/console`);
    await page.locator('#operations-invoices-analyzeInvoice').waitFor();
    expect(faults).toEqual([]);
    await page.context().close();
  });
});
