import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import fc from 'fast-check';
import { WebhookError, verifyWebhook } from './client.js';
import type { WebhookFault, WebhookRequest } from './client.js';

const SECRET = 'whsec_4f9aQ2mZr7TtVx1Lk8HnYb3Cd5Ej6Gp0SuWiXoAyBzD';
const OTHER = 'whsec_0000000000000000000000000000000000000000000';
const T = 1_770_000_000;
const EVENT_ID = 'evt_3k2j';
const BODY = JSON.stringify({ id: EVENT_ID, type: 'finding.created', data: { finding_id: 'Grüße' } });

function sign(body: string | Uint8Array, secret = SECRET, t: number | string = T, eventId = EVENT_ID): string {
  return createHmac('sha256', secret).update(`${eventId}.${t}.`).update(body).digest('hex');
}

function request(changes: Partial<WebhookRequest> & { signature?: string } = {}): WebhookRequest {
  const { signature = `t=${T},v1=${sign(BODY)}`, ...others } = changes;
  return {
    body: BODY,
    headers: { 'svc-event-id': EVENT_ID, 'svc-signature': signature },
    secret: SECRET,
    now: () => new Date(T * 1_000),
    ...others,
  };
}

function reasonOf(given: WebhookRequest): WebhookFault | 'accepted' {
  try {
    verifyWebhook(given);
    return 'accepted';
  } catch (error) {
    if (error instanceof WebhookError) return error.reason;
    throw error;
  }
}

test('the published vector is accepted up to its body, which is no whole event', () => {
  const v1 = 'd3da2c7d1e31e91ec705210f3b070ed0ff6c4228ac04a7c474dac44265895203';
  const vector = request({
    body: '{"id":"evt_1"}',
    headers: { 'svc-event-id': 'evt_1', 'svc-signature': `t=1700000000,v1=${v1}` },
    secret: 'whsec_test',
    now: () => new Date(1_700_000_000_000),
  });
  expect(reasonOf(vector)).toBe('BODY_NOT_AN_EVENT');
  expect(reasonOf({ ...vector, secret: 'whsec_tesu' })).toBe('SIGNATURE_MISMATCH');
});

describe('a good delivery', () => {
  test('is returned as its event', () => {
    expect(verifyWebhook(request())).toEqual(JSON.parse(BODY));
  });

  test('has data of the kind that its type says', () => {
    const event = verifyWebhook(request());
    if (event.type !== 'finding.created') throw new Error(`it is a ${event.type}`);
    // The assignment compiles only if the published description gives events of this type a `finding_id`.
    const { finding_id: findingId }: { finding_id: string } = event.data;
    expect(findingId).toBe('Grüße');
  });

  test('may come as bytes, also as a part of a larger buffer', () => {
    const padded = Buffer.from(`xx${BODY}yy`);
    const bytes = new TextEncoder().encode(BODY);
    for (const body of [Buffer.from(BODY), bytes, bytes.buffer, padded.subarray(2, padded.length - 2)]) {
      expect(reasonOf(request({ body }))).toBe('accepted');
    }
  });

  test('may have its headers in any of the usual forms', () => {
    const signature = `t=${T},v1=${sign(BODY)}`;
    for (const headers of [
      new Headers({ 'Svc-Event-Id': EVENT_ID, 'Svc-Signature': signature }),
      { 'Svc-Event-Id': EVENT_ID, 'SVC-SIGNATURE': signature },
      { 'svc-event-id': [EVENT_ID], 'svc-signature': [signature] },
    ]) {
      expect(reasonOf(request({ headers }))).toBe('accepted');
    }
  });

  test('is accepted during a rotation by who has either secret, and by who has both', () => {
    const signature = `t=${T},v1=${sign(BODY, 'whsec_new')},v1=${sign(BODY, SECRET)}`;
    for (const secret of ['whsec_new', SECRET, [OTHER, SECRET], ['whsec_new', SECRET]]) {
      expect(reasonOf(request({ signature, secret }))).toBe('accepted');
    }
    expect(reasonOf(request({ signature, secret: OTHER }))).toBe('SIGNATURE_MISMATCH');
  });

  test('may have signatures of a later scheme besides v1', () => {
    expect(reasonOf(request({ signature: `t=${T},v2=abc/+=,v1=${sign(BODY)}` }))).toBe('accepted');
  });
});

