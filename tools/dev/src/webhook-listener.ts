import { createServer } from 'node:http';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebhookError, verifyWebhook } from '@invoicecontrol/client';
import type { WebhookEvent } from '@invoicecontrol/client';

export interface ListenerOptions {
  /** Port of the webhook receiver, or 0 if the operating system chooses one. */
  readonly port: number;
  /** Signing secrets of the webhooks. If empty, every request is shown and marked as not verified. */
  readonly secrets: readonly string[];
  /** HTTP status of the response to verified webhook deliveries. */
  readonly status: number;
  /** True if one line of JSON is printed for each webhook request. */
  readonly isJson: boolean;
  readonly print: (text: string) => void;
  readonly now?: (() => Date) | undefined;
}

export interface WebhookListener {
  readonly url: string;
  /** Numbers of the webhook requests that were received so far, by the result of checking their signature. */
  readonly counts: { readonly verified: number; readonly refused: number; readonly unverified: number };
  stop(): Promise<void>;
}

const HOST = '127.0.0.1';
const BODY_BYTES_MAX = 1024 ** 2;
/**
 * Maximum number of event ids in memory. Older ids are discarded, so repeated deliveries of their events are counted
 * from one again.
 */
const EVENTS_COUNTED_MAX = 10_000;
const HTTP = { badRequest: 400, tooLarge: 413 } as const;

/**
 * Starts a receiver that prints each webhook request and whether its signature is valid.
 * @throws Error with an error code of the system when the port cannot be used
 */
export async function startWebhookListener(options: ListenerOptions): Promise<WebhookListener> {
  const { secrets, now = () => new Date() } = options;
  const counts = { verified: 0, refused: 0, unverified: 0 };
  const seen = new Map<string, number>();

  const receive = async (request: IncomingMessage): Promise<number> => {
    const at = now();
    const body = await readBody(request);
    const shown = describe(request, body, at, secrets, seen);
    counts[shown.outcome] += 1;
    const refusal = body === undefined ? HTTP.tooLarge : HTTP.badRequest;
    const status = shown.outcome === 'refused' ? refusal : options.status;
    options.print(options.isJson ? JSON.stringify({ ...shown, answered: status }) : toText(shown, status));
    return status;
  };
  const server = createServer((request, response) => {
    receive(request).then(
      (status) => response.writeHead(status, status === HTTP.tooLarge ? { connection: 'close' } : {}).end(),
      // Reading the webhook request fails if the sender closed the connection before the end of its request.
      () => response.destroy(),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, HOST, resolve);
  });
  return {
    url: `http://${HOST}:${(server.address() as AddressInfo).port}`,
    counts,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

interface Shown {
  readonly at: string;
  readonly path: string;
  readonly outcome: 'verified' | 'refused' | 'unverified';
  /** Reason why the signature of the webhook request is not valid. */
  readonly reason?: string;
  readonly eventId: string;
  /** Number of deliveries of the webhook event so far, including the current delivery. */
  readonly times: number;
  readonly ageSeconds?: number;
  /** The webhook event in the request body. Absent if the body is not an event. */
  readonly event?: Partial<WebhookEvent>;
  readonly text?: string;
}

function describe(
  request: IncomingMessage,
  body: Buffer | undefined,
  at: Date,
  secrets: readonly string[],
  seen: Map<string, number>,
): Shown {
  const eventId = printable(String(request.headers['svc-event-id'] ?? ''));
  const path = printable(request.url ?? '');
  const time = /\bt=(\d{1,12})/.exec(String(request.headers['svc-signature'] ?? ''))?.[1];
  const ageSeconds = time === undefined ? {} : { ageSeconds: Math.floor(at.getTime() / 1_000) - Number(time) };
  const shared = { at: at.toISOString(), path, eventId, ...ageSeconds };
  if (body === undefined) return { ...shared, outcome: 'refused', reason: 'The body is over 1 MiB.', times: 0 };
  const content = contentOf(body);
  const count = (): number => {
    const times = (seen.get(eventId) ?? 0) + 1;
    seen.delete(eventId);
    seen.set(eventId, times);
    const [oldest] = seen.keys();
    if (seen.size > EVENTS_COUNTED_MAX && oldest !== undefined) seen.delete(oldest);
    return times;
  };
  if (secrets.length === 0) return { ...shared, outcome: 'unverified', times: count(), ...content };
  try {
    verifyWebhook({ body, headers: request.headers, secret: secrets, now: () => at });
    return { ...shared, outcome: 'verified', times: count(), ...content };
  } catch (error) {
    if (!(error instanceof WebhookError)) throw error;
    return { ...shared, outcome: 'refused', reason: `${error.reason}: ${error.message}`, times: 0, ...content };
  }
}

function toText({ at, outcome, reason, path, eventId, times, ageSeconds, event, text }: Shown, status: number): string {
  const name = printable(typeof event?.type === 'string' ? event.type : 'no event');
  const age = ageSeconds === undefined ? '' : `, signed ${ageSeconds} s ago`;
  const repeat = times > 1 ? `, seen ${times} times` : '';
  const verdict = { verified: 'verified', refused: 'REFUSED', unverified: 'NOT VERIFIED (no secret)' }[outcome];
  return [
    `${at.slice(11, 23)}  ${verdict}  ${name}  ${eventId || 'no svc-event-id'}  ${path}  status ${status}${age}${repeat}`,
    ...(reason === undefined ? [] : [`  ${reason}`]),
    `  ${printable(event === undefined ? JSON.stringify(text ?? '') : JSON.stringify(event.data ?? event))}`,
  ].join('\n');
}

/** Returns the body of a webhook request, or undefined if it is too large. */
async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > BODY_BYTES_MAX) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function contentOf(body: Buffer): Pick<Shown, 'event' | 'text'> {
  const text = body.toString('utf8');
  try {
    const event: unknown = JSON.parse(text);
    return typeof event === 'object' && event !== null ? { event } : { text };
  } catch {
    return { text };
  }
}

/** Removes control characters of a webhook request that a terminal would interpret. */
function printable(text: string): string {
  return text.replaceAll(/[\u0000-\u001f\u007f-\u009f]/g, '?');
}
