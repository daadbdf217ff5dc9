import { ErpFault, Outage } from '../../domain/faults.js';
import { faultByTable } from '../answers.js';
import type { AnswerRule } from '../answers.js';
import { fieldOf, textOf } from '../json.js';
import type { ErpAnswer } from '../provider.js';

/** Name for the company of Business Central in error messages. */
export const COMPANY = 'the company';
/** Name of a list in the Business Central API for reports, which may not be installed. */
export const PAYMENTS = 'vendorLedgerEntries';

/**
 * Error by which Business Central refuses a query, for example because of a filter on a field that the list does not
 * have.
 */
export class QueryRefused extends ErpFault {}

const NOT_FOUND = ['BadRequest_NotFound', 'BadRequest_ResourceNotFound', 'Internal_RecordNotFound'];

/** Faults by the error codes of the Business Central API v2.0. */
export const businessCentralAnswers: readonly AnswerRule[] = [
  {
    status: [401],
    codes: ['Authentication_*', 'Unauthorized'],
    fault: () =>
      new ErpFault(
        'AUTH_FAILED',
        'Business Central does not accept the application. Add it on the page "Microsoft Entra Applications" with State Enabled.',
      ),
  },
  {
    status: [403],
    codes: ['Authorization_*', 'Application_*', 'Forbidden'],
    fault: (name) => permissionDenied([name]),
  },
  {
    status: [404],
    codes: ['Internal_CompanyNotFound'],
    fault: () =>
      new ErpFault(
        'TENANT_NOT_FOUND',
        'The Business Central environment does not have this company. Delete this connection and connect with the right companyId.',
      ),
  },
  { status: [404], codes: ['NoEnvironment'], fault: noEnvironmentOrCompany },
  { status: [404], codes: NOT_FOUND, of: [COMPANY], fault: noEnvironmentOrCompany },
  // If the Business Central API for reports is not installed, payments are left out as if the permission to read them
  // were missing.
  { status: [404], codes: NOT_FOUND, of: [PAYMENTS], fault: (name) => permissionDenied([name]) },
  {
    status: [404],
    codes: NOT_FOUND,
    fault: (name) => new ErpFault('BAD_RESPONSE', `Business Central does not have ${name} at this address.`),
  },
  {
    status: [400],
    codes: ['BadRequest*'],
    fault: (name) => new QueryRefused('BAD_RESPONSE', `Business Central refused the query for ${name}.`),
  },
  {
    status: [413],
    codes: ['Request_EntityTooLarge'],
    fault: (name) => new ErpFault('BAD_RESPONSE', `A page of ${name} is too large for Business Central.`),
  },
];

/** Faults by the error numbers of Microsoft Entra (AADSTS) and by OAuth error names. */
export const entraAnswers: readonly AnswerRule[] = [
  {
    codes: ['7000215'],
    fault: () =>
      new ErpFault('AUTH_FAILED', 'The client secret is wrong. Send the value of the secret, not its id, with PATCH.'),
  },
  {
    codes: ['7000222'],
    fault: () =>
      new ErpFault(
        'AUTH_FAILED',
        'The client secret has expired. Create a new client secret in Microsoft Entra and send it with PATCH.',
      ),
  },
  {
    codes: ['700016'],
    fault: () =>
      new ErpFault(
        'AUTH_FAILED',
        'The tenant does not have this application. Give the application admin consent in the tenant. If clientId is wrong, delete this connection and connect again with the right clientId.',
      ),
  },
  {
    codes: ['90002'],
    fault: () =>
      new ErpFault(
        'TENANT_NOT_FOUND',
        'Microsoft Entra does not have this tenant. Delete this connection and connect with the right tenantId.',
      ),
  },
  {
    codes: ['invalid_client', 'unauthorized_client'],
    fault: () =>
      new ErpFault(
        'AUTH_FAILED',
        'Microsoft Entra refused the application. Correct the cause that its sign-in log in Microsoft Entra shows, then start a run.',
      ),
  },
];

/**
 * Returns the fault that a response of the Business Central API means.
 * @param isGood checks whether the body has the requested content
 */
export function faultOfApi(
  { status, json }: ErpAnswer,
  name: string,
  isGood: (json: unknown) => boolean,
): ErpFault | undefined {
  if (status === 200 && isGood(json)) return undefined;
  const code = textOf(json, 'error', 'code');
  return faultByTable(businessCentralAnswers, { status, codes: code === undefined ? [] : [code] }, name);
}

/** Returns the ERP fault that a response of Microsoft Entra, the login of Business Central, means. */
export function faultOfEntra({ status, json }: ErpAnswer): ErpFault | undefined {
  if (status === 200) {
    const hasToken = textOf(json, 'access_token') !== undefined && typeof fieldOf(json, 'expires_in') === 'number';
    return hasToken ? undefined : new Outage('BAD_RESPONSE', 'Microsoft Entra responded without an access token.');
  }
  const numbers = fieldOf(json, 'error_codes');
  const codes = [...(Array.isArray(numbers) ? numbers.map(String) : []), textOf(json, 'error') ?? ''];
  return faultByTable(entraAnswers, { status, codes: codes.filter((code) => code !== '') }, 'tokens');
}

function noEnvironmentOrCompany(): ErpFault {
  return new ErpFault(
    'TENANT_NOT_FOUND',
    'The Business Central environment or the company does not exist. Delete this connection and connect with the right environmentName and companyId.',
  );
}

/**
 * Returns the fault that names the Business Central lists without read permission.
 * @param names names of lists, such as `vendors`
 */
export function permissionDenied(names: readonly string[]): ErpFault {
  return new ErpFault(
    'PERMISSION_DENIED',
    `The application may not read ${names.join(', ')}. Give it a permission set that reads ${names.length === 1 ? 'it' : 'them'}, on the page "Microsoft Entra Applications" of Business Central.`,
  );
}
