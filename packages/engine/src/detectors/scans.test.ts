import { describe, expect, test } from 'vitest';
import { runEngineOnScan } from '../run-engine.js';
import type { Finding } from '../explanation/evidence.js';
import { defaultPolicy } from '../policy/policy.js';
import { requireEvidenceContract } from '../testing/evidence-contract.js';
import type { ScanPopulation, ScanRow } from '../facts/scan.js';

const row = (amountMinor: string | number, changes: Partial<ScanRow> = {}): ScanRow => ({
  supplierId: 's',
  supplierName: 'Acme',
  amountMinor: String(amountMinor),
  currency: 'EUR',
  ...changes,
});
const times = <T>(count: number, of: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => of(index));

function findingsIn(rows: readonly ScanRow[], earlier?: ScanPopulation['earlier']): Finding[] {
  const scan = { scanId: 'scan-2', companyId: 'c', rows, ...(earlier && { earlier }) };
  const findings = runEngineOnScan(scan, defaultPolicy);
  requireEvidenceContract(findings);
  return findings;
}
const typesIn = (rows: readonly ScanRow[]): string[] => findingsIn(rows).map(({ type }) => type);

/**
 * Rows of many suppliers with amounts spread evenly on the logarithmic scale from 10.00 to 100 000.00, which follow the
 * law exactly.
 */
const grown = (count: number): ScanRow[] =>
  times(count, (index) =>
    row(Math.floor(1000 * 10 ** ((4 * (index + 0.5)) / count)), { supplierId: `s${index % 50}` }),
  );

describe('SCAN_REIMPORTED', () => {
  const reimported = (rows: number, identicalRows: number) =>
    findingsIn(
      times(rows, (index) => row(1000 + index)),
      { scanId: 'scan-1', identicalRows },
    );
  test('is raised when 95 % of at least 200 rows are those of an earlier scan', () => {
    expect(reimported(200, 190)).toMatchObject([
      {
        type: 'SCAN_REIMPORTED',
        severity: 'MEDIUM',
        confidence: 95,
        evidence: { earlierScanId: 'scan-1', share: 0.95 },
      },
    ]);
  });
  test.each([
    [
      200,
      '200 of 200 rows were already in an earlier scan and are not counted again; no row is new.',
      'Check whether the right file was exported for the scan of past invoices, because the file has no new rows.',
    ],
    [
      199,
      '199 of 200 rows were already in an earlier scan and are not counted again; 1 row is new and is counted.',
      'Check whether the right file was exported for the scan of past invoices, because the file has only 1 new row.',
    ],
    [
      190,
      '190 of 200 rows were already in an earlier scan and are not counted again; 10 rows are new and are counted.',
      'Check whether the right file was exported for the scan of past invoices, because the file has only 10 new rows.',
    ],
  ])('says how many rows are new and whether they count: %i of 200 were there', (identical, summary, action) => {
    expect(reimported(200, identical)).toMatchObject([{ summary, recommendedAction: action }]);
  });
  test('is not raised below 95 % and for fewer rows', () => {
    expect(reimported(200, 189)).toEqual([]);
    expect(reimported(199, 199)).toEqual([]);
  });
});

