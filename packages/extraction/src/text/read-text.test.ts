import { describe, expect, test } from 'vitest';
import type { FieldPath, OwnCompany } from '../reading.js';
import { layoutPage } from './layout.js';
import type { TextPage } from './layout.js';
import { readText } from './read-text.js';
import type { TextReading } from './read-text.js';

const LINE_HEIGHT = 16;
const COLUMN_WIDTH = 160;
const LETTER_WIDTH = 5;

/** Makes a page from lines of text. A line is a list of cells, separated by `|`. */
function pageOf(lines: readonly string[]): TextPage {
  const runs = lines.flatMap((line, row) =>
    line.split('|').map((cell, column) => ({
      text: cell.trim(),
      left: 50 + column * COLUMN_WIDTH,
      right: 50 + column * COLUMN_WIDTH + LETTER_WIDTH * cell.trim().length,
      top: 40 + row * LINE_HEIGHT,
      bottom: 50 + row * LINE_HEIGHT,
      size: 10,
      confidence: 1,
    })),
  );
  return layoutPage(runs, { index: 0, number: 1, width: 595, height: 842 });
}

function read(lines: readonly string[], companies: readonly OwnCompany[] = []): TextReading {
  return readText([pageOf(lines)], { companies, sourceFactor: 0.98, today: '2026-11-29' });
}

function valueOf(lines: readonly string[], path: FieldPath): string | undefined {
  return read(lines).fields[path]?.value;
}

const head = ['Ashdown Tools Ltd', '12 Mill Lane, Bristol BS1 4ST', 'VAT Reg No: GB 220 4302 31', '', 'INVOICE'];
const dated = ['Invoice No: | AT-2024-117', 'Invoice date: | 14 March 2024', ''];

function withTotals(...totals: readonly string[]): string[] {
  return [...head, ...dated, 'Hand saw | 2 | 100.00', ...totals];
}

describe('the total', () => {
  test('is the sum of a table with a line for each tax rate', () => {
    const lines = [
      ...head,
      ...dated,
      'Net amount | VAT | Total',
      '321.40 | 61.07 | 382.47',
      '127.59 | 8.93 | 136.52',
      '448.99 | 70.00 | 518.99',
      'Rates: 19 %, 7 %',
    ];
    expect(valueOf(lines, 'gross_amount')).toBe('518.99');
    expect(valueOf(lines, 'net_amount')).toBe('448.99');
    expect(valueOf(lines, 'tax_amount')).toBe('70.00');
  });

  test('is not what is left to pay after a payment', () => {
    const lines = withTotals(
      'Subtotal | | £100.00',
      'VAT 20% | | £20.00',
      'Total | | £120.00',
      'Already paid | | £50.00',
      'Amount due | | £70.00',
    );
    expect(valueOf(lines, 'gross_amount')).toBe('120.00');
  });

  test.each([
    ['Amount due | | £620.00'],
    ['Total due | | £620.00'],
    ['Balance due | | £620.00'],
    ['Please pay | | £620.00'],
  ])('is the labelled sum of net and tax, not what an old balance makes of it: %s', (due) => {
    const lines = withTotals(
      'Subtotal | | £100.00',
      'VAT 20% | | £20.00',
      'Total | | £120.00',
      'Previous balance | | £500.00',
      due,
    );
    expect(valueOf(lines, 'gross_amount')).toBe('120.00');
    expect(valueOf(lines, 'net_amount')).toBe('100.00');
    expect(valueOf(lines, 'tax_amount')).toBe('20.00');
  });

  test('stays the whole sum when a part was paid in advance', () => {
    const lines = withTotals(
      'Subtotal | | £100.00',
      'VAT 20% | | £20.00',
      'Total | | £120.00',
      'Deposit | | £50.00',
      'Amount due | | £70.00',
    );
    expect(valueOf(lines, 'gross_amount')).toBe('120.00');
    expect(read(lines).payableAmount).toBe('70.00');
  });

  test('is the sum with tax also where only the amount due shows it', () => {
    const lines = withTotals('Subtotal | | £100.00', 'VAT 20% | | £20.00', 'Amount due | | £120.00');
    expect(valueOf(lines, 'gross_amount')).toBe('120.00');
  });

  test('is not proven by the percentage of a discount or of interest', () => {
    const lines = withTotals(
      'Interest of 1% a month is charged on late payments',
      'Goods | | £1000.00',
      'Carriage | | £10.00',
      'Total | | £1010.00',
    );
    expect(valueOf(lines, 'gross_amount')).toBe('1010.00');
    expect(valueOf(lines, 'net_amount')).toBeUndefined();
    expect(valueOf(lines, 'tax_amount')).toBeUndefined();
  });

  test('leaves out net and tax when the tax is larger than any rate makes it', () => {
    const lines = withTotals('Net | | £20.00', 'Tax | | £100.00', 'Total | | £120.00');
    expect(valueOf(lines, 'net_amount')).toBeUndefined();
    expect(valueOf(lines, 'tax_amount')).toBeUndefined();
  });

  test('is proven by a sales tax of a place, whose rate stands beside it', () => {
    const lines = withTotals('Subtotal | | $200.00', 'Sales tax 8.875% | | $17.75', 'Total | | $217.75');
    expect(valueOf(lines, 'tax_amount')).toBe('17.75');
  });
});

