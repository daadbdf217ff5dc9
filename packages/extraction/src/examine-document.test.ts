import { PDFDocument } from 'pdf-lib';
import { expect, test } from 'vitest';
import type { OfficialRules } from '@invoicecontrol/compliance/official-rules';
import { examineDocument } from './examine-document.js';
import { fixture } from './testing/fixtures.js';

const context = { mediaType: 'application/xml', companies: [] } as const;

test('an XML invoice does not contradict its own identifier: EN 16931 alone is plain', async () => {
  const plain = fixture('ubl-credit-note-peppol.xml')
    .toString()
    .replace(/(<b:CustomizationID[^>]*>)[^<]*</, '$1urn:cen.eu:en16931:2017<')
    .replace(/<b:ProfileID[^>]*>[^<]*<\/b:ProfileID>/, '');
  const { validation } = await examineDocument(Buffer.from(plain), { ...context, mode: 'ALL' });
  expect(validation).toMatchObject({ mode: 'ALL', profile: 'PLAIN', ruleSets: [expect.stringMatching(/^en16931-/)] });
});

test('official rules take the place of our own', async () => {
  const officialRules: OfficialRules = {
    select: (syntax, sets) =>
      sets.includes('PEPPOL') ? [{ name: 'PEPPOL-EN16931-UBL', set: 'PEPPOL', syntax, run: () => [] }] : [],
  };
  const { validation } = await examineDocument(fixture('ubl-credit-note-peppol.xml'), {
    ...context,
    mode: 'ALL',
    officialRules,
  });
  expect(validation?.ruleSets).toEqual(['official-PEPPOL-EN16931-UBL', expect.stringMatching(/^en16931-/)]);
});

test('the XML that is attached to a PDF is validated, from the one reading of the file', async () => {
  const document = await PDFDocument.create();
  document.addPage();
  await document.attach(fixture('cii-facturx-extended.xml'), 'factur-x.xml', { mimeType: 'application/xml' });
  const pdf = { ...context, mediaType: 'application/pdf', mode: 'ALL' } as const;
  const { outcome, validation } = await examineDocument(await document.save(), pdf);
  expect(outcome).toMatchObject({ reading: { embeddedFile: 'factur-x.xml' } });
  expect(validation?.profile).toBe('FACTURX');
  const plain = await PDFDocument.create();
  plain.addPage();
  expect((await examineDocument(await plain.save(), pdf)).validation).toBeNull();
});
