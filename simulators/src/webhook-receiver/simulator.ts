import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import { buffer, text as readText } from 'node:stream/consumers';
import { answerWith, faultKinds } from './faults.js';
import type { Fault } from './faults.js';
import { readSignature } from './signature.js';

export type { Fault, FaultKind } from './faults.js';

/** A webhook request that the simulator received, whatever its response was. */
export interface ReceivedDelivery {
  /** Path at which the webhook request arrived, such as `/orders`. */
  readonly path: string;
  /** Value of the webhook header `svc-event-id`, or null if it is missing. */
  readonly eventId: string | null;
  /** Body of the delivered webhook request, byte for byte. */
  readonly body: Buffer;
  readonly contentType: string | null;
  /** Time when the headers of the webhook request arrived, on the clock of `Date.now()`. */
  readonly arrivedAtMs: number;
  /** Signed time of the webhook request in Unix seconds, or null if the request has none. */
  readonly t: number | null;
  /**
   * For each webhook signature `v1`, the position of the secret that made it among the secrets of the path, or null if
   * none of them made it.
   */
  readonly signedBy: readonly (number | null)[];
  /**
   * True if at least one signature `v1` of the webhook request was made with a secret that is configured for its path,
   * and its time `t` is within 300 s of now.
   */
  readonly isVerified: boolean;
  /** Response that the webhook receiver sent: 200, 400 for an invalid signature, or the kind of the fault. */
  readonly answered: 200 | 400 | Fault['kind'];
}

export interface WebhookReceiverOptions {
  /** Local address on which the webhook receiver listens, by default 127.0.0.1. */
  readonly host?: string | undefined;
  readonly port?: number | undefined;
  readonly controlPort?: number | undefined;
  /** Key and certificate of the webhook receiver in PEM. If present, the receiver uses HTTPS, and otherwise HTTP. */
  readonly tls?: { readonly key: string; readonly cert: string } | undefined;
  /** Webhook secrets for all paths that have no secrets themselves. Without secrets, nothing is verified. */
  readonly secrets?: readonly string[] | undefined;
  /** Maximum number of recorded webhook deliveries (default 100,000). Older deliveries are dropped. */
  readonly deliveriesMax?: number | undefined;
  readonly onDelivery?: ((delivery: ReceivedDelivery) => void) | undefined;
}

export interface WebhookReceiver {
  /** Base URL of the webhook receiver without a path, such as `http://127.0.0.1:4100`. Every path is a webhook. */
  readonly url: string;
  /** URL of the control server of the webhook receiver, such as `http://127.0.0.1:4180`. */
  readonly controlUrl: string;
  /** Webhook deliveries that the receiver recorded, oldest first. */
  readonly deliveries: readonly ReceivedDelivery[];
  /** Number of webhook requests that wait for a response or for the rest of it. */
  readonly open: number;
  /**
   * Replaces the secrets with which the webhook receiver verifies signatures.
   * @param path path of one webhook, or `*` for all paths that have no secrets themselves
   */
  setSecrets(path: string, secrets: readonly string[]): void;
  /** Replaces the fault of a path of the webhook receiver, or of all paths with `*`. Undefined ends the fault. */
  setFault(path: string, fault: Fault | undefined): void;
  clear(): void;
  stop(): Promise<void>;
}

const CONTROL_HOST = '127.0.0.1';
const ALL = '*';
const DELIVERIES_MAX = 100_000;
const BODY_BYTES_MAX = 1024 ** 2;
const TOLERANCE_SECONDS = 300;
/**
 * Time for which the webhook receiver keeps idle connections. It is longer than the time for which senders keep them,
 * so that the sender closes the connection.
 */
const KEEP_ALIVE_MS = 60_000;

/**
 * Receives, verifies and records webhook requests on loopback. If no ports are given, the operating system chooses them.
 * The control server has these routes:
 *
 * - `GET /deliveries` returns the recorded requests, and `DELETE /deliveries` removes them
 * - `POST /secrets` sets the secrets of a path: `{ "path": "/orders", "secrets": ["whsec_..."] }`
 * - `POST /faults` sets the fault of a path: `{ "path": "/orders", "kind": "STATUS", "status": 503, "times": 2 }`;
 *   `"times": 0` ends the fault
 */