describe('net and tax', () => {
  const amountsOf = (...totals: readonly string[]) => {
    const { fields } = read(withTotals(...totals));
    return [fields.net_amount?.value, fields.tax_amount?.value, fields.gross_amount?.value];
  };

  test('are the sum of two taxes, each on the whole net amount', () => {
    const lines = ['Taxable value | | 14,200.00', 'CGST 9% | | 1,278.00', 'SGST 9% | | 1,278.00'];
    expect(amountsOf(...lines, 'GRAND TOTAL INR | | 16,756.00')).toEqual(['14200.00', '2556.00', '16756.00']);
    const canadian = ['Subtotal | | $1,800.00', 'GST 5% | | $90.00', 'QST 9.975% | | $179.55'];
    expect(amountsOf(...canadian, 'TOTAL | | $2,069.55')).toEqual(['1800.00', '269.55', '2069.55']);
  });

  test('are the sums of all rates and of what is not taxed, and a rate is no total', () => {
    const rates = ['Imponibile 10% € 330,00 | IVA € 33,00', 'Imponibile 22% € 150,00 | IVA € 33,00'];
    expect(amountsOf(...rates, 'Escluso art. 15 | € 12,00', 'TOTALE DOCUMENTO | € 558,00')).toEqual([
      '492.00',
      '66.00',
      '558.00',
    ]);
    const gross = [
      'MwSt 7 % | Netto 177,57 | Steuer 12,43 | Brutto 190,00',
      'MwSt 19 % | Netto 35,29 | Steuer 6,71 | Brutto 42,00',
    ];
    expect(amountsOf('Gesamtbetrag EUR | | 232,00', ...gross)).toEqual(['212.86', '19.14', '232.00']);
  });

  test('may be a tax that the total includes, without a net amount', () => {
    expect(amountsOf('Total includes GST of $302.00', 'Total payable $3,322.00')).toEqual([
      undefined,
      '302.00',
      '3322.00',
    ]);
  });

  test('are the total itself where no tax is stated', () => {
    expect(amountsOf('Total HT | | 680,00', 'TVA non applicable', 'Net à payer | | 680,00')[0]).toBe('680.00');
    expect(amountsOf('Net | | 680.00', 'VAT | | 136.00', 'Total | | 680.00')[0]).toBeUndefined();
  });

  test('are whole amounts of a currency without decimals', () => {
    const lines = ['Papír | 2 | 38,50', 'Nettó összesen: | | 83 500 Ft', 'ÁFA 27%: | | 22 545 Ft'];
    expect(amountsOf(...lines, 'Bruttó összesen: | | 106 045 Ft')).toEqual(['83500', '22545', '106045']);
  });

  test('add up with the rounding of the total also where the net amount has no label', () => {
    const lines = ["Portes | | 12'480.00", "TVA 8.1 % | | 1'010.88", 'Arrondi | | 0.02'];
    expect(amountsOf(...lines, "Total à payer CHF | | 13'490.90")).toEqual(['12480.00', '1010.88', '13490.90']);
  });
});

const tail = ['Hand saw | 2 | 100.00', 'Subtotal | | £100.00', 'VAT 20% | | £20.00', 'Total due | | £120.00'];

function numberOf(...lines: readonly string[]): string | undefined {
  return valueOf(['Ashdown Tools Ltd', '12 Mill Lane, Bristol BS1 4ST', '', ...lines, ...tail], 'invoice_number');
}

