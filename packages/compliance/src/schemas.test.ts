import { XmlDocument } from 'libxml2-wasm';
import { describe, expect, test } from 'vitest';
import { schemaErrors, type SchemaName } from './schemas.js';
import { explainSchemaError } from './schema-message.js';
import { ciiInvoice } from './testing/base-invoices.js';

const FA3 = `<Faktura xmlns="http://crd.gov.pl/wzor/2025/06/25/13775/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
<Naglowek><KodFormularza kodSystemowy="FA (3)" wersjaSchemy="1-0E">FA</KodFormularza><WariantFormularza>3</WariantFormularza><DataWytworzeniaFa>2026-02-01T00:00:00Z</DataWytworzeniaFa></Naglowek>
<Podmiot1><DaneIdentyfikacyjne><NIP>5265877635</NIP><Nazwa>Huta</Nazwa></DaneIdentyfikacyjne><Adres><KodKraju>PL</KodKraju><AdresL1>ul. Kwiatowa 1</AdresL1></Adres></Podmiot1>
<Podmiot2><DaneIdentyfikacyjne><NIP>1111111111</NIP><Nazwa>Jan Kowalski</Nazwa></DaneIdentyfikacyjne><JST>2</JST><GV>2</GV></Podmiot2>
<Fa><KodWaluty>PLN</KodWaluty><P_1>2026-02-15</P_1><P_2>FV/1/2026</P_2><P_13_1>100.00</P_13_1><P_14_1>23.00</P_14_1><P_15>123.00</P_15>
<Adnotacje><P_16>2</P_16><P_17>2</P_17><P_18>2</P_18><P_18A>2</P_18A><Zwolnienie><P_19N>1</P_19N></Zwolnienie><NoweSrodkiTransportu><P_22N>1</P_22N></NoweSrodkiTransportu><P_23>2</P_23><PMarzy><P_PMarzyN>1</P_PMarzyN></PMarzy></Adnotacje>
<RodzajFaktury>VAT</RodzajFaktury><FaWiersz><NrWierszaFa>1</NrWierszaFa><P_7>Butelka</P_7><P_8A>szt.</P_8A><P_8B>1</P_8B><P_9A>100.00</P_9A><P_11>100.00</P_11><P_12>23</P_12></FaWiersz></Fa>
</Faktura>`;

function errorsOf(xml: string, schema: SchemaName): ReturnType<typeof schemaErrors> {
  const document = XmlDocument.fromBuffer(Buffer.from(xml));
  try {
    return schemaErrors(document, schema);
  } finally {
    document.dispose();
  }
}

const changed = (xml: string, from: string, to: string): string => {
  expect(xml).toContain(from);
  return xml.replace(from, to);
};

test('a document that follows its schema has no errors', () => {
  expect(errorsOf(FA3, 'FA3')).toEqual([]);
  expect(errorsOf(ciiInvoice(), 'EN16931')).toEqual([]);
});

