import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { errorTable } from './errors.js';
import { errorExplanations, transportExplanations } from './error-reference.js';

const gateway = new URL('../../../services/gateway/src/http/', import.meta.url);

/** Returns the statuses that the gateway refuses requests with, as its code states them. */
function statusesOfRefusals(): number[] {
  const sources = readdirSync(gateway, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /(?<!test)\.ts$/.test(name),
  );
  const texts = sources.map((name) => readFileSync(new URL(name, gateway), 'utf8'));
  return texts.flatMap((text) =>
    [...text.matchAll(/new HttpRefusal\(\s*(\d{3})/g)].map(([, status]) => Number(status)),
  );
}

test('explains every status with which a request can be refused', () => {
  const explained = new Set<number>([
    ...Object.values(errorTable).map(({ http }) => http),
    ...Object.keys(transportExplanations).map(Number),
  ]);
  const statuses = statusesOfRefusals();
  expect(statuses).toEqual(expect.arrayContaining([408, 412, 431]));
  expect(statuses.filter((status) => !explained.has(status))).toEqual([]);
});

test('explains no status twice', () => {
  const ofKinds = new Set<number>(Object.values(errorTable).map(({ http }) => http));
  expect(Object.keys(transportExplanations).filter((status) => ofKinds.has(Number(status)))).toEqual([]);
});

test('tells a caller to wait exactly where the response says how long', () => {
  const waiting = Object.entries(errorExplanations).filter(([, { retry }]) => retry === 'after Retry-After');
  expect(waiting.map(([kind]) => kind).sort()).toEqual(['in_progress', 'rate_limited', 'unavailable']);
});
