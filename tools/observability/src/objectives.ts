import { below, bucket, count, series } from './names.js';
import type { Given } from './given.js';

/**
 * A service level objective: what customers are promised about one of their tasks, such as posting an invoice, over 30
 * days.
 */
export interface Objective {
  /** Value of the label `slo` of the objective's metrics. */
  readonly name: string;
  readonly journey: string;
  readonly promise: string;
  /** Share of requests or events that may be bad under the objective. */
  readonly budget: number;
  /**
   * Expressions for the rate of bad events and for the rate of all events of an objective. `range` is the time range,
   * such as `5m`.
   */
  readonly bad: (range: string) => string;
  readonly all: (range: string) => string;
  /** The ratio of bad to all time, for an objective that counts time instead of events. */
  readonly ratio?: (range: string) => string;
  /** Series of metrics for the test of the alert: during an outage, and during a healthy hour. */
  readonly outage: Given;
  readonly healthy: Given;
}

const HOUR = 'x90';
const rising = (each: number): string => `0+${each}${HOUR}`;

const request = count('http.server.request.duration');
const requestBucket = bucket('http.server.request.duration');

/** A service level objective about requests. Requests that fail because of the product are bad. */
function requests(
  labels: string,
  status: { readonly good: string },
): Pick<Objective, 'bad' | 'all' | 'outage' | 'healthy'> {
  return {
    bad: (range) => `sum(rate(${request}{${labels},http_response_status_code=~"5.."}[${range}]))`,
    all: (range) => `sum(rate(${request}{${labels},http_response_status_code!="429"}[${range}]))`,
    outage: { [`${request}{${labels},http_response_status_code="503"}`]: rising(60) },
    healthy: { [`${request}{${labels},http_response_status_code="${status.good}"}`]: rising(60) },
  };
}

/** A service level objective about a histogram. Observations that take longer than the limit are bad. */
function within(
  limit: number,
  histogram: { readonly counts: string; readonly buckets: string; readonly labels?: string },
): Pick<Objective, 'bad' | 'all' | 'outage' | 'healthy'> {
  const { counts, buckets, labels = '' } = histogram;
  const selector = labels === '' ? '' : `{${labels}}`;
  const under = labels === '' ? below(limit) : `${labels},${below(limit)}`;
  const given = labels === '' ? `le="${limit}"` : `${labels},le="${limit}"`;
  return {
    bad: (range) => `(sum(rate(${counts}${selector}[${range}])) - sum(rate(${buckets}{${under}}[${range}])))`,
    all: (range) => `sum(rate(${counts}${selector}[${range}]))`,
    outage: { [`${counts}${selector}`]: rising(60), [`${buckets}{${given}}`]: rising(6) },
    healthy: { [`${counts}${selector}`]: rising(60), [`${buckets}{${given}}`]: rising(60) },
  };
}

const duration = (labels: string) => ({ counts: request, buckets: requestBucket, labels });
const POST = 'http_route="/v1/invoices",http_request_method="POST"';
const lag = series('invoicecontrol.connection.lag');
const SYNC_LATE_SECONDS = 7_200;

export const objectives: readonly Objective[] = [
  {
    name: 'decide',
    journey: 'decide',
    promise: 'An invoice that is posted is accepted.',
    budget: 0.001,
    ...requests(POST, { good: '202' }),
  },
  {
    name: 'decide-fast',
    journey: 'decide',
    promise: 'The response to a posted invoice comes within 0.5 seconds.',
    budget: 0.01,
    ...within(0.5, duration(`${POST},http_response_status_code="202"`)),
  },
  {
    name: 'read',
    journey: 'read',
    promise: 'Reading works.',
    budget: 0.001,
    ...requests('http_request_method="GET",http_route=~"/v1/.*"', { good: '200' }),
    outage: {
      [`${request}{http_request_method="GET",http_route="/v1/invoices",http_response_status_code="503"}`]: rising(60),
    },
    healthy: {
      [`${request}{http_request_method="GET",http_route="/v1/invoices",http_response_status_code="200"}`]: rising(60),
    },
  },
  {
    name: 'scan',
    journey: 'scan',
    promise: 'An accepted scan is complete within 60 seconds.',
    budget: 0.01,
    ...within(60, { counts: count('invoicecontrol.scan.duration'), buckets: bucket('invoicecontrol.scan.duration') }),
  },
  {
    name: 'read-document',
    journey: 'document',
    promise: 'A document is read within 60 seconds.',
    budget: 0.02,
    ...within(60, {
      counts: count('invoicecontrol.extraction.duration'),
      buckets: bucket('invoicecontrol.extraction.duration'),
    }),
  },
  {
    name: 'deliver',
    journey: 'webhook',
    promise: 'The first attempt of a delivery begins within 30 seconds.',
    budget: 0.001,
    ...within(30, {
      counts: count('invoicecontrol.delivery.lateness'),
      buckets: bucket('invoicecontrol.delivery.lateness'),
    }),
  },
  {
    name: 'submit',
    journey: 'ksef',
    promise: 'A submission to KSeF reaches its final state within 15 minutes.',
    budget: 0.01,
    ...within(900, {
      counts: count('invoicecontrol.submission.duration'),
      buckets: bucket('invoicecontrol.submission.duration'),
    }),
  },
  {
    name: 'sync',
    journey: 'erp',
    promise: 'No ERP connection waits longer than two hours for its run.',
    budget: 0.01,
    bad: () => '',
    all: () => '',
    ratio: (range) => `avg_over_time((max(${lag}) > bool ${SYNC_LATE_SECONDS})[${range}:1m])`,
    outage: { [`${lag}{provider="odoo"}`]: `8000+0${HOUR}` },
    healthy: { [`${lag}{provider="odoo"}`]: `60+0${HOUR}` },
  },
];
