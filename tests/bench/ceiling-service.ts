// Runs a minimal service for comparison, with only grpc-js. It decodes the invoice, returns two findings and stores
// nothing. With CEILING_MONGODB_URL it runs the bare database commands before it responds.
import { Decision, Severity } from '@invoicecontrol/contracts/analysis/v1/invoice';
import type { Finding } from '@invoicecontrol/contracts/analysis/v1/invoice';
import { Server, ServerCredentials } from '@grpc/grpc-js';
import type { handleUnaryCall } from '@grpc/grpc-js';
import { analyzeInvoiceMethod } from './ceiling-method.js';
import type { CeilingReply, CeilingRequest } from './ceiling-method.js';
import { storeWithNothingAround } from './ceiling-storage.js';

const finding = (type: string, severity: Severity): Finding => ({
  findingId: '0192a000-0000-7000-8000-00000000f001',
  invoiceId: '0192a000-0000-7000-8000-00000000a001',
  invoiceNumber: 'RE-2026-0000118',
  supplierId: '0192a000-0000-7000-8000-00000000b001',
  supplierName: 'Nordlicht Energie GmbH',
  scanId: undefined,
  type,
  severity,
  summary: 'The same supplier, number and amount were received on 2026-10-05 as RE-2026-0000118.',
  recommendedAction: 'Do not pay before it is clear which of the two is owed.',
  confidencePercent: 96,
  evidenceJson: JSON.stringify({
    key: '9f86d081884c7d659a2feaa0c55ad015',
    rule: `${type}@1.0.0`,
    parameters: { similarNumberMin: 90 },
    observed: { amount: '1190.00', otherAmount: '1190.00', daysApart: 4 },
    explanation: ['The numbers are equal.', 'The amounts are equal.', 'The dates are 4 days apart.'],
  }),
  relatedInvoiceIds: ['0192a000-0000-7000-8000-00000000a002'],
  disposition: 'OPEN',
  companyId: '0192a000-0000-7000-8000-00000000c001',
  assigneeUserId: undefined,
  createdTime: new Date(),
  family: 'DUP',
  updatedTime: new Date(),
});

const reply = (): CeilingReply => ({
  analysis: {
    analysisId: '0192a000-0000-7000-8000-00000000d001',
    invoiceId: '0192a000-0000-7000-8000-00000000a001',
    number: 1,
    decision: Decision.BLOCK,
    riskScore: 96,
    findings: [finding('DUPLICATE_INVOICE', Severity.CRITICAL), finding('BANK_CHANGE', Severity.HIGH)],
    versions: { riskEngine: '1.0.0', policy: '1', compliance: undefined },
    createdTime: new Date(),
  },
  replayed: false,
});

const { CEILING_MONGODB_URL: url, CEILING_DATABASE: databaseName = '' } = process.env;
const store = url === undefined ? undefined : await storeWithNothingAround(url, databaseName);
const analyzeInvoice: handleUnaryCall<CeilingRequest, CeilingReply> = ({ request }, callback) => {
  if (store === undefined) callback(null, reply());
  else store(request).then(() => callback(null, reply()), callback);
};

const server = new Server();
server.addService({ analyzeInvoice: analyzeInvoiceMethod }, { analyzeInvoice });
server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, port) => {
  if (error !== null) throw error;
  process.stdout.write(`${JSON.stringify({ address: `127.0.0.1:${port}`, msg: 'serving' })}\n`);
});
