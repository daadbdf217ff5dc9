import { setTimeout as delay } from 'node:timers/promises';
import { destroyAgents, trustedAgents } from '@invoicecontrol/egress/agents';
import type { Agents, Peer } from '@invoicecontrol/egress/agents';
import { openEgress } from '@invoicecontrol/egress/egress';
import { readCustomerUrl } from '@invoicecontrol/egress/customer-url';
import type { EgressSettings } from '@invoicecontrol/egress/settings';
import { readRetryAfterMs } from '@invoicecontrol/egress/http-answer';
import { parseUrl } from '@invoicecontrol/values/url';
import { BudgetSpent, ErpFault, Outage } from '../domain/faults.js';
import type { FaultCode } from '../domain/faults.js';
import { outageByStatus } from '../providers/answers.js';
import type { ErpAnswer, ErpHttp, ErpRequest } from '../providers/provider.js';
import { callOnce } from './call-once.js';
import type { Attempt } from './call-once.js';
import { companyLimits } from './company-limits.js';
import type { CompanyLimit } from './company-limits.js';

/** Limits on calls to ERPs (ERP reference, section 14). */
export interface ErpHttpSettings {
  /** Time limit of one call to an ERP in milliseconds, up to the last byte of its response. */
  readonly callMs: number;
  readonly responseBytesMax: number;
  readonly backoffMs: number;
  readonly backoffMsMax: number;
  /**
   * Configured origins of ERPs, which are called directly. All other addresses belong to customers and are called
   * through the egress guard.
   */
  readonly trustedOrigins: ReadonlySet<string>;
}

/** Calls to an ERP that are made for one import run or one connection test. */
export interface ErpCalls extends ErpHttp {
  readonly callsCount: number;
  /** Time in milliseconds spent waiting because of the ERP's rate limits. */
  readonly throttledMs: number;
  /**
   * Counts and repeats a call to an ERP that the given function makes, in the same way as {@link ErpHttp.send}.
   * @throws ErpFault
   */
  retry<T>(call: () => Promise<T>): Promise<T>;
}

export interface ErpCallsOptions {
  /** Key made of ERP provider and company. All calls to an ERP with the same key share a limit. */
  readonly company: string;
  /** Name under which metrics count the calls to the ERP. */
  readonly peer: Peer;
  /** Maximum number of concurrent calls to one company in an ERP. */
  readonly concurrency: number;
  readonly callsMax: number;
  readonly runMs: number;
  /** Signal that aborts the calls to an ERP when the lease of the import run is lost or the service stops. */
  readonly signal: AbortSignal;
}

export interface ErpHttpClient {
  /**
   * Prepares calls to an ERP for one import run or connection test.
   * @throws TypeError from `send` once the signal is aborted
   */
  open(options: ErpCallsOptions): ErpCalls;
  close(): void;
}

/** Maximum number of attempts for one call to an ERP, including the first one. */
export const CALL_TRIES_MAX = 5;
const CONNECT_MS_MAX = 10_000;
const CONNECTIONS_PER_ORIGIN = 64;

/**
 * Calls ERPs with limits on the time, size, rate and number of requests. Each process has a single client, so that all
 * its calls to a company share one limit.
 */
