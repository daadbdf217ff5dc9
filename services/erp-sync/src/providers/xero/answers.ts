import { ErpFault } from '../../domain/faults.js';
import { faultByTable } from '../answers.js';
import type { AnswerRule } from '../answers.js';
import { textOf } from '../json.js';
import type { ErpAnswer } from '../provider.js';

/** Xero lists with their names for users, their required scope, and the id field of their rows. */
export const lists = {
  Contacts: { noun: 'contacts', scope: 'accounting.contacts.read', idName: 'ContactID' },
  Invoices: { noun: 'bills', scope: 'accounting.invoices.read', idName: 'InvoiceID' },
  CreditNotes: { noun: 'credit notes', scope: 'accounting.invoices.read', idName: 'CreditNoteID' },
  Payments: { noun: 'payments', scope: 'accounting.payments.read', idName: 'PaymentID' },
  PurchaseOrders: { noun: 'purchase orders', scope: 'accounting.invoices.read', idName: 'PurchaseOrderID' },
} as const;
export type ListName = keyof typeof lists;
export type ResourceName = ListName | 'Organisation';
const resources = { ...lists, Organisation: { noun: 'the organisation', scope: 'accounting.settings.read' } };

/** Error type of Xero for an OAuth token that lacks a scope. A new token would lack the scope too. */
export const SCOPE_MISSING = 'AuthorizationUnsuccessful';

/** Faults by the error texts in the members `Detail`, `Title` and `Type` of Xero responses. */
export const xeroAnswers: readonly AnswerRule[] = [
  { status: [401], codes: [SCOPE_MISSING], fault: (resource) => permissionDenied([resource as ResourceName]) },
  {
    status: [401],
    codes: ['Unauthorized'],
    fault: () => new ErpFault('REAUTH_REQUIRED', 'Xero no longer accepts the access token. Connect Xero again.'),
  },
  // If Xero responds with the status 403 and its list /connections contains the organisation, permissions are missing.
  // If the list does not contain the organisation, it was disconnected.
  {
    status: [403],
    codes: ['Forbidden', 'AuthenticationUnsuccessful', SCOPE_MISSING],
    fault: (resource) => permissionDenied([resource as ResourceName]),
  },
  // Xero would refuse the same query again, so it is not retried.
  {
    status: [400],
    codes: ['ValidationException', 'QueryParseException', 'PostDataInvalidException'],
    fault: (resource) =>
      new ErpFault('BAD_RESPONSE', `Xero refused the query for ${resources[resource as ResourceName].noun}.`),
  },
];

/**
 * Returns the fault that a response of Xero means.
 * @param isGood checks whether the body has the requested content
 */
export function faultOfAnswer(
  { status, json }: ErpAnswer,
  resource: ResourceName,
  isGood: (json: unknown) => boolean,
): ErpFault | undefined {
  if (status === 200 && isGood(json)) return undefined;
  const codes = ['Detail', 'Title', 'Type'].flatMap((name) => textOf(json, name) ?? []);
  return faultByTable(xeroAnswers, { status, codes }, resource);
}

export function disconnected(): ErpFault {
  return new ErpFault('REAUTH_REQUIRED', 'The organisation was disconnected in Xero. Connect the organisation again.');
}

/** Returns a fault that names each list that Xero denied, with the scope that it requires. */
export function permissionDenied(denied: readonly ResourceName[]): ErpFault {
  const named = denied.map((resource) => `${resources[resource].noun} (${resources[resource].scope})`);
  return new ErpFault(
    'PERMISSION_DENIED',
    `Xero does not let this connection read: ${named.join(', ')}. Connect it again as a user who may read them, and grant all requested permissions.`,
  );
}
