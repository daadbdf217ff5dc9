// Compares the stored history scans with the responses. The invoices of their rows are audited together with all
// others.
import { isDeepStrictEqual as same } from 'node:util';
import type { Scan } from '../shapes.js';
import { counted, repeated, withoutDetails } from './audit.js';
import type { Databases, StoredFinding, StoredInvoice } from './audit.js';
import type { Effect } from './effects.js';
import type { AcknowledgedScan } from './ledger.js';

interface StoredScan {
  readonly _id: string;
  readonly organizationId: string;
  readonly companyId: string;
  readonly status: string;
  readonly usage: { readonly month: string; readonly rows: number };
  readonly result?: Omit<Scan, 'id' | 'status' | 'skippedRows'>;
  readonly skippedRows?: Scan['skippedRows'];
  readonly turn?: string;
  readonly packedRows?: unknown;
}

interface StoredImport {
  readonly _id: string;
  readonly organizationId: string;
  readonly scanId: string;
  readonly position: number;
}

interface StoredRun {
  readonly _id: string;
  readonly outcome?: unknown;
}

/** Stored records of all history scans that the audit compares. */
interface Books {
  readonly scans: readonly StoredScan[];
  readonly imports: readonly StoredImport[];
  readonly runs: readonly StoredRun[];
  readonly used: ReadonlyMap<string, number>;
  readonly rowsOf: ReadonlyMap<string, readonly StoredInvoice[]>;
  /** Findings about a history scan as a whole, by scan. */
  readonly findingsOf: ReadonlyMap<string, readonly StoredFinding[]>;
}

/** Lists the broken guarantees about history scans, as sentences. The audit is made when no work is left. */
export async function scanContradictions(
  databases: Databases,
  acknowledged: readonly AcknowledgedScan[],
  effects: readonly Effect[],
): Promise<string[]> {
  const books = await readBooks(databases);
  return [
    ...scanAnswersNotKept(books, acknowledged),
    ...books.scans.flatMap((scan) => faultsOf(scan, books)),
    ...leftOfNothing(books),
    ...announcedOtherwise(books, effects),
    ...[...countersOf(books.scans)].flatMap(([counter, rows]) => {
      const used = books.used.get(counter) ?? 0;
      return used >= rows ? [] : [`the counter ${counter} says ${used} of ${rows} rows`];
    }),
  ];
}

/**
 * Describes each usage counter of the given organizations that is higher than the number of scan rows that it should
 * count. A crash may leave such a counter until it is corrected.
 */
export async function overcounted(databases: Databases, organizationIds: readonly string[]): Promise<string[]> {
  const [scans, used] = await Promise.all([storedScans(databases), usedRows(databases)]);
  const rows = countersOf(scans);
  return [...used].flatMap(([counter, count]) =>
    organizationIds.includes(counter.split(':', 1)[0] ?? '') && count > (rows.get(counter) ?? 0)
      ? [`the counter ${counter} says ${count} of ${rows.get(counter) ?? 0} rows`]
      : [],
  );
}

const storedScans = ({ scan }: Databases): Promise<StoredScan[]> =>
  scan.collection<StoredScan>('scans').find({}, { projection: withoutDetails }).toArray();

async function usedRows({ scan }: Databases): Promise<ReadonlyMap<string, number>> {
  const counters = await scan.collection<{ _id: string; used: number }>('usage').find().toArray();
  return new Map(counters.map(({ _id, used }) => [_id, used]));
}

async function readBooks(databases: Databases): Promise<Books> {
  const { analysis, scan } = databases;
  const [scans, imports, used, runs, rows, findings] = await Promise.all([
    storedScans(databases),
    scan.collection<StoredImport>('imported_rows').find().toArray(),
    usedRows(databases),
    analysis.collection<StoredRun>('scan_runs').find().toArray(),
    analysis.collection<StoredInvoice>('invoices').find({ source: 'SCAN' }, { projection: withoutDetails }).toArray(),
    analysis
      .collection<StoredFinding>('findings')
      .find({ invoiceId: { $exists: false } })
      .toArray(),
  ]);
  return {
    scans,
    imports,
    runs,
    used,
    rowsOf: grouped(rows, ({ match }) => match.scanId ?? ''),
    findingsOf: grouped(findings, ({ scanId }) => scanId ?? ''),
  };
}

/**
 * Checks that every response about a history scan holds: the scan is stored as the response said, and the same key
 * always gives the same response.
 */
