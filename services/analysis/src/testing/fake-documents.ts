import { randomUUID } from 'node:crypto';
import { DocumentServiceDefinition } from '@invoicecontrol/contracts/documents/v1/document_service';
import type {
  ExtractDocumentRequest,
  ExtractDocumentResponse,
  FieldReading,
  Reading,
  ReadingFailure,
  Validation,
} from '@invoicecontrol/contracts/documents/v1/document_service';
import { UploadServiceDefinition, UploadState } from '@invoicecontrol/contracts/documents/v1/upload_service';
import { notFound } from '@invoicecontrol/errors';
import type { DomainError } from '@invoicecontrol/errors';
import { requirePrincipal } from '@invoicecontrol/runtime/grpc/principal';
import { bind, startGrpcServer } from '@invoicecontrol/runtime/grpc/server';
import type { GrpcServer } from '@invoicecontrol/runtime/grpc/server';
import type { Logger } from '@invoicecontrol/runtime/logger';
import type { ChannelOrigin } from '@invoicecontrol/values/channel-origin';
import { testIdentity } from '@invoicecontrol/runtime/testing/test-identities';

/** A fake of the documents service, which returns prepared readings. */
export interface FakeDocuments extends GrpcServer {
  /**
   * Adds an upload with the given content to the fake documents service.
   * @returns its id
   */
  upload(organizationId: string, says: Says, sha256?: string): string;
  /**
   * Adds a document that was received through a channel to the fake documents service.
   * @returns its id
   */
  receive(organizationId: string, says: Says, origin: ChannelOrigin): string;
  /** Adds an upload without content to the fake documents service. */
  reserve(organizationId: string): string;
  /** Returns every request to the fake documents service to read the upload, including repeated requests. */
  requestsOf(uploadId: string): readonly ExtractDocumentRequest[];
  /**
   * Makes the next attempts to read an upload from the fake documents service fail, one attempt with each of the given
   * errors.
   */
  failNext(uploadId: string, ...errors: readonly DomainError[]): void;
  /** Makes the document of an upload in the fake documents service state a contact. */
  carry(uploadId: string, contact: string): void;
  /** Makes readings of an upload by the fake documents service wait until the test calls `open`. */
  close(uploadId: string): void;
  open(uploadId: string): void;
}

export type Says =
  { readonly reading: Reading; readonly validation?: Validation } | { readonly failure: ReadingFailure };

interface Stored {
  readonly organizationId: string;
  readonly answer: ExtractDocumentResponse | undefined;
  readonly origin?: ChannelOrigin;
}

const createdTime = new Date('2026-11-02T11:00:00Z');

export async function startFakeDocuments(logger: Logger): Promise<FakeDocuments> {
  const uploads = new Map<string, Stored>();
  const requests: ExtractDocumentRequest[] = [];
  const failures = new Map<string, DomainError[]>();
  const carried = new Map<string, string>();
  const gates = new Map<string, { opened: Promise<void>; open: () => void }>();
  const refuse = (): Promise<never> => Promise.reject(new Error('This fake has no bytes.'));
  const find = (organizationId: string, uploadId: string): Stored => {
    const stored = uploads.get(uploadId);
    if (stored?.organizationId !== organizationId) throw notFound('upload');
    return stored;
  };
  const server = await startGrpcServer({
    host: '127.0.0.1',
    port: 0,
    identity: testIdentity('documents'),
    logger,
    bindings: [
      bind(DocumentServiceDefinition, {
        async extractDocument(request) {
          const { organizationId, uploadId } = request;
          requests.push(request);
          await gates.get(uploadId)?.opened;
          const failure = failures.get(uploadId)?.shift();
          if (failure !== undefined) throw failure;
          const { answer } = find(organizationId, uploadId);
          if (answer === undefined) throw notFound('upload');
          return answer;
        },
        describeDocument: refuse,
        describeRendering: refuse,
        describeFa3: refuse,
        async findContact({ organizationId, uploadId, contact }) {
          find(organizationId, uploadId);
          return { isCarried: carried.get(uploadId) === contact };
        },
        checkConfirmation: refuse,
        readRendering: () => {
          throw new Error('This fake has no bytes.');
        },
        async *readDocument({ organizationId, uploadId }) {
          find(organizationId, uploadId);
          yield { content: Buffer.alloc(0) };
        },
      }),
      bind(UploadServiceDefinition, {
        reserveUpload: refuse,
        authorizeUpload: refuse,
        receiveUpload: refuse,
        getUpload: refuse,
        storeChannelDocument: refuse,
        async keepUpload({ organizationId, uploadId }, context) {
          const { answer, origin } = find(organizationId, uploadId);
          if (origin === undefined) requirePrincipal(context);
          return {
            upload: {
              uploadId,
              state: answer === undefined ? UploadState.RESERVED : UploadState.UPLOADED,
              mediaType: 'application/xml',
              byteSize: 1_000,
              sha256: answer?.document?.sha256,
              expiresTime: createdTime,
              createdTime,
              origin,
            },
          };
        },
      }),
    ],
  });
  const randomHash = (): string => randomUUID().replaceAll('-', '').repeat(2);
  const add = (organizationId: string, says: Says, sha256: string, origin?: ChannelOrigin): string => {
    const uploadId = randomUUID();
    const document = {
      documentId: uploadId,
      mediaType: 'application/xml',
      byteSize: 1_000,
      sha256,
      receivedTime: createdTime,
    };
    const outcome =
      'reading' in says
        ? ({ $case: 'reading', value: says.reading } as const)
        : ({ $case: 'failure', value: says.failure } as const);
    const validation = 'reading' in says ? says.validation : undefined;
    uploads.set(uploadId, { organizationId, answer: { document, outcome, validation }, ...(origin && { origin }) });
    return uploadId;
  };
  return {
    ...server,
    upload: (organizationId, says, sha256 = randomHash()) => add(organizationId, says, sha256),
    receive: (organizationId, says, origin) => add(organizationId, says, randomHash(), origin),
    reserve(organizationId) {
      const uploadId = randomUUID();
      uploads.set(uploadId, { organizationId, answer: undefined });
      return uploadId;
    },
    requestsOf: (uploadId) => requests.filter((request) => request.uploadId === uploadId),
    carry: (uploadId, contact) => carried.set(uploadId, contact),
    failNext: (uploadId, ...errors) => failures.set(uploadId, [...errors]),
    close(uploadId) {
      let open = (): void => {};
      const opened = new Promise<void>((resolve) => {
        open = resolve;
      });
      gates.set(uploadId, { opened, open });
    },
    open(uploadId) {
      gates.get(uploadId)?.open();
      gates.delete(uploadId);
    },
  };
}

