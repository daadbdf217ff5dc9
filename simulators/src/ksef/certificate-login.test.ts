import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  buildUnsignedAuthTokenRequestXml,
  KSeFClient,
  KSeFError,
  openSendAndClose,
  SignatureService,
} from 'ksef-client-ts';
import { call } from '../erp/testing.js';
import type { TestAnswer } from '../erp/testing.js';
import { BUYER, fa3Document, SELLER } from './fa3-document.js';
import type { IssuedCertificate } from './login-certificates.js';
import { startKsefSimulator } from './simulator.js';
import type { KsefSimulator } from './simulator.js';
import { json, TestClient } from './testing.js';

const PESEL = '80010112345';
const POLL = { intervalMs: 5, maxAttempts: 100 };

let simulator: KsefSimulator;
let clients: Readonly<Record<'test' | 'demo', TestClient>>;
beforeAll(async () => {
  simulator = await startKsefSimulator();
  clients = {
    test: new TestClient(`${simulator.url}/test`, SELLER, ''),
    demo: new TestClient(`${simulator.url}/demo`, SELLER, ''),
  };
});
beforeEach(async () => {
  for (const client of Object.values(clients)) {
    await client.control(`PUT contexts/${SELLER}`, {
      tokens: [],
      limitFactor: 0,
      people: { [PESEL]: ['InvoiceWrite'] },
    });
  }
});
afterAll(async () => simulator.stop());

type EnvironmentName = keyof typeof clients;

async function issue(request: object, environment: EnvironmentName = 'demo'): Promise<IssuedCertificate> {
  return json(await clients[environment].control('POST certificates', request)) as unknown as IssuedCertificate;
}

async function newRequest(environment: EnvironmentName, nip = SELLER): Promise<string> {
  const { challenge } = json(await clients[environment].api('POST auth/challenge', undefined, null));
  return buildUnsignedAuthTokenRequestXml({
    challenge: String(challenge),
    contextIdentifier: { type: 'Nip', value: nip },
  });
}

/** Sends a signed login request (call X1) without changing it. */
async function send(document: string, environment: EnvironmentName): Promise<TestAnswer> {
  return call(`POST ${simulator.url}/${environment}/v2/auth/xades-signature`, document, {
    'x-error-format': 'problem-details',
    'content-type': 'application/xml',
  });
}

/** Signs a new challenge with the public client. */
async function signed({ certificate, privateKey }: IssuedCertificate, environment: EnvironmentName = 'demo') {
  return SignatureService.sign(await newRequest(environment), certificate, privateKey);
}

function codeOf(answer: TestAnswer): unknown {
  return (json(answer)['errors'] as readonly { code: number }[] | undefined)?.[0]?.code;
}

/** Polls A4 and returns the final status of a login. */
async function outcome(document: string, environment: EnvironmentName = 'demo') {
  return clients[environment].outcome(await send(document, environment));
}

describe('a public client', () => {
  test.each(['EC', 'RSA'] as const)('logs in with a certificate whose key is %s, and sends an invoice', async (key) => {
    const { certificate, privateKey } = await issue({ nip: SELLER, key, password: 'geheim' });
    const client = new KSeFClient({ baseUrl: `${simulator.url}/demo` });
    await client.loginWithCertificate(certificate, privateKey, SELLER, 'geheim');
    const { successfulInvoiceCount } = await openSendAndClose(client, [fa3Document({ number: `CERT/${key}` })], {
      pollOptions: POLL,
    });
    expect(successfulInvoiceCount).toBe(1);
    await client.logout();
  });

  test('logs in as a person whom the company gave a permission', async () => {
    const { certificate, privateKey } = await issue({ pesel: PESEL });
    const client = new KSeFClient({ baseUrl: `${simulator.url}/demo` });
    await client.loginWithCertificate(certificate, privateKey, SELLER);
    await expect(client.logout()).resolves.toBeUndefined();
  });
});

