import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { fieldPaths } from '../reading.js';
import type { DocumentReading, FieldPath, FieldReading, InvoiceLine, PrintedParts } from '../reading.js';
import { viewOf } from './invoice-view.js';

const line: InvoiceLine = {
  description: 'Hand saw',
  quantity: '2',
  unit: 'C62',
  unitPrice: '30.00',
  netAmount: '60.00',
  taxRate: '20',
};

const values: Readonly<Record<FieldPath, string>> = {
  'supplier.name': 'Ashdown Tools Ltd',
  'supplier.tax_id': 'GB220430231',
  'supplier.bank_account.iban': 'GB29NWBK60161331926819',
  'supplier.bank_account.sort_code': '601613',
  'supplier.bank_account.account_number': '31926819',
  invoice_number: 'AT-2024-117',
  issue_date: '2024-03-14',
  due_date: '2024-04-13',
  currency: 'GBP',
  net_amount: '60.00',
  tax_amount: '12.00',
  gross_amount: '72.00',
  purchase_order_ref: 'PO-1',
  'buyer.name': 'Buyer plc',
  'buyer.tax_id': 'GB111111111',
};

function readingOf(
  valueOf: (path: FieldPath) => string | undefined = (path) => values[path],
  changes: Partial<DocumentReading> = {},
): DocumentReading {
  const fields: Partial<Record<FieldPath, FieldReading>> = {};
  for (const path of fieldPaths) {
    const value = valueOf(path);
    if (value === undefined) continue;
    fields[path] = { value, raw: value, page: null, box: null, confidence: 1, method: 'XML', xpath: '/a' };
  }
  return {
    method: 'XML',
    format: 'UBL',
    profile: 'PEPPOL_BIS',
    kind: 'INVOICE',
    payableAmount: '70.00',
    embeddedFile: null,
    pages: null,
    fields,
    lines: [line, { ...line, description: 'Hammer', taxRate: null }],
    currencyCandidates: [],
    invalidIban: null,
    supplierNameCandidates: [],
    declaredProfiles: [],
    producer: null,
    signature: null,
    tamperSigns: [],
    hiddenTexts: [],
    conflicts: [],
    ...changes,
  };
}

const tagsOf = (html: string): readonly string[] => html.match(/<[^>]*>/g) ?? [];
const styleOf = (html: string): string => /<style>([^]*)<\/style>/.exec(html)?.[1] ?? '';

