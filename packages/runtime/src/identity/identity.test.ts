import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTestAuthority } from '@invoicecontrol/testkit/test-certificates';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createLogger } from '../logger.js';
import { openIdentity } from './identity.js';
import type { Identity, IdentityOptions } from './identity.js';

const DOMAIN = 'installation.example';
const DAY_MS = 86_400_000;
const authority = createTestAuthority('authority a');
const otherAuthority = createTestAuthority('authority b');
const scan = { uris: [`spiffe://${DOMAIN}/service/scan`] };
const lines: string[] = [];
const logger = createLogger({ service: 'test', level: 'info', destination: { write: (line) => lines.push(line) } });

interface Files {
  readonly 'tls.crt': string;
  readonly 'tls.key': string;
  readonly 'ca.crt': string;
}

let directory: string;
let identity: Identity | undefined;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'identity-'));
  lines.length = 0;
});
afterEach(async () => {
  identity?.close();
  identity = undefined;
  await rm(directory, { recursive: true });
});

function filesOf(options: Parameters<typeof authority.issue>[0] = scan, ca = authority.certificate): Files {
  const { certificate, key } = authority.issue(options);
  return { 'tls.crt': certificate, 'tls.key': key, 'ca.crt': ca };
}

async function write(files: Partial<Files>): Promise<void> {
  for (const [name, content] of Object.entries(files)) await writeFile(join(directory, name), content);
}

function open(options: Partial<IdentityOptions> = {}): Identity {
  identity = openIdentity({ directory, trustDomain: DOMAIN, logger, pollMs: 5, ...options });
  return identity;
}

describe('a service does not start', () => {
  test('without its three files, and the message names the directory and the files', async () => {
    expect(open).toThrow(`TLS_DIR is ${directory}, which must contain tls.crt, tls.key and ca.crt of this service`);
    const files = filesOf();
    for (const name of Object.keys(files)) {
      await write(files);
      await rm(join(directory, name));
      expect(open).toThrow(name);
    }
  });

  test.each<[string, () => Partial<Files>, string]>([
    ['a key of another certificate', () => ({ 'tls.key': filesOf()['tls.key'] }), 'tls.key does not belong to tls.crt'],
    ['an empty key', () => ({ 'tls.key': '' }), 'TLS_DIR'],
    ['no certificate', () => ({ 'tls.crt': '' }), 'tls.crt contains no certificate'],
    ['no authority', () => ({ 'ca.crt': 'none' }), 'ca.crt contains no certificate'],
    ['a damaged authority', () => ({ 'ca.crt': authority.certificate.replaceAll('A', 'B') }), 'ca.crt'],
    [
      'another authority',
      () => ({ 'ca.crt': otherAuthority.certificate }),
      'no authority of ca.crt has issued tls.crt',
    ],
    ['a certificate that has expired', () => filesOf({ ...scan, notAfter: new Date(Date.now() - 1_000) }), 'expired'],
    [
      'one that is not valid yet',
      () => filesOf({ ...scan, notBefore: new Date(Date.now() + DAY_MS) }),
      'not valid before',
    ],
    ['a certificate without a service', () => filesOf({}), 'no readable URI'],
    ['one of a foreign installation', () => filesOf({ uris: ['spiffe://other/service/scan'] }), `is not of ${DOMAIN}`],
  ])('with %s', async (_, changes, message) => {
    await write({ ...filesOf(), ...changes() });
    expect(open).toThrow(message);
  });

  test('with the certificate of another service', async () => {
    await write(filesOf());
    expect(() => open({ service: 'gateway' })).toThrow('tls.crt names scan and not gateway');
    expect(open({ service: 'scan' }).service).toBe('scan');
  });
});

test('a certificate of any authority in the bundle is accepted', async () => {
  await write(filesOf(scan, `${otherAuthority.certificate}${authority.certificate}`));
  expect(open()).toMatchObject({ service: 'scan', namespace: undefined });
});

test('new files take effect together, and a set that is torn or wrong never does', async () => {
  await write(filesOf());
  const { onChange, files, secureContext } = open();
  const changes: string[] = [];
  onChange((changed) => changes.push(changed.cert.toString()));
  const first: unknown = (secureContext as { context: unknown }).context;
  const next = filesOf();
  await write({ 'tls.crt': next['tls.crt'] });
  await eventually(() => expect(lines.join()).toContain('tls.key does not belong to tls.crt'));
  expect(identity?.files).toBe(files);
  expect((secureContext as { context: unknown }).context).toBe(first);
  await rm(join(directory, 'tls.key'));
  await eventually(() => expect(lines.join()).toContain('ENOENT'));
  await write({ 'tls.key': next['tls.key'] });
  await eventually(() => expect(changes).toEqual([next['tls.crt']]));
  expect(identity?.files.cert.toString()).toBe(next['tls.crt']);
  expect((secureContext as { context: unknown }).context).not.toBe(first);
});

test('a fault of the files is logged once while it lasts', async () => {
  await write(filesOf());
  open();
  await write({ 'tls.key': '' });
  await eventually(() => expect(lines.length).toBeGreaterThan(0));
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(lines.filter((line) => line.includes('do not fit together'))).toHaveLength(1);
});

test('the files of another service do not replace the identity of a running one', async () => {
  await write(filesOf());
  const { files } = open();
  await write(filesOf({ uris: [`spiffe://${DOMAIN}/service/gateway`] }));
  await eventually(() => expect(lines.join()).toContain('this service was started as scan'));
  expect(identity?.files).toBe(files);
});

test('the last third of the life is a warning and the last hour an error, each once', async () => {
  const notBefore = new Date();
  const notAfter = new Date(notBefore.getTime() + DAY_MS);
  await write(filesOf({ ...scan, notBefore: new Date(notBefore.getTime() - 1_000), notAfter }));
  let now = notBefore;
  open({ clock: { now: () => now } });
  const said = (text: string): number => lines.filter((line) => line.includes(text)).length;
  now = new Date(notAfter.getTime() - DAY_MS / 3 + 1_000);
  await eventually(() => expect(said('in its last third')).toBe(1));
  now = new Date(notAfter.getTime() - 3_599_000);
  await eventually(() => expect(said('expires within an hour')).toBe(1));
  expect(said('in its last third')).toBe(1);
});
