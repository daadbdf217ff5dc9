import { createHmac, timingSafeEqual } from 'node:crypto';
import { isAnyArrayBuffer } from 'node:util/types';
import type { webhooks } from './gen/openapi.js';

/** Maximum age of a delivery, and maximum time by which its clock may be ahead of ours. */
const TOLERANCE_SECONDS = 300;
/** The sender writes about 150 characters; what is longer is not read. */
const HEADER_CHARACTERS_MAX = 1_024;
const EVENT_ID_CHARACTERS_MAX = 128;

/**
 * An event as it is delivered. `type` says what `data` has. `id` stays the same over all attempts and replays: a receiver that has seen
 * it responds with 200 and does nothing.
 */
export type WebhookEvent = {
  [Name in keyof webhooks]: NonNullable<webhooks[Name]['post']['requestBody']>['content']['application/json'];
}[keyof webhooks];

/** Headers as `fetch`, Node's `http` or a framework has them. */
export type WebhookHeaders =
  { get(name: string): string | null | undefined } | Readonly<Record<string, string | readonly string[] | undefined>>;

export interface WebhookRequest {
  /** The bytes of the request, before anything parsed them. A string is read as UTF-8. */
  readonly body: Uint8Array | ArrayBuffer | string;
  readonly headers: WebhookHeaders;
  /** `whsec_...` as the API showed it. A list while receivers learn a new one; any of it may match. */
  readonly secret: string | readonly string[];
  /** 300 unless told. */
  readonly toleranceSeconds?: number | undefined;
  /** Used in place of the system clock. */
  readonly now?: (() => Date) | undefined;
}

/**
 * - `HEADER_MISSING`: there is no `svc-event-id` or no `svc-signature`
 * - `HEADER_MALFORMED`: one of them has another form than the sender writes
 * - `BODY_NOT_RAW`: what was given as the body is not the bytes of the request
 * - `SIGNATURE_MISMATCH`: no signature was made with one of the secrets over exactly this body
 * - `TOO_OLD`, `IN_THE_FUTURE`: signed correctly, at a time beyond the tolerance
 * - `BODY_NOT_AN_EVENT`: signed correctly, and not an event
 */
export type WebhookFault =
  | 'HEADER_MISSING'
  | 'HEADER_MALFORMED'
  | 'BODY_NOT_RAW'
  | 'SIGNATURE_MISMATCH'
  | 'TOO_OLD'
  | 'IN_THE_FUTURE'
  | 'BODY_NOT_AN_EVENT';

/** The request is not a delivery that may be trusted: respond with 400 and do nothing. Shows neither secrets nor signatures. */
export class WebhookError extends Error {
  override readonly name = 'WebhookError';
  readonly reason: WebhookFault;

  constructor(reason: WebhookFault, message: string) {
    super(message);
    this.reason = reason;
  }
}

/**
 * Checks that a request is a delivery of the API (specification section 6): `svc-signature` has `t=<unix seconds>` and one
 * or, for 24 hours after a rotation, two `v1=<hex>`, each the HMAC-SHA256 of `<svc-event-id>.<t>.<body>`. One match is enough.
 * @returns the event of the body
 * @throws WebhookError whatever the sender of the request wrote; TypeError for a secret or tolerance that cannot be one
 */
export function verifyWebhook(request: WebhookRequest): WebhookEvent {
  const { toleranceSeconds = TOLERANCE_SECONDS, now = () => new Date() } = request;
  const secrets = readSecrets(request.secret);
  if (!Number.isFinite(toleranceSeconds) || toleranceSeconds < 0) {
    throw new TypeError('toleranceSeconds is not a number of seconds.');
  }
  const eventId = readHeader(request.headers, 'svc-event-id');
  // A full stop within the id would move the limits between id, time and body in the signed text.
  if (eventId.length > EVENT_ID_CHARACTERS_MAX || !/^evt_[A-Za-z0-9_-]+$/.test(eventId)) {
    throw new WebhookError('HEADER_MALFORMED', 'svc-event-id does not have the form evt_<identifier>.');
  }
  const { time, signatures } = readSignature(readHeader(request.headers, 'svc-signature'));
  const body = readBody(request.body);

  const expected = secrets.map((secret) =>
    createHmac('sha256', secret).update(`${eventId}.${time}.`, 'utf8').update(body).digest(),
  );
  // All pairs are compared, each in constant time: how long it takes does not depend on the signatures.
  const matches = signatures.flatMap((given) => expected.filter((wanted) => timingSafeEqual(given, wanted)));
  if (matches.length === 0) {
    throw new WebhookError(
      'SIGNATURE_MISMATCH',
      'No signature matches. Is it the secret of this endpoint, and is the body passed on byte for byte?',
    );
  }
  const ageSeconds = Math.floor(now().getTime() / 1_000) - Number(time);
  if (ageSeconds > toleranceSeconds) {
    throw new WebhookError(
      'TOO_OLD',
      `The delivery was signed ${ageSeconds} s ago; ${toleranceSeconds} s are allowed.`,
    );
  }
  // A value that is not a number, such as that of an invalid date, is refused too.
  if (!(ageSeconds >= -toleranceSeconds)) {
    throw new WebhookError(
      'IN_THE_FUTURE',
      'The delivery was signed in the future. Is the clock of this machine right?',
    );
  }
  return readEvent(body, eventId);
}