describe('BENFORD_DEVIATION', () => {
  /** The rows of the history scan, with every fifth amount replaced by one that begins with 37. */
  const bent = (count: number): ScanRow[] =>
    grown(count).map((one, index) => (index % 5 === 0 ? { ...one, amountMinor: String(370_000 + index) } : one));
  test('is INFO for a thousand amounts whose leading digits pile up', () => {
    const [finding] = findingsIn(bent(1000));
    expect(finding).toMatchObject({ type: 'BENFORD_DEVIATION', severity: 'INFO', confidence: 50 });
    expect(finding?.evidence['spikes']).toMatchObject([{ digits: 37 }]);
  });
  test.each([
    ['grown amounts', grown(1000)],
    ['five thousand of them', grown(5000)],
    ['fewer than a thousand', bent(999)],
    ['amounts of less than ten', bent(1000).map((one) => ({ ...one, amountMinor: one.amountMinor.slice(0, 3) }))],
    ['amounts of two decades', bent(1000).map((one) => ({ ...one, amountMinor: `${one.amountMinor.slice(0, 2)}00` }))],
  ])('is not raised for %s', (_, rows) => {
    expect(typesIn(rows)).toEqual([]);
  });
  test('leaves out suppliers with a price list', () => {
    const prices = times(600, (index) => row(index % 2 === 0 ? 370_000 : 375_000, { supplierId: 'prices' }));
    expect(typesIn([...grown(1000), ...prices])).toEqual([]);
  });
  test('is LOW for one supplier of at least 300 amounts', () => {
    const invented = (count: number) => times(count, (index) => row(700_000 + index * 13, { supplierId: 'x' }));
    expect(findingsIn(invented(300))).toMatchObject([{ severity: 'LOW', confidence: 50, evidence: { digits: 1 } }]);
    expect(typesIn(invented(299))).toEqual([]);
  });
});

describe('THRESHOLD_CLUSTER', () => {
  /** Rows with amounts elsewhere, and with the given numbers of amounts below, in and above the band. */
  const around = (under: number, below: number, above: number, rows = 300, currency = 'EUR'): ScanRow[] => {
    const banded = [
      ...times(under, (index) => row(475_000 + index * 997, { supplierId: `u${index % 4}` })),
      ...times(below, (index) => row(450_000 + index)),
      ...times(above, (index) => row(500_000 + index)),
    ];
    const rest = times(rows - banded.length, (index) => row(1100 + index * 7, { supplierId: `r${index}` }));
    return [...banded, ...rest].map((one) => ({ ...one, currency }));
  };
  test('is raised for ten amounts under a limit, more than three times as many as around it', () => {
    expect(findingsIn(around(10, 3, 3))).toMatchObject([
      {
        type: 'THRESHOLD_CLUSTER',
        severity: 'LOW',
        confidence: 65,
        recommendedAction: 'Review who approved the invoices just under the approval limit of EUR 5,000.00.',
        evidence: { threshold: '5000.00', currency: 'EUR', counts: { under: 10, neighbours: 3 } },
      },
    ]);
    expect(findingsIn(around(10, 3, 3))[0]?.evidence['suppliers']).toMatchObject([
      { supplierId: 'u0', invoices: 3 },
      {},
      {},
      {},
    ]);
  });
  test('shows suppliers with equal shares by name, so that ids do not choose which', () => {
    const shown = (idOf: (index: number) => string): unknown =>
      findingsIn([
        ...times(30, (index) =>
          row(475_000 + index * 797, { supplierId: idOf(index), supplierName: `Supplier ${index}` }),
        ),
        ...times(270, (index) => row(1100 + index * 7, { supplierId: `r${index}` })),
      ]).map(({ evidence }) => (evidence['suppliers'] as readonly { name: string }[]).map(({ name }) => name));
    expect(shown((index) => `a${index}`)).toEqual(shown((index) => `a${99 - index}`));
  });
  test('is not raised for nine, for three times as many and in a small scan', () => {
    expect(typesIn(around(9, 0, 0))).toEqual([]);
    expect(typesIn(around(12, 4, 4))).toEqual([]);
    expect(typesIn(around(10, 3, 3, 299))).toEqual([]);
  });
  test('knows the limits in currencies without decimals', () => {
    const yen = times(10, (index) => row(4800 + index, { currency: 'JPY', supplierId: `u${index}` }));
    expect(typesIn([...yen, ...times(290, (index) => row(11 + index * 3, { currency: 'JPY' }))])).toEqual([
      'THRESHOLD_CLUSTER',
    ]);
  });
  test('is not raised for one price that happens to lie there', () => {
    const priced = around(10, 3, 3).map((one, index) => (index < 6 ? row(499_000) : one));
    expect(typesIn(priced)).toEqual([]);
  });
});