describe('the invoice number', () => {
  test.each(['INVOICE-2026-171', 'RECHNUNG-2026-17', 'FACTURE-2026-9', 'Invoice_2026171', 'VAT-20261', 'TOTAL-77120'])(
    'keeps the word of a label that begins it: %s',
    (number) => {
      expect(numberOf('INVOICE', `Invoice No: | ${number}`, 'Invoice date: | 14 March 2024')).toBe(number);
      expect(numberOf('INVOICE', `Invoice No: ${number}`, 'Invoice date: | 14 March 2024')).toBe(number);
    },
  );

  test('does not lose the letters of an order number below its label', () => {
    const lines = ['INVOICE', 'Invoice No: | AT-117 | PO number', ' | | PO7654321', 'Invoice date: | 14 March 2024'];
    expect(valueOf([...head, ...lines, ...tail], 'purchase_order_ref')).toBe('PO7654321');
  });

  test.each(['R12345', 'RM10023', 'kr2024', 'EUR2024'])(
    'may look like a sum of money behind its label: %s',
    (number) => {
      expect(numberOf('INVOICE', `Invoice No: ${number}`, 'Invoice date: 14 March 2024')).toBe(number);
    },
  );

  test.each(['2/11/2023', '5/10/2024'])('may look like a date behind its label: %s', (number) => {
    expect(numberOf(`Faktura VAT nr ${number}`, 'Data wystawienia: 2023-11-14')).toBe(number);
  });

  test('is never the date that stands behind the label of a number and a date', () => {
    expect(numberOf('INVOICE', 'Invoice No: AT-117', 'Invoice date: 5/10/2024')).toBe('AT-117');
    expect(numberOf('INVOICE', 'Invoice 5/10/2024')).toBeUndefined();
  });

  test.each(['12345 Musterstadt', 'BS1 4ST', 'TX 75001', '00-950 Warszawa'])(
    'is never the postcode of an address below the title: %s',
    (address) => {
      expect(numberOf('INVOICE', address, 'Date: 14 March 2024')).toBeUndefined();
    },
  );

  test.each([
    ['Factura seria LVC nr. 01184', 'LVC 01184'],
    ['ΤΙΜΟΛΟΓΙΟ | Σειρά Β Αρ. 0318', 'Β 0318'],
    ['FACTURĂ | Seria CTR nr. 00457', 'CTR 00457'],
    ['Factura | Serie A/2026 | Número: 061', 'A/2026 061'],
    ['Fatura FT 2026A/384', 'FT 2026A/384'],
    ['NOTA FISCAL Nº 000.004.817 | Série 1', '000.004.817'],
    ['FATURA No 000.004.817 Emissão: 22/01/2026', '000.004.817'],
    ['INVOICE NO 974760673', '974760673'],
    ['ΤΙΜΟΛΟΓΙΟ αρ. ΤΠΥ-118', 'ΤΠΥ-118'],
  ])('has its series and all its groups of digits: %s', (line, number) => {
    expect(numberOf(line, 'Date: 22/01/2026')).toBe(number);
  });

  test('is read from labels that are followed by it without a blank', () => {
    expect(numberOf('INVOICE', 'Invoice No.4711', 'Invoice date: 14 March 2024')).toBe('4711');
    expect(numberOf('INVOICE', 'Invoice #4711', 'Invoice date: 14 March 2024')).toBe('4711');
    expect(numberOf('Rechnung Nr4711', 'Rechnungsdatum: 14.03.2024')).toBe('4711');
  });

  test('has little confidence where only the words of a party or of a later page point to it', () => {
    const lines = ['Bill to', 'Fenwick Ltd', 'Number 549910', 'Date: 14 March 2024'];
    const { fields } = read(['Ashdown Tools Ltd', '', ...lines, ...tail]);
    expect(fields.invoice_number?.confidence ?? 0).toBeLessThan(0.6);
  });
});

function supplierOf(lines: readonly string[], companies: readonly OwnCompany[] = []): string | undefined {
  return read(lines, companies).fields['supplier.name']?.value;
}

