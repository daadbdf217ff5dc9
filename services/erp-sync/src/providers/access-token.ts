import type { Credentials, ErpAnswer, ErpHttp, ErpRequest } from './provider.js';

/** The HTTP calls to an ERP, and the OAuth tokens that they send. */
export interface TokenCalls {
  readonly http: ErpHttp;
  readonly credentials: Pick<Credentials, 'accessToken' | 'renewedAccessToken'>;
}

/**
 * Sends a request with an access token to an ERP and, if the ERP refuses the token, sends it again with a new token.
 * @param isRefused checks whether the same request may succeed with a new token
 * @throws ErpFault of the call; REAUTH_REQUIRED if there is no valid token
 */
export async function sendWithToken(
  { http, credentials }: TokenCalls,
  request: ErpRequest,
  isRefused: (answer: ErpAnswer) => boolean,
): Promise<ErpAnswer> {
  const { faultOf } = request;
  const send = (token: string): Promise<ErpAnswer> =>
    http.send({
      ...request,
      // A 401 response does not make the call fail, because the request is sent once more with another OAuth token. The
      // caller decides what a second 401 response means.
      ...(faultOf === undefined ? {} : { faultOf: (answer) => (answer.status === 401 ? undefined : faultOf(answer)) }),
      headers: { ...request.headers, authorization: `Bearer ${token}` },
    });
  const token = await credentials.accessToken();
  const answer = await send(token);
  return isRefused(answer) ? send(await credentials.renewedAccessToken(token)) : answer;
}