describe('the time of the signature', () => {
  const at = (seconds: number, toleranceSeconds?: number): string =>
    reasonOf(request({ now: () => new Date((T + seconds) * 1_000 + 999), toleranceSeconds }));

  test('may be 300 seconds away in both directions, or as much as is told', () => {
    expect([at(-301), at(-300), at(0), at(300), at(301)]).toEqual([
      'IN_THE_FUTURE',
      'accepted',
      'accepted',
      'accepted',
      'TOO_OLD',
    ]);
    expect([at(10, 10), at(11, 10)]).toEqual(['accepted', 'TOO_OLD']);
  });

  test('is read only after the signature matched', () => {
    expect(reasonOf(request({ signature: `t=1,v1=${sign(BODY)}` }))).toBe('SIGNATURE_MISMATCH');
  });

  test('is refused when the clock has no time', () => {
    expect(reasonOf(request({ now: () => new Date(Number.NaN) }))).toBe('IN_THE_FUTURE');
  });
});

describe('a delivery is refused', () => {
  const v1 = sign(BODY);
  test.each<[string, WebhookFault, Partial<WebhookRequest> & { signature?: string }]>([
    ['without an event id', 'HEADER_MISSING', { headers: { 'svc-signature': `t=${T},v1=${v1}` } }],
    ['without a signature', 'HEADER_MISSING', { headers: { 'svc-event-id': EVENT_ID } }],
    ['without any headers', 'HEADER_MISSING', { headers: {} }],
    ['with an empty signature', 'HEADER_MISSING', { signature: '' }],
    ['with two headers', 'HEADER_MALFORMED', { headers: { 'svc-event-id': ['evt_1', 'evt_2'] } }],
    ['with two joined headers', 'HEADER_MALFORMED', { signature: `t=${T},v1=${v1}, t=${T},v1=${v1}` }],
    ['without t', 'HEADER_MALFORMED', { signature: `v1=${v1}` }],
    ['with two t', 'HEADER_MALFORMED', { signature: `t=${T},t=${T},v1=${v1}` }],
    ['without v1', 'HEADER_MALFORMED', { signature: `t=${T}` }],
    ['with a t of other digits', 'HEADER_MALFORMED', { signature: `t=1e9,v1=${v1}` }],
    ['with a t that has a zero before it', 'HEADER_MALFORMED', { signature: `t=0${T},v1=${v1}` }],
    ['with a negative t', 'HEADER_MALFORMED', { signature: `t=-1,v1=${v1}` }],
    ['with a v1 in capitals', 'HEADER_MALFORMED', { signature: `t=${T},v1=${v1.toUpperCase()}` }],
    ['with a short v1', 'HEADER_MALFORMED', { signature: `t=${T},v1=${v1.slice(2)}` }],
    ['with an endless header', 'HEADER_MALFORMED', { signature: `t=${T},v1=${v1}${`,v1=${v1}`.repeat(20)}` }],
    ['with an id that has a full stop', 'HEADER_MALFORMED', { headers: { 'svc-event-id': `evt_1.${T}` } }],
    [
      'with another id',
      'SIGNATURE_MISMATCH',
      { headers: { 'svc-event-id': 'evt_2', 'svc-signature': `t=${T},v1=${v1}` } },
    ],
    ['with another body', 'SIGNATURE_MISMATCH', { body: `${BODY} ` }],
    ['with a parsed body', 'BODY_NOT_RAW', { body: JSON.parse(BODY) as never }],
    ['without a body', 'BODY_NOT_RAW', { body: undefined as never }],
    ['with the signature of another secret', 'SIGNATURE_MISMATCH', { signature: `t=${T},v1=${sign(BODY, OTHER)}` }],
  ])('%s', (_title, reason, changes) => {
    expect(reasonOf(request(changes))).toBe(reason);
  });

  test.each(['no JSON', 'null', '[]', '{}', '{"id":"evt_other","type":"finding.created","data":{}}'])(
    'when it is signed and its body is %s',
    (body) => {
      expect(reasonOf(request({ body, signature: `t=${T},v1=${sign(body)}` }))).toBe('BODY_NOT_AN_EVENT');
    },
  );

  test('without showing a secret or a signature', () => {
    for (const signature of [`t=${T},v1=${sign(BODY, OTHER)}`, `t=${T},v1=${v1}zz`, `t=0${T},v1=${v1}`]) {
      const thrown = (): unknown => verifyWebhook(request({ signature }));
      expect(thrown).toThrow(WebhookError);
      expect(thrown).not.toThrow(new RegExp(`${SECRET}|[0-9a-f]{64}`));
    }
  });
});

