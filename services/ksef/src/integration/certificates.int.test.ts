import { createPrivateKey } from 'node:crypto';
import { Authentication, ConnectionStatus, Environment } from '@invoicecontrol/contracts/ksef/v1/connection_service';
import { startKsefSimulator } from '@invoicecontrol/simulators/ksef';
import type { KsefSimulator } from '@invoicecontrol/simulators/ksef';
import { testDatabaseName, testInfrastructure } from '@invoicecontrol/testkit/infrastructure';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startService } from '../compose.js';
import type { ConnectionDocument } from '../storage/connections.js';
import { issueCertificate } from '../testing/certificates.js';
import type { CertificateWishes, TestCertificate } from '../testing/certificates.js';
import { caller, connectionRequest, startKsef, stated } from '../testing/running-ksef.js';
import type { RunningKsef } from '../testing/running-ksef.js';
import { simulatorControl } from '../testing/simulator-control.js';

const PASSWORD = 'a password of nobody';

let simulator: KsefSimulator;
const control = simulatorControl(() => `${simulator.url}/test`);
const demoControl = simulatorControl(() => `${simulator.url}/demo`);
let running: RunningKsef;
beforeAll(async () => {
  simulator = await startKsefSimulator();
  const url = `${simulator.url}/test/v2`;
  // The DEMO environment of the simulator is used, because a test moves the clock of the environment.
  const demo = `${simulator.url}/demo/v2`;
  running = await startKsef(startService, {
    infrastructure: testInfrastructure(),
    databaseName: testDatabaseName(),
    env: { KSEF_TEST_URL: url, KSEF_DEMO_URL: demo, KSEF_PRODUCTION_URL: url, KSEF_WAIT_FACTOR: '0.001' },
  });
});
afterAll(async () => {
  await running.stop();
  await simulator.stop();
});

let nips = 6_110_000_000;

interface Company {
  readonly organizationId: string;
  readonly contextNip: string;
}

async function newCompany(context: object = {}, controlOf = control): Promise<Company> {
  const contextNip = String(nips++);
  await controlOf('PUT', `contexts/${contextNip}`, { tokens: [], limitFactor: 0, ...context });
  return { organizationId: running.organization.newTenant(), contextNip };
}

async function issue(wishes: CertificateWishes): Promise<TestCertificate> {
  return issueCertificate(`${simulator.url}/test`, wishes);
}

async function connect(
  company: Company,
  issued: TestCertificate,
  privateKeyPassword?: string,
  environment: Environment = Environment.TEST,
) {
  const { certificate, privateKey } = issued;
  const request = {
    ...connectionRequest(company.organizationId),
    environment,
    contextNip: company.contextNip,
    ksefToken: '',
    certificate: { certificate, privateKey, privateKeyPassword },
  };
  return stated((await running.connections.saveConnection(request, caller)).connection);
}

async function testOf({ organizationId }: Company, connectionId: string) {
  const of = { organizationId, connectionId };
  const { status } = await running.connections.testConnection(of, caller);
  const connection = stated((await running.connections.getConnection(of, caller)).connection);
  expect(connection.status).toBe(status);
  return connection;
}

