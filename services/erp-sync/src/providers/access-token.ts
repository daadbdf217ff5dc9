import type { Credentials, ErpAnswer, ErpHttp, ErpRequest } from './provider.js';

/** Calls, and the tokens that they carry. */
export interface TokenCalls {
  readonly http: ErpHttp;
  readonly credentials: Pick<Credentials, 'accessToken' | 'renewedAccessToken'>;
}

/**
 * Sends a request with an access token; after a refusal once more with a new one.
 *
 * @param isRefused whether the answer may become another one with a new token
 * @throws ErpFault of the call; REAUTH_REQUIRED when there is no token that holds
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
      // Another token may succeed: only a refusal with that one, too, is an outage.
      ...(faultOf === undefined ? {} : { faultOf: (answer) => (answer.status === 401 ? undefined : faultOf(answer)) }),
      headers: { ...request.headers, authorization: `Bearer ${token}` },
    });
  const token = await credentials.accessToken();
  const answer = await send(token);
  return isRefused(answer) ? send(await credentials.renewedAccessToken(token)) : answer;
}