describe('the supplier', () => {
  test.each(['DEMO - Sliced Invoices', 'Towne, Smith and Ebert', 'Empresa de Prueba', 'Halvorsen & Quill, P.C.'])(
    'keeps its whole name in its block: %s',
    (name) => {
      expect(supplierOf(['INVOICE', ...dated, 'From', name, '12 Mill Lane', '', ...tail])).toBe(name);
      expect(supplierOf(['INVOICE', ...dated, `Seller: ${name}`, '', ...tail])).toBe(name);
    },
  );

  test.each([
    ['Seller: Ashdown Tools Ltd, 12 Mill Lane, Bristol', 'Ashdown Tools Ltd'],
    ['Seller: Ashdown Tools - 12 Mill Lane - BS1 4ST Bristol', 'Ashdown Tools'],
    ['Furnizor: SC Lemn Verde SRL', 'SC Lemn Verde SRL'],
    ['Dodavatel: Vlaštovka s.r.o.', 'Vlaštovka s.r.o.'],
    ['Eladó: Kék Bagoly Nyomda Kft., 6720 Szeged, Tisza u. 14.', 'Kék Bagoly Nyomda Kft.'],
  ])('is read without the address and the label: %s', (line, name) => {
    expect(supplierOf(['INVOICE', ...dated, line, '', ...tail])).toBe(name);
  });
});

describe('the supplier without a heading', () => {
  const addressee = ['Museum De Waag B.V.', 't.a.v. crediteurenadministratie', '7411 LK Deventer', ''];

  test('has contacts and ids in the block below its name, and is not the addressee', () => {
    const sender = ['Studio Kromme Rijn', 'Oudegracht 301', 'Btw-id NL002455799B11', ''];
    expect(supplierOf([...sender, ...addressee, 'FACTUUR', ...dated, ...tail])).toBe('Studio Kromme Rijn');
  });

  test('stands in the last lines with its registration, wherever they end on the page', () => {
    const buyer = ['Norrlands Sågverk AB', 'Box 44', '903 22 Umeå', ''];
    const foot = ['', 'Siffror & Saldo i Umeå AB | Bankgiro 5050-1055', 'Storgatan 5 | Momsreg.nr SE556677889901'];
    expect(supplierOf(['FAKTURA', ...buyer, ...dated, ...tail, ...foot])).toBe('Siffror & Saldo i Umeå AB');
  });

  test.each([
    [
      'Albergo Tre Cipressi',
      'Tre Cipressi S.p.A. - Via dei Rossi 5, 53100 Siena - REA SI-104882',
      'Tre Cipressi S.p.A.',
    ],
    ['Aguas de la Sierra', 'Aguas de la Sierra Baja, S.L. · NIF B84719301', 'Aguas de la Sierra Baja, S.L.'],
  ])('has the full name of the footer: %s', (head, foot, name) => {
    expect(supplierOf([head, '', 'FATTURA', ...dated, ...tail, '', foot])).toBe(name);
  });
});

describe('the payee', () => {
  const letterhead = [
    'CONTOSO LTD',
    '12 Mill Lane, Bristol BS1 4ST',
    'VAT Reg No: GB 220 4302 31',
    '',
    'INVOICE',
    ...dated,
  ];
  const payeeOf = (lines: readonly string[], companies: readonly OwnCompany[] = []): string | undefined =>
    read([...letterhead, ...tail, ...lines], companies).payeeName;

  test.each([
    [['Remit to: Evil Factoring Ltd']],
    [['REMIT TO', 'Evil Factoring Ltd', 'PO Box 12']],
    [['Please make cheques payable to: Evil Factoring Ltd']],
    [['Account name: Evil Factoring Ltd', 'Sort code: 20-00-00 Account no: 12345678']],
    [['Kontoinhaber: | Evil Factoring Ltd']],
    [['Titulaire du compte : Evil Factoring Ltd']],
  ])('is named where it is not the supplier: %j', (lines) => {
    expect(payeeOf(lines)).toBe('Evil Factoring Ltd');
    expect(supplierOf([...letterhead, ...tail, ...lines])).toBe('CONTOSO LTD');
  });

  test.each([
    [['Remit to: Contoso Limited']],
    [['Account name: Contoso']],
    [['Account name: Business Current Account']],
    [['Beneficiary bank: Barclays']],
    [['Bill to', 'Fenwick Ltd', '', 'Account holder: Fenwick Ltd']],
    [['Thank you for your order']],
  ])('is absent where it is the supplier, the buyer or nobody: %j', (lines) => {
    expect(payeeOf(lines, [{ name: 'Fenwick Ltd', taxId: null, country: 'GB' }])).toBeUndefined();
  });
});

