import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  exportAndDownload,
  incrementalExportAndDownload,
  KSeFClient,
  openOnlineSession,
  openSendAndClose,
  unzip,
} from 'ksef-client-ts';
import { startKsefSimulator } from './simulator.js';
import type { KsefSimulator } from './simulator.js';
import { fa3Document, SELLER } from './fa3-document.js';
import { hashOf, json, TestClient } from './testing.js';

/** NIP of a company whose only purchase invoices are those that the tests of KSeF exports register. */
const EXPORTER = '9999999999';
const TOKEN = `20261123-EC-0123456789-ABCDEF0123-5C|nip-${SELLER}|${'b'.repeat(64)}`;
const POLL = { intervalMs: 5, maxAttempts: 100 };

let simulator: KsefSimulator;
let control: TestClient;
beforeAll(async () => {
  simulator = await startKsefSimulator();
  control = new TestClient(`${simulator.url}/test`, SELLER, TOKEN);
  await control.control(`PUT contexts/${SELLER}`, { tokens: [{ token: TOKEN }], limitFactor: 0 });
});
afterAll(async () => simulator.stop());

/** Logs in with a third-party client that has no special code for the simulator. */
async function login(): Promise<KSeFClient> {
  const client = new KSeFClient({ baseUrl: `${simulator.url}/test` });
  await client.loginWithToken(TOKEN, SELLER);
  return client;
}

test('a public client logs in, opens a session, sends, closes and gets its confirmation', async () => {
  const client = await login();
  const xml = fa3Document({ number: 'PUBLIC/1' });
  const handle = await openOnlineSession(client, { validate: false });
  const reference = await handle.sendInvoice(xml);
  await handle.close();
  const { parsed, successfulInvoiceCount } = await handle.waitForUpoParsed(POLL);
  expect(successfulInvoiceCount).toBe(1);
  const invoice = await client.sessionStatus.getSessionInvoice(handle.sessionRef, reference);
  expect(invoice.status.code).toBe(200);
  expect(parsed[0]).toMatchObject({
    numerReferencyjnySesji: handle.sessionRef,
    uwierzytelnienie: { idKontekstu: { kind: 'Nip', nip: SELLER } },
    kodFormularza: 'FA (3)',
    dokumenty: [{ numerFaktury: 'PUBLIC/1', numerKSeFDokumentu: invoice.ksefNumber, skrotDokumentu: hashOf(xml) }],
  });
  await client.logout();
});

test('a public client takes a rotated key after the one that it knows was withdrawn', async () => {
  const client = await login();
  await control.control('POST keys', { action: 'ROTATE' });
  await control.control('POST keys', { action: 'WITHDRAW' });
  const { successfulInvoiceCount } = await openSendAndClose(client, [fa3Document({ number: 'PUBLIC/2' })], {
    pollOptions: POLL,
  });
  expect(successfulInvoiceCount).toBe(1);
});

describe('a public client that logged in with a certificate', () => {
  const filters = {
    subjectType: 'Subject2' as const,
    dateRange: { dateType: 'PermanentStorage' as const, from: new Date(Date.now() - 3_600_000).toISOString() },
  };
  const register = async (number: string): Promise<string> => {
    const answer = await control.control('POST invoices', { xml: fa3Document({ number, buyer: EXPORTER }) });
    return String(json(answer)['ksefNumber']);
  };
  let client: KSeFClient;
  let ksefNumbers: readonly string[];
  beforeAll(async () => {
    const { certificate, privateKey } = json(await control.control('POST certificates', { nip: EXPORTER }));
    await control.control(`PUT contexts/${EXPORTER}`, { tokens: [], limitFactor: 0 });
    client = new KSeFClient({ baseUrl: `${simulator.url}/test` });
    await client.loginWithCertificate(String(certificate), String(privateKey), EXPORTER);
    ksefNumbers = [await register('EXPORT/1'), await register('EXPORT/2'), await register('EXPORT/3')];
  });
  afterAll(async () => control.control('PUT settings', { exportInvoicesMax: 10_000, partBytesMax: 50_000_000 }));

  test('exports its purchases, and decrypts them to what the sellers sent', async () => {
    await control.control('PUT settings', { partBytesMax: 1_000 });
    const { files, isTruncated } = await exportAndDownload(client, filters, { extract: true, pollOptions: POLL });
    expect(isTruncated).toBe(false);
    expect([...files.keys()]).toEqual([...ksefNumbers.map((number) => `${number}.xml`), '_metadata.json']);
    const sent = ['EXPORT/1', 'EXPORT/2', 'EXPORT/3'].map((number) => fa3Document({ number, buyer: EXPORTER }));
    expect([...files.values()].slice(0, 3).map(String)).toEqual(sent);
  });

  test('exports them window by window where packages are truncated', async () => {
    await control.control('PUT settings', { exportInvoicesMax: 2, partBytesMax: 50_000_000 });
    const { decryptedParts, iterationCount } = await incrementalExportAndDownload(client, {
      subjectType: 'Subject2',
      windowFrom: filters.dateRange.from,
      windowTo: new Date(Date.now() + 60_000).toISOString(),
      continuationPoints: {},
      pollOptions: POLL,
    });
    expect(iterationCount).toBe(2);
    const packages = await Promise.all(decryptedParts.map(async (part) => unzip(Buffer.from(part))));
    const [first, second, third] = ksefNumbers;
    const names = packages.map((files) => [...files.keys()].filter((name) => name !== '_metadata.json'));
    expect(names).toEqual([
      [`${first}.xml`, `${second}.xml`],
      [`${second}.xml`, `${third}.xml`],
    ]);
  });

  test('fetches one invoice by its number', async () => {
    const [ksefNumber = ''] = ksefNumbers;
    const { xml, hash } = await client.invoices.getInvoice(ksefNumber);
    expect([xml, hash]).toEqual([fa3Document({ number: 'EXPORT/1', buyer: EXPORTER }), hashOf(xml)]);
  });
});

test('no request of a public client holds its token in plain', async () => {
  expect(json(await control.control('GET counters'))['plaintextTokens']).toBe(0);
});
