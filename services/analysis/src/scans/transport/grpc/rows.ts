import type { Row } from '@invoicecontrol/contracts/analysis/v1/row_analysis_service';
import { RowAnalysisServiceDefinition } from '@invoicecontrol/contracts/analysis/v1/row_analysis_service';
import { DomainError, FieldFaults, invalidField } from '@invoicecontrol/errors';
import { readWireInto } from '@invoicecontrol/invoice/wire';
import { bind } from '@invoicecontrol/runtime/grpc/server';
import type { Binding } from '@invoicecontrol/runtime/grpc/server';
import { pace } from '@invoicecontrol/runtime/pace';
import { isBaseCurrency } from '@invoicecontrol/values/currency';
import { validate as isUuid } from 'uuid';
import type { AnalyzeRows } from '../../application/analyze-rows.js';
import type { RowInput } from '../../application/read-rows.js';

/** Maximum number of rows in a history scan (specification, section 8). */
const ROWS_MAX = 5_000;
/** Maximum time in milliseconds for which reading a request with scan rows delays other calls. */
const TURN_MS_MAX = 2;

interface Deps {
  readonly analyzeRows: AnalyzeRows;
}

/** Implements the gRPC service invoicecontrol.analysis.v1.RowAnalysisService. */
export function rowAnalysisService({ analyzeRows }: Deps): Binding {
  return bind(RowAnalysisServiceDefinition, {
    async analyzeRows({ organizationId, scanId, companyId, baseCurrency, receivedTime, rows: wireRows }, context) {
      if (!isUuid(scanId)) throw invalidField('scan_id', 'must be a UUID.');
      if (!isBaseCurrency(baseCurrency)) throw invalidField('base_currency', 'is not a known base currency.');
      if (receivedTime === undefined) throw invalidField('received_time', 'is required.');
      const rows = await decodeRows(wireRows);
      const outcome = await analyzeRows(
        { organizationId, scanId, companyId, baseCurrency, receivedAt: receivedTime, rows },
        context,
      );
      return {
        invoicesAnalyzed: outcome.invoicesAnalyzed,
        decisionCounts: { ...outcome.decisionCounts },
        findingCounts: { ...outcome.findingCounts },
        convertedTotal: outcome.convertedTotal,
        unconvertedInvoices: outcome.unconvertedInvoices,
      };
    },
  });
}

/**
 * Decodes the rows of a history scan from a request.
 * @throws DomainError invalid, with all faults
 */
async function decodeRows(wireRows: readonly Row[]): Promise<RowInput[]> {
  if (wireRows.length < 1 || wireRows.length > ROWS_MAX) {
    throw new DomainError('invalid', `rows: must have 1 to ${ROWS_MAX} rows.`);
  }
  const faults = new FieldFaults();
  const turns = pace(TURN_MS_MAX);
  const positions = new Set<number>();
  const rows: RowInput[] = [];
  for (const { position, sourceRowNumber, externalId, invoice } of wireRows) {
    if (positions.has(position)) throw new DomainError('invalid', `rows: position ${position} appears twice.`);
    positions.add(position);
    rows.push({
      position,
      sourceRowNumber,
      ...(externalId === undefined ? {} : { externalId }),
      invoice: readWireInto(faults, invoice, { path: `rows[${position}]` }),
    });
    await turns();
  }
  faults.throwIfAny();
  return rows;
}
