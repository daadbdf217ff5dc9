import { z } from 'zod';
import type { AuthorizationServer } from '../application/authorization-server.js';
import { ErpFault } from '../domain/faults.js';
import type { BoundedFetch } from './bounded-fetch.js';
import { isTokenEnded, readJson, requireOk } from './erp-answer.js';
import type { OAuthApp, OAuthAppSettings } from './oauth-app.js';

/** Settings for QuickBooks that are the same in every installation. */
export const quickBooksApp = {
  issuer: 'https://oauth.platform.intuit.com/op/v1',
  scopes: ['com.intuit.quickbooks.accounting'],
  accessSeconds: 3_600,
} as const;

const REALM_ID = /^[0-9]{1,20}$/;
const companyInfo = z.object({ CompanyInfo: z.object({ CompanyName: z.string().min(1) }) });

/**
 * OAuth app for QuickBooks Online (ERP reference, section 5). The callback names the company without a signature, so a
 * call for that company with the new access token must prove that the consent includes it.
 * @param apiUrl URL up to `/v3`
 */
export function quickBooksAuthorization(
  app: OAuthApp,
  settings: Pick<OAuthAppSettings, 'clientId' | 'clientSecret' | 'revokeUrl'>,
  { apiUrl, fetchBounded }: { readonly apiUrl: string; readonly fetchBounded: BoundedFetch },
): AuthorizationServer {
  return {
    ...app,
    async resolveTenant(accessToken, parameters) {
      const realmId = parameters.get('realmId') ?? '';
      if (!REALM_ID.test(realmId)) throw new ErpFault('BAD_RESPONSE', 'QuickBooks Online did not name the company.');
      const url = `${apiUrl}/v3/company/${realmId}/companyinfo/${realmId}?minorversion=75`;
      const headers = { authorization: `Bearer ${accessToken}`, accept: 'application/json' };
      const read = companyInfo.safeParse(await readJson(await fetchBounded(url, { headers })));
      if (!read.success) throw new ErpFault('BAD_RESPONSE', 'QuickBooks Online did not return the company.');
      return { id: realmId, name: read.data.CompanyInfo.CompanyName };
    },
    async revoke(refreshToken) {
      const { clientId, clientSecret } = settings;
      const credentials = Buffer.from(`${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret)}`);
      const response = await fetchBounded(settings.revokeUrl, {
        method: 'POST',
        headers: {
          authorization: `Basic ${credentials.toString('base64')}`,
          accept: 'application/json',
          // Intuit requires a JSON body for the revocation of an OAuth token, unlike RFC 7009.
          'content-type': 'application/json',
        },
        body: JSON.stringify({ token: refreshToken }),
      });
      if (!(await isTokenEnded(response))) await requireOk(response);
    },
    configOf: ({ id, name }) => ({ realmId: id, tenantName: name }),
  };
}
