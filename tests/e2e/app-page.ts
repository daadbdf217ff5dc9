// Opens the web application in Chromium as a person does.
import { expect } from 'vitest';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { accessibilityFaultsOf, openPage } from './browser.js';

/** A page of the app in a context of its own, without the cookies of others. */
export interface OpenedPage {
  readonly page: Page;
  /** Fails if the page has shown a fault, or breaks a rule of accessibility in its present state. */
  check(): Promise<void>;
}

/** Opens the app without a session. */
export async function openApp(
  browser: Browser,
  origin: string,
  options: BrowserContextOptions = {},
): Promise<OpenedPage> {
  const { page, faults } = await openPage(browser, origin, { baseURL: origin, ...options });
  const check = async (): Promise<void> => {
    expect(await accessibilityFaultsOf(page)).toEqual([]);
    // The page shows what the API refuses. Chromium also writes a line for each refusal.
    const isRefusal = (fault: string) => /: 4\d\d \S+\/v1\/|: Failed to load resource: /.test(fault);
    expect(faults.filter((fault) => !isRefusal(fault))).toEqual([]);
  };
  return { page, check };
}

/** Signs in as a person does, by the keyboard. */
export async function signIn(page: Page, key: string, path = '/app'): Promise<void> {
  await page.goto(path);
  await page.getByLabel('API key').fill(key);
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Sign out' }).waitFor();
}
