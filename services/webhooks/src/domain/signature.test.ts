import { expect, test } from 'vitest';
import { sign } from './signature.js';

const at = new Date(1_700_000_000_999);

test('signs as the reference does, with whole seconds', () => {
  expect(sign({ eventId: 'evt_1', at, body: '{"id":"evt_1"}' }, ['whsec_test']).header).toBe(
    't=1700000000,v1=d3da2c7d1e31e91ec705210f3b070ed0ff6c4228ac04a7c474dac44265895203',
  );
});

test('carries the value of the new secret first and of the previous one second', () => {
  const signed = (...secrets: string[]) => sign({ eventId: 'evt_1', at, body: 'zażółć' }, secrets).header;
  const [, first] = signed('new').split(',');
  const [, second] = signed('old').split(',');
  expect(signed('new', 'old')).toBe(`t=1700000000,${first},${second}`);
});
