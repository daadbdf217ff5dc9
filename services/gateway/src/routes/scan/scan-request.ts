import type { ScanRow } from '@invoicecontrol/contracts/scan/v1/scan_service';
import { sameAccount } from '@invoicecontrol/values/bank-account';
import { z } from 'zod';
import {
  amount,
  calendarDate,
  currencyCode,
  NAME_LENGTH_MAX,
  text,
  ukAccountNumber,
  ukSortCode,
  uuid,
} from '../../http/fields.js';
import { examples } from '../../http/examples.js';
import { eachInTurns } from '../../http/turns.js';
import { check, Faults } from '../../http/validate.js';
import { currencyOfItsDay } from '../invoice-currency.js';

export const SCAN_ROWS_MAX = 5_000;
/** Room for so many rows with every field at its longest (HTTP and security reference, section 2). */
export const SCAN_BODY_BYTES_MAX = 10 * 1024 * 1024;
/** Texts of a row but the name; shorter than elsewhere, because there are so many. */
const ROW_TEXT_LENGTH_MAX = 200;

/** One old invoice (specification 2.9). */
const scanRow = z
  .strictObject({
    supplierName: text(NAME_LENGTH_MAX).describe('Who sent it.'),
    supplierTaxId: text(ROW_TEXT_LENGTH_MAX).optional().describe('The tax id of the supplier.'),
    invoiceNumber: text(ROW_TEXT_LENGTH_MAX).describe('The number that the supplier gave it.'),
    issueDate: calendarDate().describe('The date on the invoice.'),
    currency: currencyCode().optional(),
    grossAmount: amount().describe('What is to be paid, tax included. Negative for a credit note.'),
    purchaseOrderRef: text(ROW_TEXT_LENGTH_MAX).optional().describe('The order that it belongs to.'),
    bankIban: text(ROW_TEXT_LENGTH_MAX)
      .optional()
      .describe('Beside bankSortCode and bankAccountNumber only where it is the same account.'),
    bankSortCode: ukSortCode().optional().meta({ description: 'Ignored without bankAccountNumber.' }),
    bankAccountNumber: ukAccountNumber().optional().meta({ description: 'Ignored without bankSortCode.' }),
    externalId: text(ROW_TEXT_LENGTH_MAX).optional().meta({
      description: 'The id in the system it comes from. A row is skipped whose externalId was imported already.',
    }),
    sourceRowNumber: z.int().meta({
      minimum: Number.MIN_SAFE_INTEGER,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'Where the row stands in your file.',
    }),
  })
  .superRefine(...currencyOfItsDay('issueDate'))
  .superRefine(({ bankIban: iban, bankSortCode: sortCode, bankAccountNumber: accountNumber }, context) => {
    if (iban === undefined || sortCode === undefined || accountNumber === undefined) return;
    if (sameAccount({ iban }, { sortCode, accountNumber })) return;
    context.addIssue({
      code: 'custom',
      path: ['bankIban'],
      message: 'Is another account than bankSortCode and bankAccountNumber. Send one of them.',
    });
  })
  .meta({
    id: 'ScanRow',
    description: 'One old invoice. Without currency it is in the base currency of the organization.',
  });

function scanOf<R extends z.ZodType>(row: R) {
  return z.strictObject({
    companyId: uuid().optional().meta({ description: 'Absent: the default company.' }),
    rows: z.array(row).min(1).max(SCAN_ROWS_MAX).describe('The invoices.'),
  });
}

export const scanRequest = scanOf(scanRow)
  .meta({ id: 'ScanRequest' })
  .register(examples, {
    example: {
      rows: [
        {
          supplierName: 'Nordlicht Energie GmbH',
          supplierTaxId: 'DE136695976',
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
/** The request but for what is in its rows. */
const scanFrame = scanOf(z.unknown());

/**
 * The body as {@link scanRequest} describes it, checked row by row so that other requests are answered meanwhile.
 * Rejects with DomainError `invalid`, which names rows by their place and by the number that the caller gave them.
 */
export async function checkScan(body: unknown): Promise<z.infer<typeof scanRequest>> {
  const faults = new Faults();
  const frame = check(scanFrame, withoutExcess(body));
  if (!frame.success) {
    faults.add(frame.error.issues, { root: 'body' });
    throw faults.refusal();
  }
  const rows: z.infer<typeof scanRow>[] = [];
  await eachInTurns(frame.data.rows, (row, index) => {
    const checked = check(scanRow, row);
    if (checked.success) rows.push(checked.data);
    else faults.add(checked.error.issues, { root: 'body', path: ['rows', index], remark: `${nameOf(row, index)}: ` });
  });
  if (faults.count > 0) throw faults.refusal();
  return { ...frame.data, rows };
}

/** With one row more than there may be, which is enough to be refused. */
function withoutExcess(body: unknown): unknown {
  if (typeof body !== 'object' || body === null) return body;
  const { rows } = body as { rows?: unknown };
  return Array.isArray(rows) ? { ...body, rows: rows.slice(0, SCAN_ROWS_MAX + 1) } : body;
}

/** `Row 18, sourceRowNumber 20`: the first counts what was sent, the second is what the caller's file calls it. */
function nameOf(row: unknown, index: number): string {
  const number =
    typeof row === 'object' && row !== null ? (row as { sourceRowNumber?: unknown }).sourceRowNumber : undefined;
  return `Row ${index + 1}${Number.isSafeInteger(number) ? `, sourceRowNumber ${String(number)}` : ''}`;
}

/** A checked row as the scan service takes it: free text trimmed, the currency in upper case, no half of a UK account. */
export function toScanRow(row: z.infer<typeof scanRow>): ScanRow {
  const hasUkAccount = row.bankSortCode !== undefined && row.bankAccountNumber !== undefined;
  return {
    supplierName: row.supplierName.trim(),
    supplierTaxId: row.supplierTaxId?.trim(),
    invoiceNumber: row.invoiceNumber.trim(),
    issueDate: row.issueDate,
    currency: row.currency?.toUpperCase(),
    grossAmount: row.grossAmount,
    purchaseOrderRef: row.purchaseOrderRef?.trim(),
    bankIban: row.bankIban?.trim(),
    bankSortCode: hasUkAccount ? row.bankSortCode?.trim() : undefined,
    bankAccountNumber: hasUkAccount ? row.bankAccountNumber : undefined,
    externalId: row.externalId?.trim(),
    sourceRowNumber: row.sourceRowNumber,
  };
}
