import type { Row } from '@invoicecontrol/contracts/analysis/v1/row_analysis_service';
import { FieldFaults, invalidField } from '@invoicecontrol/errors';
import { readWireRow } from '@invoicecontrol/invoice/scan-row';
import { SCAN_ROWS_MAX } from '../../domain/scan.js';

/**
 * Reads the rows of a request for a history scan. The gateway has already reported every fault to integrators; this
 * function refuses the same faults from any other caller, so that no malformed row is stored.
 * @throws DomainError invalid
 */
export function decodeRows(rows: readonly Row[]): Row[] {
  if (rows.length < 1 || rows.length > SCAN_ROWS_MAX) {
    throw invalidField('rows', `must have 1 to ${SCAN_ROWS_MAX} rows, not ${rows.length}.`);
  }
  const faults = new FieldFaults();
  const read = rows.map((row, position) => readWireRow(row, position, faults));
  faults.throwIfAny();
  return read;
}
