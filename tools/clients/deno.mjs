// Runs the browser entry of the TypeScript client in Deno: verifies a webhook delivery and, if the environment
// variables API and KEY are set, makes three calls to the API.
const entry = new URL('../../packages/client/dist/browser.js', import.meta.url);
const { createClient, verifyWebhook } = await import(entry.href);

const { Deno } = globalThis;
const encoder = new TextEncoder();
const secret = 'whsec_example';
const body = '{"id":"evt_1","type":"finding.created","data":{}}';
const t = Math.floor(Date.now() / 1_000);
const hmac = { name: 'HMAC', hash: 'SHA-256' };
const key = await crypto.subtle.importKey('raw', encoder.encode(secret), hmac, false, ['sign']);
const signature = new Uint8Array(await crypto.subtle.sign('HMAC', key, encoder.encode(`evt_1.${t}.${body}`)));
const hex = Array.from(signature, (byte) => byte.toString(16).padStart(2, '0')).join('');
const headers = { 'svc-event-id': 'evt_1', 'svc-signature': `t=${t},v1=${hex}` };
const event = await verifyWebhook({ body, headers, secret });
const reason = await verifyWebhook({ body: `${body} `, headers, secret }).then(
  () => 'accepted',
  (error) => error.reason,
);
if (event.id !== 'evt_1' || reason !== 'SIGNATURE_MISMATCH') throw new Error(`wrong: ${event.id}, ${reason}`);

if (Deno.args.includes('--calls')) {
  const api = createClient({ baseUrl: Deno.env.get('API'), apiKey: Deno.env.get('KEY') });
  const types = await api.get('/finding-types');
  const posted = await api.post('/invoices', { body: JSON.parse(Deno.env.get('INVOICE')) });
  const found = await api.get('/findings', { query: { limit: 1 } });
  if (types.data.items.length <= 50 || posted.data.decision === undefined || found.data.items.length > 1) {
    throw new Error('wrong answers');
  }
}
