import { expect, test } from 'vitest';
import { INTERIM_ANSWERS_MAX } from '@invoicecontrol/egress/send-request';
import {
  finalAnswer,
  interimAnswers,
  startRawHttpServer,
  unaskedAnswers,
} from '@invoicecontrol/testkit/raw-http-server';
import { ProviderUnavailable } from '../application/provider-api.js';
import { paddleApi } from './paddle-api.js';

const PORTAL = 'https://customer-portal.paddle.com/cpl_1';

test.each(unaskedAnswers)('%s before the final answer of Paddle is read over', async (_, unasked) => {
  const portal = JSON.stringify({ data: { urls: { general: { overview: PORTAL } } } });
  const raw = await startRawHttpServer(() => [...unasked, finalAnswer(portal)]);
  try {
    expect(await paddleApi(raw.url, 'key').createPortalSession('ctm_1', ['sub_1'])).toBe(PORTAL);
    expect(raw.requestsCount).toBe(1);
  } finally {
    await raw.stop();
  }
});

test('a prepared purchase has the checkout page that Paddle returns', async () => {
  const url = 'https://buy.example.com/pay?_ptxn=txn_1';
  const raw = await startRawHttpServer(() => [finalAnswer(JSON.stringify({ data: { checkout: { url } } }))]);
  try {
    expect(await paddleApi(raw.url, 'key').createTransaction([{ priceId: 'pri_1', quantity: 2 }], { a: 'b' })).toBe(
      url,
    );
  } finally {
    await raw.stop();
  }
});

test.each([null, 'javascript:alert(1)', ''])('the checkout page %s of Paddle is an outage', async (url) => {
  const raw = await startRawHttpServer(() => [finalAnswer(JSON.stringify({ data: { checkout: { url } } }))]);
  try {
    const prepared = paddleApi(raw.url, 'key').createTransaction([{ priceId: 'pri_1', quantity: 1 }], {});
    await expect(prepared).rejects.toBeInstanceOf(ProviderUnavailable);
  } finally {
    await raw.stop();
  }
});

test('more interim answers of Paddle than may come are an outage', async () => {
  let count = INTERIM_ANSWERS_MAX;
  const raw = await startRawHttpServer(() => [
    ...interimAnswers(count),
    finalAnswer('{"data":{"email":"a@b.example"}}'),
  ]);
  try {
    expect(await paddleApi(raw.url, 'key').customerEmail('ctm_1')).toBe('a@b.example');
    count++;
    await expect(paddleApi(raw.url, 'key').customerEmail('ctm_1')).rejects.toBeInstanceOf(ProviderUnavailable);
  } finally {
    await raw.stop();
  }
});
