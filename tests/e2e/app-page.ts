// Opens the web application in Chromium as a person does.
import { expect } from 'vitest';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { accessibilityFaultsOf, openPage } from './browser.js';

/** A screen of 1280 x 1024 pixels at a zoom of 400 %: the page has 320 x 256 pixels of its own. */
export const AT_400_PERCENT = { viewport: { width: 320, height: 256 }, deviceScaleFactor: 4 } as const;

/** A page of the web application in a separate browser context, which shares no cookies with other pages. */
export interface OpenedPage {
  readonly page: Page;
  /**
   * Throws an error if the page of the web application has reported a fault, or if its present state breaks an
   * accessibility rule.
   */
  check(): Promise<void>;
}

/** Opens the web application in the browser without signing in. */
export async function openApp(
  browser: Browser,
  origin: string,
  options: BrowserContextOptions = {},
): Promise<OpenedPage> {
  const { page, faults } = await openPage(browser, origin, { baseURL: origin, ...options });
  const check = async (): Promise<void> => {
    expect(await accessibilityFaultsOf(page)).toEqual([]);
    // Refusals by the API are expected, because the web application shows them to the user. Chromium also reports each
    // refusal as a fault.
    const isRefusal = (fault: string) => /: 4\d\d \S+\/v1\/|: Failed to load resource: /.test(fault);
    expect(faults.filter((fault) => !isRefusal(fault))).toEqual([]);
  };
  return { page, check };
}

/** Signs in to the web application by keyboard, as a person does. */
export async function signIn(page: Page, key: string, path = '/app'): Promise<void> {
  await page.goto(path);
  await page.getByLabel('API key').fill(key);
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Sign out' }).waitFor();
}
