import { afterAll, beforeAll, expect, test } from 'vitest';
import { KSeFClient, openOnlineSession, openSendAndClose } from 'ksef-client-ts';
import { startKsefSimulator } from './simulator.js';
import type { KsefSimulator } from './simulator.js';
import { fa3Document, SELLER } from './fa3-document.js';
import { hashOf, json, TestClient } from './testing.js';

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

/** A client that was written by others, without any knowledge of the simulator. */
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

test('no request of a public client holds its token in plain', async () => {
  expect(json(await control.control('GET counters'))['plaintextTokens']).toBe(0);
});
