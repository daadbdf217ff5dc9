import type { DocumentReading, FieldPath, ReadingOutcome } from './reading.js';

/**
 * Fields without which no invoice can be stored (documents reference, section 11), with the names that accountants use.
 * A missing currency has a placeholder instead.
 */
const requiredFields = {
  'supplier.name': 'the name of the supplier',
  invoice_number: 'the invoice number',
  issue_date: 'the date of issue',
  gross_amount: 'the total including tax',
} as const satisfies Partial<Record<FieldPath, string>>;

/** Returns the reading of a document, or a failure with the missing fields and the fields that were read. */
export function requireFields(reading: DocumentReading): ReadingOutcome {
  const missingFields = (Object.keys(requiredFields) as (keyof typeof requiredFields)[]).filter(
    (field) => reading.fields[field] === undefined,
  );
  if (missingFields.length === 0) return { reading };
  const names = missingFields.map((field) => `${requiredFields[field]} (${field})`).join(', ');
  const how = reading.method === 'XML' ? 'in its element' : 'next to its label';
  const each = missingFields.length === 1 ? 'it' : 'each of them';
  const message = `These fields are missing in the document or illegible: ${names}. Send the invoice again with ${each} ${how}, or enter the missing values as a correction.`;
  return { failure: { reason: 'FIELDS_MISSING', message, missingFields, reading } };
}
