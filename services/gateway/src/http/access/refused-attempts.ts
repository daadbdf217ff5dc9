import type { Request, Response } from 'express';
import type { Authenticator } from './authenticate.js';
import type { FailureBucket } from '../limits/failure-bucket.js';
import { HttpRefusal } from '../response/refusal.js';
import { requestState } from '../response/request-state.js';

/**
 * Returns the refusal for a request that is refused before its API key is checked, because of its headers, path or
 * method. The request counts as a refused attempt of its address, unless its key was valid when it was last checked.
 * @returns the refusal, or 429 for an address with too many refused attempts
 */
export function countedRefusal(
  error: unknown,
  request: Request,
  response: Response,
  { failures, authenticator }: { readonly failures: FailureBucket; readonly authenticator: Authenticator },
): unknown {
  if (!(error instanceof HttpRefusal) || error.code === 'RATE_LIMITED' || authenticator.hasKnownKey(request)) {
    return error;
  }
  return failures.countedRefusal(requestState(response).address, error);
}
