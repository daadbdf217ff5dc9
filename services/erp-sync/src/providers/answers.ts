import { ErpFault, Outage } from '../domain/faults.js';
import type { ErpAnswer } from './provider.js';

/**
 * A row in an ERP's response table: describes a response that only the ERP itself sends, and names the fault that the
 * response indicates.
 */
export interface AnswerRule {
  /**
   * HTTP statuses of an ERP response to which the row of the response table applies. Absent if the row applies to every
   * status.
   */
  readonly status?: readonly number[];
  /**
   * Error codes of the ERP to which the row of the response table applies. `Family_*` matches all codes that begin with
   * `Family_`. A response without a code is not conclusive.
   */
  readonly codes: readonly string[];
  /**
   * Names of the requested ERP lists to which the row of the response table applies. Absent if the row applies to every
   * list.
   */
  readonly of?: readonly string[];
  /**
   * Returns the fault that the ERP response indicates.
   * @param subject name of the requested list
   */
  readonly fault: (subject: string) => ErpFault;
}

/** An ERP response in the form in which it is compared with a response table. */
export interface CodedAnswer {
  readonly status: number;
  /**
   * Error codes that the ERP sends. Empty if another system responded, such as a proxy, or if the response is
   * incomplete.
   */
  readonly codes: readonly string[];
}

/**
 * Returns the fault for an unsuccessful ERP response. It is the fault of the first table row that matches the status of
 * the response, one of its error codes, and the requested list. If no row matches, the response counts as an outage and
 * is retried, so that users are not asked to fix a temporary problem.
 */
export function faultByTable(rules: readonly AnswerRule[], answer: CodedAnswer, subject: string): ErpFault {
  const rule = rules.find(
    ({ status, codes, of }) =>
      (status === undefined || status.includes(answer.status)) &&
      (of === undefined || of.includes(subject)) &&
      answer.codes.some((code) => codes.some((known) => isOf(known, code))),
  );
  return rule?.fault(subject) ?? outageOf(answer);
}

function isOf(known: string, code: string): boolean {
  return known.endsWith('*') ? code.startsWith(known.slice(0, -1)) : code === known;
}

/** Returns the outage that the HTTP status of an ERP response indicates. */
export function outageOf({ status, codes }: CodedAnswer): Outage {
  if (status === 429) return new Outage('RATE_LIMITED', 'The ERP currently accepts no more requests.');
  if (status === 408 || status === 504) return new Outage('TIMEOUT', 'The ERP did not respond in time.');
  if (status === 200 && codes.length === 0) {
    return new Outage('BAD_RESPONSE', 'The response did not come from the ERP, or is incomplete.');
  }
  return new Outage(
    'UPSTREAM_ERROR',
    `The ERP, or a proxy in front of it, responded with an error (status ${status}).`,
  );
}

/**
 * Returns the outage that an ERP response indicates if the ERP has no response table: only certain HTTP statuses are an
 * outage.
 */
export function outageByStatus({ status }: Pick<ErpAnswer, 'status'>): Outage | undefined {
  return status === 408 || status === 429 || status >= 500 ? outageOf({ status, codes: [] }) : undefined;
}
