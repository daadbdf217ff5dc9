import { ValidationMode } from '@invoicecontrol/contracts/documents/v1/document_service';
import type { Reading, Validation } from '@invoicecontrol/contracts/documents/v1/document_service';
import { enumName } from '@invoicecontrol/contracts/enum-name';
import type { ReadArchivePage } from '@invoicecontrol/retention/archive-service';
import { newestRecords } from '@invoicecontrol/retention/archive-pages';
import type { Collection, WithId } from 'mongodb';
import { invoiceFromReading } from '../application/invoice-from-reading.js';
import type { Provenance } from '../application/invoice-from-reading.js';
import { toRecord } from '../../records/storage/uploads.js';
import type { UploadDocument } from '../../records/storage/uploads.js';

/**
 * Returns a function that reads the document readings of an organization for its data export. The export contains only
 * the fields that this file lists.
 */
export function archivedReadings(uploads: Collection<UploadDocument>): ReadArchivePage {
  return newestRecords(uploads, toReadingRecord);
}

/**
 * Converts a document reading for the archive, whether it succeeded or failed, with the corrections that people made.
 */
function toReadingRecord(document: WithId<UploadDocument>): Readonly<Record<string, unknown>> {
  const { invoiceId, uploadId, companyId, state, createdAt, failure, corrections, origin, ...upload } =
    toRecord(document);
  const { document: original, outcome, validation } = upload.extracted ?? {};
  const reading = outcome?.$case === 'reading' ? outcome.value : outcome?.value.reading;
  const { provenance } = invoiceFromReading({ ...upload, corrections });
  return {
    invoiceId,
    uploadId,
    companyId,
    origin: origin ?? null,
    status: state,
    purchaseOrderRef: upload.request.purchaseOrderRef ?? null,
    failure:
      failure === undefined
        ? null
        : { reason: failure.reason, message: failure.message, missingFields: failure.missingFields },
    document:
      original === undefined
        ? null
        : { mediaType: original.mediaType, byteSize: original.byteSize, sha256: original.sha256 },
    reading: reading === undefined ? null : shownReading(reading, provenance),
    corrections: corrections.map(({ field, value, by, at }) => ({ field, value, by, at })),
    validation: validation === undefined ? null : shownValidation(validation),
    createdAt,
  };
}

function shownReading(reading: Reading, provenance: readonly Provenance[]): Readonly<Record<string, unknown>> {
  return {
    method: reading.method,
    format: reading.format,
    profile: reading.profile ?? null,
    kind: reading.kind,
    payableAmount: reading.payableAmount ?? null,
    embeddedFile: reading.embeddedFile ?? null,
    pages: reading.pages ?? null,
    fields: Object.fromEntries(
      provenance.map(({ field, value, raw, page, box, confidence, method, xpath, correctedBy, correctedAt }) => [
        field,
        {
          value,
          raw: raw ?? null,
          page: page ?? null,
          box: box.length === 0 ? null : box,
          confidence,
          method,
          xpath: xpath ?? null,
          ...(correctedBy === undefined ? {} : { correctedBy, correctedAt }),
        },
      ]),
    ),
    lines: reading.lines.map(({ description, quantity, unit, unitPrice, netAmount, taxRate }) => ({
      description: description ?? null,
      quantity: quantity ?? null,
      unit: unit ?? null,
      unitPrice: unitPrice ?? null,
      netAmount: netAmount ?? null,
      taxRate: taxRate ?? null,
    })),
    corrects:
      reading.corrects === undefined
        ? null
        : {
            total: reading.corrects.total,
            invoices: reading.corrects.invoices.map(({ number, issueDate, ksefNumber }) => ({
              number,
              issueDate: issueDate ?? null,
              ksefNumber: ksefNumber ?? null,
            })),
          },
    tamperSigns: reading.tamperSigns.map(({ kind }) => kind),
    hiddenTexts: reading.hiddenTexts.map(({ page, hiddenBy, holds, snippet }) => ({ page, hiddenBy, holds, snippet })),
    conflicts: reading.conflicts.map(({ field, source, machineValue, visibleValue }) => ({
      field,
      source,
      machineValue,
      visibleValue: visibleValue ?? null,
    })),
    ksefNumber: reading.ksefNumber ?? null,
    ksefCode: reading.ksefCode ?? null,
    salesDocument: reading.salesDocument ?? null,
    payeeName: reading.payeeName ?? null,
  };
}

function shownValidation({ mode, profile, ruleSets, schemaErrors, rules, total }: Validation): object {
  return {
    mode: enumName(ValidationMode, mode),
    profile: profile ?? null,
    ruleSets,
    schemaErrors: schemaErrors.map(({ message, location }) => ({ message, location })),
    rules: rules.map(({ id, flag, message, location }) => ({ id, flag, message, location })),
    total,
  };
}
