import { expect, test } from 'vitest';
import { createLogger } from '@invoicecontrol/runtime/logger';
import { INTERIM_ANSWERS_MAX } from '@invoicecontrol/egress/send-request';
import {
  finalAnswer,
  interimAnswers,
  startRawHttpServer,
  unaskedAnswers,
} from '@invoicecontrol/testkit/raw-http-server';
import { ksefHttp } from './ksef-http.js';

const logger = createLogger({ service: 'ksef', level: 'silent' });
const waits = { throttledMs: 1, blockedMs: 1 };

async function sendTo(url: string): Promise<unknown> {
  const http = ksefHttp({ urls: { TEST: url, DEMO: url, PRODUCTION: url }, requestMs: 5_000, waits }, logger);
  try {
    return await http.send({
      environment: 'TEST',
      operation: 'S1',
      method: 'POST',
      path: '/sessions/online',
      json: {},
      accept: 'json',
    });
  } finally {
    http.close();
  }
}
const OPENED = finalAnswer('{"referenceNumber":"r"}', '201 Created');

test.each(unaskedAnswers)('%s before the final answer of KSeF is read over', async (_, unasked) => {
  const raw = await startRawHttpServer(() => [...unasked, OPENED]);
  try {
    expect(await sendTo(raw.url)).toMatchObject({ status: 201, json: { referenceNumber: 'r' } });
    expect(raw.requestsCount).toBe(1);
  } finally {
    await raw.stop();
  }
});

test('after more interim answers of KSeF than may come nobody knows what became of the call', async () => {
  let count = INTERIM_ANSWERS_MAX;
  const raw = await startRawHttpServer(() => [...interimAnswers(count), OPENED]);
  try {
    expect(await sendTo(raw.url)).toMatchObject({ status: 201 });
    count++;
    await expect(sendTo(raw.url)).rejects.toMatchObject({ code: 'KSEF_UNREACHABLE' });
  } finally {
    await raw.stop();
  }
});
