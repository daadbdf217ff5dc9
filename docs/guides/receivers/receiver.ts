// Webhook receiver in TypeScript or JavaScript for Node.js 20.19 or newer, with @invoicecontrol/client. Start it with:
//   WEBHOOK_SECRET=whsec_... PORT=4100 node receiver.mjs
import { createServer } from 'node:http';
import { WebhookError, verifyWebhook } from '@invoicecontrol/client';

const BODY_BYTES_MAX = 1024 ** 2;
const secret = process.env.WEBHOOK_SECRET;
// Without a signing secret anybody could sign webhook requests.
if (!secret) throw new Error('WEBHOOK_SECRET is missing.');
// In production, insert the id of the event into your database with a unique index, in the transaction that does the
// work.
const handled = new Set();

const server = createServer(async (request, response) => {
  try {
    if (request.method !== 'POST') return void response.writeHead(405).end();
    // The signature covers the raw bytes of the request body, so read them before anything parses them. In Express:
    // express.raw({ type: 'application/json' }).
    const chunks = [];
    let bytes = 0;
    for await (const chunk of request) {
      bytes += chunk.length;
      if (bytes > BODY_BYTES_MAX) return void response.writeHead(413, { connection: 'close' }).end();
      chunks.push(chunk);
    }
    const event = verifyWebhook({ body: Buffer.concat(chunks), headers: request.headers, secret });
    if (!handled.has(event.id)) {
      // If the work on a webhook event may take longer than 15 seconds, store the event here and do the work later.
      console.log('handled', event.id, event.type);
      handled.add(event.id);
    }
    response.writeHead(204).end();
  } catch (error) {
    // If the work on a webhook event fails, the receiver responds with 500, and the service sends the event again.
    if (!(error instanceof WebhookError)) console.error(error);
    response.writeHead(error instanceof WebhookError ? 400 : 500).end();
  }
});
server.listen(Number(process.env.PORT ?? 4100), '127.0.0.1', () => {
  console.log('listening on', JSON.stringify(server.address()));
});
