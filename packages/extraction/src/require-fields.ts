import type { DocumentReading, FieldPath, ReadingOutcome } from './reading.js';

/** Without these nothing can be stored (documents reference, section 11); the currency has its placeholder. */
const requiredFields: readonly FieldPath[] = ['supplier.name', 'invoice_number', 'issue_date', 'gross_amount'];

/** The reading, or the failure that lists what it lacks and keeps what was read. */
export function requireFields(reading: DocumentReading): ReadingOutcome {
  const missingFields = requiredFields.filter((field) => reading.fields[field] === undefined);
  if (missingFields.length === 0) return { reading };
  const message = `The invoice states no readable ${missingFields.join(', ')}. Send it again with them, or complete it.`;
  return { failure: { reason: 'FIELDS_MISSING', message, missingFields, reading } };
}
