import { decimalMarks } from '@invoicecontrol/ledger-csv/amounts';
import type { DecimalMark } from '@invoicecontrol/ledger-csv/amounts';
import { mapColumns } from '@invoicecontrol/ledger-csv/columns';
import { dateOrders } from '@invoicecontrol/ledger-csv/dates';
import type { DateOrder } from '@invoicecontrol/ledger-csv/dates';
import { findLayout } from '@invoicecontrol/ledger-csv/delimiter';
import type { Layout } from '@invoicecontrol/ledger-csv/delimiter';
import { createDecoder, createEncodingDetector } from '@invoicecontrol/ledger-csv/encoding';
import { decideDateOrder, decideDecimalMark } from '@invoicecontrol/ledger-csv/formats';
import { readRecords } from '@invoicecontrol/ledger-csv/ledger-record';
import { readRows } from '@invoicecontrol/ledger-csv/rows';
import type { ReadRows } from '@invoicecontrol/ledger-csv/rows';
import { requiredFields } from '@invoicecontrol/ledger-csv/scan-row';
import type { ScanField } from '@invoicecontrol/ledger-csv/scan-row';

/** The text of a ledger file that the person chose, with its encoding and the layout of its columns. */
export interface LedgerText {
  readonly text: string;
  readonly encoding: string;
  readonly layout: Layout;
}

/**
 * Choices of a person about the columns and formats of a ledger file. What the person did not choose is determined from
 * the file.
 */
export interface Choices {
  /** Column of each field as `#3`, or an empty text for none. */
  readonly columns: ReadonlyMap<ScanField, string>;
  readonly decimal?: DecimalMark;
  readonly dates?: DateOrder;
  readonly currency: string;
  readonly negate: boolean;
}

/** Rows and formats that were read from the ledger with the choices of the person. */
export interface Reading extends ReadRows {
  /** The column of each field, counted from zero. */
  readonly columns: Readonly<Partial<Record<ScanField, number>>>;
  readonly missing: readonly ScanField[];
  readonly decimal: DecimalMark;
  readonly dates: DateOrder;
  /** The formats that could not be determined from the file. */
  readonly unsure: { readonly decimal: boolean; readonly dates: boolean };
}

/**
 * Decodes a file and finds its heading row.
 * @throws UsageError if the file is not text
 */
export async function openLedger(file: File): Promise<LedgerText> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  const detector = createEncodingDetector();
  detector.add(bytes);
  const encoding = detector.end();
  const decode = createDecoder(encoding);
  const text = decode(bytes) + decode();
  return { text, encoding, layout: findLayout(text, new Map()) };
}

/**
 * Reads the rows of a ledger.
 * @throws UsageError if the text is not a table
 */
export function readLedger({ text, encoding, layout }: LedgerText, choices: Choices): Reading {
  const mapping = mapColumns(layout.header, choices.columns);
  const records = readRecords(text, { encoding, ...layout, ...mapping });
  const foundDecimal = decideDecimalMark(records);
  const foundDates = decideDateOrder(records);
  const decimal = choices.decimal ?? (foundDecimal.kind === 'decided' ? foundDecimal.reading : decimalMarks[0]);
  const dates = choices.dates ?? (foundDates.kind === 'decided' ? foundDates.reading : dateOrders[0]);
  const currency = choices.currency === '' ? mapping.headingCurrency : choices.currency;
  return {
    ...readRows(records, { decimal, dates, currency, negate: choices.negate }),
    columns: mapping.columns,
    missing: requiredFields.filter((field) => mapping.columns[field] === undefined),
    decimal,
    dates,
    unsure: {
      decimal: choices.decimal === undefined && foundDecimal.kind !== 'decided',
      dates: choices.dates === undefined && foundDates.kind !== 'decided',
    },
  };
}