describe('a connection with a certificate', () => {
  test.each(['EC', 'RSA'] as const)(
    'is CONNECTED after its test, and shows when it ends and whose it is (%s)',
    async (key) => {
      const company = await newCompany();
      const issued = await issue({ nip: company.contextNip, key, days: 100 });
      const saved = await connect(company, issued);
      expect(saved).toMatchObject({
        status: ConnectionStatus.PENDING,
        authentication: Authentication.CERTIFICATE,
        certificateSubjectMasked: `NIP ******${company.contextNip.slice(-4)}`,
      });
      expect(saved.certificateExpiryTime?.getTime()).toBeGreaterThan(Date.now() + 99 * 86_400_000);
      const tested = await testOf(company, saved.connectionId);
      expect([tested.status, tested.lastErrorMessage]).toEqual([ConnectionStatus.CONNECTED, undefined]);
    },
  );

  test('keeps neither its key nor the password where anybody could read them', async () => {
    const company = await newCompany();
    const issued = await issue({ nip: company.contextNip, password: PASSWORD });
    const saved = await connect(company, issued, PASSWORD);
    await testOf(company, saved.connectionId);
    const key = createPrivateKey({ key: issued.privateKey, passphrase: PASSWORD });
    const secrets = [PASSWORD, ...['pem', 'der'].map((format) => keyText(key, format as 'pem' | 'der'))];
    const stored = await running.mongo.db
      .collection<ConnectionDocument>('connections')
      .findOne({ _id: saved.connectionId, organizationId: company.organizationId });
    const shown = [stored, saved, await control('GET', 'requests')].map((value) => JSON.stringify(value));
    for (const text of shown) for (const secret of secrets) expect(text).not.toContain(secret);
    expect(stored?.token?.sealed).toBeDefined();
  });

  test('of a person who has a permission of the company is CONNECTED', async () => {
    const pesel = '80010112345';
    const company = await newCompany({ people: { [pesel]: ['InvoiceWrite'] } });
    const saved = await connect(company, await issue({ pesel }));
    expect(saved.certificateSubjectMasked).toBe('PESEL *******2345');
    expect((await testOf(company, saved.connectionId)).status).toBe(ConnectionStatus.CONNECTED);
  });

  test('of a stranger is ERROR, and the message names whose certificate it is', async () => {
    const company = await newCompany();
    const saved = await connect(company, await issue({ nip: '5265877635' }));
    const { status, lastErrorMessage } = await testOf(company, saved.connectionId);
    expect(status).toBe(ConnectionStatus.ERROR);
    expect(lastErrorMessage).toMatch(/holder of the certificate has no permission/);
    expect(lastErrorMessage).toMatch(/The certificate names NIP \*{6}7635, not the NIP of the KSeF connection/);
    expect(lastErrorMessage).not.toContain('5265877635');
  });

  test('is CONNECTED with the permission to view invoices alone, and ERROR without it; both messages name the certificate', async () => {
    const pesel = '80010112346';
    const company = await newCompany({ people: { [pesel]: ['InvoiceRead'] } });
    const saved = await connect(company, await issue({ pesel }));
    const reads = await testOf(company, saved.connectionId);
    expect(reads.status).toBe(ConnectionStatus.CONNECTED);
    const lacks = /^The holder of the certificate lacks the permission/;
    expect(reads.warnings.map(({ message }) => message)).toEqual([expect.stringMatching(lacks)]);
    await control('PUT', `contexts/${company.contextNip}`, { tokens: [], people: { [pesel]: ['CredentialsRead'] } });
    const { status, lastErrorMessage } = await testOf(company, saved.connectionId);
    expect(status).toBe(ConnectionStatus.ERROR);
    expect(lastErrorMessage).toMatch(lacks);
  });

  test('that has expired is ERROR by the clock of KSeF, and the message says since when and what to do', async () => {
    const company = await newCompany({}, demoControl);
    const issued = await issueCertificate(`${simulator.url}/demo`, { nip: company.contextNip, days: 1 });
    const saved = await connect(company, issued, undefined, Environment.DEMO);
    await demoControl('POST', 'clock', { advanceSeconds: 2 * 86_400 });
    const { status, lastErrorMessage } = await testOf(company, saved.connectionId);
    expect(status).toBe(ConnectionStatus.ERROR);
    const expiry = saved.certificateExpiryTime?.toISOString();
    expect(lastErrorMessage).toBe(
      `The certificate of this connection expired at ${expiry}. Save the connection again with a valid certificate.`,
    );
  });

  test('that was revoked is ERROR, and CONNECTED again with the next one', async () => {
    const company = await newCompany();
    const issued = await issue({ nip: company.contextNip });
    const saved = await connect(company, issued);
    await control('DELETE', `certificates/${issued.serialNumber}`);
    const revoked = await testOf(company, saved.connectionId);
    expect(revoked.status).toBe(ConnectionStatus.ERROR);
    expect(revoked.lastErrorMessage).toMatch(/KSeF does not accept the certificate/);
    await connect(company, await issue({ nip: company.contextNip }));
    expect((await testOf(company, saved.connectionId)).status).toBe(ConnectionStatus.CONNECTED);
  });
});

describe('one connection', () => {
  test('changes from a token to a certificate and back, and has to be tested after each change', async () => {
    const company = await newCompany({ tokens: [{ token: 'a-token-that-is-long-enough' }] });
    const withToken = {
      ...connectionRequest(company.organizationId),
      contextNip: company.contextNip,
      ksefToken: 'a-token-that-is-long-enough',
    };
    const first = stated((await running.connections.saveConnection(withToken, caller)).connection);
    expect(first).toMatchObject({ authentication: Authentication.TOKEN, certificateExpiryTime: undefined });
    expect((await testOf(company, first.connectionId)).status).toBe(ConnectionStatus.CONNECTED);
    const second = await connect(company, await issue({ nip: company.contextNip }));
    expect(second).toMatchObject({
      connectionId: first.connectionId,
      authentication: Authentication.CERTIFICATE,
      status: ConnectionStatus.PENDING,
    });
    expect((await testOf(company, first.connectionId)).status).toBe(ConnectionStatus.CONNECTED);
    const third = stated((await running.connections.saveConnection(withToken, caller)).connection);
    expect(third).toMatchObject({
      authentication: Authentication.TOKEN,
      certificateExpiryTime: undefined,
      certificateSubjectMasked: undefined,
      status: ConnectionStatus.PENDING,
    });
    expect((await testOf(company, first.connectionId)).status).toBe(ConnectionStatus.CONNECTED);
  });
});

describe('nothing is stored', () => {
  test.each([
    ['of the type Offline', { type: 'Offline' }, 'certificate'],
    ['that has expired', { days: -1 }, 'certificate'],
    ['whose key is encrypted, without its password', { password: PASSWORD }, 'private_key_password'],
  ] as const)('of a certificate %s, and the refusal names the field', async (_, wishes, path) => {
    const company = await newCompany();
    const issued = await issue({ nip: company.contextNip, ...wishes });
    await expect(connect(company, issued)).rejects.toMatchObject({ kind: 'invalid', details: [{ path }] });
    const { organizationId } = company;
    const { connections } = await running.connections.listConnections(
      {
        organizationId,
        pageSize: 1,
        pageToken: '',
        environment: Environment.UNSPECIFIED,
        status: ConnectionStatus.UNSPECIFIED,
      },
      caller,
    );
    expect(connections).toEqual([]);
  });

  test('of a token and a certificate together', async () => {
    const company = await newCompany();
    const { certificate, privateKey } = await issue({ nip: company.contextNip });
    const request = { ...connectionRequest(company.organizationId), certificate: { certificate, privateKey } };
    await expect(running.connections.saveConnection(request, caller)).rejects.toMatchObject({
      kind: 'invalid',
      details: [{ path: 'ksef_token' }],
    });
  });
});

function keyText(key: ReturnType<typeof createPrivateKey>, format: 'pem' | 'der'): string {
  const exported = key.export({ type: 'pkcs8', format: format as 'der' });
  const base64 = format === 'der' ? exported.toString('base64') : String(exported).split('\n')[1];
  return base64 ?? '';
}
