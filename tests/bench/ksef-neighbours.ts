// Simulates the services that the ksef service calls: every invoice has a decision and an FA(3) document.
import { createHash, randomUUID } from 'node:crypto';
import { Decision, StoredInvoice } from '@invoicecontrol/contracts/analysis/v1/invoice';
import { InvoiceServiceDefinition } from '@invoicecontrol/contracts/analysis/v1/invoice_service';
import type { Definition } from '@invoicecontrol/contracts/definition';
import { DocumentServiceDefinition } from '@invoicecontrol/contracts/documents/v1/document_service';
import { OrganizationServiceDefinition } from '@invoicecontrol/contracts/organization/v1/organization_service';
import { notFound } from '@invoicecontrol/errors';
import { startGrpcServer } from '@invoicecontrol/runtime/grpc/server';
import type { Binding, GrpcServer } from '@invoicecontrol/runtime/grpc/server';
import { createLogger } from '@invoicecontrol/runtime/logger';
import { testIdentity } from '@invoicecontrol/runtime/testing/test-identities';
import { fa3 } from '../e2e/ksef-actions.js';

export interface Neighbours {
  /** Addresses of the simulated services that the ksef service calls. */
  readonly addresses: Readonly<Record<'organization' | 'analysis' | 'documents', string>>;
  /**
   * Creates the FA(3) document of an invoice to submit.
   * @returns the id of an invoice that may be submitted
   */
  newInvoice(nip: string, number: string): string;
  stop(): Promise<void>;
}

type Answers = Binding['implementation'];

export async function startNeighbours(): Promise<Neighbours> {
  const documents = new Map<string, { readonly nip: string; readonly number: string; readonly bytes: Buffer }>();
  const documentOf = (id: string) => {
    const document = documents.get(id);
    if (document === undefined) throw notFound('invoice');
    return document;
  };
  const organization: Answers = {
    getTenantFacts: () =>
      Promise.resolve({
        name: 'Workspace',
        defaultCompanyId: 'company',
        companies: [{ companyId: 'company', name: 'Main' }],
        baseCurrency: 'PLN',
        referenceValidationMode: 'OFF',
        version: 1,
        plan: 'SCALE',
        hasActiveSubscription: true,
      }),
  };
  const analysis: Answers = {
    getInvoice: ({ invoiceId }: { readonly invoiceId: string }) =>
      Promise.resolve({
        invoice: {
          ...StoredInvoice.decode(new Uint8Array()),
          invoiceId,
          companyId: 'company',
          documentId: invoiceId,
          decision: Decision.PASS,
        },
      }),
  };
  const files: Answers = {
    describeFa3({ uploadId }: { readonly uploadId: string }) {
      const { nip, number, bytes } = documentOf(uploadId);
      const sha256 = createHash('sha256').update(bytes).digest('base64');
      const facts = { sellerNip: nip, kind: 'VAT', number, issueDate: '2026-02-15' };
      return Promise.resolve({ sha256, byteSize: bytes.length, faults: [], ...facts });
    },
    async *readDocument({ uploadId }: { readonly uploadId: string }) {
      yield await Promise.resolve({ content: documentOf(uploadId).bytes });
    },
    checkConfirmation: () =>
      Promise.resolve({ fault: undefined, sealedBy: '00:'.repeat(31) + '00', isHolderKnown: false }),
  };
  const start = async (service: string, binding: Binding): Promise<GrpcServer> => {
    const server = await startGrpcServer({
      host: '127.0.0.1',
      port: 0,
      identity: testIdentity(service),
      logger: createLogger({ service: 'neighbours', level: 'silent' }),
      bindings: [binding],
    });
    server.setReady(true);
    return server;
  };
  const servers = {
    organization: await start('organization', only(OrganizationServiceDefinition, organization)),
    analysis: await start('analysis', only(InvoiceServiceDefinition, analysis)),
    documents: await start('documents', only(DocumentServiceDefinition, files)),
  };
  return {
    addresses: {
      organization: servers.organization.address,
      analysis: servers.analysis.address,
      documents: servers.documents.address,
    },
    newInvoice(nip, number) {
      const id = randomUUID();
      documents.set(id, { nip, number, bytes: Buffer.from(fa3({ nip, number })) });
      return id;
    },
    async stop() {
      await Promise.all(Object.values(servers).map((server) => server.stop(1_000)));
    },
  };
}

/** The simulated services refuse RPCs that the ksef service does not call. */
function only(definition: Definition, answers: Answers): Binding {
  const refuse = (): Promise<never> => Promise.reject(notFound('rpc'));
  const refusals = Object.fromEntries(Object.keys(definition.methods).map((name) => [name, refuse]));
  return { definition, implementation: { ...refusals, ...answers } };
}
