import type { ErpAnswer, ErpRequest, SessionDeps } from './provider.js';

/**
 * Sends a request with the access token that a consent gave; after a refusal once more with a new one.
 *
 * @param isRefused whether the answer may become another one with a new token
 * @throws ErpFault of the call; REAUTH_REQUIRED when there is no token that holds
 */
export async function sendWithToken(
  { http, credentials }: Pick<SessionDeps, 'http' | 'credentials'>,
  request: ErpRequest,
  isRefused: (answer: ErpAnswer) => boolean,
): Promise<ErpAnswer> {
  const send = (token: string): Promise<ErpAnswer> =>
    http.send({ ...request, headers: { ...request.headers, authorization: `Bearer ${token}` } });
  const token = await credentials.accessToken();
  const answer = await send(token);
  return isRefused(answer) ? send(await credentials.renewedAccessToken(token)) : answer;
}