/**
 * Returns the reading of a valid UBL invoice. A test can change its fields, or leave out fields by setting them to
 * undefined.
 */
export function xmlReading(
  changes: Readonly<Record<string, string | undefined>> = {},
  others: Partial<Reading> = {},
): Reading {
  const values: Readonly<Record<string, string | undefined>> = {
    'supplier.name': 'Nordlicht Energie GmbH',
    'supplier.tax_id': 'DE136695976',
    'supplier.bank_account.iban': 'DE89370400440532013000',
    invoice_number: 'RE-2026-0118',
    issue_date: '2026-09-05',
    due_date: '2026-10-05',
    currency: 'EUR',
    net_amount: '1000.00',
    tax_amount: '190.00',
    gross_amount: '1190.00',
    'buyer.name': 'Main',
    ...changes,
  };
  return {
    method: 'XML',
    format: 'UBL',
    profile: 'PLAIN',
    kind: 'INVOICE',
    payableAmount: undefined,
    embeddedFile: undefined,
    pages: undefined,
    fields: Object.entries(values).flatMap(([field, value]) => (value === undefined ? [] : [fieldOf(field, value)])),
    lines: [
      {
        description: 'Electricity',
        quantity: '10',
        unit: 'KWH',
        unitPrice: '100.00',
        netAmount: '1000.00',
        taxRate: '19',
      },
    ],
    currencyCandidates: [],
    invalidIban: undefined,
    supplierNameCandidates: [],
    declaredProfiles: ['PLAIN'],
    producer: undefined,
    signature: undefined,
    tamperSigns: [],
    hiddenTexts: [],
    conflicts: [],
    otherIbans: [],
    taxBreakdown: [],
    ...others,
  };
}

/** Returns the document reading of a PDF with text. */
export function textReading(
  changes: Readonly<Record<string, string | undefined>> = {},
  others: Partial<Reading> = {},
  confidence = 0.95,
): Reading {
  const reading = xmlReading(changes, others);
  const box = [0.1, 0.2, 0.3, 0.22];
  const fields = reading.fields.map((field) => ({
    ...field,
    page: 1,
    box,
    confidence,
    method: 'LABEL',
    xpath: undefined,
  }));
  return {
    ...reading,
    method: 'TEXT',
    format: 'PDF',
    profile: undefined,
    declaredProfiles: [],
    pages: 1,
    lines: [],
    fields,
  };
}

function fieldOf(field: string, value: string): FieldReading {
  const xpath = `/Invoice/${field.replaceAll('.', '/')}`;
  return { field, value, raw: value, page: undefined, box: [], confidence: 1, method: 'XML', xpath };
}
