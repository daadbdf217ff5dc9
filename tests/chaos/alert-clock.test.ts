import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { findPromtool } from '@invoicecontrol/dev/promtool';
import type { ReceivedPoint } from '../e2e/otlp-receiver.js';
import { startAlertClock } from './alert-clock.js';

const directory = mkdtempSync(join(tmpdir(), 'alert-clock-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));
const { binary } = await findPromtool(() => {});

function point(name: string, value: number, attributes: Readonly<Record<string, unknown>> = {}): ReceivedPoint {
  return { service: 'analysis', instance: 'a', name, unit: '', attributes, boundaries: [], counts: [], sum: 0, value };
}

/** Takes a value each quarter of a minute. */
function clockWith(values: readonly ReceivedPoint[][]) {
  const clock = startAlertClock(binary, directory);
  for (const points of values) clock.take(points);
  return clock;
}

test('an alert fires when its condition has held for its time, and not before', async () => {
  const ages = [0, 0, 61, 70, 80, 90, 100, 110, 120, 130, 140, 150];
  const clock = clockWith(
    ages.map((age) => [point('invoicecontrol.outbox.oldest_age', age, { collection: 'invoices' })]),
  );
  // The condition holds from second 30 on, and the alert waits for two minutes.
  expect(await clock.firedAfter({ name: 'OutboxWaits' })).toBe(150);
  expect(await clock.firedAfter({ name: 'OutboxWaitsLong' })).toBeUndefined();
});

test('requests that fail fire the alert of their objective', async () => {
  const failing = Array.from({ length: 30 }, (_, index): ReceivedPoint[] => [
    {
      ...point('http.server.request.duration', 0, {
        'http.request.method': 'POST',
        'http.route': '/v1/invoices',
        'http.response.status_code': '503',
      }),
      boundaries: [1],
      counts: [index * 30, 0],
    },
  ]);
  const labels = { slo: 'decide', severity: 'page' };
  expect(await clockWith(failing).firedAfter({ name: 'ErrorBudgetBurn', labels })).toBeLessThan(300);
});

test('an alert that does not exist is an error, and not silence', async () => {
  await expect(clockWith([[]]).firedAfter({ name: 'OutboxWait' })).rejects.toThrow('There is no alert OutboxWait');
});