describe('an error of an FA(3) invoice says what was found, what the schema expects, and where', () => {
  test.each([
    ['<P_1>2026-02-15</P_1>', '<Foo/>', '/Faktura/Fa/Foo', 'The document has Foo where the schema expects P_1.'],
    [
      '<RodzajFaktury>VAT</RodzajFaktury>',
      '',
      '/Faktura/Fa/FaWiersz',
      /^The document has FaWiersz where the schema expects .*RodzajFaktury\.$/,
    ],
    [
      '</Adnotacje>',
      '<X/></Adnotacje>',
      '/Faktura/Fa/Adnotacje/X',
      'The document has X where the schema allows no further element.',
    ],
    [
      '<KodKraju>PL</KodKraju>',
      '',
      '/Faktura/Podmiot1/Adres/AdresL1',
      /^The document has AdresL1 where .* KodKraju\.$/,
    ],
    [
      '<NIP>5265877635</NIP><Nazwa>Huta</Nazwa>',
      '<NIP>5265877635</NIP>',
      '/Faktura/Podmiot1/DaneIdentyfikacyjne',
      'DaneIdentyfikacyjne is incomplete: the schema expects Nazwa next.',
    ],
    [
      '<Fa>',
      '<Fa xmlns="urn:x">',
      '/Faktura/Fa',
      'Fa has the namespace urn:x, but the schema expects http://crd.gov.pl/wzor/2025/06/25/13775/.',
    ],
    [
      '<P_2>FV/1/2026</P_2>',
      '<P_2 xmlns="">FV/1/2026</P_2>',
      '/Faktura/Fa/P_2',
      'P_2 has no namespace, but the schema expects http://crd.gov.pl/wzor/2025/06/25/13775/.',
    ],
    ['FV/1/2026', '', '/Faktura/Fa/P_2', 'P_2 is empty, but the schema requires at least 1 character.'],
    [
      'FV/1/2026',
      'x'.repeat(300),
      '/Faktura/Fa/P_2',
      'P_2 has 300 characters, but the schema allows at most 256 characters.',
    ],
    [
      '>123.00<',
      '>12 zł<',
      '/Faktura/Fa/P_15',
      'P_15 is "12 zł", but the schema requires a decimal number with a point as decimal mark.',
    ],
    [
      '>2026-02-15<',
      '>15.02.2026<',
      '/Faktura/Fa/P_1',
      'P_1 is "15.02.2026", but the schema requires a date in the form YYYY-MM-DD.',
    ],
    [
      '2026-02-01T00:00:00Z',
      '2026-02-01',
      '/Faktura/Naglowek/DataWytworzeniaFa',
      'DataWytworzeniaFa is "2026-02-01", but the schema requires a date and time in the form YYYY-MM-DDThh:mm:ss.',
    ],
    [
      '>2026-02-15<',
      '>1990-01-01<',
      '/Faktura/Fa/P_1',
      'P_1 is "1990-01-01", but the schema requires a value of at least "2006-01-01".',
    ],
    [
      '>2026-02-15<',
      '>2060-01-01<',
      '/Faktura/Fa/P_1',
      'P_1 is "2060-01-01", but the schema requires a value of at most "2050-01-01".',
    ],
    [
      '<NrWierszaFa>1<',
      '<NrWierszaFa>0<',
      '/Faktura/Fa/FaWiersz/NrWierszaFa',
      'NrWierszaFa is "0", but the schema requires a value above "0".',
    ],
    ['>123.00<', '>123.005<', '/Faktura/Fa/P_15', 'P_15 is "123.005", but the schema allows at most 2 decimal places.'],
    [
      '<P_8B>1<',
      `<P_8B>${'1'.repeat(30)}<`,
      '/Faktura/Fa/FaWiersz/P_8B',
      `P_8B is "${'1'.repeat(30)}", but the schema allows at most 22 digits.`,
    ],
    [
      '>5265877635<',
      ">0'x\ny<",
      '/Faktura/Podmiot1/DaneIdentyfikacyjne/NIP',
      `NIP is "0'x y", but the schema requires the pattern [1-9]((\\d[1-9])|([1-9]\\d))\\d{7}.`,
    ],
    ['<JST>2<', '<JST>3<', '/Faktura/Podmiot2/JST', 'JST is "3", but the schema allows only "1" or "2".'],
    [
      '>PLN<',
      '>ABC<',
      '/Faktura/Fa/KodWaluty',
      /^KodWaluty is "ABC", but the schema allows only "AED", .* or 1\d\d other values\.$/,
    ],
    [
      '"FA (3)"',
      '"FA (2)"',
      '/Faktura/Naglowek/KodFormularza',
      'The attribute kodSystemowy of KodFormularza is "FA (2)", but the schema requires "FA (3)".',
    ],
    [
      'kodSystemowy="FA (3)"',
      '',
      '/Faktura/Naglowek/KodFormularza',
      'KodFormularza has no attribute kodSystemowy, but the schema requires one.',
    ],
    [
      'kodSystemowy=',
      'foo="1" kodSystemowy=',
      '/Faktura/Naglowek/KodFormularza',
      'KodFormularza has the attribute foo, which the schema does not allow.',
    ],
    [
      '<Podmiot1>',
      '<Podmiot1>text',
      '/Faktura/Podmiot1',
      'Podmiot1 has text, but the schema allows only elements in it.',
    ],
    ['FV/1/2026', '<b/>', '/Faktura/Fa/P_2', 'P_2 has elements, but the schema allows only a value in it.'],
    [
      '<P_2>',
      '<P_2 xsi:nil="true">',
      '/Faktura/Fa/P_2',
      'P_2 has the attribute xsi:nil, but the schema does not allow it to be without a value.',
    ],
    [
      '<P_2>',
      '<P_2 xsi:type="foo">',
      '/Faktura/Fa/P_2',
      'The attribute xsi:type of P_2 names the type foo, which the schema does not define.',
    ],
  ])('%s becomes %s', (from, to, location, message) => {
    const [error] = errorsOf(changed(FA3, from, to), 'FA3');
    expect(error).toEqual({
      message: typeof message === 'string' ? message : expect.stringMatching(message),
      location,
    });
  });

  test('which has another root', () => {
    expect(errorsOf('<a/>', 'FA3')).toEqual([
      { message: 'The document begins with a, which the schema does not define.', location: '/a' },
    ]);
  });

  test('in the second of several elements', () => {
    const line = /<FaWiersz>.*<\/FaWiersz>/.exec(FA3)?.[0] ?? '';
    const second = line.replace('<P_9A>100.00<', '<P_9A>one hundred<');
    expect(errorsOf(changed(FA3, line, line + second), 'FA3')[0]?.location).toBe('/Faktura/Fa/FaWiersz[2]/P_9A');
  });
});

