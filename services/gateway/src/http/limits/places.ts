import { DomainError } from '@invoicecontrol/errors';
import type { Response } from 'express';
import { holdUntilSettled } from '../response/request-state.js';
import type { Share } from './share.js';

/** Refusals of a request that gets no place. */
interface Refusals {
  /** The organization holds its whole share. */
  ofOrganization(max: number): DomainError;
  /** All organizations together hold everything. */
  ofAll(): DomainError;
}

const RETRY_LONG_ANSWER_SECONDS = 30;

export const runningRequests: Refusals = {
  ofOrganization: (max) =>
    new DomainError(
      'rate_limited',
      `${max} requests of this organization are running. Wait for an answer, then repeat this one.`,
      { retryAfterSeconds: 1 },
    ),
  ofAll: () =>
    new DomainError('unavailable', 'Too many requests are running right now. Repeat the request in a moment.'),
};

export const filesInFlight: Refusals = {
  ofOrganization: (max) =>
    new DomainError(
      'rate_limited',
      `${max} files of this organization are being received. Wait for the end of one, then repeat this request.`,
      { retryAfterSeconds: 1 },
    ),
  ofAll: () =>
    new DomainError('unavailable', 'Too many files are being received right now. Repeat the request in a moment.'),
};

export const longAnswersInFlight: Refusals = {
  ofOrganization: () =>
    new DomainError('in_progress', 'Another request of the same kind is running. Repeat this one after its end.', {
      retryAfterSeconds: RETRY_LONG_ANSWER_SECONDS,
    }),
  ofAll: () =>
    new DomainError('unavailable', 'Too many long answers are being sent right now. Repeat the request later.'),
};

/**
 * Takes a place of an organization until the request is settled.
 * @throws DomainError as the refusals say
 */
export function takePlace(response: Response, share: Share, organizationId: string, refusals: Refusals): void {
  const giveBack = share.take(organizationId);
  if (giveBack === undefined) {
    throw share.held(organizationId) < share.max ? refusals.ofAll() : refusals.ofOrganization(share.max);
  }
  holdUntilSettled(response, giveBack);
}
