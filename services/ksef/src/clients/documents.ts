import { X509Certificate } from 'node:crypto';
import { DocumentServiceDefinition, Fa3Fault } from '@invoicecontrol/contracts/documents/v1/document_service';
import { enumName } from '@invoicecontrol/contracts/enum-name';
import { DomainError } from '@invoicecontrol/errors';
import { client } from '@invoicecontrol/runtime/grpc/client';
import type { Channel } from '@invoicecontrol/runtime/grpc/client';
import type { Documents, KeptSeal } from '../application/submissions/stores.js';
import { DOCUMENT_BYTES_MAX } from '../domain/preconditions.js';
import { isRevoked } from '../domain/revoked-seals.js';
import type { RevokedSeals } from './revoked-seals.js';
import type { TrustedSeals } from './trusted-seals.js';

const READ_MS_MAX = 20_000;

/** Certificates of the seals that are accepted on KSeF confirmations, and revoked certificates of seals. */
interface Seals {
  readonly trusted: TrustedSeals;
  readonly revoked: RevokedSeals;
}

/** Reads documents and their fields from the documents service. */
export function documentsOfUploads(channel: Channel, seals: Seals): Documents {
  const documents = client(DocumentServiceDefinition, channel);
  return {
    async facts(organizationId, uploadId, context) {
      const call = { context, timeoutMs: READ_MS_MAX };
      const described = await documents.describeFa3({ organizationId, uploadId }, call).catch(refuseDocument);
      const { sha256, byteSize, faults, sellerNip, kind, number, issueDate } = described;
      return {
        hash: sha256,
        byteSize,
        faults: faults.map((fault) => enumName(Fa3Fault, fault)),
        sellerNip,
        kind,
        number,
        issueDate,
      };
    },
    async read(organizationId, uploadId, context) {
      const pieces: Buffer[] = [];
      let bytes = 0;
      const call = { context, timeoutMs: READ_MS_MAX };
      for await (const { content } of documents.readDocument({ organizationId, uploadId }, call)) {
        bytes += content.length;
        if (bytes > DOCUMENT_BYTES_MAX)
          throw new DomainError(
            'wrong_state',
            'The document of the invoice is larger than KSeF accepts. Split the invoice.',
          );
        pieces.push(content);
      }
      return Buffer.concat(pieces, bytes);
    },
    async checkConfirmation({ organizationId, environment, xml, ksefNumber, hash }, context) {
      const trustedCertificates = [...seals.trusted[environment]];
      try {
        const { fault, sealedBy, isHolderKnown, sealCertificate } = await documents.checkConfirmation(
          { organizationId, xml, ksefNumber, sha256: hash, trustedCertificates },
          { context, timeoutMs: READ_MS_MAX },
        );
        if (fault !== undefined) return { fault };
        const lists = seals.revoked[environment];
        if (lists.length > 0) {
          if (sealCertificate === undefined)
            throw new Error(
              'The documents service called a KSeF confirmation valid but did not return the certificate of the seal.',
            );
          if (isRevoked(new X509Certificate(sealCertificate), lists)) {
            return {
              fault: `The KSeF confirmation is sealed with certificate ${sealedBy}, which has been revoked by its issuer.`,
            };
          }
        }
        return { seal: sealOf(sealedBy, isHolderKnown) };
      } catch (error) {
        if (error instanceof DomainError && error.kind === 'unprocessable') return { fault: error.publicMessage };
        throw error;
      }
    },
  };
}

/** Converts a fault of an invoice document to a wrong_state error, because the request itself is correct. */
function refuseDocument(error: unknown): never {
  if (!(error instanceof DomainError)) throw error;
  if (error.kind === 'unprocessable') throw new DomainError('wrong_state', error.publicMessage, { cause: error });
  if (error.kind !== 'not_found') throw error;
  const message =
    'The document of the invoice is no longer stored. Upload its FA(3) file and submit the invoice from that upload.';
  throw new DomainError('wrong_state', message, { cause: error });
}

function sealOf(fingerprint: string | undefined, isHolderKnown: boolean): KeptSeal {
  if (fingerprint === undefined)
    throw new Error(
      'The documents service called a KSeF confirmation valid but did not return the seal of the confirmation.',
    );
  return { fingerprint, isHolderKnown };
}
