import type { Authentication } from './connection.js';

/**
 * Permissions of KSeF that the product uses. Submitting invoices needs the first permission, and receiving invoices
 * needs the second.
 */
type Permission = 'InvoiceWrite' | 'InvoiceRead';

/** Names of the secrets of KSeF connections, as messages to users call them. */
export const credentialNames: Readonly<Record<Authentication, string>> = { TOKEN: 'token', CERTIFICATE: 'certificate' };

const holders: Readonly<Record<Authentication, string>> = {
  TOKEN: 'The token',
  CERTIFICATE: 'The holder of the certificate',
};
const abilities: Readonly<Record<Permission, string>> = {
  InvoiceWrite: 'issue invoices (InvoiceWrite)',
  InvoiceRead: 'view invoices (InvoiceRead)',
};

/**
 * Returns a clause, without a period at its end, which states that the secret of a KSeF connection lacks a permission.
 */
export function lackOf(permission: Permission, authentication: Authentication): string {
  return `${holders[authentication]} lacks the permission to ${abilities[permission]}`;
}

/** Returns the message for a KSeF secret that may view invoices but not issue them. */
export function onlyViewing(authentication: Authentication): string {
  return `${lackOf('InvoiceWrite', authentication)}, so the connection can only receive invoices. Grant InvoiceWrite in KSeF and test the connection to submit invoices, too.`;
}

/** Sentence that asks the user to grant in KSeF the permissions that a KSeF connection needs. */
export const GRANT_PERMISSIONS =
  'Grant InvoiceWrite in KSeF to submit invoices, InvoiceRead to receive invoices, or both.';

/** Returns the message for a KSeF secret without any of the permissions that the product uses. */
export function withoutPermissions(authentication: Authentication): string {
  return `${holders[authentication]} lacks the permissions to issue and to view invoices. ${GRANT_PERMISSIONS} Then test the connection.`;
}
