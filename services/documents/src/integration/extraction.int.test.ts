import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ValidationMode } from '@invoicecontrol/contracts/documents/v1/document_service';
import { testDatabaseName, testInfrastructure } from '@invoicecontrol/testkit/infrastructure';
import { startService } from '../compose.js';
import { call60 as call, newOrganization, startDocuments } from '../testing/running-documents.js';
import type { RunningDocuments } from '../testing/running-documents.js';

let running: RunningDocuments;
beforeAll(async () => {
  running = await startDocuments(startService, testInfrastructure(), testDatabaseName(), { EXTRACTION_CHILDREN: '2' });
});
afterAll(() => running.stop());

const invoice = (number: string) =>
  Buffer.from(`<?xml version="1.0" encoding="UTF-8"?>
<Invoice xmlns="urn:oasis:names:specification:ubl:schema:xsd:Invoice-2"
  xmlns:cac="urn:oasis:names:specification:ubl:schema:xsd:CommonAggregateComponents-2"
  xmlns:cbc="urn:oasis:names:specification:ubl:schema:xsd:CommonBasicComponents-2">
  <cbc:ID>${number}</cbc:ID><cbc:IssueDate>2026-03-05</cbc:IssueDate><cbc:InvoiceTypeCode>380</cbc:InvoiceTypeCode>
  <cbc:DocumentCurrencyCode>EUR</cbc:DocumentCurrencyCode>
  <cac:AccountingSupplierParty><cac:Party><cac:PartyLegalEntity><cbc:RegistrationName>Nordlicht Energie GmbH</cbc:RegistrationName>
  </cac:PartyLegalEntity></cac:Party></cac:AccountingSupplierParty>
  <cac:LegalMonetaryTotal><cbc:TaxExclusiveAmount currencyID="EUR">100.00</cbc:TaxExclusiveAmount>
  <cbc:TaxInclusiveAmount currencyID="EUR">119.00</cbc:TaxInclusiveAmount></cac:LegalMonetaryTotal>
</Invoice>`);

async function upload(organizationId: string, bytes: Buffer, mediaType = 'application/xml'): Promise<string> {
  const { uploadId, token } = await running.reserve(organizationId, bytes.length, { mediaType });
  await running.send({ uploadId, token, mediaType, bytes });
  await running.keep(organizationId, uploadId);
  return uploadId;
}

const extract = (organizationId: string, uploadId: string, mode: ValidationMode = ValidationMode.OFF) =>
  running.documents.extractDocument({ organizationId, uploadId, mode, companies: [] }, call);

const kept = (organizationId: string) => running.mongo.db.collection('extractions').countDocuments({ organizationId });

