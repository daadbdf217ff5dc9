// Opens the pages of the product in Chromium, and finds faults that would affect a visitor.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { chromium } from 'playwright-core';
import type { AxeResults } from 'axe-core';
import { findChromium } from '@invoicecontrol/dev/chromium';
import { skipWithout } from '../contract/skip-without.js';

const MISSING =
  'The pages cannot be checked without Chromium: install it (`apt-get install chromium`), or name it in CHROMIUM.';
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/**
 * Returns the path of Chromium, or undefined on a machine that may lack Chromium. A build machine may lack Chromium
 * only if SKIP_WITHOUT names it.
 * @throws Error that explains how to install it
 */
export function requireChromium(): string | undefined {
  return findChromium() ?? (process.env['CI'] === 'true' ? skipWithout('chromium', MISSING) : undefined);
}

export function launch(executablePath: string): Promise<Browser> {
  // The sandbox of Chromium is disabled, because it does not work for the user root, which build machines use. This is
  // acceptable because the tests open only pages of the product.
  return chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage'] });
}

/** A page of the browser with the faults that it has reported. */
export interface WatchedPage {
  readonly page: Page;
  /** Violations of the content security policy, errors of scripts, and failed or foreign requests. */
  readonly faults: string[];
}

/**
 * Opens a page in the browser, and records the faults that the browser reports. Requests to other origins are faults,
 * and are not sent.
 */
export async function openPage(browser: Browser, origin: string, options: BrowserContextOptions): Promise<WatchedPage> {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const faults: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') faults.push(`${page.url()}: ${message.text()}`);
  });
  page.on('pageerror', (error) => faults.push(`${page.url()}: ${error.message}`));
  page.on('response', (response) => {
    if (response.status() >= 400) faults.push(`${page.url()}: ${response.status()} ${response.url()}`);
  });
  await context.route(
    (url) => url.origin !== origin,
    async (route) => {
      faults.push(`${page.url()}: a request to ${route.request().url()}`);
      await route.abort();
    },
  );
  return { page, faults };
}

/** This code runs in the page of the browser. It is a text, because the tests do not have the types of a browser. */
const OVERFLOW = `(() => {
  const width = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth <= width) return [];
  return [...document.querySelectorAll('body *')]
    .filter((element) => element.parentElement.closest('pre, .table') === null)
    .filter((element) => element.getBoundingClientRect().right > width + 1)
    .slice(0, 5)
    .map((element) => element.tagName + ' ' + element.textContent.slice(0, 60));
})()`;

/** Returns the first elements that stick out of the browser's page to the right, if it scrolls sideways. */
export function overflowOf(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(OVERFLOW);
}

/** Returns the accessibility faults that axe finds on a page, with the first element of each rule. */
export async function accessibilityFaultsOf(page: Page): Promise<string[]> {
  // The content security policy of the page applies to a script that a test adds to the page, but not to a script that
  // it evaluates.
  await page.evaluate(axe);
  const { violations } = await page.evaluate<AxeResults>('axe.run({ resultTypes: ["violations"] })');
  return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html ?? ''} ${nodes[0]?.failureSummary ?? ''}`);
}
