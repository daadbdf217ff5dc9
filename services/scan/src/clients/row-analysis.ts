import type { Invoice } from '@invoicecontrol/contracts/analysis/v1/invoice';
import { RowAnalysisServiceDefinition } from '@invoicecontrol/contracts/analysis/v1/row_analysis_service';
import { client } from '@invoicecontrol/runtime/grpc/client';
import type { Channel } from '@invoicecontrol/runtime/grpc/client';
import type { RowAnalysis } from '../application/row-analysis.js';
import type { ScanRow } from '../domain/scan.js';

/** 5000 rows take seconds; this is for a database in trouble. */
const ANALYZE_MS_MAX = 120_000;

/** Rows decided by the analysis service, all in one call. */
export function rowsByAnalysis(channel: Channel): RowAnalysis {
  const analysis = client(RowAnalysisServiceDefinition, channel);
  return {
    analyze({ organizationId, scanId, companyId, baseCurrency, receivedAt, rows }, context) {
      return analysis.analyzeRows(
        {
          organizationId,
          scanId,
          companyId,
          baseCurrency,
          receivedTime: receivedAt,
          rows: rows.map(({ position, row }) => ({
            position,
            sourceRowNumber: row.sourceRowNumber,
            externalId: row.externalId,
            invoice: toInvoice(row, baseCurrency),
          })),
        },
        { context, timeoutMs: ANALYZE_MS_MAX },
      );
    },
  };
}

/** A row as the canonical invoice that it stands for (specification 2.2 and 2.9). */
function toInvoice(row: ScanRow, baseCurrency: string): Invoice {
  const { bankIban, ukAccount } = row;
  return {
    supplier: {
      name: row.supplierName,
      taxId: row.supplierTaxId,
      bankAccount:
        bankIban === undefined && ukAccount === undefined
          ? undefined
          : { iban: bankIban, sortCode: ukAccount?.sortCode, accountNumber: ukAccount?.accountNumber },
    },
    invoiceNumber: row.invoiceNumber,
    issueDate: row.issueDate,
    dueDate: undefined,
    currency: row.currency ?? baseCurrency,
    netAmount: undefined,
    taxAmount: undefined,
    grossAmount: row.grossAmount,
    purchaseOrderRef: row.purchaseOrderRef,
    buyer: undefined,
    companyId: undefined,
  };
}
