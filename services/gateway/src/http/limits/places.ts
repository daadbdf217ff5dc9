import { DomainError } from '@invoicecontrol/errors';
import type { Response } from 'express';
import { requestRefused } from '../../telemetry.js';
import { holdUntilSettled } from '../response/request-state.js';
import type { Share } from './share.js';

/** Refusals for a request that gets no slot because too many requests are in progress. */
interface Refusals {
  /** Returns the refusal for an organization that has used up its share of concurrent requests. */
  ofOrganization(max: number): DomainError;
  /** Returns the refusal for the case that all organizations together have used up the concurrency slots. */
  ofAll(): DomainError;
}

const RETRY_LONG_ANSWER_SECONDS = 30;
const RETRY_WHOLE_RUN_SECONDS = 2;

export const runningRequests: Refusals = {
  ofOrganization: (max) =>
    new DomainError(
      'rate_limited',
      `This organization has reached its limit of ${max} concurrent requests. Wait for a response, then retry this request.`,
      { retryAfterSeconds: 1 },
    ),
  ofAll: () =>
    new DomainError(
      'unavailable',
      'The service is processing too many requests right now. Retry the request in a moment.',
    ),
};

export const filesInFlight: Refusals = {
  ofOrganization: (max) =>
    new DomainError(
      'rate_limited',
      `This organization has reached its limit of ${max} concurrent uploads. Wait until an upload has finished, then retry this request.`,
      { retryAfterSeconds: 1 },
    ),
  ofAll: () =>
    new DomainError('unavailable', 'The service is receiving too many files right now. Retry the request in a moment.'),
};

export const wholeRunsInFlight: Refusals = {
  ofOrganization: (max) =>
    new DomainError(
      'rate_limited',
      `This organization has reached its limit of ${max} concurrent checks, downloads and reports of payment runs. Wait for a response, then retry this request.`,
      { retryAfterSeconds: RETRY_WHOLE_RUN_SECONDS },
    ),
  ofAll: () =>
    new DomainError('unavailable', 'Too many payment runs are being read right now. Retry the request later.'),
};

export const longAnswersInFlight: Refusals = {
  ofOrganization: () =>
    new DomainError(
      'in_progress',
      'Another request of this organization for the same operation is in progress. Wait until that request has finished, then retry this request.',
      {
        retryAfterSeconds: RETRY_LONG_ANSWER_SECONDS,
      },
    ),
  ofAll: () =>
    new DomainError(
      'unavailable',
      'The service is sending too many large responses right now. Retry the request later.',
    ),
};

/**
 * Reserves a slot for a request of an organization until the response is complete.
 * @throws DomainError one of the refusals
 */
export function takePlace(response: Response, share: Share, organizationId: string, refusals: Refusals): void {
  const giveBack = share.take(organizationId);
  if (giveBack === undefined) {
    requestRefused('overload');
    throw share.held(organizationId) < share.max ? refusals.ofAll() : refusals.ofOrganization(share.max);
  }
  holdUntilSettled(response, giveBack);
}
