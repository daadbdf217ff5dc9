import { expect, test } from 'vitest';
import { certifiedService, peerService } from './service-name.js';

const DOMAIN = 'installation.example';
const own = { trustDomain: DOMAIN, namespace: undefined };

test('a certificate names a service by its only URI, whatever other names it has', () => {
  const names = `DNS:scan, URI:spiffe://${DOMAIN}/service/scan, IP Address:127.0.0.1`;
  expect(certifiedService(names, DOMAIN)).toEqual({ service: 'scan' });
  expect(peerService(names, own)).toBe('scan');
});

test('the form with an account is a service in the namespace of the own certificate only', () => {
  const names = `URI:spiffe://${DOMAIN}/ns/billing-eu/sa/erp-sync`;
  expect(certifiedService(names, DOMAIN)).toEqual({ service: 'erp-sync', namespace: 'billing-eu' });
  expect(peerService(names, { ...own, namespace: 'billing-eu' })).toBe('erp-sync');
  expect(() => peerService(names, { ...own, namespace: 'other' })).toThrow('runs in the namespace billing-eu');
  expect(() => peerService(names, own)).toThrow('runs in the namespace billing-eu');
});

test.each([
  ['no names', undefined, 'no_identity'],
  ['no URI', 'DNS:scan', 'no_identity'],
  ['a name that looks like a list', `DNS:"a, URI:spiffe://${DOMAIN}/service/scan"`, 'no_identity'],
  ['two URIs', `URI:spiffe://${DOMAIN}/service/scan, URI:spiffe://${DOMAIN}/service/gateway`, 'several_identities'],
  ['another trust domain', 'URI:spiffe://elsewhere.example/service/scan', 'foreign_trust_domain'],
  ['a trust domain that begins with ours', `URI:spiffe://${DOMAIN}.example/service/scan`, 'foreign_trust_domain'],
  ['another scheme', `URI:https://${DOMAIN}/service/scan`, 'foreign_trust_domain'],
  ['no service', `URI:spiffe://${DOMAIN}/service/`, 'unknown_identity'],
  ['a longer path', `URI:spiffe://${DOMAIN}/service/scan/more`, 'unknown_identity'],
  ['another kind', `URI:spiffe://${DOMAIN}/user/scan`, 'unknown_identity'],
  ['upper case', `URI:spiffe://${DOMAIN}/service/Scan`, 'unknown_identity'],
  ['an account without a namespace', `URI:spiffe://${DOMAIN}/ns//sa/scan`, 'unknown_identity'],
])('a certificate with %s names no service', (_, names, fault) => {
  expect(() => certifiedService(names, DOMAIN)).toThrow(expect.objectContaining({ fault }));
});
