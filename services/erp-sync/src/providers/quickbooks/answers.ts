import { ErpFault, Outage } from '../../domain/faults.js';
import { faultByTable } from '../answers.js';
import type { AnswerRule } from '../answers.js';
import { fieldOf, textOf } from '../json.js';
import type { ErpAnswer } from '../provider.js';

export const COMPANY = 'the company';
const THROTTLED = 'ThrottleExceeded';
/**
 * Maximum number of characters that are read from an XML error response of QuickBooks, whose codes are in its first
 * lines.
 */
const XML_READ_MAX = 8_192;

/** Faults of QuickBooks by the numeric error codes of Intuit without leading zeros, and by fault types. */
export const quickBooksAnswers: readonly AnswerRule[] = [
  // QuickBooks sends the throttling fault with the status 429, 403 or 200.
  {
    codes: ['3001', THROTTLED],
    fault: () => new Outage('RATE_LIMITED', 'QuickBooks Online accepts no more requests at the moment.', 60_000),
  },
  {
    status: [401],
    codes: ['3200', 'AUTHENTICATION'],
    fault: () =>
      new ErpFault(
        'REAUTH_REQUIRED',
        'QuickBooks Online no longer accepts the access token. Connect QuickBooks Online again.',
      ),
  },
  {
    codes: ['3100'],
    fault: () =>
      new ErpFault(
        'AUTH_FAILED',
        'QuickBooks Online refused this application access to the company. Connect the company again. If that does not help, the keys of the application belong to another environment (sandbox or production) than the company.',
      ),
  },
  {
    codes: ['6190'],
    fault: () =>
      new ErpFault(
        'TENANT_NOT_FOUND',
        'The QuickBooks Online subscription of the company has ended. Renew it, or disconnect the company.',
      ),
  },
  { codes: ['5020'], fault: (noun) => deniedFault(noun) },
  {
    codes: ['5030'],
    fault: (noun) => new ErpFault('PERMISSION_DENIED', `The company’s QuickBooks Online does not have ${noun}.`),
  },
  {
    status: [404],
    codes: ['610'],
    of: [COMPANY],
    fault: () =>
      new ErpFault('TENANT_NOT_FOUND', 'QuickBooks Online does not have this company. Connect the company again.'),
  },
  // QuickBooks would refuse the same query again, so it is not retried.
  {
    status: [400],
    codes: ['500', '2010', '2020', '4000', '4001'],
    fault: (noun) => new ErpFault('BAD_RESPONSE', `QuickBooks Online refused the query for ${noun}.`),
  },
];

/**
 * Returns the fault that a response of QuickBooks Online means.
 * @param isGood checks whether the body has the requested content
 */
export function faultOfAnswer(
  answer: ErpAnswer,
  noun: string,
  isGood: (json: unknown) => boolean,
): ErpFault | undefined {
  const codes = codesOf(answer);
  // A response of QuickBooks Online with a success status may contain a fault.
  if (answer.status === 200 && codes.length === 0 && isGood(answer.json)) return undefined;
  return faultByTable(quickBooksAnswers, { status: answer.status, codes }, noun);
}

/**
 * Returns the fault that names the lists without read permission in QuickBooks Online.
 * @param named the data without read permission
 */
export function deniedFault(named: string): ErpFault {
  return new ErpFault(
    'PERMISSION_DENIED',
    `QuickBooks Online does not let this connection read: ${named}. Connect it again as an administrator of the company.`,
  );
}

/**
 * Returns the error codes in a QuickBooks response: `Fault.Error[].code` and `Fault.type`, `fault.error[].code` for
 * refused tokens, and the codes in the API gateway's XML.
 */
function codesOf({ json, text }: ErpAnswer): readonly string[] {
  if (json === undefined) return codesOfXml(text.slice(0, XML_READ_MAX));
  const fault = fieldOf(json, 'Fault') ?? fieldOf(json, 'fault') ?? undefined;
  const errors = fieldOf(fault, 'Error') ?? fieldOf(fault, 'error');
  const codes = Array.isArray(errors) ? errors.map((error) => textOf(error, 'code')) : [];
  return [...codes, textOf(fault, 'type')].flatMap((code) => withoutZeros(code) ?? []);
}

function codesOfXml(text: string): readonly string[] {
  if (!text.includes('<IntuitResponse') && !text.includes('<Fault')) return [];
  const numbers = [...text.matchAll(/(?:\bcode="|\berrorCode=)(\d{1,9})/g)].map(([, code]) => withoutZeros(code) ?? '');
  const types = [...text.matchAll(/<Fault type="(\w{1,40})"/g)].map(([, type = '']) => type);
  return [...numbers, ...types, ...(text.includes(THROTTLED) ? [THROTTLED] : [])];
}

function withoutZeros(code: string | undefined): string | undefined {
  return code?.replace(/^0+(?=\d)/, '');
}
