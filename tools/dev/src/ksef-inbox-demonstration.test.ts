import { expect, test } from 'vitest';
import { examineDocument } from '@invoicecontrol/extraction/examine-document';
import { valuesOf } from '@invoicecontrol/extraction/testing/outcomes';
import { billOnPaper } from './ksef-inbox-demonstration.js';

test('the bill on paper is read as the one in KSeF, except for its account', async () => {
  const bytes = await billOnPaper(new Date('2026-11-23T08:00:00Z'), '9997123458-20261123-0A1B2C3D4E5F-7C');
  const { outcome } = await examineDocument(bytes, { mediaType: 'application/pdf', mode: 'ALL', companies: [] });
  expect(valuesOf(outcome)).toMatchObject({
    'supplier.name': 'Hurtownia Stali Grodno sp. z o.o.',
    'supplier.tax_id': expect.stringContaining('9997123458'),
    'supplier.bank_account.iban': 'PL72124010370000456700123450',
    invoice_number: 'FV/2026/10/0311',
    issue_date: '2026-10-20',
    due_date: '2026-11-19',
    currency: 'PLN',
    net_amount: '3000.00',
    tax_amount: '690.00',
    gross_amount: '3690.00',
  });
});
