import { ErpFault, Outage } from '../../domain/faults.js';
import { faultByTable } from '../answers.js';
import type { AnswerRule } from '../answers.js';
import { fieldOf, textOf } from '../json.js';
import type { ErpAnswer } from '../provider.js';

/** Odoo models that belong to apps that may not be installed. */
const OPTIONAL = ['account.payment', 'purchase.order'] as const;
/**
 * Text in the error message of the database server if the database does not exist. Odoo returns such a message as an
 * operational error.
 */
const NO_SUCH_DATABASE = 'database does not exist';

const badRequest = (model: string) => new ErpFault('BAD_RESPONSE', `Odoo refused the query for ${nameOf(model)}.`);

/**
 * Maps the exceptions of Odoo to faults. An exception is recognized by the last part of its name, because JSON-2
 * returns it with different HTTP statuses, and JSON-RPC always with 200.
 */
export const odooAnswers: readonly AnswerRule[] = [
  {
    codes: ['Unauthorized', 'AccessDenied'],
    fault: () =>
      new ErpFault(
        'AUTH_FAILED',
        'Odoo does not accept the API key: it is wrong, was deleted or has expired. Create a new key in Odoo and send it with PATCH.',
      ),
  },
  { codes: ['AccessError'], fault: (model) => permissionDenied([model]) },
  { codes: [NO_SUCH_DATABASE], fault: () => noSuchDatabase() },
  // An optional list whose Odoo app is not installed is left out as if the permission to read it were missing.
  { codes: ['NotFound', 'KeyError'], of: OPTIONAL, fault: (model) => permissionDenied([model]) },
  {
    codes: ['NotFound', 'KeyError'],
    fault: (model) =>
      new ErpFault('BAD_RESPONSE', `Odoo does not have ${nameOf(model)}. Install the Odoo app that provides them.`),
  },
  // Odoo faults that mean an incorrect call are not retried, because the same call would fail again.
  { codes: ['UserError', 'ValidationError', 'MissingError', 'UnprocessableEntity', 'BadRequest'], fault: badRequest },
  { codes: ['ValueError', 'TypeError', 'AttributeError'], fault: badRequest },
];

/**
 * Returns the fault that a JSON-2 response of Odoo means.
 * @param isResult checks whether the result has the expected form
 */
export function faultOfJson2(
  { status, json }: ErpAnswer,
  model: string,
  isResult: (json: unknown) => boolean,
): ErpFault | undefined {
  if (status === 200 && json !== undefined && isResult(json)) return undefined;
  return faultByTable(odooAnswers, { status, codes: status === 200 ? [] : codesOf(json) }, model);
}

/** Returns the fault that a JSON-RPC response of Odoo means. */
export function faultOfRpc({ status, json }: ErpAnswer, model: string): ErpFault | undefined {
  const error = fieldOf(json, 'error');
  if (status === 200 && error === undefined && fieldOf(json, 'result') !== undefined) return undefined;
  return faultByTable(odooAnswers, { status, codes: codesOf(fieldOf(error, 'data')) }, model);
}

/**
 * Returns the code of an Odoo exception: the last part of its name, such as `AccessError` for
 * `odoo.exceptions.AccessError`.
 */
function codesOf(exception: unknown): readonly string[] {
  const name = textOf(exception, 'name')?.split('.').at(-1);
  if (name === undefined) return [];
  const isOfDatabase = name === 'OperationalError';
  const message = textOf(exception, 'message') ?? '';
  return isOfDatabase && /\bdatabase "[^"\n]{0,200}" does not exist/.test(message) ? [name, NO_SUCH_DATABASE] : [name];
}

export function noSuchDatabase(): ErpFault {
  return new ErpFault(
    'DATABASE_REQUIRED',
    'Odoo does not have this database. Delete this connection and connect Odoo with the right database.',
  );
}

export function severalDatabases(): ErpFault {
  return new ErpFault(
    'DATABASE_REQUIRED',
    'The instance has several databases. Delete this connection and connect Odoo again with `database`, the name of the database to read.',
  );
}

/**
 * Returns the fault for a database that cannot be opened. A missing database and an unavailable database server cannot
 * be distinguished if Odoo does not list its databases.
 */
export function databaseClosed(): Outage {
  return new Outage(
    'UPSTREAM_ERROR',
    'Odoo opened no database and does not list its databases. The next run tries again. Check that Odoo is running, and that database names the right one.',
  );
}

/**
 * Returns the fault that a "not found" page of Odoo means. A proxy returns the same response while Odoo is restarting.
 */
export function nothingFound(): Outage {
  return new Outage(
    'UPSTREAM_ERROR',
    'The response did not come from Odoo (status 404). The next run tries again. Check that Odoo is running, and that baseUrl is right.',
  );
}

/**
 * Returns the fault for an Odoo version that requires a login.
 * @param version version that Odoo states, such as `18`
 */
export function loginRequired(version: number): ErpFault {
  return new ErpFault(
    'TENANT_NOT_FOUND',
    `Odoo ${version} needs a login. Delete this connection and connect Odoo again with login, the user that the API key belongs to.`,
  );
}

const modelNames: Readonly<Record<string, string>> = {
  'res.company': 'companies',
  'res.country': 'countries',
  'res.partner': 'contacts',
  'res.partner.bank': 'bank accounts of contacts',
  'account.move': 'vendor bills',
  'account.payment': 'payments',
  'purchase.order': 'purchase orders',
  'res.users': 'users',
};

function nameOf(model: string): string {
  const name = modelNames[model];
  return name === undefined ? model : `${name} (${model})`;
}

/** Returns a fault that names every Odoo model without read permission. */
export function permissionDenied(models: readonly string[]): ErpFault {
  return new ErpFault(
    'PERMISSION_DENIED',
    `The user of the API key may not read ${models.map(nameOf).join(', ')}. Give the user the right in Odoo, such as "Accounting: read-only".`,
  );
}
