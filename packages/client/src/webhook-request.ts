// The checks of a webhook request that need no cryptography. This module has no imports of Node.js, so that it also
// runs in browsers and workers.
import type { webhooks } from './gen/openapi.js';

/**
 * Maximum age of a webhook request, and maximum time by which the clock of its sender may be ahead of the local clock.
 */
const TOLERANCE_SECONDS = 300;
/**
 * Maximum length of the signature header of a webhook. A longer header is refused. The sender writes about 150
 * characters.
 */
const HEADER_CHARACTERS_MAX = 1_024;
const EVENT_ID_CHARACTERS_MAX = 128;

const encoder = new TextEncoder();

/**
 * A webhook event. The fields of `data` depend on `type`. All attempts and replays have the same `id`; a receiver that
 * has already handled the id responds with 200 and does nothing.
 */
export type WebhookEvent = {
  [Name in keyof webhooks]: NonNullable<webhooks[Name]['post']['requestBody']>['content']['application/json'];
}[keyof webhooks];

/** Request headers as `fetch`, the `http` module of Node.js or a framework provides them. */
export type WebhookHeaders =
  { get(name: string): string | null | undefined } | Readonly<Record<string, string | readonly string[] | undefined>>;

export interface WebhookRequest {
  /** Raw bytes of the body of the webhook request. A string is encoded as UTF-8. */
  readonly body: Uint8Array | ArrayBuffer | string;
  readonly headers: WebhookHeaders;
  /**
   * The signing secret as the API showed it (`whsec_...`), or a list of secrets while a new secret is introduced. The
   * request is valid if any secret matches.
   */
  readonly secret: string | readonly string[];
  /** Maximum age of the webhook request in seconds (default 300). */
  readonly toleranceSeconds?: number | undefined;
  /** Function that returns the current time in place of the system clock when a webhook is verified, for tests. */
  readonly now?: (() => Date) | undefined;
}

/**
 * Reasons why a webhook request is refused:
 *
 * - `HEADER_MISSING`: the header `svc-event-id` or `svc-signature` is missing.
 * - `HEADER_MALFORMED`: one of these headers has an invalid format.
 * - `BODY_NOT_RAW`: the body that the caller passed is not the raw bytes of the request.
 * - `SIGNATURE_MISMATCH`: no signature in the header was made from the body with one of the secrets.
 * - `TOO_OLD`, `IN_THE_FUTURE`: the signature is valid, but its time is outside the tolerance.
 * - `BODY_NOT_AN_EVENT`: the signature is valid, but the body is not a webhook event.
 */
export type WebhookFault =
  | 'HEADER_MISSING'
  | 'HEADER_MALFORMED'
  | 'BODY_NOT_RAW'
  | 'SIGNATURE_MISMATCH'
  | 'TOO_OLD'
  | 'IN_THE_FUTURE'
  | 'BODY_NOT_AN_EVENT';

/**
 * Error that is thrown if a webhook request must not be trusted. Respond with 400 and ignore the request. The error
 * contains neither secrets nor signatures.
 */
export class WebhookError extends Error {
  override readonly name = 'WebhookError';
  readonly reason: WebhookFault;

  constructor(reason: WebhookFault, message: string) {
    super(message);
    this.reason = reason;
  }
}

/** A well-formed webhook request whose signatures have not been compared yet. */
export interface SignedRequest {
  readonly secrets: readonly string[];
  /** The bytes that the signature of a webhook covers: `<event id>.<t>.<body>`. */
  readonly signed: Uint8Array<ArrayBuffer>;
  /** The signatures in the headers of a webhook request, in hexadecimal. */
  readonly signatures: readonly string[];
  /**
   * Returns the event, after the caller has checked whether a signature matches.
   * @throws WebhookError
   */
  finish(isMatch: boolean): WebhookEvent;
}

/**
 * Reads a webhook request (specification section 6). The header `svc-signature` has `t=<unix seconds>` and one or, for
 * 24 hours after a rotation of the secret, two `v1=<hex>`. Each of these signatures is the HMAC-SHA256 of
 * `<svc-event-id>.<t>.<body>`, and one matching signature is enough.
 * @throws WebhookError for a malformed request; TypeError for an invalid secret or tolerance
 */
