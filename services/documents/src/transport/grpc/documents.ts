import { DocumentServiceDefinition, Fa3Fault } from '@invoicecontrol/contracts/documents/v1/document_service';
import type {
  DescribeRenderingResponse,
  Document,
  PagePicture,
} from '@invoicecontrol/contracts/documents/v1/document_service';
import { invalidField, notFound } from '@invoicecontrol/errors';
import type { RenderingTarget } from '@invoicecontrol/extraction/rendering/rendering';
import type { Clock } from '@invoicecontrol/runtime/clock';
import { requirePrincipal } from '@invoicecontrol/runtime/grpc/principal';
import { bind } from '@invoicecontrol/runtime/grpc/server';
import type { Binding } from '@invoicecontrol/runtime/grpc/server';
import type { ConfirmationChecker } from '../../application/check-confirmation.js';
import type { DescribeStoredFa3 } from '../../application/describe-fa3.js';
import type { FindContact } from '../../application/find-contact.js';
import type { ExtractDocument } from '../../application/extract-document.js';
import type { ByteRange, UploadReader } from '../../application/read-uploads.js';
import type { RenderDocument, Shown } from '../../application/render-document.js';
import type { RenderingStore } from '../../application/renderings.js';
import type { StoredUpload } from '../../application/uploads.js';
import { decodeCompany, decodeMode, encodeExtraction } from './extraction.js';

interface Deps {
  readonly reader: UploadReader;
  readonly describeFa3: DescribeStoredFa3;
  readonly findContact: FindContact;
  readonly confirmations: ConfirmationChecker;
  readonly clock: Clock;
  readonly extract: ExtractDocument;
  readonly render: RenderDocument;
  readonly renderings: Pick<RenderingStore, 'read'>;
}

/** Implements the gRPC service invoicecontrol.documents.v1.DocumentService. */
export function documentService(deps: Deps): Binding {
  const { reader, describeFa3, findContact, confirmations, clock, extract, render, renderings } = deps;
  return bind(DocumentServiceDefinition, {
    async extractDocument({ organizationId, uploadId, mode, companies }, context) {
      // The request for the analysis has proved who asks for it (KeepUpload), so its later work needs no grant.
      const { isRequested } = await reader.stored(organizationId, uploadId);
      if (!isRequested) requirePrincipal(context);
      const { upload, extraction } = await extract({
        organizationId,
        uploadId,
        mode: decodeMode(mode),
        companies: companies.map(decodeCompany),
      });
      return { document: encode(upload), ...encodeExtraction(extraction) };
    },
    async describeDocument({ organizationId, uploadId }) {
      return { document: encode(await reader.stored(organizationId, uploadId)) };
    },
    async *readDocument({ organizationId, uploadId, firstByte, lastByte, invoiceId }, context) {
      let isNoted = invoiceId === undefined;
      for await (const content of reader.read(organizationId, uploadId, rangeOf(firstByte, lastByte))) {
        if (!isNoted && invoiceId !== undefined) reader.noteReading(organizationId, invoiceId, context);
        isNoted = true;
        yield* messagesOf(content);
      }
    },
    async describeRendering({ organizationId, uploadId, page, wordsOfPage }) {
      return encodeShown(await render({ organizationId, uploadId, target: decodeTarget({ page, wordsOfPage }) }));
    },
    async describeFa3({ organizationId, uploadId }) {
      const { faults, ...described } = await describeFa3(organizationId, uploadId);
      return { ...described, faults: faults.map((fault) => Fa3Fault[fault]) };
    },
    async findContact({ organizationId, uploadId, contact }) {
      return { isCarried: await findContact(organizationId, uploadId, contact) };
    },
    async checkConfirmation({ organizationId, xml, ksefNumber, sha256, trustedCertificates: trusted }) {
      const check = await confirmations.checkConfirmation({
        organizationId,
        xml,
        confirmed: { ksefNumber, sha256 },
        trust: { trusted, now: clock.now() },
      });
      if ('fault' in check) {
        return { fault: check.fault, sealedBy: undefined, isHolderKnown: false, sealCertificate: undefined };
      }
      const { sealedBy, isHolderKnown, certificate } = check;
      return { fault: undefined, sealedBy, isHolderKnown, sealCertificate: Buffer.from(certificate) };
    },
    async *readRendering({ organizationId, uploadId, page, wordsOfPage, invoiceId }, context) {
      const shown = await render({ organizationId, uploadId, target: decodeTarget({ page, wordsOfPage }) });
      if ('missing' in shown) throw notFound('rendering');
      let isNoted = false;
      for await (const content of renderings.read(shown.rendering)) {
        if (!isNoted) reader.noteReading(organizationId, invoiceId, context);
        isNoted = true;
        yield* messagesOf(content);
      }
    },
  });
}

/**
 * Decodes the page, the words or the view of a document that a request asks for.
 * @throws DomainError invalid
 */
function decodeTarget({
  page,
  wordsOfPage,
}: {
  readonly page: PagePicture | undefined;
  readonly wordsOfPage: number | undefined;
}): RenderingTarget {
  if (wordsOfPage !== undefined) {
    if (wordsOfPage < 1) throw invalidField('words_of_page', 'must be 1 or more.');
    return { kind: 'WORDS', page: wordsOfPage };
  }
  if (page === undefined) return { kind: 'VIEW' };
  const { number, width } = page;
  if (number < 1) throw invalidField('page.number', 'must be 1 or more.');
  if (width < 1 || width > PAGE_WIDTH_MAX) throw invalidField('page.width', `must be from 1 to ${PAGE_WIDTH_MAX}.`);
  return { kind: 'PAGE', page: number, width };
}

function encodeShown(shown: Shown): DescribeRenderingResponse {
  if ('rendering' in shown) {
    const { mediaType, byteSize, sha256 } = shown.rendering;
    return { rendering: { mediaType, byteSize, sha256 }, pages: undefined };
  }
  return { rendering: undefined, pages: shown.missing === 'PAGE' ? shown.pages : undefined };
}

/** Maximum width of the picture of a document page, in pixels. */
const PAGE_WIDTH_MAX = 2_000;
/** Number of bytes in one streamed gRPC message of a document. A stored piece of a file is larger than one message. */
const MESSAGE_BYTES = 64 * 1024;

function* messagesOf(piece: Uint8Array): Iterable<{ content: Buffer }> {
  for (let start = 0; start < piece.length; start += MESSAGE_BYTES) {
    const part = piece.subarray(start, start + MESSAGE_BYTES);
    yield { content: Buffer.from(part.buffer, part.byteOffset, part.byteLength) };
  }
}

function rangeOf(first: number | undefined, last: number | undefined): ByteRange | undefined {
  if (first === undefined && last === undefined) return undefined;
  if (first === undefined || last === undefined) {
    throw invalidField('first_byte', 'must be sent together with last_byte, or both must be left out.');
  }
  return { first, last };
}

function encode({ uploadId, byteSize, content }: StoredUpload): Document {
  return {
    documentId: uploadId,
    mediaType: content.mediaType,
    byteSize,
    sha256: content.sha256,
    receivedTime: content.receivedAt,
  };
}