export async function startWebhookReceiver(options: WebhookReceiverOptions = {}): Promise<WebhookReceiver> {
  const { tls, onDelivery, host = CONTROL_HOST, deliveriesMax = DELIVERIES_MAX } = options;
  const deliveries: ReceivedDelivery[] = [];
  const secretsOf = new Map<string, readonly string[]>([[ALL, options.secrets ?? []]]);
  const faultOf = new Map<string, { readonly fault: Fault; left: number }>();
  let open = 0;

  const consumeFault = (path: string): Fault | undefined => {
    for (const key of [path, ALL]) {
      const current = faultOf.get(key);
      if (current === undefined) continue;
      current.left -= 1;
      if (current.left <= 0) faultOf.delete(key);
      return current.fault;
    }
    return undefined;
  };
  const receive = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const arrivedAtMs = Date.now();
    const path = request.url ?? '';
    if (Number(request.headers['content-length'] ?? 0) > BODY_BYTES_MAX) return void response.writeHead(413).end();
    const body = await buffer(request);
    const secrets = secretsOf.get(path) ?? secretsOf.get(ALL) ?? [];
    const eventId = headerOf(request, 'svc-event-id');
    const { t, signedBy } = readSignature(eventId, headerOf(request, 'svc-signature'), body, secrets);
    const isInTime = t !== null && Math.abs(arrivedAtMs / 1_000 - t) <= TOLERANCE_SECONDS;
    const isVerified = isInTime && signedBy.some((position) => position !== null);
    const fault = consumeFault(path);
    const answered = fault?.kind ?? (isVerified || secrets.length === 0 ? 200 : 400);
    const contentType = headerOf(request, 'content-type') ?? null;
    const delivery: ReceivedDelivery = {
      path,
      eventId: eventId ?? null,
      body,
      contentType,
      arrivedAtMs,
      t,
      signedBy,
      isVerified,
      answered,
    };
    deliveries.push(delivery);
    if (deliveries.length > deliveriesMax) deliveries.shift();
    onDelivery?.(delivery);
    if (fault === undefined) response.writeHead(answered === 200 ? 200 : 400).end();
    else await answerWith(fault, request, response);
  };
  const onRequest = (request: IncomingMessage, response: ServerResponse): void => {
    open += 1;
    response.once('close', () => {
      open -= 1;
    });
    // The sender of a webhook may disconnect before its request is read, and a fault may write to a closed connection.
    response.on('error', () => {});
    receive(request, response).catch(() => response.destroy());
  };
  const server = tls === undefined ? createServer(onRequest) : createSecureServer(tls, onRequest);
  server.keepAliveTimeout = KEEP_ALIVE_MS;

  const setSecrets = (path: string, secrets: readonly string[]): void => void secretsOf.set(path, secrets);
  const setFault = (path: string, fault: Fault | undefined): void => {
    const left = fault?.times ?? Infinity;
    if (fault === undefined || left === 0) faultOf.delete(path);
    else faultOf.set(path, { fault, left });
  };
  const clear = (): void => void deliveries.splice(0);
  const controls = { deliveries, setSecrets, setFault, clear };
  const control = createServer((request, response) => void answerControl(request, response, controls));

  await listen(server, host, options.port);
  await listen(control, CONTROL_HOST, options.controlPort);
  return {
    ...controls,
    url: `${tls === undefined ? 'http' : 'https'}://${addressOf(server)}`,
    controlUrl: `http://${addressOf(control)}`,
    get open() {
      return open;
    },
    async stop() {
      const closed = Promise.all([once(server, 'close'), once(control, 'close')]);
      for (const each of [server, control]) {
        each.close();
        each.closeAllConnections();
      }
      await closed;
    },
  };
}

function headerOf(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}

async function answerControl(
  request: IncomingMessage,
  response: ServerResponse,
  controls: Pick<WebhookReceiver, 'deliveries' | 'setSecrets' | 'setFault' | 'clear'>,
): Promise<void> {
  const reply = (status: number, body: unknown): void => {
    response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' }).end(JSON.stringify(body));
  };
  const refuse = (): void =>
    reply(400, {
      error: `Send { "path", "secrets": [...] } or { "path", "kind": one of ${faultKinds.join(', ')}, "times" }; path is "/..." or "*".`,
    });
  const route = `${request.method} ${request.url}`;
  if (route === 'GET /deliveries') {
    reply(
      200,
      controls.deliveries.map(({ body, ...delivery }) => ({ ...delivery, body: body.toString('utf8') })),
    );
  } else if (route === 'DELETE /deliveries') {
    controls.clear();
    reply(200, []);
  } else if (route === 'POST /secrets' || route === 'POST /faults') {
    const order = readOrder(await readText(request));
    if (order === undefined) return refuse();
    if (route === 'POST /secrets') {
      if (!isTextList(order.secrets)) return refuse();
      controls.setSecrets(order.path, order.secrets);
    } else {
      if (order.fault === undefined) return refuse();
      controls.setFault(order.path, order.fault);
    }
    reply(200, { path: order.path });
  } else {
    reply(404, { error: 'There are GET and DELETE /deliveries, POST /secrets and POST /faults.' });
  }
}

function readOrder(json: string): { path: string; secrets?: unknown; fault: Fault | undefined } | undefined {
  try {
    const { path = ALL, secrets, ...fault } = JSON.parse(json) as { path?: unknown; secrets?: unknown } & Fault;
    if (typeof path !== 'string' || !/^(\/.*|\*)$/.test(path)) return undefined;
    return { path, secrets, fault: isFault(fault) ? fault : undefined };
  } catch {
    return undefined;
  }
}

function isFault(given: Readonly<Partial<Record<keyof Fault, unknown>>>): given is Fault {
  const { kind, times, status, delayMs, bytes, retryAfter, location } = given;
  const isCount = (value: unknown): boolean => value === undefined || (Number.isInteger(value) && Number(value) >= 0);
  const isText = (value: unknown): boolean => value === undefined || typeof value === 'string';
  return (
    faultKinds.some((known) => known === kind) &&
    [times, delayMs, bytes].every(isCount) &&
    [retryAfter, location].every(isText) &&
    (status === undefined || (Number.isInteger(status) && Number(status) >= 200 && Number(status) <= 599))
  );
}

function isTextList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

async function listen(server: Server, host: string, port = 0): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
}

function addressOf(server: Server): string {
  const { address, port } = server.address() as AddressInfo;
  return `${address}:${port}`;
}
