import { expect, test } from '@jest/globals';
import { classifyAnswer, plainText } from './classify-answer.js';

test('a text of KSeF is one line that people can read, of at most 1,000 characters', () => {
  expect(plainText('Faktura\r\n  nr\u202e 7\0\u200b \ud800')).toBe('Faktura nr 7 \ufffd');
  expect(plainText('x'.repeat(1_000))).toBe('x'.repeat(1_000));
  expect(plainText('x'.repeat(1_001))).toBe(`${'x'.repeat(999)}…`);
});

test('a refusal repeats what KSeF says without what nobody sees', () => {
  const json = {
    title: 'Bad Request',
    status: 400,
    errors: [{ code: 21_405, description: 'Zła\u2066 faktura\u2028', details: [] }],
  };
  const { message } = classifyAnswer(
    { operation: 'S2', status: 400, json, retryAfterMs: undefined },
    { throttledMs: 1, blockedMs: 1 },
  );
  expect(message).toBe('KSeF refuses the call (21405). Zła faktura');
});
