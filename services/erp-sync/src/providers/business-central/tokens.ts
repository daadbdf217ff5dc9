import { ErpFault } from '../../domain/faults.js';
import type { TokenCalls } from '../access-token.js';
import { fieldOf, textOf } from '../json.js';
import type { ErpAnswer, SessionDeps } from '../provider.js';

/** The same wherever the API is reached. */
const SCOPE = 'https://api.businesscentral.dynamics.com/.default';
const MARGIN_SECONDS = 300;
const authFailed = (message: string) => () => new ErpFault('AUTH_FAILED', message);
/** By the numbers of Microsoft Entra. */
const faults: Readonly<Record<number, () => ErpFault>> = {
  7_000_215: authFailed('The client secret is wrong. Send the value of the secret, not its id, with PATCH.'),
  7_000_222: authFailed('The client secret has expired. Make a new one in Microsoft Entra and send it with PATCH.'),
  700_016: authFailed(
    'The application is not known in this tenant. Give it admin consent there; where clientId is wrong, delete this connection and connect with the right one.',
  ),
  90_002: () =>
    new ErpFault(
      'TENANT_NOT_FOUND',
      'Microsoft Entra knows no such tenant. Delete this connection and connect with the right tenantId.',
    ),
};

/**
 * Tokens of the client credentials grant (ERP reference, section 3). They are kept for the session alone: a secret that was taken
 * back must show within one run.
 */
export function entraTokens(
  loginUrl: string,
  { tenantId, clientId }: { readonly tenantId: string; readonly clientId: string },
  { http, credentials }: Pick<SessionDeps, 'http' | 'credentials'>,
): TokenCalls['credentials'] {
  let token: { readonly value: string; readonly renewAt: number } | undefined;

  const renewedAccessToken = async (): Promise<string> => {
    const body = new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: clientId,
      client_secret: await credentials.secret(),
      scope: SCOPE,
    });
    const answer = await http.send({
      method: 'POST',
      url: `${loginUrl}/${encodeURIComponent(tenantId)}/oauth2/v2.0/token`,
      headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
      body: body.toString(),
    });
    if (answer.status !== 200) throw faultOf(answer);
    const [value, seconds] = [textOf(answer.json, 'access_token'), fieldOf(answer.json, 'expires_in')];
    if (value === undefined || typeof seconds !== 'number') {
      throw new ErpFault('BAD_RESPONSE', 'Microsoft Entra answered without an access token.');
    }
    token = { value, renewAt: performance.now() + (seconds - MARGIN_SECONDS) * 1_000 };
    return value;
  };

  return {
    accessToken: async () =>
      token !== undefined && performance.now() < token.renewAt ? token.value : renewedAccessToken(),
    renewedAccessToken,
  };
}

function faultOf({ status, json }: ErpAnswer): ErpFault {
  const codes = fieldOf(json, 'error_codes');
  const known = Array.isArray(codes) ? codes.map((code) => faults[Number(code)]).find(Boolean) : undefined;
  if (known !== undefined) return known();
  if (status < 400 || status > 499) {
    return new ErpFault('BAD_RESPONSE', `Microsoft Entra answered in an unexpected way (status ${status}).`);
  }
  return new ErpFault(
    'AUTH_FAILED',
    'Microsoft Entra gives no access token. Send a new client secret with PATCH; where tenantId or clientId is wrong, delete this connection and connect with the right ones.',
  );
}
