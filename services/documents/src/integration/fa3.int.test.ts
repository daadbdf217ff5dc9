import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Fa3Fault } from '@invoicecontrol/contracts/documents/v1/document_service';
import { testDatabaseName, testInfrastructure } from '@invoicecontrol/testkit/infrastructure';
import { startService } from '../compose.js';
import { call60 as call, newOrganization, startDocuments } from '../testing/running-documents.js';
import type { RunningDocuments } from '../testing/running-documents.js';

let running: RunningDocuments;
beforeAll(async () => {
  running = await startDocuments(startService, testInfrastructure(), testDatabaseName(), {});
});
afterAll(() => running.stop());

const FORM = '<KodFormularza kodSystemowy="FA (3)" wersjaSchemy="1-0E">FA</KodFormularza>';
const xml = Buffer.from(
  `<?xml version="1.0"?><Faktura xmlns="http://crd.gov.pl/wzor/2025/06/25/13775/"><Naglowek>${FORM}</Naglowek><Fa><P_2>FV/1</P_2></Fa></Faktura>`,
);

async function store(organizationId: string, bytes: Buffer, mediaType = 'application/xml'): Promise<string> {
  const { uploadId, token } = await running.reserve(organizationId, bytes.length, { mediaType });
  await running.send({ uploadId, token, bytes, mediaType });
  return uploadId;
}

const describeFa3 = (organizationId: string, uploadId: string) =>
  running.documents.describeFa3({ organizationId, uploadId }, call);

test('a stored document is described with its hash, its size, its faults and what can be read', async () => {
  const organizationId = newOrganization();
  expect(await describeFa3(organizationId, await store(organizationId, xml))).toEqual({
    sha256: createHash('sha256').update(xml).digest('base64'),
    byteSize: xml.length,
    faults: [Fa3Fault.NOT_FA3],
    sellerNip: '',
    kind: '',
    number: 'FV/1',
    issueDate: '',
  });
});

test('of 1,000,000 bytes faults are told, of one more only hash and size', async () => {
  const organizationId = newOrganization();
  for (const [byteSize, faults] of [
    [1_000_000, [Fa3Fault.NOT_FA3]],
    [1_000_001, []],
  ] as const) {
    const bytes = Buffer.concat([xml, Buffer.alloc(byteSize - xml.length, ' ')]);
    const described = await describeFa3(organizationId, await store(organizationId, bytes));
    expect(described).toMatchObject({ byteSize, faults, sha256: createHash('sha256').update(bytes).digest('base64') });
  }
});

test('a stored document of another type is no FA(3)', async () => {
  const organizationId = newOrganization();
  const uploadId = await store(organizationId, Buffer.from('%PDF-1.7\n'), 'application/pdf');
  expect(await describeFa3(organizationId, uploadId)).toMatchObject({ faults: [Fa3Fault.NOT_FA3], byteSize: 9 });
});

test('the document of another organization is missing, and so is one without its bytes', async () => {
  const organizationId = newOrganization();
  const uploadId = await store(organizationId, xml);
  const missing = { kind: 'not_found' };
  const other = await describeFa3(newOrganization(), uploadId).catch((error: unknown) => error);
  const unknown = await describeFa3(organizationId, 'unknown').catch((error: unknown) => error);
  expect(other).toMatchObject(missing);
  expect(String(other)).toBe(String(unknown));
  const reserved = await running.reserve(organizationId, xml.length, { mediaType: 'application/xml' });
  await expect(describeFa3(organizationId, reserved.uploadId)).rejects.toMatchObject(missing);
});

test('a confirmation with a fault is answered with a sentence, also above the limit', async () => {
  const request = { organizationId: newOrganization(), ksefNumber: 'number', sha256: 'hash', trustedCertificates: [] };
  const check = async (xml: Buffer) => (await running.documents.checkConfirmation({ ...request, xml }, call)).fault;
  expect(await check(Buffer.from('<Potwierdzenie/>'))).toBe('The KSeF confirmation has no signature.');
  expect(await check(Buffer.alloc(4 * 1024 * 1024 + 1, ' '))).toContain('the maximum is 4194304');
});
