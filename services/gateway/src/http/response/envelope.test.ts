import { describe, expect, test } from 'vitest';
import { DomainError, errorTable, invalidField } from '@invoicecontrol/errors';
import type { ErrorKind } from '@invoicecontrol/errors';
import { answerTo } from './envelope.js';
import { HttpRefusal } from './refusal.js';

const INTERNAL_MESSAGE = 'Something went wrong on our side. Retry the request in a moment.';

describe('the error envelope', () => {
  test.each(Object.keys(errorTable) as ErrorKind[])('carries code and status of the kind %s', (kind) => {
    const { status, body } = answerTo(new DomainError(kind, 'A sentence.'), 'req_1');
    expect(status).toBe(errorTable[kind].http);
    expect(body).toEqual({
      error: {
        code: errorTable[kind].code,
        message: kind === 'internal' ? INTERNAL_MESSAGE : 'A sentence.',
        request_id: 'req_1',
      },
    });
  });

  test('shows nothing of a fault that nobody foresaw', () => {
    const { status, body } = answerTo(new Error('connect ECONNREFUSED 10.0.0.7:27017'), 'req_1');
    expect(status).toBe(500);
    expect(body.error).toEqual({ code: 'PROCESSING_FAILED', message: INTERNAL_MESSAGE, request_id: 'req_1' });
  });

  test('lists the wrong fields with status 400 and with no other', () => {
    const fault = { path: 'currency', message: 'Must be a string.' };
    expect(answerTo(invalidField('currency', 'Must be a string.'), 'r').body.error.details).toEqual([fault]);
    expect(answerTo(new DomainError('wrong_state', 'No.', { details: [fault] }), 'r').body.error).not.toHaveProperty(
      'details',
    );
  });

  test('tells when a repeat makes sense', () => {
    expect(answerTo(new DomainError('in_progress', 'Under way.'), 'r').headers).toEqual({ 'Retry-After': '1' });
    expect(answerTo(new DomainError('unavailable', 'Down.'), 'r').headers).toEqual({ 'Retry-After': '2' });
    expect(answerTo(new DomainError('usage_exceeded', 'Full.'), 'r').headers).toEqual({});
    expect(answerTo(new DomainError('usage_exceeded', 'Full.', { retryAfterSeconds: 60 }), 'r').headers).toEqual({
      'Retry-After': '60',
    });
  });

  test('says whether it is the stored answer to an earlier request', () => {
    expect(answerTo(new DomainError('unprocessable', 'Locked.', { isReplayed: true }), 'r').headers).toEqual({
      'Idempotency-Replayed': 'true',
    });
    expect(answerTo(new DomainError('unprocessable', 'Locked.'), 'r').headers).toEqual({});
  });

  test('carries the headers of a refusal that only HTTP knows', () => {
    const refusal = new HttpRefusal(405, 'This path does not support this method. Use GET.', { Allow: 'GET' });
    expect(answerTo(refusal, 'r')).toMatchObject({ status: 405, headers: { Allow: 'GET' } });
  });
});
