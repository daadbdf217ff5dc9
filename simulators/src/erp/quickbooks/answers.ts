import { randomBytes } from 'node:crypto';
import type { Answer } from '../call.js';

export function tid(): Readonly<Record<string, string>> {
  return { intuit_tid: `1-${randomBytes(4).toString('hex')}-${randomBytes(12).toString('hex')}` };
}

export function fault(status: number, type: string, code: string, message: string, detail?: string): Answer {
  const error = { Message: message, ...(detail === undefined ? {} : { Detail: detail }), code };
  return { status, headers: tid(), body: { Fault: { Error: [error], type }, time: new Date().toISOString() } };
}

export function oauthErrorOf(status: number): string {
  return status === 401 ? 'invalid_client' : status < 500 ? 'invalid_request' : 'server_error';
}

/**
 * The member names in the 401 response of QuickBooks begin with lower-case letters, unlike those of all other
 * responses.
 */
export function refuseOf(status: number): Answer {
  switch (status) {
    case 401: {
      const message = 'message=AuthenticationFailed; errorCode=003200; statusCode=401';
      const error = { message, detail: 'Token expired or revoked', code: '3200' };
      return {
        status,
        headers: tid(),
        body: {
          warnings: null,
          intuitObject: null,
          fault: { error: [{ ...error, element: null }], type: 'AUTHENTICATION' },
          report: null,
          queryResponse: null,
          batchItemResponse: [],
          attachableResponse: [],
          syncErrorResponse: null,
          requestId: null,
          time: Date.now(),
          status: null,
          cdcresponse: [],
        },
      };
    }
    case 403:
      return fault(
        403,
        'ValidationFault',
        '5020',
        'Permission Denied Error',
        'You need permission to access this feature.',
      );
    case 429:
      return fault(429, 'ThrottleExceeded', '003001', 'message=ThrottleExceeded; errorCode=003001; statusCode=429');
    default:
      return status < 500
        ? fault(status, 'ValidationFault', '2010', 'Request has invalid or unsupported property')
        : fault(status, 'SystemFault', '10000', 'An application error has occurred while processing your request');
  }
}