test.each([
  ['GST/TPS: 812345678 RT0001', '812345678RT0001'],
  ['HST Registration 81947 2635 RT0001', '819472635RT0001'],
])('the number for sales tax in Canada is a tax id: %s', (line, id) => {
  expect(valueOf(['Maple Ltd', line, 'INVOICE', ...dated, ...tail], 'supplier.tax_id')).toBe(id.replaceAll(' ', ''));
});

test.each(['January20, 2003', 'August 3 , 2014', 'January 20, 2003'])('reads dates as they are typed: %s', (date) => {
  const lines = ['Maple Ltd', '', 'INVOICE', 'Invoice No: AT-1', `Invoice date: ${date}`, ...tail];
  expect(valueOf(lines, 'issue_date')).toMatch(/^20(?:03-01-20|14-08-03)$/);
});

test('keeps an IBAN that fails only the check of its country', () => {
  const lines = ['Garage De Leeuw BV', '', 'INVOICE', ...dated, ...tail, 'IBAN: BE41 5390 0754 7035'];
  expect(valueOf(lines, 'supplier.bank_account.iban')).toBe('BE41539007547035');
});

describe('the currency of a dollar sign', () => {
  const billed = (head: readonly string[], ...buyer: readonly string[]) =>
    read([...head, '', 'INVOICE', ...dated, '', ...buyer, '', 'Total due | | $120.00']);

  test.each([
    [['Stillwater Roofing LLC', '1180 Quarry Rd', 'Tulsa, OK 74103'], 'USD'],
    [['Halvorsen & Quill, P.C.', '88 Court Street, Boston, MA 02108'], 'USD'],
    [['Quartzline Software, Inc.', 'South San Francisco, California 94080'], 'USD'],
    [['Maple Ridge Leasing Inc.', '400 Rue Wellington, Ottawa ON | K1R 2B4'], 'CAD'],
    [['Jindabyne Fencing Pty Ltd', '12 Kalkite St, Jindabyne NSW 2627'], 'AUD'],
  ])('is that of the state and postcode of the supplier: %j', (head, currency) => {
    expect(billed(head).fields.currency?.value).toBe(currency);
    expect(billed(head).fields.currency?.confidence).toBeLessThanOrEqual(0.8);
  });

  test('is unknown where only the buyer has a state', () => {
    const { fields, currencyCandidates } = billed(['Contoso Ltd'], 'Bill to', 'Fenwick Inc.', 'Tulsa, OK 74103');
    expect(fields.currency).toBeUndefined();
    expect(currencyCandidates).toContain('USD');
  });
});

test.each([
  ['Termin płatności: 14 dni, tj. 28.04.2026', '2026-04-28'],
  ['Terms: settlement within 30 days, i.e. by 11 May 2026.', '2026-05-11'],
  ['Zahlbar innerhalb 30 Tagen, d.h. bis zum 11.05.2026', '2026-05-11'],
])('reads the due date that a term names, and computes none: %s', (line, due) => {
  const lines = ['Ashdown Tools Ltd', '', 'INVOICE', 'No: AT-1', 'Invoice date: 2026-04-11', ...tail];
  expect(valueOf([...lines, line], 'due_date')).toBe(due);
  expect(valueOf([...lines, 'Zahlbar innerhalb 30 Tagen netto'], 'due_date')).toBeUndefined();
});

test('a receipt without another date is of the day of the payment, and an invoice is not', () => {
  const lines = ['Quartzline, Inc.', '', 'Invoice number | RC-77', 'Date paid | April 2, 2026', ...tail];
  expect(valueOf(['Receipt', ...lines], 'issue_date')).toBe('2026-04-02');
  expect(read(['Invoice', ...lines]).fields.issue_date?.confidence ?? 0).toBeLessThan(0.5);
});

test('the first number of a date is the day where the sender shows a country that writes it first', () => {
  const lines = ['Ashdown Tools Ltd', 'Bristol BS1 4ST', 'INVOICE', 'No: AT-1', 'Invoice date: 3/4/2026', ...tail];
  expect(read(lines).fields.issue_date).toMatchObject({ value: '2026-04-03' });
  expect(read(lines).fields.issue_date?.confidence).toBeGreaterThan(0.8);
});

