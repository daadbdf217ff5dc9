import { invalidField } from '@invoicecontrol/errors';
import { z } from 'zod';
import { parseConfig, textLike } from '../parse-config.js';
import type { ErpProduct } from '../product.js';

const COMPANY_ID_MAX = 2 ** 31 - 1;
/** Paths of Odoo interfaces, which must not be part of the base URL. */
const INTERFACE_PATH = /\/(?:json|json\/2|jsonrpc|xmlrpc|xmlrpc\/2|odoo|web)$/i;

/** Schema of the configuration of an Odoo connection (ERP reference, sections 4 and 12). */
const config = z.strictObject(
  {
    baseUrl: z.string({ error: ({ input }) => (input === undefined ? 'Required.' : 'Must be a URL.') }),
    database: textLike(
      /^[A-Za-z0-9][A-Za-z0-9_.-]{0,127}$/,
      'Must be the name of a database: letters, digits, _, . and -, at most 128 characters.',
    ).optional(),
    erpCompanyId: z
      .int('Must be the id of a company in Odoo, a whole number.')
      .min(1, 'Must be at least 1.')
      .max(COMPANY_ID_MAX, `Must be at most ${COMPANY_ID_MAX}.`)
      .optional(),
    login: textLike(
      /^[^\p{C}\s]{1,254}$/u,
      'Must be the login of a user, at most 254 characters without spaces.',
    ).optional(),
  },
  { error: ({ code }) => (code === 'invalid_type' ? 'Must be an object.' : undefined) },
);

export const odoo: ErpProduct = {
  code: 'PROVIDER_B',
  product: 'ODOO',
  title: 'Odoo',
  credentials: {
    secretName: 'api_key',
    async readConfig(given, { checkUrl }) {
      const read = parseConfig(config, given);
      const baseUrl = readBaseUrl(await checkUrl(read.baseUrl));
      const { database = '', erpCompanyId = '' } = read;
      return { config: { ...read, baseUrl }, remoteKey: JSON.stringify([baseUrl, database, erpCompanyId]) };
    },
    // If the fields for database and company are absent, Odoo uses the only database and the default company of the
    // user.
    mayBeSameCompany: (one, other) =>
      one['baseUrl'] === other['baseUrl'] &&
      (['database', 'erpCompanyId'] as const).every(
        (name) => one[name] === undefined || other[name] === undefined || one[name] === other[name],
      ),
  },
};

/** Reads the base URL of an Odoo server without a trailing slash. */
function readBaseUrl(checked: { readonly url: URL } | { readonly problem: string }): string {
  const path = 'config.baseUrl';
  if ('problem' in checked) throw invalidField(path, `${checked.problem}.`);
  const { origin, pathname, search } = checked.url;
  if (search !== '') throw invalidField(path, 'must not have a query (?).');
  const base = pathname.replace(/(?<!\/)\/+$/, '');
  const [interfacePath] = INTERFACE_PATH.exec(base) ?? [];
  if (interfacePath !== undefined) {
    throw invalidField(path, `must be the address of the instance, without ${interfacePath} at its end.`);
  }
  return `${origin}${base}`;
}
