import { describe, expect, test } from 'vitest';
import { LARGE_MESSAGE_BYTES_MAX } from '@invoicecontrol/runtime/grpc/message-size';
import type { FindingType } from '@invoicecontrol/engine/explanation/catalogue';
import type { Facts } from '@invoicecontrol/engine/facts/facts';
import type { DocumentFacts } from '@invoicecontrol/engine/facts/document-facts';
import { runEngineOnScan } from '@invoicecontrol/engine/run-engine';
import { FINDING_JSON_BYTES_MAX } from '@invoicecontrol/engine/explanation/evidence';
import type { Finding } from '@invoicecontrol/engine/explanation/evidence';
import { analyze } from './analyze.js';
import { defaultPolicy } from '@invoicecontrol/engine/policy/policy';
import { pairKeysOf } from '../../records/domain/finding-disposition.js';
import { analysisFacts } from '../../testing/analysis-facts.js';
import { invoiceOf } from '@invoicecontrol/invoice/testing/invoices';
import { inMemoryHistory } from '@invoicecontrol/engine/testing/in-memory-history';
import type { BillOptions } from '@invoicecontrol/engine/testing/in-memory-history';

const PAGE_FINDINGS_MAX = 100;
/** Number of stored invoices, more than a lookup by one key returns. */
const ROWS = 100;
const SCAN_ID = '0192a000-0000-7000-8000-00000000c5ca';

/** Returns the longest text that an invoice may state, with a distinguishing end. */
function longText(character: string, end = '', length = 1_000): string {
  return character.repeat(length - end.length) + end;
}

function bytesOf(finding: Finding): number {
  return Buffer.byteLength(JSON.stringify(finding));
}

function largestOf(findings: readonly Finding[]): number {
  return Math.max(0, ...findings.map(bytesOf));
}

function findingIn(findings: readonly Finding[], type: FindingType): Finding {
  const found = findings.find((finding) => finding.type === type);
  if (found === undefined) throw new Error(`${type} was not raised, only ${findings.map((one) => one.type).join()}.`);
  return found;
}

const rowOrigin = (index: number, externalId: string): BillOptions => ({
  origin: { source: 'SCAN', scanId: SCAN_ID, rowNo: index, position: index, receivedAtMs: 7, externalId },
});

describe('a row that repeats many others', () => {
  const history = inMemoryHistory();
  const billed = Array.from({ length: ROWS }, (_, index) =>
    history.bill(invoiceOf({ invoice_number: 'FEE-2026-03', gross_amount: '12.50' }), rowOrigin(index, `E-${index}`)),
  );
  const last = billed.at(-1);
  const { evidence, relatedInvoiceIds, subjects, ...finding } = findingIn(
    last?.analysis.findings ?? [],
    'DUPLICATE_INVOICE',
  );
  const rows = evidence['comparisons'] as readonly { readonly with: string; readonly points: number }[];
  const matched = evidence['matched'] as readonly { readonly invoiceId: string; readonly points: number }[];

  test('shows the best few of them, says how many there are and names all that were compared', () => {
    expect(matched).toHaveLength(defaultPolicy.duplicates.matchedMax);
    expect(evidence['matchedTotal']).toBe(64);
    expect(relatedInvoiceIds).toHaveLength(64);
    expect(relatedInvoiceIds.slice(0, matched.length)).toEqual(matched.map(({ invoiceId }) => invoiceId));
  });

  test('can be checked by hand: the rows of each shown record add up to its points', () => {
    for (const { invoiceId, points } of matched) {
      const own = rows.filter((row) => row.with === invoiceId);
      expect(own.reduce((sum, row) => sum + row.points, 0)).toBe(points);
    }
    expect(evidence['points']).toBe(matched[0]?.points);
  });

  test('stays small, however many there are', () => {
    expect(bytesOf({ evidence, relatedInvoiceIds, ...finding, subjects: [] })).toBeLessThan(11_000);
    expect(subjects).toHaveLength(64);
    expect(Buffer.byteLength(JSON.stringify(subjects))).toBeLessThan(4_096);
    const sizes = billed.map(({ analysis }) => largestOf(analysis.findings));
    expect(sizes[70]).toBeLessThanOrEqual((sizes.at(-1) ?? 0) + 100);
  });

  test('is covered by one review, also against the records that are not shown', () => {
    const pairKeys = pairKeysOf({ subjects });
    const review = { evidenceKey: evidence.key, disposition: 'FALSE_POSITIVE', invoiceId: null, pairKeys } as const;
    const facts = analysisFacts(last?.facts as Facts, { reviews: [review] });
    const again = analyze(facts, defaultPolicy);
    expect(again.findings.find(({ type }) => type === 'DUPLICATE_INVOICE')).toMatchObject({
      disposition: 'FALSE_POSITIVE',
      relatedInvoiceIds,
    });
  });
});