describe('an error of a CII invoice names elements with the usual prefixes', () => {
  const settled =
    '/rsm:CrossIndustryInvoice/rsm:SupplyChainTradeTransaction/ram:ApplicableHeaderTradeSettlement/ram:SpecifiedTradeSettlementHeaderMonetarySummation';
  test.each<[schema: SchemaName, from: string | RegExp, to: string, location: string, message: string]>([
    [
      'EN16931',
      '<ram:TypeCode>380</ram:TypeCode>',
      '<ram:Nonsense/>',
      '/rsm:CrossIndustryInvoice/rsm:ExchangedDocument/ram:Nonsense',
      'The document has ram:Nonsense where the schema expects ram:TypeCode.',
    ],
    [
      'EN16931',
      /<ram:DuePayableAmount>.*?<\/ram:DuePayableAmount>/,
      '',
      settled,
      'ram:SpecifiedTradeSettlementHeaderMonetarySummation is incomplete: the schema expects ram:DuePayableAmount next.',
    ],
    [
      'EN16931',
      /<ram:GrandTotalAmount>.*?</,
      '<ram:GrandTotalAmount>12,5<',
      `${settled}/ram:GrandTotalAmount`,
      'ram:GrandTotalAmount is "12,5", but the schema requires a decimal number with a point as decimal mark.',
    ],
    [
      'EN16931',
      /<ram:GrandTotalAmount>.*?</,
      '<ram:GrandTotalAmount><',
      `${settled}/ram:GrandTotalAmount`,
      'ram:GrandTotalAmount is empty, but the schema requires a decimal number with a point as decimal mark.',
    ],
    [
      'MINIMUM',
      '',
      '',
      '/rsm:CrossIndustryInvoice/rsm:ExchangedDocument/ram:IncludedNote',
      'The document has ram:IncludedNote where the schema allows no further element.',
    ],
  ])('%s: %s becomes %s', (schema, from, to, location, message) => {
    expect(errorsOf(ciiInvoice().replace(from, to), schema)[0]).toEqual({ message, location });
  });

  test('also where the document uses other prefixes', () => {
    const renamed = ciiInvoice()
      .replace('<ram:TypeCode>380</ram:TypeCode>', '<ram:Nonsense/>')
      .replaceAll('ram:', 'a:')
      .replaceAll('rsm:', '')
      .replace('xmlns:ram', 'xmlns:a')
      .replace('xmlns:rsm', 'xmlns');
    expect(errorsOf(renamed, 'EN16931')).toEqual([
      {
        message: 'The document has ram:Nonsense where the schema expects ram:TypeCode.',
        location: '/rsm:CrossIndustryInvoice/rsm:ExchangedDocument/ram:Nonsense',
      },
    ]);
  });
});

