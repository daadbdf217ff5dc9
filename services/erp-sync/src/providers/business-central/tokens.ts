import type { TokenCalls } from '../access-token.js';
import { fieldOf, textOf } from '../json.js';
import type { SessionDeps } from '../provider.js';
import { faultOfEntra } from './answers.js';

/** OAuth scope for Business Central, which is the same for every API URL. */
const SCOPE = 'https://api.businesscentral.dynamics.com/.default';
const MARGIN_SECONDS = 300;

/**
 * Gets tokens for Business Central with the client credentials grant (ERP reference, section 3). They are cached only
 * for a session, so that a revoked secret is noticed within one import run.
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
      faultOf: faultOfEntra,
    });
    const fault = faultOfEntra(answer);
    if (fault !== undefined) throw fault;
    const [value = '', seconds] = [textOf(answer.json, 'access_token'), Number(fieldOf(answer.json, 'expires_in'))];
    token = { value, renewAt: performance.now() + (seconds - MARGIN_SECONDS) * 1_000 };
    return value;
  };

  return {
    accessToken: async () =>
      token !== undefined && performance.now() < token.renewAt ? token.value : renewedAccessToken(),
    renewedAccessToken,
  };
}
