// Requests that a caller without a key sends to keep the gateway busy.
import { head } from './wire.js';

export interface HostileRequest {
  readonly name: string;
  /** Bytes of the hostile request, as a Latin-1 string. */
  readonly bytes: string;
}

/** Maximum length of all headers with one name. All headers together may have 16 KiB. */
const VALUE_LENGTH_MAX = 4_096;
const TOO_LONG = 15_000;
const URL_LENGTH = 8_000;
const BODY_LENGTH = 256 * 1_024;
/** Maximum size of a JSON body without an API key. */
const JSON_LENGTH = 16 * 1024;
const FORM_LENGTH = 16 * 1_024;
const ACCEPT = '/v1/members/accept';
const CONSENT = '/v1/erp-connections/oauth/callback';
const NOTIFICATIONS = '/v1/billing/paddle/notifications';

/** Repeats the text of a hostile request up to a length, and appends an end. */
function repeated(text: string, length: number, end = ''): string {
  return text.repeat(Math.floor((length - end.length) / text.length)) + end;
}

function get(path: string, ...lines: string[]): string {
  return head('GET', path, 'Connection: close', ...lines);
}

function post(path: string, type: string, body: string): string {
  return head('POST', path, 'Connection: close', `Content-Type: ${type}`, `Content-Length: ${body.length}`) + body;
}

function inChunks(body: string, length: number): string {
  const chunk = `${length.toString(16)}\r\n${body.slice(0, length)}\r\n`;
  const heading = head(
    'POST',
    ACCEPT,
    'Connection: close',
    'Content-Type: application/json',
    'Transfer-Encoding: chunked',
  );
  return `${heading}${chunk.repeat(Math.floor(body.length / length))}0\r\n\r\n`;
}

/**
 * Returns two hostile requests with the given header: one with the longest value that the gateway accepts, and one with
 * a longer value.
 */
function header(
  name: string,
  text: string,
  { begin = '', end = '', path = '/v1/invoices' }: { begin?: string; end?: string; path?: string } = {},
): HostileRequest[] {
  return [VALUE_LENGTH_MAX, TOO_LONG].map((length) => {
    const line = `${name}: ${begin}${repeated(text, length - begin.length, end)}`;
    const bytes =
      name === 'Content-Type' || name === 'Content-Encoding'
        ? head('POST', ACCEPT, 'Connection: close', line, 'Content-Length: 2') + '{}'
        : get(path, line);
    return { name: `${name}: ${JSON.stringify(text)} to ${length} characters`, bytes };
  });
}

function json(name: string, body: string): HostileRequest {
  return { name: `JSON: ${name}`, bytes: post(ACCEPT, 'application/json', body) };
}

export const hostileRequests: readonly HostileRequest[] = [
  ...header('Content-Type', ' ', { begin: 'application/json; charset=', end: 'x y' }),
  ...header('Content-Type', ';'),
  ...header('Content-Type', '\\"'),
  ...header('Content-Encoding', ' ', { begin: 'x', end: 'x' }),
  ...header('Prefer', '\\"'),
  ...header('Authorization', ' ', { begin: 'Bearer', end: 'x y' }),
  ...header('Idempotency-Key', '\\'),
  ...header('If-None-Match', ',', { path: '/docs' }),
  ...header('Accept-Encoding', 'a;q=0,', { path: '/docs' }),
  ...header('Range', 'bytes=0-0,'),
  ...header('X-Forwarded-For', '1,'),
  ...header('X-Request-Id', '-'),
  ...header('traceparent', '00-'),
  ...header('Cookie', 'a=b;'),
  ...header('Expect', '100-continue,'),
  {
    name: 'thousands of headers',
    bytes: get('/v1/invoices', ...Array.from({ length: 2_000 }, (_, index) => `${index.toString(36)}:`)),
  },
  { name: 'a path of slashes', bytes: get(`/v1${repeated('/', URL_LENGTH)}`) },
  { name: 'a path of segments', bytes: get(`/v1/${repeated('a/', URL_LENGTH)}`) },
  { name: 'an id of percent signs', bytes: get(`/v1/invoices/${repeated('%41', URL_LENGTH)}`) },
  { name: 'a query of names', bytes: get(`${CONSENT}?${repeated('a&', URL_LENGTH)}`) },
  { name: 'a query of one value', bytes: get(`${CONSENT}?state=${repeated('%2B', URL_LENGTH)}`) },
  { name: 'a query of dots', bytes: get(`${CONSENT}?state=${repeated('.', URL_LENGTH)}`) },
  json('depth', repeated('[', JSON_LENGTH)),
  json('depth of objects', repeated('{"a":', JSON_LENGTH)),
  json('empty objects', `{"token":[${repeated('{},', JSON_LENGTH - 20)}{}]}`),
  json('names', `{${Array.from({ length: 1_300 }, (_, index) => `"n${index}":0`).join()}}`),
  json('one number', `{"token":${repeated('9', JSON_LENGTH - 20)}}`),
  json('one text', `{"token":"${repeated('x', JSON_LENGTH - 20)}"}`),
  json('a text of escapes', `{"token":"${repeated(String.raw`\u00e9`, JSON_LENGTH - 20)}"}`),
  json('a text of blanks', `{"token":"x","name":"${repeated(' ', JSON_LENGTH - 40)}x"}`),
  json('a text of combining marks', `{"token":"x","name":"${repeated(String.raw`\u0301`, JSON_LENGTH - 40)}"}`),
  json('a text of invisible characters', `{"token":"x","name":"${repeated(String.raw`\u200b`, JSON_LENGTH - 40)}"}`),
  json('blanks alone', repeated(' ', JSON_LENGTH)),
  // Node.js parses all bytes of one read without a pause: up to 64 KiB, which contain 10,000 chunks. The gateway can
  // refuse the request only before the next read.
  { name: 'a body in chunks of one byte', bytes: inChunks(repeated(' ', BODY_LENGTH), 1) },
  {
    name: 'a form of fields',
    bytes: post(CONSENT, 'application/x-www-form-urlencoded', repeated('a=&', FORM_LENGTH)),
  },
  {
    name: 'a form of percent signs',
    bytes: post(CONSENT, 'application/x-www-form-urlencoded', `confirmation=${repeated('%41', FORM_LENGTH - 20)}`),
  },
  {
    name: 'a notification with many signatures',
    bytes: post(NOTIFICATIONS, 'application/json', '{}').replace(
      'Content-Type',
      `Paddle-Signature: ${repeated('h1=a;', VALUE_LENGTH_MAX)}\r\nContent-Type`,
    ),
  },
  {
    name: 'a notification of 256 KiB',
    bytes: post(NOTIFICATIONS, 'application/json', repeated('[', BODY_LENGTH)),
  },
  { name: 'bytes that are no request', bytes: repeated('G', TOO_LONG) },
];
