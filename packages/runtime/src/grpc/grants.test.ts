import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SignedContent } from '@invoicecontrol/contracts/organization/v1/grant';
import { createTestAuthority } from '@invoicecontrol/testkit/test-certificates';
import { afterAll, describe, expect, test } from 'vitest';
import { openIdentity } from '../identity/identity.js';
import type { Identity } from '../identity/identity.js';
import { contentVerifier, signContent } from '../identity/signatures.js';
import { createLogger } from '../logger.js';
import { grantReader, issueGrant } from './grants.js';
import type { GrantedFacts } from './grants.js';
import { ProofRefused } from './proof-refused.js';

const DOMAIN = 'installation.example';
const DAY_MS = 86_400_000;
const logger = createLogger({ service: 'test', level: 'silent' });
const authority = createTestAuthority('authority a');
const opened: (() => void)[] = [];
afterAll(() => {
  for (const close of opened) close();
});

function identityOf(service: string, by = authority, ca = authority.certificate): Identity {
  const directory = mkdtempSync(join(tmpdir(), 'grants-'));
  const { certificate, key } = by.issue({ uris: [`spiffe://${DOMAIN}/service/${service}`] });
  writeFileSync(join(directory, 'tls.crt'), certificate);
  writeFileSync(join(directory, 'tls.key'), key);
  writeFileSync(join(directory, 'ca.crt'), ca);
  const identity = openIdentity({ directory, trustDomain: DOMAIN, logger });
  opened.push(() => {
    identity.close();
    rmSync(directory, { recursive: true });
  });
  return identity;
}

const organization = identityOf('organization');
const analysis = identityOf('analysis');
const facts: GrantedFacts = {
  organizationId: 'organization-1',
  actorType: 'API_KEY',
  actorId: 'key-1',
  sessionId: '',
  person: 'USER:user-1',
  role: 'ANALYST',
  scopes: ['read'],
  plan: 'CORE',
  limits: { analysesPerMonth: 100 },
  isTest: false,
};

const readerOf = (identity: Identity) => grantReader(identity, contentVerifier(identity));

function reasonOf(read: () => unknown): string | undefined {
  try {
    read();
    return undefined;
  } catch (error) {
    expect(error).toBeInstanceOf(ProofRefused);
    return (error as ProofRefused).reason;
  }
}

/** Returns the time that lies a number of seconds before now. */
const ago = (seconds: number): Date => new Date(Date.now() - seconds * 1_000);

describe('a grant', () => {
  test('proves to another service what the organization service has signed', () => {
    expect(readerOf(analysis)(issueGrant(organization, facts), 'request')).toMatchObject(facts);
  });

  test('is accepted again and again while it is valid', () => {
    const read = readerOf(analysis);
    const grant = issueGrant(organization, facts);
    expect(read(grant, 'request')).toBe(read(Buffer.from(grant), 'request'));
  });

  test('ends 60 seconds after its issue, and clocks may differ by 10 seconds', () => {
    const read = readerOf(analysis);
    expect(reasonOf(() => read(issueGrant(organization, facts, ago(69)), 'request'))).toBeUndefined();
    expect(reasonOf(() => read(issueGrant(organization, facts, ago(71)), 'request'))).toBe('grant_expired');
    expect(reasonOf(() => read(issueGrant(organization, facts, ago(-9)), 'request'))).toBeUndefined();
    expect(reasonOf(() => read(issueGrant(organization, facts, ago(-11)), 'request'))).toBe('grant_expired');
  });

  test('proves for work that continues later who started it', () => {
    expect(reasonOf(() => readerOf(analysis)(issueGrant(organization, facts, ago(600)), 'work'))).toBeUndefined();
  });

  test('is refused when one of its bits is another one', () => {
    const read = readerOf(analysis);
    const grant = issueGrant(organization, facts);
    for (let at = 0; at < grant.length; at += 7) {
      const flipped = Buffer.from(grant);
      flipped[at] = (flipped[at] ?? 0) ^ 1;
      expect(reasonOf(() => read(flipped, 'request'))).toBe('grant_invalid');
    }
  });

  test.each(['gateway', 'analysis', 'operator'])('is refused when %s has signed it', (service) => {
    expect(reasonOf(() => readerOf(analysis)(issueGrant(identityOf(service), facts), 'request'))).toBe('grant_invalid');
  });

  test('is refused when a service of the same name has a certificate of another authority', () => {
    const stranger = identityOf('organization', ...strangers());
    expect(reasonOf(() => readerOf(analysis)(issueGrant(stranger, facts), 'request'))).toBe('grant_invalid');
  });

  test('is refused when it was signed for another purpose', () => {
    const { content } = SignedContent.decode(issueGrant(organization, facts));
    const sealed = signContent(organization, 'request', content);
    expect(reasonOf(() => readerOf(analysis)(sealed, 'request'))).toBe('grant_invalid');
  });

  test('is refused when it says that it was issued while the certificate was not valid', () => {
    const grant = issueGrant(organization, facts, new Date(Date.now() - 400 * DAY_MS));
    expect(reasonOf(() => readerOf(analysis)(grant, 'work'))).toBe('grant_invalid');
  });

  test('is refused without a certificate, and with more certificates than a chain may have', () => {
    const signed = SignedContent.decode(issueGrant(organization, facts));
    const read = readerOf(analysis);
    const [certificate = Buffer.alloc(0)] = signed.certificates;
    const withChain = (...certificates: Buffer[]): Buffer =>
      Buffer.from(SignedContent.encode({ ...signed, certificates }).finish());
    const chain = (length: number): Buffer[] => Array.from({ length }, () => certificate);
    expect(reasonOf(() => read(withChain(), 'request'))).toBe('grant_invalid');
    expect(reasonOf(() => read(withChain(...chain(4)), 'request'))).toBeUndefined();
    expect(reasonOf(() => read(withChain(...chain(5)), 'request'))).toBe('grant_invalid');
    expect(reasonOf(() => read(Buffer.from('no grant'), 'request'))).toBe('grant_invalid');
  });
});

function strangers(): [typeof authority, string] {
  const other = createTestAuthority('authority b');
  return [other, other.certificate];
}
