import { setTimeout as delay } from 'node:timers/promises';
import { invoiceAt } from './invoices.js';
import type { Load, LoadOrder } from './load-process.js';
import { percentilesOf } from './percentiles.js';

/**
 * Posts invoices at a steady rate, as many independent callers do. While the server stalls, further invoices are
 * posted, and the measured duration of each includes its waiting time.
 */
export async function steadyLoad(order: LoadOrder, ratePerSecond: number): Promise<Load> {
  const { url, key, seconds, firstIndex, storedCount } = order;
  const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${key}` };
  const durationsMs: number[] = [];
  const refused: Record<string, number> = {};
  const post = async (index: number, dueAtMs: number): Promise<void> => {
    const outcome = await fetch(url, { method: 'POST', headers, body: JSON.stringify(invoiceAt(index, storedCount)) })
      .then(async (response) => {
        await response.arrayBuffer();
        return String(response.status);
      })
      .catch(() => 'no answer');
    if (outcome === '202') durationsMs.push(performance.now() - dueAtMs);
    else refused[outcome] = (refused[outcome] ?? 0) + 1;
  };
  const posted = Math.round(ratePerSecond * seconds);
  const posting: Promise<void>[] = [];
  const begunAtMs = performance.now();
  for (let request = 0; request < posted; request++) {
    const dueAtMs = begunAtMs + (request * 1_000) / ratePerSecond;
    await delay(Math.max(0, dueAtMs - performance.now()));
    posting.push(post(firstIndex + request, dueAtMs));
  }
  await Promise.all(posting);
  return {
    posted,
    answered: durationsMs.length,
    refused,
    requestsPerSecond: durationsMs.length / ((performance.now() - begunAtMs) / 1_000),
    ...percentilesOf(durationsMs),
  };
}
