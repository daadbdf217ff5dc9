import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Invoice } from '@invoicecontrol/contracts/analysis/v1/invoice';
import { syntheticHistory } from '@invoicecontrol/engine/testing/synthetic-history';
import type { CanonicalInvoice } from '@invoicecontrol/invoice/canonical-invoice';
import { wireInvoice } from '@invoicecontrol/invoice/testing/wire-invoice';
import { toWire } from '@invoicecontrol/invoice/wire';
import { testDatabaseName, testInfrastructure } from '@invoicecontrol/testkit/infrastructure';
import { startService } from '../compose.js';
import type { FindingDocument } from '../records/storage/findings.js';
import type { InvoiceDocument } from '../records/storage/invoices.js';
import { startAnalysis } from '../testing/running-analysis.js';
import type { RunningAnalysis } from '../testing/running-analysis.js';

const TEST_MS_MAX = 240_000;
/** Number of rows that are posted one by one. The first months are sufficient. */
const POSTED_ROWS = 450;

let running: RunningAnalysis;
beforeAll(async () => {
  running = await startAnalysis(startService, testInfrastructure(), testDatabaseName());
});
afterAll(() => running.stop());

/**
 * Invoices in order of issue date with as many ties as possible: all invoices of a month on two days, amounts that many
 * suppliers share, one number on a hundred invoices, and just as many suppliers with equal shares as can be shown.
 */
function tiedRows(): Invoice[] {
  const bills = syntheticHistory(11, 3, 0.15).map(({ invoice }): CanonicalInvoice => {
    const { due_date: _due, net_amount: _net, tax_amount: _tax, ...rest } = invoice;
    return {
      ...rest,
      issue_date: `2026${invoice.issue_date.slice(4, 8)}${Number(invoice.issue_date.slice(8)) <= 15 ? '05' : '20'}`,
      gross_amount: `${Math.round(Number(invoice.gross_amount) / 500) * 250}.00`,
    };
  });
  const usual = bills.filter(({ gross_amount }) => gross_amount !== '0.00');
  const [hot] = usual;
  if (hot === undefined) throw new Error('no bills');
  const sameNumber = Array.from({ length: 90 }, (_, index) => ({
    ...hot,
    invoice_number: 'KD-4711',
    issue_date: '2026-02-20',
    gross_amount: `${400 + (index % 7)}.10`,
  }));
  const underLimit = Array.from({ length: 30 }, (_, index) => ({
    supplier: { name: `Lieferant ${String.fromCharCode(65 + (index % 26))}${index} Handel` },
    invoice_number: `L${7_003 + index * 11}`,
    issue_date: '2026-03-20',
    currency: 'EUR',
    gross_amount: `${4_801 + index * 6}.20`,
  }));
  return [...usual, ...sameNumber, ...underLimit]
    .sort((left, right) => (left.issue_date < right.issue_date ? -1 : Number(left.issue_date > right.issue_date)))
    .map(toWire);
}

/** Fields that differ by design: those derived from ids, and the position of a row in its file. */
const notCompared = new Set(['findingId', 'key', 'pairKey', 'groupId', 'scanId', 'sourceRowNumber', 'externalId']);

/** Returns all decisions, with ids replaced by names of the records that they identify. */
async function resultsOf(organizationId: string) {
  const { db } = running.mongo;
  const invoices = await db
    .collection<InvoiceDocument>('invoices')
    .find({ organizationId })
    .sort({ createdAt: 1, 'match.position': 1, _id: 1 })
    .toArray();
  const scans = await db
    .collection<FindingDocument>('findings')
    .find({ organizationId, invoiceId: { $exists: false } })
    .sort({ type: 1, summary: 1 })
    .toArray();
  const suppliers = await db
    .collection<{ _id: string; name: string; taxKey?: string }>('suppliers')
    .find({ organizationId })
    .toArray();
  const names = new Map<string, string>([
    ...invoices.map(({ _id }, index) => [_id, `row ${index}`] as const),
    ...suppliers.map(({ _id, name, taxKey }) => [_id, `${name} ${taxKey ?? ''}`] as const),
  ]);
  const named = (value: unknown): unknown => {
    if (typeof value === 'string') return names.get(value) ?? value;
    if (Array.isArray(value)) return value.map(named);
    if (value === null || typeof value !== 'object' || value instanceof Date) return value;
    return Object.fromEntries(
      Object.entries(value)
        .filter(([name]) => !notCompared.has(name))
        .map(([name, inner]) => [name, named(inner)]),
    );
  };
  return {
    rows: invoices.map(({ verdict, analysis }) => named({ verdict, findings: analysis?.findings })),
    scans: scans.map(({ type, severity, summary, evidence }) => named({ type, severity, summary, evidence })),
  };
}

describe('the same rows give the same results', () => {
  test(
    'in two organizations: ties are decided by what the rows state and not by ids',
    async () => {
      const rows = tiedRows();
      const [first, second] = [running.organization.newTenant(), running.organization.newTenant()];
      for (const organizationId of [first, second]) await running.rpc.scan(organizationId, rows);
      const results = await resultsOf(first);
      expect(results.rows).toHaveLength(rows.length);
      expect(results.scans.length).toBeGreaterThan(0);
      expect(await resultsOf(second)).toEqual(results);
    },
    TEST_MS_MAX,
  );

  test(
    'as a scan and as single posts in the order of its rows',
    async () => {
      const rows = tiedRows().slice(0, POSTED_ROWS);
      const [scanned, posted] = [running.organization.newTenant(), running.organization.newTenant()];
      for (const organizationId of [scanned, posted]) await running.rpc.scan(organizationId, [wireInvoice()]);
      await running.rpc.scan(scanned, rows);
      for (const row of rows) await running.rpc.post(posted, row);
      const [ofScan, ofPosts] = [await resultsOf(scanned), await resultsOf(posted)];
      expect(ofPosts.rows).toHaveLength(rows.length + 1);
      // No reviewer can act between two rows of a history scan, so an unusual amount becomes usual for later rows
      // (section 4).
      const isComparable = (index: number): boolean =>
        [ofScan, ofPosts].every(({ rows: all }) => !JSON.stringify(all[index]).includes('"family":"AMT"'));
      const comparable = <T>(all: readonly T[]): T[] => all.filter((_, index) => isComparable(index));
      expect(comparable(ofPosts.rows).length).toBeGreaterThan(POSTED_ROWS / 2);
      expect(comparable(ofPosts.rows)).toEqual(comparable(ofScan.rows));
    },
    TEST_MS_MAX,
  );
});