describe('a stored document', () => {
  test('is read by another process, with the proof of each field', async () => {
    const organizationId = newOrganization();
    const uploadId = await upload(organizationId, invoice('RE-1'));
    const { document, outcome } = await extract(organizationId, uploadId);
    expect(document).toMatchObject({ documentId: uploadId, mediaType: 'application/xml' });
    expect(outcome).toMatchObject({ $case: 'reading', value: { method: 'XML', format: 'UBL', kind: 'INVOICE' } });
    const fields = outcome?.$case === 'reading' ? outcome.value.fields : [];
    expect(fields.find(({ field }) => field === 'invoice_number')).toMatchObject({ value: 'RE-1', method: 'XML' });
    expect(fields.find(({ field }) => field === 'gross_amount')).toMatchObject({ value: '119.00' });
  });

  test('is read once: repeats, also at the same time, get the same, and each mode has its own result', async () => {
    const organizationId = newOrganization();
    const uploadId = await upload(organizationId, invoice('RE-2'));
    const answers = await Promise.all(Array.from({ length: 5 }, () => extract(organizationId, uploadId)));
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(await kept(organizationId)).toBe(1);
    await extract(organizationId, uploadId, ValidationMode.ALL);
    expect(await kept(organizationId)).toBe(2);
  });

  test.each([
    ['MALFORMED_XML', 'text/xml', '<?xml version="1.0"?><Invoice>'],
    ['DOCTYPE', 'application/xml', '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>'],
    ['DAMAGED', 'application/pdf', '%PDF-1.7\nnothing of it'],
  ])('that cannot be read (%s, %s) has its reason and a sentence, each time alike', async (reason, mediaType, text) => {
    const organizationId = newOrganization();
    const uploadId = await upload(organizationId, Buffer.from(text), mediaType);
    const first = await extract(organizationId, uploadId);
    expect(first.outcome).toMatchObject({
      $case: 'failure',
      value: { reason, message: expect.stringMatching(/^[A-Z].{20}/) },
    });
    expect(await extract(organizationId, uploadId)).toEqual(first);
  });

  test('is held against the rules that the mode asks for', async () => {
    const organizationId = newOrganization();
    const uploadId = await upload(organizationId, invoice('RE-6'));
    expect((await extract(organizationId, uploadId)).validation).toBeUndefined();
    const { validation } = await extract(organizationId, uploadId, ValidationMode.ALL);
    expect(validation).toMatchObject({ mode: ValidationMode.ALL, ruleSets: [expect.stringMatching(/^en16931-/)] });
    expect(validation?.rules.map(({ id }) => id)).toContain('BR-16');
  });

  test('that declares EN 16931 alone is plain: its own identifier contradicts nothing', async () => {
    const organizationId = newOrganization();
    const declared = '<cbc:CustomizationID>urn:cen.eu:en16931:2017</cbc:CustomizationID>';
    const uploadId = await upload(
      organizationId,
      Buffer.from(invoice('RE-7').toString().replace('<cbc:ID>', `${declared}<cbc:ID>`)),
    );
    const { validation } = await extract(organizationId, uploadId, ValidationMode.ALL);
    expect(validation?.profile).toBe('PLAIN');
  });

  test('is missing for another organization, and without its bytes', async () => {
    const organizationId = newOrganization();
    const uploadId = await upload(organizationId, invoice('RE-3'));
    await expect(extract(newOrganization(), uploadId)).rejects.toMatchObject({ kind: 'not_found' });
    const { uploadId: open } = await running.reserve(organizationId, 10);
    await expect(extract(organizationId, open)).rejects.toMatchObject({ kind: 'not_found' });
  });

  test('needs a mode', async () => {
    const organizationId = newOrganization();
    const uploadId = await upload(organizationId, invoice('RE-4'));
    const unspecified = extract(organizationId, uploadId, ValidationMode.UNSPECIFIED);
    await expect(unspecified).rejects.toMatchObject({ kind: 'invalid' });
  });
});

(process.platform === 'linux' ? describe : describe.skip)('the processes that read', () => {
  test('are children of the serving one, show what they are, are confined, and know no secret', async () => {
    const organizationId = newOrganization();
    await extract(organizationId, await upload(organizationId, invoice('RE-5')));
    const pids = (await readFile(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8')).trim().split(' ');
    const processes = await Promise.all(
      pids.map(async (pid) => ({
        command: await readFile(`/proc/${pid}/cmdline`, 'utf8'),
        environment: await readFile(`/proc/${pid}/environ`, 'utf8'),
        status: await readFile(`/proc/${pid}/status`, 'utf8'),
      })),
    );
    const children = processes.filter(({ command }) => command.includes('extraction'));
    expect(children.length).toBeGreaterThanOrEqual(2);
    for (const { environment, status } of children) {
      // The effects of the confinement are tested in extraction/confinement.test.ts.
      expect(status).toMatch(/^NoNewPrivs:\t1$/m);
      const names = environment.split('\0').map((entry) => entry.split('=')[0] ?? '');
      expect(names.filter((name) => name !== '' && !/^(NODE_|HOME$)/.test(name))).toEqual([]);
      expect(environment).not.toContain('mongodb');
    }
  });
});