export function erpHttpClient(settings: ErpHttpSettings, egressSettings: EgressSettings): ErpHttpClient {
  // Placeholder for the name of the called ERP in telemetry. Each call replaces it.
  const bounds = { connectionsPerOrigin: CONNECTIONS_PER_ORIGIN, connectMs: CONNECT_MS_MAX, peer: 'customer' } as const;
  const egress = openEgress(egressSettings, bounds);
  const trusted = trustedAgents(bounds);
  const limits = companyLimits();

  function agentsOf(url: string): Agents {
    const origin = parseUrl(url)?.origin;
    if (origin !== undefined && settings.trustedOrigins.has(origin)) return trusted;
    const read = readCustomerUrl(url, { isHttpAllowed: egressSettings.EGRESS_ALLOW_HTTP });
    if ('problem' in read)
      throw new ErpFault('BAD_RESPONSE', 'The host of the ERP resolves to an address that must not be called.');
    return egress.agents;
  }

  return {
    open({ company, peer, concurrency, callsMax, runMs, signal }) {
      const endsAt = performance.now() + runMs;
      let callsCount = 0;
      let throttledMs = 0;

      const spend = (): void => {
        signal.throwIfAborted();
        if (callsCount >= callsMax) {
          throw new BudgetSpent(
            'RATE_LIMITED',
            `The import run has made ${callsMax} calls, the maximum of one run. The next run continues.`,
          );
        }
        if (performance.now() >= endsAt) throw timeSpent();
        callsCount++;
      };
      const timeSpent = (): BudgetSpent =>
        new BudgetSpent(
          'TIMEOUT',
          `The import run has taken ${Math.round(runMs / 1_000)} seconds, the maximum of one run. The next run continues.`,
        );
      const wait = async (ms: number, isThrottled: boolean): Promise<void> => {
        if (performance.now() + ms >= endsAt) throw timeSpent();
        const begun = performance.now();
        try {
          await delay(ms, undefined, { signal });
        } finally {
          if (isThrottled) throttledMs += Math.round(performance.now() - begun);
        }
      };

      /** Waits until a company in an ERP may be called again, because the ERP may have asked another run to wait. */
      const awaitPause = async (limit: CompanyLimit): Promise<void> => {
        const pauseMs = limit.pauseMs();
        if (pauseMs > settings.backoffMsMax) throw rateLimited(pauseMs);
        if (pauseMs > 0) await wait(pauseMs, true);
      };

      /**
       * Waits before the next attempt of a call to the ERP.
       * @throws ErpFault if the ERP does not allow an attempt so soon
       */
      const pauseAfter = async (fault: ErpFault, tries: number, retryAfterMs: number | undefined): Promise<void> => {
        if (retryAfterMs !== undefined && retryAfterMs > settings.backoffMsMax) throw rateLimited(retryAfterMs);
        const isThrottled = retryAfterMs !== undefined || fault.code === 'RATE_LIMITED';
        await wait(retryAfterMs ?? backoffMs(settings, tries), isThrottled);
      };

      const tryOnce = async (request: ErpRequest, limit: CompanyLimit): Promise<Attempt> => {
        await awaitPause(limit);
        return limit.during(signal, async () => {
          spend();
          const agents = { ...agentsOf(request.url), peer };
          const deadlineMs = Math.min(settings.callMs, Math.max(1, endsAt - performance.now()));
          const bytesMax = settings.responseBytesMax;
          const attempt = await callOnce({ request, agents, deadlineMs, bytesMax, signal });
          // Only an aborted call shows that the time for calls to the ERP is used up. The clock is not read, because
          // Node.js timers fire up to two milliseconds early, and the clock would then still allow another call.
          const hasUsedUpRun = 'fault' in attempt && attempt.isTimeUp && deadlineMs < settings.callMs;
          if (hasUsedUpRun) throw timeSpent();
          return attempt;
        });
      };

      return {
        get callsCount() {
          return callsCount;
        },
        get throttledMs() {
          return throttledMs;
        },
        async send(request) {
          const limit = limits.of(company, concurrency);
          for (let tries = 1; ; tries++) {
            const attempt = await tryOnce(request, limit);
            signal.throwIfAborted();
            const fault = 'fault' in attempt ? attempt.fault : (request.faultOf ?? outageByStatus)(attempt.answer);
            if ('answer' in attempt && !(fault instanceof Outage)) return attempt.answer;
            if (!(fault instanceof Outage))
              throw fault ?? new TypeError('The call to the ERP ended without a response.');
            const retryAfterMs =
              'answer' in attempt ? pauseAskedFor(attempt.answer, fault, request, settings) : undefined;
            if (retryAfterMs !== undefined) limit.pause(retryAfterMs);
            if (retryAfterMs !== undefined && retryAfterMs > settings.backoffMsMax) throw rateLimited(retryAfterMs);
            if (tries === CALL_TRIES_MAX) throw fault;
            await pauseAfter(fault, tries, retryAfterMs);
          }
        },
        async retry(call) {
          for (let tries = 1; ; tries++) {
            spend();
            try {
              return await call();
            } catch (error) {
              if (!(error instanceof Outage) || tries === CALL_TRIES_MAX) throw error;
              await pauseAfter(error, tries, error.retryAfterMs);
            }
          }
        },
      };
    },
    close() {
      egress.close();
      destroyAgents(trusted);
    },
  };
}

/**
 * Returns the pause that a response of an ERP requires, or the pause documented by the vendor if a throttled response
 * states none.
 */
function pauseAskedFor(
  answer: ErpAnswer,
  { code }: ErpFault,
  { throttledPauses }: ErpRequest,
  { backoffMs: base, backoffMsMax: cap }: ErpHttpSettings,
): number | undefined {
  const asked = readRetryAfterMs(answer.headers);
  if (asked !== undefined || code !== 'RATE_LIMITED' || throttledPauses === undefined) return asked;
  return Math.min(cap, throttledPauses * base);
}

function rateLimited(retryAfterMs: number): ErpFault {
  const message = `The ERP accepts no more requests for ${Math.ceil(retryAfterMs / 1_000)} seconds. The next run continues after that.`;
  return new ErpFault('RATE_LIMITED' satisfies FaultCode, message, retryAfterMs);
}

/** Returns the delay before another attempt of a call to an ERP, which is exponential with full jitter. */
function backoffMs({ backoffMs: base, backoffMsMax: cap }: ErpHttpSettings, tries: number): number {
  return Math.random() * Math.min(cap, base * 2 ** (tries - 1));
}
