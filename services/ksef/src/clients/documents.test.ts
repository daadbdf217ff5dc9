import { X509Certificate } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DocumentServiceDefinition } from '@invoicecontrol/contracts/documents/v1/document_service';
import { DomainError, notFound } from '@invoicecontrol/errors';
import { openChannel } from '@invoicecontrol/runtime/grpc/client';
import { bind, startGrpcServer } from '@invoicecontrol/runtime/grpc/server';
import type { GrpcServer } from '@invoicecontrol/runtime/grpc/server';
import { createLogger } from '@invoicecontrol/runtime/logger';
import { systemContext } from '@invoicecontrol/runtime/request-context';
import type { Documents } from '../application/submissions/stores.js';
import { startKsefSimulator } from '@invoicecontrol/simulators/ksef';
import { openTestChannel, testIdentity } from '@invoicecontrol/runtime/testing/test-identities';
import { normaliseSerialNumber } from '../domain/revoked-seals.js';
import { documentsOfUploads } from './documents.js';

const TAKES_TOO_LONG = 'The document needs more than 10 s to be read. Send a document with simpler content.';
/** Refusals of the documents service, by the id of the upload. */
const refusals: Readonly<Record<string, DomainError>> = {
  gone: notFound('upload'),
  slow: new DomainError('unprocessable', TAKES_TOO_LONG),
  busy: new DomainError('unavailable', 'Too many documents are waiting.', { retryAfterSeconds: 5 }),
};

let server: GrpcServer;
let channel: ReturnType<typeof openChannel>;
let documents: Documents;
/** Self-signed certificate that stands for the seal of KSeF. */
let seal: X509Certificate;
async function sealOfSimulator(): Promise<string> {
  const simulator = await startKsefSimulator();
  try {
    return await simulator.sealCertificate('test');
  } finally {
    await simulator.stop();
  }
}

beforeAll(async () => {
  const refuse = (): never => {
    throw new Error('This fake describes documents, and nothing else.');
  };
  server = await startGrpcServer({
    host: '127.0.0.1',
    port: 0,
    identity: testIdentity('documents'),
    logger: createLogger({ service: 'test', level: 'silent' }),
    bindings: [
      bind(DocumentServiceDefinition, {
        extractDocument: refuse,
        describeDocument: refuse,
        readDocument: refuse,
        describeRendering: refuse,
        findContact: refuse,
        async describeFa3({ uploadId }) {
          throw refusals[uploadId] ?? new Error('No such document in this test.');
        },
        async checkConfirmation() {
          const { fingerprint256: sealedBy, raw: sealCertificate } = seal;
          return { fault: undefined, sealedBy, isHolderKnown: true, sealCertificate };
        },
        readRendering: refuse,
      }),
    ],
  });
  channel = openTestChannel('documents', server.address);
  const none = { TEST: [], DEMO: [], PRODUCTION: [] };
  const issuer = new X509Certificate(await sealOfSimulator());
  const revoked = new Set([normaliseSerialNumber(issuer.serialNumber)]);
  seal = issuer;
  documents = documentsOfUploads(channel, {
    trusted: none,
    revoked: {
      ...none,
      DEMO: [{ issuer, serialNumbers: revoked }],
      PRODUCTION: [{ issuer, serialNumbers: new Set() }],
    },
  });
});
afterAll(async () => {
  channel.close();
  await server.stop(1_000);
});

test.each([
  ['gone', 'wrong_state', /is no longer stored\. Upload its FA\(3\) file/],
  ['slow', 'wrong_state', new RegExp(TAKES_TOO_LONG)],
  ['busy', 'unavailable', /Too many documents are waiting/],
])('a document that is %s is refused as %s, with what has to be changed', async (uploadId, kind, sentence) => {
  const facts = documents.facts('organization', uploadId, systemContext('test'));
  await expect(facts).rejects.toMatchObject({ kind, publicMessage: expect.stringMatching(sentence) });
});

test('a confirmation whose seal was revoked has a fault, in the environment of the list alone', async () => {
  const confirmation = { organizationId: 'o', xml: Buffer.from('x'), ksefNumber: 'n', hash: 'h' };
  const check = (environment: 'TEST' | 'DEMO' | 'PRODUCTION') =>
    documents.checkConfirmation({ ...confirmation, environment }, systemContext('test'));
  const sealed = { seal: { fingerprint: seal.fingerprint256, isHolderKnown: true } };
  expect([await check('TEST'), await check('PRODUCTION')]).toEqual([sealed, sealed]);
  expect(await check('DEMO')).toEqual({
    fault: `The KSeF confirmation is sealed with certificate ${seal.fingerprint256}, which has been revoked by its issuer.`,
  });
});