test('a secret or tolerance that cannot be one is a fault of the program', () => {
  for (const secret of ['', [], [''], `${SECRET}\n`, [SECRET, ''], undefined as never, [undefined] as never]) {
    expect(() => verifyWebhook(request({ secret }))).toThrow(TypeError);
  }
  for (const toleranceSeconds of [Number.NaN, -1, Infinity]) {
    expect(() => verifyWebhook(request({ toleranceSeconds }))).toThrow(TypeError);
  }
});

describe('for all deliveries', () => {
  const secrets = fc.stringMatching(/^whsec_[A-Za-z0-9]{43}$/);
  const bodies = fc
    .record({ id: fc.constant(EVENT_ID), type: fc.string(), data: fc.dictionary(fc.string(), fc.jsonValue()) })
    .map((event) => JSON.stringify(event));

  test('what was signed is accepted, in every place of the header', () => {
    fc.assert(
      fc.property(bodies, secrets, secrets, fc.boolean(), (body, secret, other, isFirst) => {
        const both = [sign(body, secret), sign(body, other)];
        const [first, second] = isFirst ? both : both.toReversed();
        expect(reasonOf(request({ body, secret, signature: `t=${T},v1=${first},v1=${second}` }))).toBe('accepted');
      }),
    );
  });

  test('one changed bit of the body or of the signature is refused', () => {
    fc.assert(
      fc.property(bodies, fc.nat(), fc.integer({ min: 0, max: 7 }), fc.boolean(), (text, at, bit, inBody) => {
        const body = Buffer.from(text);
        const signature = Buffer.from(sign(body), 'hex');
        const changed = inBody ? body : signature;
        const header = (): string => `t=${T},v1=${signature.toString('hex')}`;
        const before = header();
        changed[at % changed.length] = (changed[at % changed.length] ?? 0) ^ (1 << bit);
        expect(reasonOf(request({ body, signature: inBody ? before : header() }))).toBe('SIGNATURE_MISMATCH');
      }),
    );
  });

  test('whatever stands in headers and body, nothing but a WebhookError is thrown', () => {
    const header = fc.oneof(
      fc.string(),
      fc.stringMatching(/^(t=\d{1,14}|v1=[0-9a-f]{62,65}|v1=|,| |=){1,6}$/),
      fc.array(fc.string(), { maxLength: 3 }),
      fc.constant(undefined),
    );
    const content = fc.oneof(fc.string(), fc.uint8Array(), fc.anything());
    fc.assert(
      fc.property(header, header, content, (eventId, signature, body) => {
        const headers = { 'svc-event-id': eventId, 'svc-signature': signature };
        expect(reasonOf(request({ headers, body: body as string }))).not.toBe('accepted');
      }),
      { numRuns: 200 },
    );
  });
});
