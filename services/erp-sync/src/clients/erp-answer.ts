import { ErpFault, Outage } from '../domain/faults.js';
import { isObject, textOf } from '../providers/json.js';

/** OAuth errors of a server that cannot say whether a token holds (RFC 6749, section 4.1.2.1). */
const PASSING: ReadonlySet<string> = new Set(['temporarily_unavailable', 'server_error']);

/** The JSON of a good answer. @throws ErpFault as {@link requireOk}; Outage BAD_RESPONSE for what is no JSON */
export async function readJson(response: Response): Promise<unknown> {
  await requireOk(response);
  const json = await jsonOf(response);
  if (json === undefined) throw new Outage('BAD_RESPONSE', 'Something else than the ERP answered.');
  return json;
}

/** @throws ErpFault by the status where the ERP itself answers, as JSON; Outage for everything else */
export async function requireOk(response: Response): Promise<void> {
  const { ok, status } = response;
  if (ok) return;
  if (status === 429) throw new Outage('RATE_LIMITED', 'The ERP takes no more requests for now.');
  if (await isOfErp(response)) {
    if (status === 401) throw new ErpFault('AUTH_FAILED', 'The ERP refuses the access.');
    if (status === 403) throw new ErpFault('PERMISSION_DENIED', 'The ERP does not permit access to this company.');
    if (status === 404) throw new ErpFault('TENANT_NOT_FOUND', 'The ERP does not know this company.');
  }
  throw new Outage('UPSTREAM_ERROR', `The ERP answered ${status}.`);
}

/** Tells whether a refusal is the ERP's own: proxies in front of it respond with pages. */
export async function isOfErp(response: Response): Promise<boolean> {
  return isObject(await jsonOf(response.clone()));
}

/** Tells whether a server refuses to revoke a token because it holds no more; a page with the same status proves nothing. */
export async function isTokenEnded(response: Response): Promise<boolean> {
  if (response.status !== 400) return false;
  const error = textOf(await jsonOf(response.clone()), 'error');
  return error !== undefined && !PASSING.has(error);
}

async function jsonOf(response: Response): Promise<unknown> {
  return response.json().catch(() => undefined);
}