describe('a message of libxml2 becomes a sentence', () => {
  const explain = (message: string): string => explainSchemaError(message, () => undefined);
  test.each([
    [
      `Element 'a': Character content is not allowed, because the content type is empty.`,
      'a has text, but the schema requires it to be empty.',
    ],
    [
      `Element 'a': Element content is not allowed, because the content type is empty.`,
      'a has elements, but the schema requires it to be empty.',
    ],
    [
      `Element 'a': [facet 'length'] The value has a length of '3'; this differs from the allowed length of '1'.`,
      'a has 3 characters, but the schema requires 1 character.',
    ],
    [
      `Element 'a': [facet 'maxExclusive'] The value '3' must be less than '3'.`,
      'a is "3", but the schema requires a value below "3".',
    ],
    [
      `Element 'a', attribute 'b': 'x' is not a valid value of the atomic type 'xs:boolean'.`,
      'The attribute b of a is "x", but the schema requires true or false.',
    ],
    [
      `Element 'a': 'x' is not a valid value of the union type '{urn:y}Rate'.`,
      'a is "x", which is not a value that the schema allows.',
    ],
    [
      `Element 'a': 'x' is not a valid value of the local atomic type.`,
      'a is "x", which is not a value that the schema allows.',
    ],
    [
      `Element 'a': The actual value 'x' does not match the fixed value constraint 'y'.`,
      'a is "x", but the schema requires "y".',
    ],
    [`Element 'a': Something that nobody knows.`, 'a does not follow the schema.'],
    ['Something that nobody knows.', 'The document does not follow the schema.'],
    ['', 'The document does not follow the schema.'],
  ])('%s', (message, sentence) => {
    expect(explain(message)).toBe(sentence);
  });

  test('with at most 60 characters of a value', () => {
    const message = `Element 'a': [facet 'pattern'] The value '${'é'.repeat(61)}' is not accepted by the pattern 'x'.`;
    expect(explain(message)).toBe(`a is "${'é'.repeat(60)}…", but the schema requires the pattern x.`);
    expect(explain(message.replace('é', ''))).toContain(`"${'é'.repeat(60)}"`);
  });

  test('with at most 10 of the values and elements that are expected', () => {
    const names = Array.from({ length: 11 }, (_, index) => `n${index}`);
    const expected = (count: number): string =>
      explain(`Element 'a': This element is not expected. Expected is one of ( ${names.slice(0, count).join(', ')} ).`);
    expect(expected(10)).toBe('The document has a where the schema expects n0, n1, n2, n3, n4, n5, n6, n7, n8 or n9.');
    expect(expected(11)).toBe(
      'The document has a where the schema expects n0, n1, n2, n3, n4, n5, n6, n7, n8 or 2 other elements.',
    );
  });

  test('in a fraction of a second where a value looks like the words of a message', () => {
    const value = `' is not accepted by the pattern '`.repeat(30_000);
    const beganMs = performance.now();
    expect(explain(`Element 'a': [facet 'pattern'] The value '${value}' is not accepted by the pattern 'x'.`)).toMatch(
      /the pattern x\.$/,
    );
    expect(performance.now() - beganMs).toBeLessThan(1_000);
  });
});