describe('the view of an invoice', () => {
  test('has every field, each line and the totals', () => {
    const html = viewOf(readingOf());
    for (const value of Object.values(values)) expect(html).toContain(`<bdi>${value}</bdi>`);
    expect(html).toContain(
      '<td><bdi>Hand saw</bdi></td><td class="number"><bdi>2</bdi></td><td><bdi>C62</bdi></td>' +
        '<td class="number"><bdi>30.00</bdi></td><td class="number"><bdi>20</bdi></td><td class="number"><bdi>60.00</bdi></td>',
    );
    expect(html).toContain('<bdi>72.00</bdi> <bdi>GBP</bdi>');
    expect(html).toContain('<th scope="row">Payable</th><td class="number"><bdi>70.00</bdi>');
    expect(html).toContain('UBL, PEPPOL_BIS');
  });

  test('has the addresses, the VAT breakdown, the payment terms and the notes', () => {
    const html = viewOf(
      readingOf(undefined, {
        taxBreakdown: [
          { category: 'S', rate: '20', base: '60.00', tax: '12.00', reason: null },
          { category: 'E', rate: '0', base: '5.00', tax: '0.00', reason: 'Exempt by law' },
        ],
        printedParts: {
          supplierAddress: ['Mill Lane 1', 'York'],
          buyerAddress: ['High Street 2'],
          paymentTerms: ['14 days 2 %', '30 days net'],
          notes: ['Thank you.\nCall us.'],
        },
      }),
    );
    expect(html).toContain('<dt>Address</dt><dd><bdi>Mill Lane 1</bdi>, <bdi>York</bdi></dd>');
    expect(html).toContain('<dt>Address</dt><dd><bdi>High Street 2</bdi></dd>');
    expect(html).toContain('<dt>Payment terms</dt><dd><bdi>14 days 2 %</bdi><br><bdi>30 days net</bdi></dd>');
    expect(html).toContain(
      '<tr><td><bdi>E</bdi></td><td class="number"><bdi>0</bdi></td><td class="number"><bdi>5.00</bdi> <bdi>GBP</bdi></td>' +
        '<td class="number"><bdi>0.00</bdi> <bdi>GBP</bdi></td><td><bdi>Exempt by law</bdi></td></tr>',
    );
    expect(html).toContain('<h2>Notes</h2>\n<p class="note"><bdi>Thank you.\nCall us.</bdi></p>');
  });

  test('says what is not stated, and leaves out what need not be', () => {
    const html = viewOf(readingOf(() => undefined, { lines: [], payableAmount: null, profile: null }));
    for (const name of ['Name', 'Issue date', 'Currency']) {
      expect(html).toContain(`<dt>${name}</dt><dd><span class="absent">not stated</span>`);
    }
    expect(html).toContain('The document states no lines.');
    expect(html).not.toMatch(/Due date|Payable|IBAN|Address|VAT|terms|Notes|undefined|null/);
  });

  test('shows an account whose check digits are wrong as such', () => {
    const html = viewOf(readingOf(() => undefined, { invalidIban: 'GB00NWBK60161331926819' }));
    expect(html).toContain('<dt>IBAN, check digits wrong</dt><dd><bdi>GB00NWBK60161331926819</bdi>');
  });

  test('has all 10,000 lines that are read', () => {
    const html = viewOf(readingOf(undefined, { lines: Array.from({ length: 10_000 }, () => line) }));
    expect(html.match(/Hand saw/g)).toHaveLength(10_000);
  });

  test.each([
    ['markup', '</bdi></title></style><script>alert(1)</script><img src=x onerror=alert(1)>'],
    ['an attribute', '" onmouseover="alert(1)" style="background:url(//evil.example)'],
    ['references', '&lt;script&gt;&#60;script&#62;'],
    ['a comment', '--><!-- --!> <![CDATA[ ]]> <?php ?>'],
    ['a template', '{{constructor.constructor("alert(1)")()}} ${alert(1)} javascript:alert(1)'],
  ])('holds %s in any text as text', (_, payload) => {
    const lines = [Object.fromEntries(Object.keys(line).map((name) => [name, payload])) as unknown as InvoiceLine];
    const breakdownOf = (text: string) => [{ category: text, rate: text, base: text, tax: text, reason: text }];
    const partsOf = (text: string): PrintedParts => ({
      supplierAddress: [text],
      buyerAddress: [text],
      paymentTerms: [text],
      notes: [text],
    });
    const texts = {
      lines,
      payableAmount: payload,
      invalidIban: payload,
      printedParts: partsOf(payload),
      taxBreakdown: breakdownOf(payload),
    };
    const hostile = viewOf(readingOf(() => payload, texts));
    const harmless = viewOf(
      readingOf(() => 'a', {
        lines: [{ ...line }],
        payableAmount: 'a',
        invalidIban: 'a',
        printedParts: partsOf('a'),
        taxBreakdown: breakdownOf('a'),
      }),
    );
    expect(tagsOf(hostile)).toEqual(tagsOf(harmless));
    expect(hostile).toContain(payload.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;'));
  });

  test('shows what turns letters round or hides them by its number, and keeps what languages need', () => {
    const html = viewOf(
      readingOf((path) => (path === 'invoice_number' ? '\u202E1\u200B0\u0085 \u200D\u00AD' : undefined)),
    );
    expect(html).toContain('<bdi>[U+202E]1[U+200B]0[U+0085] \u200D\u00AD</bdi>');
  });

  test('runs nothing and loads nothing, and its policy lets in its own style sheet alone', () => {
    const html = viewOf(readingOf());
    expect(html).not.toMatch(
      /<(?:script|link|img|iframe|object|embed|form|a|base)\b|\bon\w+=|https?:|url\(|@import|style="/i,
    );
    const digest = createHash('sha256').update(styleOf(html)).digest('base64');
    expect(html).toContain(`content="default-src 'none'; style-src 'sha256-${digest}'"`);
    expect(html.match(/<style>/g)).toHaveLength(1);
  });
});
