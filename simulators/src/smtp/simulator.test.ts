import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createTransport } from 'nodemailer';
import type { FaultKind } from './faults.js';
import { startSmtpSimulator } from './simulator.js';
import type { SmtpSimulator } from './simulator.js';

let simulator: SmtpSimulator;

beforeEach(async () => {
  simulator = await startSmtpSimulator();
});
afterEach(() => simulator.stop());

function send(subject: string, others: object = {}): Promise<unknown> {
  const transport = createTransport({ url: simulator.url });
  return transport.sendMail({ from: 'a@example.com', to: 'b@example.com', subject, text: 'Grüße\n', ...others });
}
const taken = (subject: string) => simulator.mails.filter((mail) => mail.subject === subject);

test('a mail is decoded, whatever its encoding', async () => {
  await send('Prüfung', { to: ['b@example.com', 'Ćwik <c@example.com>'], messageId: '<one@example.com>' });
  const shown = { from: 'a@example.com', to: 'b@example.com, c@example.com', subject: 'Prüfung', text: 'Grüße\n' };
  const response = await fetch(`${simulator.httpUrl}/messages`);
  expect(await response.json()).toEqual([shown]);
  expect(simulator.mails[0]).toEqual({ ...shown, messageId: '<one@example.com>' });
});

describe('a fault', () => {
  test.each<[FaultKind, object]>([
    ['REFUSE', { responseCode: 421 }],
    ['TEMPORARY', { responseCode: 451 }],
    ['PERMANENT', { responseCode: 550 }],
    ['DROP', { code: 'ECONNECTION' }],
  ])('%s fails as many mails as requested', async (kind, error) => {
    simulator.fail(kind, 2);
    await expect(send(kind)).rejects.toMatchObject(error);
    await expect(send(kind)).rejects.toMatchObject(error);
    await send(kind);
    expect(taken(kind)).toHaveLength(1);
  });

  test('LOSE_ANSWER accepts the mail without an answer', async () => {
    simulator.fail('LOSE_ANSWER', 1);
    await expect(send('LOSE_ANSWER')).rejects.toMatchObject({ code: 'ECONNECTION' });
    expect(taken('LOSE_ANSWER')).toHaveLength(1);
  });

  test('KEEP_WAITING accepts the mail and never answers, while other mails are answered', async () => {
    simulator.fail('KEEP_WAITING', 1);
    const kept = send('KEEP_WAITING').then(
      () => 'answered',
      () => 'ended',
    );
    while (taken('KEEP_WAITING').length === 0) await nextTurn();
    await send('another');
    expect(await Promise.race([kept, Promise.resolve('waiting')])).toBe('waiting');
  });

  test('can be set over HTTP; an invalid one gets an explanation', async () => {
    const set = (body: string) => fetch(`${simulator.httpUrl}/faults`, { method: 'POST', body });
    expect((await set('{"kind":"TEMPORARY","times":1}')).status).toBe(200);
    await expect(send('over HTTP')).rejects.toMatchObject({ responseCode: 451 });
    for (const wrong of ['', '{}', '{"kind":"FIRE","times":1}', '{"kind":"DROP","times":-1}']) {
      const response = await set(wrong);
      expect(response.status).toBe(400);
      expect(await response.text()).toContain('TEMPORARY');
    }
  });
});

test('another path is not found', async () => {
  expect((await fetch(`${simulator.httpUrl}/`)).status).toBe(404);
  expect((await fetch(`${simulator.httpUrl}/messages`, { method: 'POST' })).status).toBe(404);
});
