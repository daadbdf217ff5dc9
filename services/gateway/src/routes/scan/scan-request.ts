import type { Row } from '@invoicecontrol/contracts/analysis/v1/row_analysis_service';
import { FieldFaults } from '@invoicecontrol/errors';
import { readScanRow } from '@invoicecontrol/invoice/scan-row';
import { scanRowSchema } from '@invoicecontrol/invoice/schema';
import { z } from 'zod';
import type { BodyLimits } from '../../http/body/body.js';
import { examples } from '../../http/description/examples.js';
import { uuid } from '../../http/description/fields.js';
import { eachInTurns } from '../../http/body/turns.js';
import { validate } from '../../http/body/validate.js';

export const SCAN_ROWS_MAX = 5_000;
/**
 * Limits on the size and the number of values of a history scan request. They are slightly above what a request needs
 * that has the maximum number of rows and the longest value in every field (HTTP and security reference, section 2).
 */
export const SCAN_BODY_LIMITS: BodyLimits = {
  bytesMax: 10 * 1024 * 1024,
  valuesMax: 100_000,
  advice: `A scan accepts at most ${SCAN_ROWS_MAX} rows. Send the remaining rows in further requests.`,
};

function scanOf<R extends z.ZodType>(row: R) {
  return z.strictObject({
    companyId: uuid().optional().meta({
      description:
        'The id of the company to which the invoices are addressed. If absent, the default company of the organization is used.',
    }),
    rows: z
      .array(row)
      .min(1)
      .max(SCAN_ROWS_MAX)
      .describe('The rows of the history scan, each with one historical invoice.'),
  });
}

/** A history scan with its rows in the form that the scan service expects. */
interface ReadScan {
  readonly companyId?: string | undefined;
  readonly rows: Row[];
}

const publishedRequest = scanOf(scanRowSchema)
  .meta({ id: 'ScanRequest' })
  .register(examples, {
    example: {
      rows: [
        {
          supplierName: 'Nordlicht Energie GmbH',
          supplierTaxId: 'DE994175284',
          invoiceNumber: 'RE-2024-0101',
          issueDate: '2024-03-05',
          currency: 'EUR',
          grossAmount: '1166.20',
          bankIban: 'DE89 3704 0044 0532 0130 00',
          externalId: 'BILL-1001',
          sourceRowNumber: 2,
        },
        {
          supplierName: 'Thames Paper Ltd',
          invoiceNumber: '4471',
          issueDate: '2024-03-11',
          currency: 'GBP',
          grossAmount: '480.00',
          bankSortCode: '60-16-13',
          bankAccountNumber: '31926819',
          sourceRowNumber: 3,
        },
      ],
    },
  });
/** Published schema of a request for a history scan. {@link checkScan} reads the body. */
export const scanRequest = publishedRequest as z.ZodType as z.ZodType<ReadScan>;
/** Schema of a request for a history scan without the content of its rows. */
const scanFrame = scanOf(z.unknown());

/**
 * Reads the body of POST /scans, with its rows in the form that the history scan service expects. Rows are read one by
 * one, so that other requests can run in between. Rejects with DomainError `invalid`, which names rows by their
 * position and by the caller's row number.
 */
export async function checkScan(body: unknown): Promise<ReadScan> {
  const frame = validate(scanFrame, withoutExcess(body), 'body');
  const faults = new FieldFaults();
  const rows: Row[] = [];
  await eachInTurns(frame.rows, (row, index) => {
    rows.push(readScanRow(row, index, { faults, path: `rows[${index}]`, remark: `${nameOf(row, index)}: ` }));
  });
  faults.throwIfAny();
  return { ...frame, rows };
}

/**
 * If a history scan has more rows than the maximum, keeps only one row more than the maximum. That is sufficient to
 * refuse the scan.
 */
function withoutExcess(body: unknown): unknown {
  if (typeof body !== 'object' || body === null) return body;
  const { rows } = body as { rows?: unknown };
  return Array.isArray(rows) ? { ...body, rows: rows.slice(0, SCAN_ROWS_MAX + 1) } : body;
}

/**
 * Returns the name of a history scan row such as `Row 18, sourceRowNumber 20`: the position in the request, and the row
 * number in the caller's file.
 */
function nameOf(row: unknown, index: number): string {
  const number =
    typeof row === 'object' && row !== null ? (row as { sourceRowNumber?: unknown }).sourceRowNumber : undefined;
  return `Row ${index + 1}${Number.isSafeInteger(number) ? `, sourceRowNumber ${String(number)}` : ''}`;
}
