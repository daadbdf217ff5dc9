import { startKsefSimulator } from '@invoicecontrol/simulators/ksef';
import type { KsefSimulator } from '@invoicecontrol/simulators/ksef';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { issueCertificate } from '../testing/certificates.js';
import { readLoginCertificate } from './login-certificate.js';
import { signLoginRequest } from './login-request.js';

const NIP = '5265877635';

let simulator: KsefSimulator;
beforeAll(async () => {
  simulator = await startKsefSimulator();
});
afterAll(async () => simulator.stop());

async function post(path: string, body?: string): Promise<Response> {
  const headers = body === undefined ? {} : { 'content-type': 'application/xml' };
  return fetch(`${simulator.url}/production/v2${path}`, {
    method: 'POST',
    headers,
    ...(body === undefined ? {} : { body }),
  });
}

test.each(['EC', 'RSA'] as const)('KSeF takes a login request that is signed with a key of %s', async (key) => {
  const issued = await issueCertificate(`${simulator.url}/production`, { nip: NIP, key });
  const login = readLoginCertificate(issued, new Date());
  const { challenge, timestampMs } = (await (await post('/auth/challenge')).json()) as {
    challenge: string;
    timestampMs: number;
  };
  const request = signLoginRequest({ challenge, timestampMs, contextNip: NIP }, login);
  expect((await post('/auth/xades-signature', request)).status).toBe(202);
  expect(request).not.toContain('PRIVATE');
  // The signing time is one minute before the challenge, by the clock of KSeF.
  expect(request).toContain(`<xades:SigningTime>${new Date(timestampMs - 60_000).toISOString()}<`);
});

test('a request that was changed after it was signed is refused', async () => {
  const login = readLoginCertificate(await issueCertificate(`${simulator.url}/production`, { nip: NIP }), new Date());
  const { challenge, timestampMs } = (await (await post('/auth/challenge')).json()) as {
    challenge: string;
    timestampMs: number;
  };
  const request = signLoginRequest({ challenge, timestampMs, contextNip: NIP }, login);
  expect((await post('/auth/xades-signature', request.replace(NIP, '1111111111'))).status).toBe(400);
});
