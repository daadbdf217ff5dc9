import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createLogger } from '@invoicecontrol/runtime/logger';
import { COUNT_INTERVAL_MS, PeerCount } from './peers.js';
import type { Resolve } from './peers.js';

const started: PeerCount[] = [];
let lines: string[];
let asked: string[];

beforeEach(() => {
  vi.useFakeTimers();
  lines = [];
  asked = [];
});
afterEach(async () => {
  for (const peers of started.splice(0)) await peers.stop();
  vi.useRealTimers();
});

function counting(hostname: string | undefined, resolve: Resolve): PeerCount {
  const logger = createLogger({ service: 'test', level: 'info', destination: { write: (line) => lines.push(line) } });
  const peers = new PeerCount({
    hostname,
    initial: 2,
    logger,
    resolve: (name) => {
      asked.push(name);
      return resolve(name);
    },
  });
  started.push(peers);
  peers.start();
  return peers;
}

const addresses = (count: number, family = 4) => Array.from({ length: count }, () => ({ family }));

test('the gateways are counted at the start and every ten seconds', async () => {
  let gateways = 3;
  const peers = counting('gateway-peers', async () => addresses(gateways));
  expect(peers.count).toBe(2);
  await vi.advanceTimersByTimeAsync(0);
  expect(peers.count).toBe(3);

  gateways = 6;
  await vi.advanceTimersByTimeAsync(COUNT_INTERVAL_MS - 1);
  expect(peers.count).toBe(3);
  await vi.advanceTimersByTimeAsync(1);
  expect(peers.count).toBe(6);
  expect(asked).toEqual(['gateway-peers', 'gateway-peers']);
});

test('the last count applies while the name cannot be resolved, and the failure is logged once', async () => {
  let resolve: Resolve = async () => addresses(4);
  const peers = counting('gateway-peers', (name) => resolve(name));
  await vi.advanceTimersByTimeAsync(0);

  resolve = () => Promise.reject(Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' }));
  await vi.advanceTimersByTimeAsync(COUNT_INTERVAL_MS);
  // An empty result counts as one gateway, because the gateway that counts exists itself.
  resolve = async () => [];
  await vi.advanceTimersByTimeAsync(COUNT_INTERVAL_MS);
  expect(peers.count).toBe(4);
  expect(lines).toHaveLength(1);
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ msg: 'the gateways could not be counted', gateways: 4 });

  resolve = async () => addresses(5);
  await vi.advanceTimersByTimeAsync(COUNT_INTERVAL_MS);
  expect(peers.count).toBe(5);
});

test('a gateway with an IPv4 and an IPv6 address is counted once', async () => {
  const peers = counting('gateway-peers', async () => [...addresses(3, 4), ...addresses(3, 6)]);
  await vi.advanceTimersByTimeAsync(0);
  expect(peers.count).toBe(3);
});

test('without a name, the number of gateways is the configured one, and nothing is resolved', async () => {
  const peers = counting(undefined, async () => addresses(7));
  await vi.advanceTimersByTimeAsync(COUNT_INTERVAL_MS);
  expect(peers.count).toBe(2);
  expect(asked).toEqual([]);
});