test('the record that the summary names is shown, also when five others have more points', () => {
  const history = inMemoryHistory();
  const supplier = { tax_id: 'DE136695976' };
  // Five copies with a marker score higher than the earlier invoice with the plain number. Only the earlier invoice is
  // a certain match.
  history.bill(
    invoiceOf({ supplier, invoice_number: 'INV-104233', purchase_order_ref: 'PO-45999', issue_date: '2025-03-06' }),
  );
  for (const mark of ['A', 'B', 'C', 'D', 'E']) {
    history.bill(invoiceOf({ supplier, invoice_number: `INV-104233${mark}`, purchase_order_ref: 'PO-45001' }));
  }
  const { analysis, facts } = history.bill(
    invoiceOf({ supplier, invoice_number: 'INV-104233', purchase_order_ref: 'PO-45001', issue_date: '2025-03-10' }),
  );
  const { evidence, summary } = findingIn(analysis.findings, 'DUPLICATE_INVOICE');
  const matched = evidence['matched'] as readonly { readonly invoiceNumber: string }[];
  expect(facts.candidates).toHaveLength(6);
  expect(summary).toContain('repeats INV-104233 (2025-03-06');
  expect(matched.map(({ invoiceNumber }) => invoiceNumber)).toContain('INV-104233');
});

