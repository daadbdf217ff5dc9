import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { readDocument } from './read-document.js';
import { sniffMediaType } from './media-type.js';
import { closeRecogniser } from './ocr/recogniser.js';
import { readXml } from './xml/read-xml.js';
import { valuesOf } from './testing/outcomes.js';

/** Files from public repositories with their expected values. They are not part of this repository. */
const folder = join(process.cwd(), '..', 'shared', 'samples', 'documents');

interface Sample {
  readonly file: string;
  readonly kind: string;
  readonly expected?: Readonly<Record<string, string | null>>;
  readonly payable_amount?: string;
}

const fieldOfExpectation: Readonly<Record<string, string>> = {
  number: 'invoice_number',
  date: 'issue_date',
  due_date: 'due_date',
  currency: 'currency',
  net: 'net_amount',
  tax: 'tax_amount',
  gross: 'gross_amount',
  supplier_name: 'supplier.name',
  tax_id: 'supplier.tax_id',
  iban: 'supplier.bank_account.iban',
  purchase_order_ref: 'purchase_order_ref',
  buyer_name: 'buyer.name',
  buyer_tax_id: 'buyer.tax_id',
};

const isPresent = existsSync(join(folder, 'manifest.json'));
const samples: readonly Sample[] = isPresent
  ? (JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')) as { files: Sample[] }).files
  : [];
const structured = samples.filter(({ kind, expected }) => kind.startsWith('xml-') && expected !== undefined);
const printed = samples.filter(({ kind, expected }) => /^(?:pdf|image)/.test(kind) && expected !== undefined);

afterAll(closeRecogniser);

(isPresent ? describe : describe.skip)('samples of ../shared/samples/documents', () => {
  test.each(structured)('reads every expected field of $file', ({ file, expected = {}, payable_amount }) => {
    const outcome = readXml(readFileSync(join(folder, file)), { embeddedInPdf: false });
    const values: Readonly<Record<string, string>> = valuesOf(outcome);
    for (const [name, value] of Object.entries(expected)) {
      const field = fieldOfExpectation[name] ?? name;
      expect({ [name]: values[field] ?? null }).toEqual({ [name]: value });
    }
    if (payable_amount !== undefined) expect(outcome).toMatchObject({ reading: { payableAmount: payable_amount } });
  });

  test.each(printed)('reads every expected field of $file', async ({ file, expected = {} }) => {
    const bytes = readFileSync(join(folder, file));
    const mediaType = sniffMediaType(bytes);
    if (mediaType === undefined) throw new Error(`${file} has no known type`);
    const values: Readonly<Record<string, string>> = valuesOf(await readDocument(bytes, { mediaType, companies: [] }));
    for (const [name, value] of Object.entries(expected)) {
      const field = fieldOfExpectation[name] ?? name;
      expect({ [name]: values[field] ?? null }).toEqual({ [name]: value });
    }
  });
});
