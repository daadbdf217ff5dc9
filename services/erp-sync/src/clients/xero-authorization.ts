import { z } from 'zod';
import type { AuthorizationServer } from '../application/authorization-server.js';
import { ErpFault } from '../domain/faults.js';
import type { BoundedFetch } from './bounded-fetch.js';
import { isOfErp, isTokenEnded, readJson, requireOk } from './erp-answer.js';
import type { OAuthApp, OAuthAppSettings } from './oauth-app.js';

/**
 * Settings for Xero that are the same in every installation. Xero offers only these granular scopes to apps that were
 * created since March 2026.
 */
export const xeroApp = {
  issuer: 'https://identity.xero.com',
  scopes: [
    'offline_access',
    'accounting.contacts.read',
    'accounting.invoices.read',
    'accounting.payments.read',
    'accounting.settings.read',
  ],
  accessSeconds: 1_800,
} as const;

const claims = z.object({ authentication_event_id: z.string().min(1) });
const connections = z.array(
  z.object({
    id: z.string().min(1),
    authEventId: z.string(),
    tenantId: z.string().min(1),
    tenantType: z.string(),
    tenantName: z.string().nullish(),
  }),
);

/**
 * OAuth app for Xero (ERP reference, section 6). The access token identifies the consent, and the connection list shows
 * which company it connected.
 * @param apiUrl URL up to `/connections`
 */
export function xeroAuthorization(
  app: OAuthApp,
  settings: Pick<OAuthAppSettings, 'clientId' | 'clientSecret' | 'revokeUrl'>,
  { apiUrl, fetchBounded }: { readonly apiUrl: string; readonly fetchBounded: BoundedFetch },
): AuthorizationServer {
  const headersOf = (accessToken: string) => ({ authorization: `Bearer ${accessToken}`, accept: 'application/json' });
  return {
    ...app,
    async resolveTenant(accessToken) {
      const authEventId = authEventOf(accessToken);
      const url = `${apiUrl}/connections?authEventId=${encodeURIComponent(authEventId)}`;
      const answer = await fetchBounded(url, { headers: headersOf(accessToken) });
      const read = connections.safeParse(await readJson(answer));
      if (!read.success) throw new ErpFault('BAD_RESPONSE', 'Xero did not return the list of connections.');
      const [connected, ...more] = read.data.filter(
        (one) => one.authEventId === authEventId && one.tenantType === 'ORGANISATION',
      );
      if (connected === undefined)
        throw new ErpFault('TENANT_NOT_FOUND', 'The consent does not include a Xero organisation.');
      // A Xero consent to several companies is refused. Their OAuth tokens would form one chain, so that each refresh
      // for one company would end the access to the others.
      if (more.length > 0) {
        throw new ErpFault(
          'TENANT_NOT_FOUND',
          'The Xero consent includes several organisations. Connect them one by one.',
        );
      }
      const { id, tenantId, tenantName } = connected;
      return { id: tenantId, name: tenantName ?? tenantId, remoteConnectionId: id };
    },
    async revoke(refreshToken) {
      const { clientId, clientSecret } = settings;
      const credentials = Buffer.from(`${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret)}`);
      const response = await fetchBounded(settings.revokeUrl, {
        method: 'POST',
        headers: {
          authorization: `Basic ${credentials.toString('base64')}`,
          'content-type': 'application/x-www-form-urlencoded',
        },
        body: new URLSearchParams({ token: refreshToken, token_type_hint: 'refresh_token' }).toString(),
      });
      if (!(await isTokenEnded(response))) await requireOk(response);
    },
    async disconnect(accessToken, remoteConnectionId) {
      const response = await fetchBounded(`${apiUrl}/connections/${encodeURIComponent(remoteConnectionId)}`, {
        method: 'DELETE',
        headers: headersOf(accessToken),
      });
      // HTTP statuses that mean that the company was already disconnected in Xero.
      const isGone = (response.status === 404 || response.status === 403) && (await isOfErp(response));
      if (!isGone) await requireOk(response);
    },
    configOf: ({ id, name }) => ({ tenantId: id, tenantName: name }),
  };
}

/**
 * Returns the OAuth consent to which an access token belongs. The access token came directly from Xero, so its
 * signature is not verified.
 */
function authEventOf(accessToken: string): string {
  try {
    const payload = accessToken.split('.')[1] ?? '';
    return claims.parse(JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'))).authentication_event_id;
  } catch {
    throw new ErpFault('BAD_RESPONSE', 'The Xero access token does not name the consent.');
  }
}
