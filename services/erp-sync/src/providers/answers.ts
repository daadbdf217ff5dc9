import { ErpFault, Outage } from '../domain/faults.js';
import type { ErpAnswer } from './provider.js';

/** A row of the table of an ERP: an answer that only the ERP itself gives, and what it is taken for. */
export interface AnswerRule {
  /** Absent for any status. */
  readonly status?: readonly number[];
  /** Codes of the ERP; `Family_*` for all that begin so. A response without a code proves nothing. */
  readonly codes: readonly string[];
  /** Requested subjects; absent for all. */
  readonly of?: readonly string[];
  /** @param subject what was asked for */
  readonly fault: (subject: string) => ErpFault;
}

/** An answer as a table reads it. */
export interface CodedAnswer {
  readonly status: number;
  /** Codes of the ERP; empty when something else responded, such as a proxy, or half of the response is missing. */
  readonly codes: readonly string[];
}

/**
 * Finds the fault of an unsuccessful response: the first row of the table that has its status, a code of it and the requested subject. A
 * response that the table does not know is an outage and retried: nobody is asked to mend what may pass.
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

/** Makes an outage of the status alone, which names nothing that someone could mend. */
export function outageOf({ status, codes }: CodedAnswer): Outage {
  if (status === 429) return new Outage('RATE_LIMITED', 'The ERP accepts no more requests at the moment.');
  if (status === 408 || status === 504) return new Outage('TIMEOUT', 'The ERP did not respond in time.');
  if (status === 200 && codes.length === 0) {
    return new Outage('BAD_RESPONSE', 'The response did not come from the ERP, or is incomplete.');
  }
  return new Outage(
    'UPSTREAM_ERROR',
    `The ERP, or a proxy in front of it, responded with an error (status ${status}).`,
  );
}

/** Decides without a table: only an outage status is an outage. */
export function outageByStatus({ status }: Pick<ErpAnswer, 'status'>): Outage | undefined {
  return status === 408 || status === 429 || status >= 500 ? outageOf({ status, codes: [] }) : undefined;
}
