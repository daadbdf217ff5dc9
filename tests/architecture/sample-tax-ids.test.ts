// Readers send the samples of several pages to one system. Samples with one tax id would be one supplier, and findings would
// follow that no page explains.
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { parseTaxId, taxIdValidity } from '@invoicecontrol/values/tax-id';

const root = fileURLToPath(new URL('../..', import.meta.url));
/** Pattern of a tax id. It must not match the beginning of an account number that is written in groups of four. */
const TAX_ID = /\b(?:GB|DE|PL|IT) ?\d[\d -]{7,12}\d\b(?![ -]?\d)/g;

const guides = readdirSync(join(root, 'docs/guides'))
  .filter((name) => name.endsWith('.md'))
  .map((name) => `docs/guides/${name}`);
const pages = ['README.md', 'packages/client/README.md', 'tools/dev/src/demonstration-invoices.ts', ...guides];
const samples = pages.map((page) => {
  const found = readFileSync(join(root, page), 'utf8').match(TAX_ID) ?? [];
  return { page, taxIds: [...new Set(found.map((text) => text.replaceAll(/[ -]/g, '')))] };
});

test('each tax id of a sample belongs to one page', () => {
  const all = samples.flatMap(({ taxIds }) => taxIds);
  expect(all.filter((taxId, index) => all.indexOf(taxId) !== index)).toEqual([]);
  expect(all.length).toBeGreaterThanOrEqual(8);
});

/**
 * German and British numbers and Polish tax offices are counted upwards and are far from real ones; Italian tax ids
 * name a province.
 */
const UNASSIGNED = /^(?:GB999|DE9|PL999|IT\d{7}999)/;

test.each(samples.flatMap(({ page, taxIds }) => taxIds.map((taxId) => [taxId, page] as const)))(
  '%s of %s has right check digits, and lies in a range that is not given to firms',
  (taxId) => {
    const { body = '', country = '' } = parseTaxId(taxId) ?? {};
    expect(taxIdValidity(body, country)).toBe('VALID');
    expect(taxId).toMatch(UNASSIGNED);
  },
);