test.each([
  [
    ['Wij incasseren van NL•• ••• 4471. Zelf overmaken? NL57', 'RABO 0384 7192 65 t.n.v. Roosterly B.V.'],
    'NL57RABO0384719265',
  ],
  [['Domiciliación: no. Transferencia a ES91 2100 0418 4502 0005 1332'], 'ES9121000418450200051332'],
  [['Der Betrag wird abgebucht. IBAN: DE89 3704 0044 0532 0130 00'], undefined],
])('reads the account of a transfer over line breaks and beside a direct debit: %j', (lines, iban) => {
  expect(valueOf(['Ashdown Tools Ltd', '', 'INVOICE', ...dated, ...tail, ...lines], 'supplier.bank_account.iban')).toBe(
    iban,
  );
});

test('a tax id in the address of a company of the organization is the id of the buyer', () => {
  const companies = [{ name: 'Fenwick Holdings Ltd', taxId: null, country: 'GB' }];
  const lines = [
    'Ashdown Tools Ltd',
    '',
    'Fenwick Holdings Ltd',
    '4 High St',
    'VAT No GB 220 4302 31',
    '',
    'INVOICE',
    ...dated,
    ...tail,
  ];
  const { fields } = read(lines, companies);
  expect([fields['supplier.tax_id']?.value, fields['buyer.tax_id']?.value]).toEqual([undefined, 'GB220430231']);
});

describe('the confidence', () => {
  const ofOcr = (lines: readonly string[], word: number): TextReading =>
    readText([withConfidence(pageOf(lines), word)], {
      companies: [],
      sourceFactor: 1,
      isOcr: true,
      today: '2026-11-29',
    });

  test.each([1, 0.5])('of an account whose check digits hold is at least 0.95, with words of %s', (word) => {
    const { fields } = ofOcr([...withTotals('Total | | £120.00'), 'IBAN GB29 NWBK 6016 1331 9268 19'], word);
    expect(fields['supplier.bank_account.iban']).toMatchObject({ value: 'GB29NWBK60161331926819' });
    expect(fields['supplier.bank_account.iban']?.confidence).toBeGreaterThanOrEqual(0.95);
  });

  test('of a total that net and tax prove is at least 0.95', () => {
    const { fields } = ofOcr(withTotals('Subtotal | | £100.00', 'VAT 20% | | £20.00', 'Total | | £120.00'), 0.7);
    expect(fields.gross_amount?.confidence).toBeGreaterThanOrEqual(0.95);
  });

  test('of a letterhead with a legal form, a VAT id and no rival needs no finding', () => {
    expect(read(withTotals('Total | | £120.00')).fields['supplier.name']).toMatchObject({ value: 'Ashdown Tools Ltd' });
    expect(read(withTotals('Total | | £120.00')).fields['supplier.name']?.confidence).toBeGreaterThanOrEqual(0.8);
  });

  const below = Array.from({ length: 16 }, () => '');
  test.each([
    ['another company is printed as prominently', ['Ashdown Tools Ltd', 'Harbour Supplies Ltd', '', 'INVOICE']],
    ['the page has the full name of the company', ['Ashdown', '', 'INVOICE', ...below, 'Goods of Ashdown Tools Ltd']],
    ['nothing but its place speaks for it', ['Ashdown', '', 'INVOICE']],
  ])('of a name is low if %s', (_, lines) => {
    const { fields } = read([...lines, ...dated, 'Total | | £120.00']);
    expect(fields['supplier.name']?.confidence).toBeLessThan(0.8);
  });

  test('of the only date is high without a label, and low if there are two', () => {
    const receipt = [...head, '14.03.2024', 'Invoice No: | AT-2024-117', 'Total | | £120.00'];
    expect(read(receipt).fields.issue_date?.confidence).toBeGreaterThanOrEqual(0.8);
    expect(read([...receipt, '16.03.2024']).fields.issue_date?.confidence).toBeLessThan(0.8);
  });

  test('of a currency that the country decides is 0.8', () => {
    expect(read(withTotals('Total | | £120.00')).fields.currency).toMatchObject({ value: 'GBP', confidence: 0.8 });
  });
});

function withConfidence(page: TextPage, confidence: number): TextPage {
  return {
    ...page,
    lines: page.lines.map((line) => ({
      ...line,
      cells: line.cells.map((cell) => ({ ...cell, runs: cell.runs.map((run) => ({ ...run, confidence })) })),
    })),
  };
}
