import { describe, expect, test } from 'vitest';
import { describeFa3, FA3_BYTES_MAX } from './fa3-document.js';

const DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>';
const body = (note = 'Butelka', after = ''): string => `<Faktura xmlns="http://crd.gov.pl/wzor/2025/06/25/13775/">
<Naglowek><KodFormularza kodSystemowy="FA (3)" wersjaSchemy="1-0E">FA</KodFormularza><WariantFormularza>3</WariantFormularza><DataWytworzeniaFa>2026-02-01T00:00:00Z</DataWytworzeniaFa></Naglowek>
<Podmiot1><DaneIdentyfikacyjne><NIP>5265877635</NIP><Nazwa>Huta Szkła</Nazwa></DaneIdentyfikacyjne><Adres><KodKraju>PL</KodKraju><AdresL1>ul. Kwiatowa 1</AdresL1></Adres></Podmiot1>
<Podmiot2><DaneIdentyfikacyjne><NIP>1111111111</NIP><Nazwa>Jan Kowalski</Nazwa></DaneIdentyfikacyjne><JST>2</JST><GV>2</GV></Podmiot2>
<Fa><KodWaluty>PLN</KodWaluty><P_1>2026-02-15</P_1><P_2>FV/1/2026</P_2><P_13_1>100.00</P_13_1><P_14_1>23.00</P_14_1><P_15>123.00</P_15>
<Adnotacje><P_16>2</P_16><P_17>2</P_17><P_18>2</P_18><P_18A>2</P_18A><Zwolnienie><P_19N>1</P_19N></Zwolnienie><NoweSrodkiTransportu><P_22N>1</P_22N></NoweSrodkiTransportu><P_23>2</P_23><PMarzy><P_PMarzyN>1</P_PMarzyN></PMarzy></Adnotacje>
<RodzajFaktury>VAT</RodzajFaktury><FaWiersz><NrWierszaFa>1</NrWierszaFa><P_7>${note}</P_7><P_8A>szt.</P_8A><P_8B>1</P_8B><P_9A>100.00</P_9A><P_11>100.00</P_11><P_12>23</P_12></FaWiersz></Fa>${after}
</Faktura>`;
const xml = (note?: string, after?: string): string => DECLARATION + body(note, after);
const faults = (text: string | Uint8Array) => describeFa3(Buffer.from(text)).faults;
const character = (code: number): string => String.fromCodePoint(code);

test('a valid document has no fault, and says what is sent with it', () => {
  expect(describeFa3(Buffer.from(xml()))).toEqual({
    faults: [],
    sellerNip: '5265877635',
    kind: 'VAT',
    number: 'FV/1/2026',
    issueDate: '2026-02-15',
  });
});

describe('no fault is', () => {
  test.each<[string, string]>([
    ['no declaration', body()],
    ['a declaration without an encoding', `<?xml version="1.0"?>${body()}`],
    ['utf-8 in lower case', `<?xml version='1.0' encoding='utf-8'?>${body()}`],
    ['a comment about an instruction', `${DECLARATION}<!-- <?xml-stylesheet?> -->${body()}`],
    ['an instruction and a reference in CDATA', xml('<![CDATA[<?note?> &#x80; <!DOCTYPE x>]]>')],
    ['a reference in a comment', `${DECLARATION}<!-- &#x80; -->${body()}`],
  ])('%s', (_, text) => {
    expect(faults(text)).toEqual([]);
  });
});

test('a byte order mark is a fault', () => {
  expect(faults(`\ufeff${xml()}`)).toEqual(['BYTE_ORDER_MARK']);
});

describe('another encoding is a fault', () => {
  test.each<[string, Uint8Array]>([
    ['named', Buffer.from(xml().replace('UTF-8', 'ISO-8859-2').replace('ł', '\u00b3'), 'latin1')],
    ['named, with bytes that are UTF-8', Buffer.from(xml().replace('UTF-8', 'windows-1250').replace('ł', 'l'))],
    ['not named', Buffer.from(xml('Stück').replace('ł', 'l'), 'latin1')],
  ])('%s', (_, bytes) => {
    expect(faults(bytes)).toEqual(['OTHER_ENCODING']);
  });
  test('UTF-16, with its byte order mark', () => {
    const text = `\ufeff${xml().replace('UTF-8', 'UTF-16')}`;
    expect(faults(Buffer.from(text, 'utf16le'))).toEqual(['BYTE_ORDER_MARK', 'OTHER_ENCODING']);
  });
});

