import type { Pace } from '@invoicecontrol/runtime/pace';
import type { CanonicalInvoice } from '@invoicecontrol/invoice/canonical-invoice';
import { keysOf, matchPartOf, supplierKeysOf } from '@invoicecontrol/engine/normalisation/match-keys';
import { normaliseInvoice } from '@invoicecontrol/engine/normalisation/normalise-invoice';
import { compareByArrival } from '@invoicecontrol/engine/facts/record-order';
import { rowIdFor } from '../../records/application/derived-ids.js';
import type { ReadRow } from './row-history.js';
import type { RowsReference } from '../../records/application/row-store.js';

/** A row of a history scan as sent by the scan service. */
export interface RowInput {
  /** Index of the row among the scan rows of the request, counted from 0. */
  readonly position: number;
  /** Number of the scan row in the file of the caller. */
  readonly sourceRowNumber: number;
  readonly externalId?: string;
  readonly invoice: CanonicalInvoice;
}

interface Reading {
  readonly receivedAtMs: number;
  readonly pace: Pace;
  /** Function that is called for each row of the history scan as soon as the row is read. */
  readonly onRow: (row: ReadRow) => void;
}

/**
 * Converts the rows of a history scan to the values by which rows are compared with invoices.
 * @returns the rows in the order in which they are analyzed
 */
export async function readRows(
  { scanId, companyId }: RowsReference,
  rows: readonly RowInput[],
  { receivedAtMs, pace, onRow }: Reading,
): Promise<readonly ReadRow[]> {
  const read: ReadRow[] = [];
  for (const { position, sourceRowNumber, externalId, invoice: canonical } of rows) {
    const invoice = normaliseInvoice(canonical, {
      invoiceId: rowIdFor(scanId, position),
      companyId,
      source: 'SCAN',
      receivedAtMs,
      scanId,
      rowNo: sourceRowNumber,
      position,
      ...(externalId === undefined ? {} : { externalId }),
    });
    const { stored, lookups } = keysOf(invoice);
    const row: ReadRow = {
      canonical,
      invoice,
      part: matchPartOf(invoice, stored),
      lookups,
      supplierKeys: supplierKeysOf(invoice),
    };
    read.push(row);
    onRow(row);
    await pace();
  }
  return read.sort((left, right) => compareByArrival(left.invoice, right.invoice));
}

/** Returns copies of the scan rows that have another time of receipt. */
export function receivedAt(rows: readonly ReadRow[], receivedAtMs: number): readonly ReadRow[] {
  return rows.map((row) => ({
    ...row,
    invoice: { ...row.invoice, receivedAtMs },
    part: { ...row.part, receivedAtMs },
  }));
}
