// Runs a minimal gateway for comparison: Express with default settings (etag off), express.json, one zod schema and one
// grpc-js call.
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { Client, credentials } from '@grpc/grpc-js';
import express from 'express';
import { z } from 'zod';
import { analyzeInvoiceMethod } from './ceiling-method.js';
import type { CeilingReply } from './ceiling-method.js';
import { toWire } from '@invoicecontrol/invoice/wire';

const text = z.string().min(1).max(1_000);
const amount = z.string().regex(/^-?[0-9]{1,15}(\.[0-9]{1,6})?$/);
const date = z.iso.date();
const invoice = z.strictObject({
  supplier: z.strictObject({ name: text, tax_id: text, bank_account: z.strictObject({ iban: text }) }),
  invoice_number: text,
  issue_date: date,
  due_date: date,
  currency: z.string().length(3),
  net_amount: amount,
  tax_amount: amount,
  gross_amount: amount,
  purchase_order_ref: text,
  buyer: z.strictObject({ name: text, tax_id: text }),
});

const service = new Client(process.env['CEILING_SERVICE_ADDRESS'] ?? '', credentials.createInsecure());
const analyze = (body: z.infer<typeof invoice>): Promise<CeilingReply> =>
  new Promise((resolve, reject) => {
    const { path, requestSerialize, responseDeserialize } = analyzeInvoiceMethod;
    const request = {
      organizationId: '0192a000-0000-7000-8000-000000000001',
      invoice: toWire(body),
      idempotencyKey: '',
      fingerprint: '',
    };
    const deadline = Date.now() + 10_000;
    service.makeUnaryRequest(path, requestSerialize, responseDeserialize, request, { deadline }, (error, reply) => {
      if (error !== null || reply === undefined) reject(error ?? new Error('no reply'));
      else resolve(reply);
    });
  });

const app = express();
app.set('etag', false);
app.use(express.json());
app.post('/invoices', async (request, response) => {
  const { analysis } = await analyze(invoice.parse(request.body));
  const findings = (analysis?.findings ?? []).map(({ findingId, type, severity, summary, recommendedAction }) => ({
    id: findingId,
    type,
    severity,
    summary,
    recommendedAction,
  }));
  const { invoiceId: id, decision, riskScore: risk_score, versions } = analysis ?? {};
  response.status(202).json({ id, status: 'ANALYZING', decision, risk_score, findings, versions });
});
const server = app.listen(0, '127.0.0.1');
await once(server, 'listening');
const { port } = server.address() as AddressInfo;
process.stdout.write(`${JSON.stringify({ address: `127.0.0.1:${port}`, msg: 'serving' })}\n`);