/** @throws TypeError, since an empty secret would accept what anybody signs with none */
function readSecrets(given: string | readonly string[]): readonly string[] {
  const secrets: readonly unknown[] = typeof given === 'string' ? [given] : Array.isArray(given) ? given : [];
  if (secrets.length === 0) throw new TypeError('secret is missing. Pass the whsec_... that the API showed.');
  return secrets.map((secret) => {
    if (typeof secret === 'string' && /^[\x21-\x7e]+$/.test(secret)) return secret;
    throw new TypeError(
      'secret is empty or has spaces or other characters that a secret cannot have. Pass only the secret itself.',
    );
  });
}

function readHeader(headers: WebhookHeaders, name: string): string {
  const value: unknown =
    typeof headers.get === 'function'
      ? (headers.get as (name: string) => unknown)(name)
      : Object.entries(headers).find(([given]) => given.toLowerCase() === name)?.[1];
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (values.length > 1) throw new WebhookError('HEADER_MALFORMED', `${name} is given more than once.`);
  const [only] = values;
  if (typeof only === 'string' && only !== '') return only;
  throw new WebhookError('HEADER_MISSING', `${name} is missing.`);
}

/** The time as it is written, since the signature is over its characters, and every v1. Later schemes are passed over. */
function readSignature(header: string): { time: string; signatures: readonly Buffer[] } {
  const malformed = (what: string): WebhookError => new WebhookError('HEADER_MALFORMED', `svc-signature ${what}.`);
  if (header.length > HEADER_CHARACTERS_MAX) throw malformed('is too long');
  const times: string[] = [];
  const signatures: Buffer[] = [];
  for (const entry of header.split(',')) {
    const [, name, value = ''] = /^([a-z][a-z0-9]*)=([\x21-\x7e]+)$/.exec(entry) ?? [];
    if (name === undefined) throw malformed('is not t=<unix seconds>,v1=<hex>');
    if (name === 't') times.push(value);
    if (name !== 'v1') continue;
    if (!/^[0-9a-f]{64}$/.test(value)) throw malformed('has a v1 that is not 64 lower-case hexadecimal digits');
    signatures.push(Buffer.from(value, 'hex'));
  }
  const [time] = times;
  if (time === undefined || times.length > 1) throw malformed('does not have exactly one t');
  if (!/^(0|[1-9]\d{0,11})$/.test(time)) throw malformed('has a t that is not a time in unix seconds');
  if (signatures.length === 0) throw malformed('has no v1');
  return { time, signatures };
}

function readBody(body: unknown): Buffer {
  if (typeof body === 'string') return Buffer.from(body, 'utf8');
  // The check does not use the classes, because they may come from another realm.
  if (isAnyArrayBuffer(body)) return Buffer.from(body);
  if (ArrayBuffer.isView(body)) return Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  throw new WebhookError(
    'BODY_NOT_RAW',
    'body is not the raw bytes of the request. Verify it before anything parses it.',
  );
}

function readEvent(body: Buffer, eventId: string): WebhookEvent {
  const event = parseJson(body.toString('utf8')) as Partial<WebhookEvent> | null | undefined;
  const data: unknown = event?.data;
  const isEvent = typeof event?.type === 'string' && typeof data === 'object' && data !== null && !Array.isArray(data);
  if (isEvent && event.id === eventId) return event as WebhookEvent;
  throw new WebhookError('BODY_NOT_AN_EVENT', 'The body is not an event with the id of svc-event-id.');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