function scanAnswersNotKept({ scans, rowsOf, imports }: Books, acknowledged: readonly AcknowledgedScan[]): string[] {
  const stored = new Map(scans.map((scan) => [scan._id, scan]));
  const importsOf = grouped(imports, ({ scanId }) => scanId);
  const firstOfKey = new Map<string, string>();
  return acknowledged.flatMap(({ organizationId, idempotencyKey, rows, scan }) => {
    const { id, status, skippedRows, ...figures } = scan;
    const named = `scan ${id} (key ${idempotencyKey})`;
    const key = idempotencyKey === undefined ? id : `${organizationId}|${idempotencyKey}`;
    const first = firstOfKey.get(key) ?? id;
    firstOfKey.set(key, first);
    const kept = stored.get(id);
    if (kept === undefined || kept.organizationId !== organizationId) return [`${named} is not stored`];

    const skipped = new Set(skippedRows.map(({ sourceRowNumber }) => sourceRowNumber));
    const analyzed = rows.flatMap((row, position) => (skipped.has(Number(row['sourceRowNumber'])) ? [] : [position]));
    const positions = (rowsOf.get(id) ?? []).map(({ match }) => match.position ?? -1);
    const withIds = analyzed.filter((position) => rows[position]?.['externalId'] !== undefined);
    const imported = (importsOf.get(id) ?? []).map(({ position }) => position);
    return [
      ...(first === id ? [] : [`${named} was ${first} before`]),
      ...(same(kept.result, figures) ? [] : [`${named} is stored with another result than was answered`]),
      ...(same(kept.skippedRows, skippedRows) ? [] : [`${named} has skipped other rows than was answered`]),
      ...(same(ascending(positions), analyzed) ? [] : [`${named} has invoices of other rows than it analyzed`]),
      ...(same(ascending(imported), withIds) ? [] : [`${named} has imported other rows than it analyzed`]),
    ];
  });
}

/** Checks that a stored history scan is complete and that its figures match its rows. */
function faultsOf(scan: StoredScan, { rowsOf, findingsOf, runs }: Books): string[] {
  const { _id, organizationId, status, usage, result, turn, packedRows } = scan;
  if (status !== 'COMPLETE' || result === undefined) return [`scan ${_id} is ${status}`];
  const rows = rowsOf.get(_id) ?? [];
  const types = [
    ...rows.flatMap(({ analysis }) => (analysis?.findings ?? []).map(({ type }) => type)),
    ...(findingsOf.get(_id) ?? []).map(({ type }) => type),
  ];
  const decisions = { PASS: 0, REVIEW: 0, BLOCK: 0, ...fromCounts(rows.map(({ analysis }) => analysis?.decision)) };
  const isFinished = runs.some((run) => run._id === _id && run.outcome !== undefined);
  const faults = [
    turn === undefined && packedRows === undefined ? '' : 'is complete and keeps its turn or its rows',
    rows.every((row) => row.organizationId === organizationId) ? '' : 'has rows of another organization',
    result.invoicesAnalyzed === rows.length ? '' : `says ${result.invoicesAnalyzed} of ${rows.length} invoices`,
    usage.rows === rows.length ? '' : `counts ${usage.rows} of ${rows.length} invoices`,
    same(result.decisionCounts, decisions) ? '' : 'says other decisions than its invoices',
    same(result.findingCounts, fromCounts(types)) ? '' : 'says other findings than are stored',
    isFinished ? '' : 'is complete and its analysis is not',
  ];
  return faults.flatMap((fault) => (fault === '' ? [] : [`scan ${_id} ${fault}`]));
}

/** Checks that a history scan that is not stored leaves no records, and that an external id is imported once. */
function leftOfNothing({ scans, imports, runs, rowsOf, findingsOf }: Books): string[] {
  const stored = new Set(scans.map(({ _id }) => _id));
  const traces = [
    ...imports.map(({ scanId }) => ['imported rows', scanId]),
    ...runs.map(({ _id }) => ['an analysis', _id]),
    ...[...rowsOf.keys()].map((scanId) => ['invoices', scanId]),
    ...[...findingsOf.keys()].map((scanId) => ['findings', scanId]),
  ] as const;
  return traces.flatMap(([what, scanId = '']) =>
    stored.has(scanId) ? [] : [`there are ${what} of scan ${scanId}, which is not stored`],
  );
}

/** Checks that every history scan was published once, with its figures. */
function announcedOtherwise({ scans }: Books, effects: readonly Effect[]): string[] {
  const told = effects
    .filter(({ event }) => event === 'scan_completed')
    .map(({ payload }) => JSON.parse(payload) as Partial<Scan> & { readonly scanId: string });
  const byScan = new Map(told.map((event) => [event.scanId, event]));
  return [
    ...repeated(told.map(({ scanId }) => scanId)).map((id) => `scan ${id} was announced by two events`),
    ...scans.flatMap(({ _id, result }) => {
      const event = byScan.get(_id);
      if (event === undefined) return [`scan ${_id} was not announced`];
      const { invoicesAnalyzed, rowsSkipped = 0, findingCounts = {} } = event;
      const isSo =
        invoicesAnalyzed === result?.invoicesAnalyzed &&
        rowsSkipped === result?.rowsSkipped &&
        same(findingCounts, result.findingCounts);
      return isSo ? [] : [`scan ${_id} was announced with other figures`];
    }),
    ...told.flatMap(({ scanId }) =>
      scans.some(({ _id }) => _id === scanId) ? [] : [`scan ${scanId} was announced and is not stored`],
    ),
  ];
}

/** Returns the history scan rows that should be counted, by the id of the usage counter. */
function countersOf(scans: readonly StoredScan[]): ReadonlyMap<string, number> {
  const rows = new Map<string, number>();
  for (const { organizationId, usage } of scans) {
    const counter = `${organizationId}:${usage.month}:scan_rows`;
    rows.set(counter, (rows.get(counter) ?? 0) + usage.rows);
  }
  return rows;
}

function grouped<T>(items: readonly T[], keyOf: (item: T) => string): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}

function fromCounts(keys: readonly (string | undefined)[]): Record<string, number> {
  return Object.fromEntries(counted(keys));
}

function ascending(numbers: readonly number[]): readonly number[] {
  return numbers.toSorted((left, right) => left - right);
}
