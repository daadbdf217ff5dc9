import { ErpFault, Outage } from '../domain/faults.js';
import { isObject, textOf } from '../providers/json.js';

/** OAuth errors of a server that temporarily cannot check the token (RFC 6749, section 4.1.2.1). */
const PASSING: ReadonlySet<string> = new Set(['temporarily_unavailable', 'server_error']);

/**
 * Parses the JSON body of a successful ERP response.
 * @throws ErpFault as {@link requireOk}; Outage BAD_RESPONSE if the body is not JSON
 */
export async function readJson(response: Response): Promise<unknown> {
  await requireOk(response);
  const json = await jsonOf(response);
  if (json === undefined) throw new Outage('BAD_RESPONSE', 'The response did not come from the ERP.');
  return json;
}

/**
 * Throws a fault if the response of the ERP is not successful.
 * @throws ErpFault by status if the ERP itself responded with JSON; Outage for any other response
 */
export async function requireOk(response: Response): Promise<void> {
  const { ok, status } = response;
  if (ok) return;
  if (status === 429) throw new Outage('RATE_LIMITED', 'The ERP currently accepts no more requests.');
  if (await isOfErp(response)) {
    if (status === 401) throw new ErpFault('AUTH_FAILED', 'The ERP refused access.');
    if (status === 403) throw new ErpFault('PERMISSION_DENIED', 'The ERP refused access to this company.');
    if (status === 404) throw new ErpFault('TENANT_NOT_FOUND', 'The ERP does not have this company.');
  }
  throw new Outage('UPSTREAM_ERROR', `The ERP responded with status ${status}.`);
}

/** Checks whether a refusal of a call was sent by the ERP itself. Proxies respond with HTML pages. */
export async function isOfErp(response: Response): Promise<boolean> {
  return isObject(await jsonOf(response.clone()));
}

/**
 * Checks whether a server refuses to revoke an OAuth token because the token is no longer valid. An HTML page with the
 * same status is not conclusive.
 */
export async function isTokenEnded(response: Response): Promise<boolean> {
  if (response.status !== 400) return false;
  const error = textOf(await jsonOf(response.clone()), 'error');
  return error !== undefined && !PASSING.has(error);
}

async function jsonOf(response: Response): Promise<unknown> {
  return response.json().catch(() => undefined);
}