describe('a processing instruction is a fault', () => {
  test.each<[string, string]>([
    ['before the root', `${DECLARATION}<?xml-stylesheet href="a"?>${body()}`],
    ['in the place of the declaration', `<?xml-stylesheet href="a"?>${body()}`],
    ['inside', xml('Butelka<?note?>')],
    ['after the root', `${xml()}<?note?>`],
    ['after a comment', `${DECLARATION}<!-- a --><?note?>${body()}`],
  ])('%s', (_, text) => {
    expect(faults(text)).toEqual(['PROCESSING_INSTRUCTION']);
  });
});

describe('a character that KSeF refuses is a fault, also as a reference', () => {
  const planes = Array.from({ length: 16 }, (_, index) => (index + 1) * 0x1_00_00);
  const refused = [0x7f, 0x84, 0x86, 0x9f, 0xfdd0, 0xfdef, ...planes.flatMap((at) => [at + 0xfffe, at + 0xffff])];
  const neighbours = [0x7e, 0x85, 0xa0, 0xfdcf, 0xfdf0, 0xfffd, ...planes.flatMap((at) => [at, at + 0xfffd])];
  const spellings = (code: number) => [character(code), `&#x${code.toString(16)};`, `&#${code};`];
  test.each(refused.map((code) => [code.toString(16), code] as const))('U+%s', (_, code) => {
    for (const spelling of spellings(code)) {
      expect(faults(xml(`a${spelling}b`))).toEqual(['FORBIDDEN_CHARACTER']);
    }
  });
  test.each(neighbours.map((code) => [code.toString(16), code] as const))('not U+%s', (_, code) => {
    for (const spelling of spellings(code)) expect(faults(xml(`a${spelling}b`))).toEqual([]);
  });
  test('in a comment too', () => {
    expect(faults(`${DECLARATION}<!-- ${character(0x80)} -->${body()}`)).toEqual(['FORBIDDEN_CHARACTER']);
  });
});

test('a document type is a fault, and nothing of the document is read', () => {
  expect(describeFa3(Buffer.from(`${DECLARATION}<!DOCTYPE Faktura>${body()}`))).toMatchObject({
    faults: ['DOCTYPE'],
    number: '',
  });
});

test('an attachment is a fault', () => {
  expect(faults(xml('a', '<Zalacznik/>'))).toContain('ATTACHMENT');
  expect(faults(xml('Zalacznik'))).toEqual([]);
});

describe('no FA(3) is', () => {
  test.each<[string, string]>([
    ['another namespace', xml().replace('2025/06/25/13775', '2023/06/29/12648')],
    ['another form', xml().replace('FA (3)', 'FA (2)')],
    ['another version of the schema', xml().replace('1-0E', '1-1E')],
    ['what breaks the schema', xml().replace('<P_15>123.00</P_15>', '')],
    ['other XML', '<Invoice/>'],
    ['XML that is cut', xml().slice(0, -5)],
    ['no XML', 'invoice'],
    ['nothing', ''],
  ])('%s', (_, text) => {
    expect(faults(text)).toEqual(['NOT_FA3']);
  });
});

test('of 1,000,000 bytes the faults are found, of one more nothing is read', () => {
  const long = (bytes: number) => Buffer.concat([Buffer.from('<Invoice/>'), Buffer.alloc(bytes - 10, ' ')]);
  expect(faults(long(FA3_BYTES_MAX))).toEqual(['NOT_FA3']);
  expect(faults(long(FA3_BYTES_MAX + 1))).toEqual([]);
});

test.each(['<!--', '<![CDATA[', '<?', '&#', '<?xml '])(
  'a hostile document of %s is described within a second',
  (piece) => {
    const startedAt = performance.now();
    describeFa3(Buffer.from(piece.repeat(Math.floor(FA3_BYTES_MAX / piece.length))));
    expect(performance.now() - startedAt).toBeLessThan(1_000);
  },
);
