import { expect, test } from 'vitest';
import { INTERIM_ANSWERS_MAX } from '@invoicecontrol/egress/send-request';
import {
  finalAnswer,
  interimAnswers,
  startRawHttpServer,
  unaskedAnswers,
} from '@invoicecontrol/testkit/raw-http-server';
import { ecbFeed } from './ecb-feed.js';

const FEED = '<Envelope><Cube><Cube time="2026-05-08"><Cube currency="USD" rate="1.17"/></Cube></Cube></Envelope>';
const DAYS = [{ day: '2026-05-08', perEuro: { USD: '1.17' } }];

test.each(unaskedAnswers)('%s before the final answer of the feed is read over', async (_, unasked) => {
  const raw = await startRawHttpServer(() => [...unasked, finalAnswer(FEED, '200 OK', 'content-type: text/xml\r\n')]);
  try {
    expect(await ecbFeed(raw.url).read('daily')).toEqual(DAYS);
    expect(raw.requestsCount).toBe(1);
  } finally {
    await raw.stop();
  }
});

test('more interim answers of the feed than may come are a failure of the feed', async () => {
  let count = INTERIM_ANSWERS_MAX;
  const raw = await startRawHttpServer(() => [...interimAnswers(count), finalAnswer(FEED)]);
  try {
    expect(await ecbFeed(raw.url).read('daily')).toEqual(DAYS);
    count++;
    await expect(ecbFeed(raw.url).read('daily')).rejects.toThrow('the feed did not respond');
  } finally {
    await raw.stop();
  }
});

test('a redirect of the feed is a failure of the feed', async () => {
  const raw = await startRawHttpServer(() => [finalAnswer('', '302 Found', 'location: /elsewhere\r\n')]);
  try {
    await expect(ecbFeed(raw.url).read('daily')).rejects.toThrow('the feed responded with status 302');
    expect(raw.requestsCount).toBe(1);
  } finally {
    await raw.stop();
  }
});
