import { ErpFault } from '../domain/faults.js';

/** The JSON of a good answer. @throws ErpFault by the status, BAD_RESPONSE for what is no JSON */
export async function readJson(response: Response): Promise<unknown> {
  requireOk(response);
  try {
    return await response.json();
  } catch {
    throw new ErpFault('BAD_RESPONSE', 'The ERP answered something else than JSON.');
  }
}

/** @throws ErpFault by the status */
export function requireOk({ ok, status }: Response): void {
  if (ok) return;
  if (status === 401) throw new ErpFault('AUTH_FAILED', 'The ERP refuses the access.');
  if (status === 403) throw new ErpFault('PERMISSION_DENIED', 'The ERP does not permit access to this company.');
  if (status === 404) throw new ErpFault('TENANT_NOT_FOUND', 'The ERP does not know this company.');
  if (status === 429) throw new ErpFault('RATE_LIMITED', 'The ERP takes no more requests for now.');
  throw new ErpFault('UPSTREAM_ERROR', `The ERP answered ${status}.`);
}