export function readSignedRequest(request: WebhookRequest): SignedRequest {
  const { toleranceSeconds = TOLERANCE_SECONDS, now = () => new Date() } = request;
  const secrets = readSecrets(request.secret);
  if (!Number.isFinite(toleranceSeconds) || toleranceSeconds < 0) {
    throw new TypeError('toleranceSeconds must be a number of seconds.');
  }
  const eventId = readHeader(request.headers, 'svc-event-id');
  // A full stop in the id of a webhook event would make the boundaries between id, time and body in the signed text
  // ambiguous.
  if (eventId.length > EVENT_ID_CHARACTERS_MAX || !/^evt_[A-Za-z0-9_-]+$/.test(eventId)) {
    throw new WebhookError('HEADER_MALFORMED', 'svc-event-id does not have the form evt_<identifier>.');
  }
  const { time, signatures } = readSignature(readHeader(request.headers, 'svc-signature'));
  const body = readBody(request.body);
  const prefix = encoder.encode(`${eventId}.${time}.`);
  const signed = new Uint8Array(prefix.length + body.length);
  signed.set(prefix);
  signed.set(body, prefix.length);
  return {
    secrets,
    signed,
    signatures,
    finish(isMatch) {
      if (!isMatch) {
        throw new WebhookError(
          'SIGNATURE_MISMATCH',
          'No signature of the webhook request matches its body. Check that the secret belongs to this endpoint and that the raw body is passed on unchanged.',
        );
      }
      checkTime(Math.floor(now().getTime() / 1_000) - Number(time), toleranceSeconds);
      return readEvent(body, eventId);
    },
  };
}

function checkTime(ageSeconds: number, toleranceSeconds: number): void {
  if (ageSeconds > toleranceSeconds) {
    throw new WebhookError(
      'TOO_OLD',
      `The delivery was signed ${ageSeconds} s ago; the maximum age is ${toleranceSeconds} s.`,
    );
  }
  // A webhook signature whose age is not a number, for example because its date is invalid, is refused too.
  if (!(ageSeconds >= -toleranceSeconds)) {
    throw new WebhookError(
      'IN_THE_FUTURE',
      'The webhook delivery has a signing time in the future. Check the clock of this machine.',
    );
  }
}

/**
 * Returns the signing secrets of the webhook as a list.
 * @throws TypeError for an empty secret, because anyone could sign with it
 */
function readSecrets(given: string | readonly string[]): readonly string[] {
  const secrets: readonly unknown[] = typeof given === 'string' ? [given] : Array.isArray(given) ? given : [];
  if (secrets.length === 0)
    throw new TypeError('secret is missing. Pass the secret (whsec_...) that the API returned.');
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
  if (values.length > 1)
    throw new WebhookError('HEADER_MALFORMED', `The webhook request has the header ${name} more than once.`);
  const [only] = values;
  if (typeof only === 'string' && only !== '') return only;
  throw new WebhookError('HEADER_MISSING', `${name} is missing.`);
}

/**
 * Returns the time and the signatures in the signature header of a webhook request. The time is returned as text,
 * exactly as in the header, because the signature covers its characters. Only signatures of the scheme v1 are returned.
 */
function readSignature(header: string): { time: string; signatures: readonly string[] } {
  const malformed = (what: string): WebhookError => new WebhookError('HEADER_MALFORMED', `svc-signature ${what}.`);
  if (header.length > HEADER_CHARACTERS_MAX) throw malformed('is too long');
  const times: string[] = [];
  const signatures: string[] = [];
  for (const entry of header.split(',')) {
    const [, name, value = ''] = /^([a-z][a-z0-9]*)=([\x21-\x7e]+)$/.exec(entry) ?? [];
    if (name === undefined) throw malformed('is not t=<unix seconds>,v1=<hex>');
    if (name === 't') times.push(value);
    if (name !== 'v1') continue;
    if (!/^[0-9a-f]{64}$/.test(value)) throw malformed('has a v1 that is not 64 lower-case hexadecimal digits');
    signatures.push(value);
  }
  const [time] = times;
  if (time === undefined || times.length > 1) throw malformed('does not have exactly one t');
  if (!/^(0|[1-9]\d{0,11})$/.test(time)) throw malformed('has a t that is not a time in unix seconds');
  if (signatures.length === 0) throw malformed('has no v1');
  return { time, signatures };
}

function readBody(body: unknown): Uint8Array {
  if (typeof body === 'string') return encoder.encode(body);
  if (ArrayBuffer.isView(body)) return new Uint8Array(body.buffer, body.byteOffset, body.byteLength);
  // The check whether the webhook body is an array of bytes does not use `instanceof`, because the value may come from
  // another JavaScript realm.
  if (['[object ArrayBuffer]', '[object SharedArrayBuffer]'].includes(Object.prototype.toString.call(body))) {
    return new Uint8Array(body as ArrayBuffer);
  }
  throw new WebhookError(
    'BODY_NOT_RAW',
    'The body must be the raw bytes of the webhook request. Verify the webhook request before you parse its body.',
  );
}

function readEvent(body: Uint8Array, eventId: string): WebhookEvent {
  const event = parseJson(new TextDecoder().decode(body)) as Partial<WebhookEvent> | null | undefined;
  const data: unknown = event?.data;
  const isEvent = typeof event?.type === 'string' && typeof data === 'object' && data !== null && !Array.isArray(data);
  if (isEvent && event.id === eventId) return event as WebhookEvent;
  throw new WebhookError(
    'BODY_NOT_AN_EVENT',
    'The body of the webhook request is not a JSON event with the id that the header svc-event-id states.',
  );
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