describe('a login request', () => {
  test('is refused with 415 in A4 where its certificate has no permission in the context', async () => {
    const stranger = await issue({ nip: BUYER });
    expect(await outcome(await signed(stranger))).toMatchObject({ code: 415 });
  });

  test.each([
    ['of the type Offline', { nip: SELLER, type: 'Offline' }],
    ['that has expired', { nip: SELLER, days: -1 }],
  ])('is refused with 460 in A4 for a certificate %s', async (_, request) => {
    expect(await outcome(await signed(await issue(request)))).toMatchObject({ code: 460 });
  });

  test('is refused with 460 in A4 for a certificate that was revoked, also after it had logged in', async () => {
    const certificate = await issue({ nip: SELLER });
    const client = new KSeFClient({ baseUrl: `${simulator.url}/demo` });
    await client.loginWithCertificate(certificate.certificate, certificate.privateKey, SELLER);
    await clients.demo.control(`DELETE certificates/${certificate.serialNumber}`);
    expect(await outcome(await signed(certificate))).toMatchObject({ code: 460 });
    await expect(
      openSendAndClose(client, [fa3Document({ number: 'REVOKED' })], { pollOptions: POLL }),
    ).rejects.toBeInstanceOf(KSeFError);
  });

  test('is refused with 460 in A4 for a certificate of another environment', async () => {
    const ofTest = await issue({ nip: SELLER }, 'test');
    expect(await outcome(await signed(ofTest))).toMatchObject({ code: 460 });
    expect(await outcome(await signed(ofTest, 'test'), 'test')).toMatchObject({ code: 200 });
  });

  test('is taken with 202 once for each challenge', async () => {
    const document = await signed(await issue({ nip: SELLER }));
    expect((await send(document, 'demo')).status).toBe(202);
    expect(codeOf(await send(document, 'demo'))).toBe(21_111);
  });

  const changes: readonly (readonly [string, number, (document: string) => string])[] = [
    ['that is no XML', 21_001, () => 'hello'],
    [
      'with a document type',
      21_001,
      (document) => document.replace('<AuthTokenRequest', '<!DOCTYPE a><AuthTokenRequest'),
    ],
    ['without a signature', 9_102, (document) => document.replace(/<ds:Signature[\s\S]*<\/ds:Signature>/, '')],
    ['of another company than was signed', 9_105, (document) => document.replace(`<Nip>${SELLER}<`, `<Nip>${BUYER}<`)],
    ['with another digest', 9_105, (document) => document.replace(/(<ds:DigestValue>)../, '$1AA')],
    ['with another time of the signature', 9_105, (document) => document.replace(/(SigningTime>20)../, '$119')],
    ['with another signature', 9_105, (document) => document.replace(/(<ds:SignatureValue>)..../, '$1AAAA')],
    ['with SHA-1', 9_105, (document) => document.replaceAll('2001/04/xmlenc#sha256', '2000/09/xmldsig#sha1')],
    ['with a broken certificate', 21_115, (document) => document.replace(/(X509Certificate>)..../, '$1AAAA')],
    [
      'whose elements are in another order',
      21_401,
      (document) => document.replace(/(<Challenge>.*<\/Challenge>)([\s\S]*<\/ContextIdentifier>)/, '$2$1'),
    ],
  ];
  test.each(changes)('%s is refused with its code', async (_, code, change) => {
    const document = await signed(await issue({ nip: SELLER }));
    const changed = change(document);
    expect(changed).not.toBe(document);
    expect(codeOf(await send(changed, 'demo'))).toBe(code);
  });

  test('signed with the key of another certificate is refused', async () => {
    const { certificate } = await issue({ nip: SELLER });
    const { privateKey } = await issue({ nip: BUYER });
    const document = SignatureService.sign(await newRequest('demo'), certificate, privateKey);
    expect(codeOf(await send(document, 'demo'))).toBe(9_105);
  });

  test('as JSON is refused with 415', async () => {
    expect((await clients.demo.api('POST auth/xades-signature', {}, null)).status).toBe(415);
  });
});
