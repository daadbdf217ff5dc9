import type { FieldProvenance } from '@invoicecontrol/contracts/analysis/v1/upload_analysis_service';
import { z } from 'zod';
import { exampleOf } from '../../http/description/examples.js';
import { shownInstant } from '../../http/description/fields.js';
import * as shown from '../../http/description/shown.js';

const exportedField = shown.record<FieldProvenance>('ExportedField')({
  value: shown.text('1190.00', 'The value of the field in the exported invoice.'),
  raw: shown.textOrNull(
    '1.190,00 €',
    'The value of the field as printed in the document, or null if the document does not contain the field.',
  ),
  page: shown.orNull(
    z.int(),
    1,
    'The number of the document page that the field was read from, counted from 1. Null for XML.',
  ),
  box: shown.made(
    z
      .array(z.number())
      .nullable()
      .describe(
        'The position of the field on the page of the document: left, top, right and bottom as fractions of the page size. Null for XML.',
      ),
    ({ box }: FieldProvenance) => (box.length === 0 ? null : box),
    [0.71, 0.62, 0.82, 0.64],
  ),
  confidence: shown.field(
    z
      .number()
      .min(0)
      .max(1)
      .describe('The confidence that the value of the invoice field was read correctly, from 0 to 1.'),
    0.97,
  ),
  method: shown.text(
    'LABEL',
    'The method by which the field was obtained: XML, LABEL, PATTERN, ARITHMETIC, KNOWN_SUPPLIER, REQUEST or USER.',
  ),
  xpath: shown.textOrNull(
    null,
    'The XPath of the field in an XML document, or null if the field was not read from XML.',
  ),
  correctedBy: shown.optional(
    z.string(),
    undefined,
    'The actor that corrected the value of the invoice field, as `<actor type>:<actor id>`. Present only if the method is USER.',
  ),
  correctedAt: shown.made(
    shownInstant()
      .optional()
      .describe('The time when the value of the invoice field was corrected. Present only if the method is USER.'),
    ({ correctedTime }: FieldProvenance) => correctedTime?.toISOString(),
    undefined,
  ),
});

/** The fields of an invoice with their origin in the document, by the path of the field. */
export const fieldsByPath = shown.made(
  z
    .record(z.string(), exportedField.schema)
    .describe(
      'The origin of each field of the invoice: where and how the field was read. The keys are the paths of the fields.',
    ),
  ({ fields }: { readonly fields: readonly FieldProvenance[] }) =>
    Object.fromEntries(fields.map((one) => [one.field, exportedField.present(one)])),
  { gross_amount: exampleOf(exportedField.schema) },
);
