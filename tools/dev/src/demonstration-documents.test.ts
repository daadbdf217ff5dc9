import { afterAll, describe, expect, test } from 'vitest';
import { examineDocument } from '@invoicecontrol/extraction/examine-document';
import type { Examination } from '@invoicecontrol/extraction/examine-document';
import { closeRecogniser } from '@invoicecontrol/extraction/ocr/recogniser';
import { valuesOf } from '@invoicecontrol/extraction/testing/outcomes';
import { demonstrationDocuments } from './demonstration-documents.js';
import type { DocumentName } from './demonstration-documents.js';

const since = new Date('2026-11-23T08:00:00Z');
const documents = await demonstrationDocuments(since);
afterAll(closeRecogniser);

const read = (name: DocumentName): Promise<Examination> =>
  examineDocument(documents[name].bytes, { mediaType: documents[name].mediaType, mode: 'ALL', companies: [] });

const onPaper = {
  'supplier.name': 'Solent Marine Services Ltd',
  'supplier.tax_id': 'GB999640196',
  'supplier.bank_account.iban': 'GB94BARC10201530093459',
  invoice_number: 'SM-2026-0442',
  issue_date: '2026-10-06',
  due_date: '2026-11-05',
  currency: 'GBP',
  net_amount: '650.00',
  tax_amount: '130.00',
  gross_amount: '780.00',
};

describe('the documents of the demonstration', () => {
  test('are an XML invoice without faults', async () => {
    const { outcome, validation } = await read('xml');
    expect(valuesOf(outcome)).toEqual({ ...onPaper, 'buyer.name': 'Demonstration Ltd' });
    expect(validation).toMatchObject({ schemaErrors: [], rules: [] });
  });

  test('are the same invoice on a scanned page, read alike', async () => {
    const { outcome } = await read('scan');
    expect(outcome).toMatchObject({ reading: { method: 'OCR', format: 'IMAGE' } });
    expect(valuesOf(outcome)).toMatchObject(onPaper);
  });

  test('are a PDF of which only the total differs from the valid XML in it', async () => {
    const { outcome, validation } = await read('hybrid');
    expect(outcome).toMatchObject({
      reading: {
        format: 'CII',
        embeddedFile: 'factur-x.xml',
        tamperSigns: [],
        hiddenTexts: [],
        conflicts: [{ field: 'gross_amount', machineValue: '1428.00', visibleValue: '1190.00' }],
      },
    });
    expect(validation).toMatchObject({ profile: 'FACTURX', schemaErrors: [], rules: [] });
  });

  test('are dated in the month before the story begins, and come out alike each time', async () => {
    const again = await demonstrationDocuments(since);
    expect(again).toEqual(documents);
  });
});
