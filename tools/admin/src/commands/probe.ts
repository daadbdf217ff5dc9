import { randomUUID } from 'node:crypto';
import { ApiError, createClient } from '@invoicecontrol/client';
import type { Client } from '@invoicecontrol/client';
import { reportGauges, startTelemetry } from '@invoicecontrol/runtime/telemetry';
import { UsageError } from '../command.js';
import type { Outcome, StandaloneCommand } from '../command.js';

/** Timeout of one request of the probe. A request that takes longer is as bad for a caller as one that fails. */
const TIMEOUT_MS = 10_000;

/** Maximum time for which the API may ask the probe to wait, because its organization has sent too many requests. */
const WAIT_MS_MAX = 30_000;

export const probe: StandaloneCommand = {
  name: 'probe',
  summary: 'post an invoice twice as a caller would, and check the decisions',
  options: {},
  examples: [''],
  async *runAlone(_, env) {
    const { PROBE_API_KEY: apiKey, PROBE_URL: baseUrl, OTEL_EXPORTER_OTLP_ENDPOINT: otlpEndpoint } = env;
    if (!apiKey) {
      yield { json: { isOn: false }, sentence: 'Nothing was probed, because PROBE_API_KEY is not set.' };
      return;
    }
    if (!baseUrl) throw new UsageError('Set PROBE_URL to the address of the API, such as http://gateway:8080/v1.');
    // The probe reports each failure. A client that repeats requests would hide a single failure.
    const client = createClient({ baseUrl, apiKey, timeoutMs: TIMEOUT_MS, attemptsMax: 1, totalMsMax: WAIT_MS_MAX });
    yield await measured(otlpEndpoint || undefined, () => checkDecisions(client, new Date()));
  },
};

/** Exports whether the check of the probe succeeded, and how long it took. */
async function measured(otlpEndpoint: string | undefined, check: () => Promise<string | undefined>): Promise<Outcome> {
  const telemetry = await startTelemetry('probe', otlpEndpoint);
  const begunAt = performance.now();
  const failure = await check().catch(sentenceOf);
  const seconds = (performance.now() - begunAt) / 1_000;
  const values = {
    'invoicecontrol.probe.success': failure === undefined ? 1 : 0,
    'invoicecontrol.probe.duration': seconds,
  };
  const names = ['invoicecontrol.probe.success', 'invoicecontrol.probe.duration'] as const;
  reportGauges(names, async () => [{ attributes: {}, values }]);
  // Stopping telemetry exports the values of the probe. A collector that is unavailable does not make the probe fail.
  const unexported = await telemetry.stop().then(
    () => undefined,
    (error: unknown) => `The result was not exported: ${String(error)}.`,
  );
  return {
    json: { isOn: true, succeeded: failure === undefined, seconds },
    sentence:
      failure === undefined
        ? `An invoice and its duplicate were decided as expected in ${seconds.toFixed(2)} s.`
        : `The probe failed after ${seconds.toFixed(2)} s.`,
    ...(failure === undefined ? {} : { failures: [failure] }),
    ...(unexported === undefined ? {} : { note: unexported }),
  };
}

/**
 * Returns a sentence about a request that failed. It contains the request id by which the logs of the services can be
 * searched.
 */
function sentenceOf(error: unknown): string {
  if (error instanceof ApiError)
    return `${error.status} ${error.code ?? ''} (request ${error.requestId ?? 'without an id'}): ${error.message}`;
  return error instanceof Error ? error.message : String(error);
}

/**
 * Posts a new invoice and then the same invoice again, and reads the decision about the second invoice, which must be
 * BLOCK because of the first.
 * @returns a sentence about the fault, or undefined
 */
async function checkDecisions(client: Client, now: Date): Promise<string | undefined> {
  const body = invoiceOf(now);
  const first = await client.post('/invoices', { body });
  const second = await client.post('/invoices', { body });
  const decided = second.data;
  if (first.data.findings.some(isDuplicate)) return `The first invoice ${body.invoice_number} counts as a duplicate.`;
  if (decided.decision !== 'BLOCK' || !decided.findings.some(isDuplicate))
    return `The second invoice ${body.invoice_number} was decided ${decided.decision} and not BLOCK as a duplicate.`;
  const { data: latest } = await client.get('/invoices/{invoiceId}/analysis/latest', {
    path: { invoiceId: decided.id },
  });
  return latest.decision === 'BLOCK' ? undefined : `The stored decision about the duplicate is ${latest.decision}.`;
}

function isDuplicate({ type }: { readonly type: string }): boolean {
  return type === 'DUPLICATE_INVOICE';
}

/** Returns an invoice that differs from those of all other probes in its number and its amount. */
function invoiceOf(now: Date) {
  const cents = Math.floor(now.getTime() / 1_000) % 1_000_000;
  const amount = `${100 + Math.floor(cents / 100)}.${String(cents % 100).padStart(2, '0')}`;
  return {
    supplier: { name: 'Synthetic Probe Supplies Ltd' },
    invoice_number: `PROBE-${randomUUID()}`,
    issue_date: now.toISOString().slice(0, 10),
    currency: 'EUR',
    gross_amount: amount,
  };
}
