// Sends the same requests as the webhooks service, but in one process and without a database. The connector, the
// limits, the headers and the signatures are those of the service.
import { createHmac, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { once } from 'node:events';
import { request } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { openEgress } from '@invoicecontrol/egress/egress';

export interface CeilingOrder {
  /** Webhook endpoints to which the program sends, each with its secret. */
  readonly endpoints: readonly { readonly url: string; readonly secret: string }[];
  readonly events: number;
  readonly caFile: string;
  readonly body: string;
}

export interface CeilingResult {
  readonly delivered: number;
  readonly tookMs: number;
}

/** Maximum number of concurrent requests to one endpoint, as in the webhooks service. */
const PER_ENDPOINT = 2;
const AT_ONCE_MAX = 64;
const CONNECTIONS_PER_ORIGIN = 64;

process.once('message', (order: CeilingOrder) => void send(order));

async function send({ endpoints, events, caFile, body }: CeilingOrder): Promise<void> {
  const egress = openEgress(
    { EGRESS_ALLOW_CIDRS: ['127.0.0.1/32'], EGRESS_ALLOW_HTTP: false, EGRESS_DNS_SERVERS: [] },
    {
      connectionsPerOrigin: CONNECTIONS_PER_ORIGIN,
      connectMs: 5_000,
      peer: 'customer',
      extraCa: readFileSync(caFile, 'utf8'),
    },
  );
  let delivered = 0;
  const deliver = async (url: string, secret: string): Promise<void> => {
    const eventId = `evt_${randomUUID().replaceAll('-', '')}`;
    const t = Math.floor(Date.now() / 1_000);
    const v1 = createHmac('sha256', secret).update(`${eventId}.${t}.${body}`).digest('hex');
    const sent = request(url, {
      agent: egress.agents['https:'],
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'user-agent': 'InvoiceControl-Webhooks/1',
        'accept-encoding': 'identity',
        'svc-event-id': eventId,
        'svc-signature': `t=${t},v1=${v1}`,
      },
    });
    sent.end(body);
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    response.resume();
    await once(response, 'end');
    if (response.statusCode === 200) delivered += 1;
  };
  const workers = endpoints.flatMap((endpoint) => Array.from({ length: PER_ENDPOINT }, () => endpoint));
  const left = new Map(endpoints.map(({ url }) => [url, events]));
  const beganAtMs = performance.now();
  await Promise.all(
    workers.slice(0, AT_ONCE_MAX).map(async ({ url, secret }) => {
      for (let more = left.get(url) ?? 0; more > 0; more = left.get(url) ?? 0) {
        left.set(url, more - 1);
        await deliver(url, secret);
      }
    }),
  );
  const result: CeilingResult = { delivered, tookMs: performance.now() - beganAtMs };
  process.send?.(result);
  egress.close();
  process.disconnect();
}