describe.each([
  ['Chinese', '請'],
  ['emoji', '🧾'],
  ['quotation marks', '"'],
])('with every text at its longest, in %s', (_, character) => {
  test('the findings about many copies of an invoice stay within the bound', () => {
    const history = inMemoryHistory();
    const bill = (index: number, options: BillOptions = {}) => {
      // Half of the rows share the tax id and the other half the name, so that rows show names and conflicting tax ids.
      const tax_id = index % 2 === 0 ? 'DE136695976' : 'DE811569869';
      const long = invoiceOf({
        supplier: { name: `Acme ${longText(character, '', 995)}`, tax_id },
        invoice_number: `1042${longText(character, '', 996)}`,
        purchase_order_ref: `PO-4500${longText(character, '', 993)}`,
      });
      return history.bill(long, { ...rowOrigin(index, longText(character, String(index))), ...options });
    };
    for (let index = 0; index < ROWS; index += 1) bill(index);
    const copy = bill(ROWS);
    const elsewhere = bill(ROWS + 1, {
      origin: { companyId: '0192a000-0000-7000-8000-00000000c002', documentSha256: 'ab'.repeat(32) },
    });
    findingIn(elsewhere.analysis.findings, 'CROSS_COMPANY_DUPLICATE');
    findingIn(copy.analysis.findings, 'DUPLICATE_ACROSS_SUPPLIERS');
    const findings = [...copy.analysis.findings, ...elsewhere.analysis.findings];
    expect(largestOf(findings)).toBeLessThanOrEqual(FINDING_JSON_BYTES_MAX);
  });

  test('an account of many suppliers stays within the bound', () => {
    const suppliers = Array.from({ length: 64 }, (_unused, index) => ({
      supplierId: `0192a000-0000-7000-8000-${String(index).padStart(12, '0')}`,
      name: longText(character, String(index)),
      nameKey: `N${index}`,
      firstDay: 20_000,
      lastDay: 20_001,
      count: 1,
      firstInvoiceId: `0192a000-0000-7000-8000-${String(index).padStart(12, '0')}`,
    }));
    const iban = 'DE89370400440532013000';
    const { analysis } = inMemoryHistory().bill(
      invoiceOf({ supplier: { name: longText(character), bank_account: { iban } } }),
      { facts: { bankLink: { bankKey: iban, suppliers } } },
    );
    const shared = findingIn(analysis.findings, 'BANK_ACCOUNT_SHARED');
    expect(bytesOf(shared)).toBeLessThanOrEqual(FINDING_JSON_BYTES_MAX);
  });

  test('a document with many faults stays within the bound', () => {
    const message = longText(character);
    const failed = {
      id: message,
      flag: 'FATAL',
      message,
      location: message,
      expected: message,
      actual: message,
    } as const;
    const document: DocumentFacts = {
      method: 'XML',
      fields: [],
      tamperSigns: [],
      hiddenTexts: [],
      conflicts: Array.from({ length: ROWS }, () => ({
        field: 'invoice_number',
        source: 'XML' as const,
        machineValue: message,
        visibleValue: longText(character, 'x'),
      })),
      validation: {
        profile: message,
        ruleSet: message,
        declaredProfiles: Array.from({ length: ROWS }, () => message),
        schemaErrors: Array.from({ length: ROWS }, () => ({ message, location: message })),
        failedRules: Array.from({ length: ROWS }, () => failed),
        failedTotal: ROWS,
      },
    };
    const { analysis } = inMemoryHistory().bill(invoiceOf({ invoice_number: message }), { facts: { document } });
    findingIn(analysis.findings, 'E_INVOICE_RULE_FAILED');
    findingIn(analysis.findings, 'DOCUMENT_FIELD_CONFLICT');
    expect(largestOf(analysis.findings)).toBeLessThanOrEqual(FINDING_JSON_BYTES_MAX);
  });

  test('the suppliers just under a limit of approval are named within the bound', () => {
    const rows = Array.from({ length: 400 }, (_unused, index) => ({
      supplierId: `0192a000-0000-7000-8000-${String(index).padStart(12, '0')}`,
      supplierName: longText(character, String(index), 400),
      amountMinor: String(990_000 + index),
      currency: 'EUR',
    }));
    const scan = { scanId: SCAN_ID, companyId: 'c', rows };
    const cluster = findingIn(runEngineOnScan(scan, defaultPolicy), 'THRESHOLD_CLUSTER');
    expect(cluster.evidence.observed).toMatchObject({ under: 400 });
    expect(bytesOf(cluster)).toBeLessThanOrEqual(FINDING_JSON_BYTES_MAX);
  });
});

test('an invoice that was billed before in many parts names a few of them, and is related to all', () => {
  const history = inMemoryHistory();
  const supplier = { name: longText('🧾'), tax_id: 'DE136695976' };
  const parts = 40;
  for (let index = 0; index < parts; index += 1) {
    history.bill(invoiceOf({ supplier, invoice_number: `10423${'/'.repeat(150)}1`, gross_amount: '100.00' }));
  }
  const whole = history.bill(invoiceOf({ supplier, invoice_number: '10423', gross_amount: '4000.00' }));
  const split = findingIn(whole.analysis.findings, 'SPLIT_DUPLICATE');
  expect(split.evidence).toMatchObject({ partsTotal: parts, matchedTotal: parts, sum: '4000.00' });
  expect(split.evidence['parts']).toHaveLength(defaultPolicy.duplicates.partsMax);
  expect(split.relatedInvoiceIds).toHaveLength(parts);
  expect(split.summary).toMatch(/… and 35 more add up to 10423 \(/);
  expect(bytesOf(split)).toBeLessThanOrEqual(FINDING_JSON_BYTES_MAX);
});

test('a page of the largest findings fits into one message between services', () => {
  // Maximum size of a finding record, which contains the texts of its invoice only once.
  const RECORD_BYTES_MAX = 16 * 1024;
  expect(PAGE_FINDINGS_MAX * (FINDING_JSON_BYTES_MAX + RECORD_BYTES_MAX)).toBeLessThan(LARGE_MESSAGE_BYTES_MAX);
});
