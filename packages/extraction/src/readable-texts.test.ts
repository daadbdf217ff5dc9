import { expect, test } from 'vitest';
import { faultOfLine } from '@invoicecontrol/values/readable-text';
import { PDFDocument } from 'pdf-lib';
import { examineDocument } from './examine-document.js';
import type { Examination } from './examine-document.js';
import { fixture } from './testing/fixtures.js';

const NASTY = '\u202e\u2066\u200b\ufeff\r\n\u0085\u2067';

function* textsOf(value: unknown, path = ''): Generator<readonly [path: string, text: string]> {
  if (typeof value === 'string') yield [path, value];
  else if (typeof value === 'object' && value !== null) {
    for (const [name, member] of Object.entries(value)) yield* textsOf(member, `${path}/${name}`);
  }
}

function expectReadable(examination: Examination): void {
  for (const [path, text] of textsOf(examination))
    expect([path, text, faultOfLine(text)]).toEqual([path, text, undefined]);
}

const examine = (bytes: Uint8Array, mediaType: 'application/xml' | 'application/pdf') =>
  examineDocument(bytes, { mediaType, mode: 'ALL', companies: [] });

/** Returns the invoice with invisible characters in every text that contains a letter. */
function withNastyTexts(xml: string): string {
  return xml.replaceAll(
    /(?<=<(?:cbc:Name|cbc:RegistrationName|cbc:ID|cbc:CompanyID)>)([^<]*[A-Za-z])([^<]+)(?=<)/g,
    `$1${NASTY}$2`,
  );
}

test('no text of an XML invoice leaves with what nobody sees, and the proof of a field shows it by its number', async () => {
  const clean = await examine(fixture('ubl-uk-account.xml'), 'application/xml');
  const examination = await examine(
    Buffer.from(withNastyTexts(fixture('ubl-uk-account.xml').toString())),
    'application/xml',
  );
  expectReadable(examination);
  const [found, expected] = [examination, clean].map(({ outcome }) =>
    'reading' in outcome ? outcome.reading : undefined,
  );
  const { value = '', raw = '' } = found?.fields['supplier.name'] ?? {};
  expect(value.replaceAll(' ', '')).toBe(expected?.fields['supplier.name']?.value.replaceAll(' ', ''));
  expect(raw).toContain('[U+202E][U+2066][U+200B][U+FEFF] [U+2067]');
});

test('the name of an attachment, and what a file says about itself, leave readable and cut', async () => {
  const document = await PDFDocument.create();
  document.addPage();
  document.setProducer(`Pro${NASTY}ducer\0`);
  const name = `factur\0-x${NASTY}${'a'.repeat(3_000)}.xml`;
  await document.attach(fixture('ubl-uk-account.xml'), name, { mimeType: 'text/xml' });
  const examination = await examine(await document.save(), 'application/pdf');
  expectReadable(examination);
  const { outcome } = examination;
  const reading = 'reading' in outcome ? outcome.reading : outcome.failure.reading;
  expect(reading?.producer).toBe('Pro ducer');
  expect(reading?.embeddedFile).toMatch(/^factur-x a+…$/);
  expect(reading?.embeddedFile).toHaveLength(255);
});
