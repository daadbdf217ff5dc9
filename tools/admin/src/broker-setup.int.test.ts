import { expect, test } from 'vitest';
import { testIdentityDirectory } from '@invoicecontrol/runtime/testing/test-identities';
import { testInfrastructure } from '@invoicecontrol/testkit/infrastructure';
import { run } from './run.js';

async function brokerSetup(env: NodeJS.ProcessEnv): Promise<{ code: number; out: string; err: string }> {
  let out = '';
  let err = '';
  const code = await run(['broker-setup'], {
    env,
    stdout: { write: (text) => (out += text) },
    stderr: { write: (text) => (err += text) },
  });
  return { code, out, err };
}

test('creates the streams and consumers of every service, and changes nothing the second time', async () => {
  const env = { NATS_URL: testInfrastructure().natsUrl, TLS_DIR: testIdentityDirectory('operator') };
  const first = await brokerSetup(env);
  expect(first).toMatchObject({ code: 0, err: '' });
  expect(first.out).toMatch(/^The broker has 8 streams and \d+ consumers\.\n/);
  expect(await brokerSetup(env)).toEqual(first);
});

test('is refused with the identity of a service', async () => {
  const env = { NATS_URL: testInfrastructure().natsUrl, TLS_DIR: testIdentityDirectory('scan') };
  expect(await brokerSetup(env)).toMatchObject({ code: 1, err: expect.stringContaining('Permissions Violation') });
});

test('states what to change when the broker is not named, is not there, or cannot store so many copies', async () => {
  expect(await brokerSetup({})).toMatchObject({ code: 2, err: expect.stringContaining('Set NATS_URL') });
  const gone = await brokerSetup({ NATS_URL: 'nats://127.0.0.1:1' });
  expect(gone).toMatchObject({ code: 1, err: expect.stringContaining('Check NATS_URL and TLS_DIR') });
  for (const NATS_STREAM_REPLICAS of ['0', '1.5', 'three']) {
    const refused = await brokerSetup({ NATS_URL: testInfrastructure().natsUrl, NATS_STREAM_REPLICAS });
    expect(refused).toMatchObject({ code: 2, err: expect.stringContaining('NATS_STREAM_REPLICAS') });
  }
});
