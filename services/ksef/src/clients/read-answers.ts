import { isKsefNumber } from '@invoicecontrol/values/ksef-number';
import { z } from 'zod';
import type { ExportStatus, InvoiceStatus, KsefStatus, ListedInvoice } from '../application/ksef-calls.js';
import { plainText } from '../domain/ksef-text.js';
import { numbersInText } from '../domain/numbers.js';

const TEXTS_MAX = 100;

const text = z.string().max(1_000_000);
/** Schema of a KSeF reference number that becomes part of the addresses of later calls. */
const reference = z.string().regex(/^[0-9A-Za-z-]{1,64}$/);
/** A time in a KSeF response, with up to 7 fraction digits and an offset. Digits below a millisecond are truncated. */
const time = z
  .string()
  .max(64)
  .transform((value) => new Date(value))
  .refine((date) => !Number.isNaN(date.getTime()));
const bearer = z.string().regex(/^[\x21-\x7E]{1,20000}$/);
const grant = z.object({ token: bearer, validUntil: time });
const base64 = z.base64().max(100_000);

const status = z
  .object({ code: z.int().min(0).max(99_999), description: text.nullish(), details: z.array(text).nullish() })
  .transform(({ code, description, details }): KsefStatus => ({
    code,
    description: withoutTokens(plainText(description ?? '')),
    details: (details ?? []).slice(0, TEXTS_MAX).map((detail) => withoutTokens(plainText(detail))),
  }));

/**
 * Removes text that looks like a KSeF token, in case a response of KSeF repeats a token. Tax ids (NIP) are not removed,
 * because they are part of KSeF numbers.
 */
function withoutTokens(words: string): string {
  return words.replaceAll(/(?<!\S)[^\s|]*\|[^\s|]*\|\S*/g, '…').replaceAll(/\b[0-9a-f]{64}\b/gi, '…');
}

export const certificatesAnswer = z
  .array(z.object({ certificate: base64, validFrom: time, validTo: time, usage: z.array(text) }))
  .max(1_000);
export const challengeAnswer = z.object({ challenge: z.string().min(1).max(100), timestampMs: z.int().min(0) });
export const beginAnswer = z.object({ referenceNumber: reference, authenticationToken: grant });
export const authStatusAnswer = z.object({ status });
export const redeemAnswer = z.object({ accessToken: grant, refreshToken: grant });
export const refreshAnswer = z.object({ accessToken: grant });

export const openAnswer = z.object({ referenceNumber: reference, validUntil: time });
export const sendAnswer = z.object({ referenceNumber: reference });

const extensions = z
  .object({
    originalKsefNumber: text.nullish().catch(undefined),
    originalSessionReferenceNumber: text.nullish().catch(undefined),
  })
  .nullish()
  .catch(undefined);

export const invoiceAnswer = z
  .object({
    referenceNumber: reference,
    invoiceHash: z.string().length(44),
    ksefNumber: text.nullish(),
    status: z.object({ extensions }).and(status),
  })
  .refine(({ ksefNumber, status: { code } }) => code !== 200 || isKsefNumber(ksefNumber ?? ''))
  .transform(({ referenceNumber, invoiceHash, ksefNumber, status: { extensions: more, ...read } }): InvoiceStatus => {
    // If the fields with the KSeF number are missing in a response, the number is read from the text of the status.
    const named = read.code === 440 ? numbersInText([read.description, ...read.details].join(' ')) : undefined;
    return {
      referenceNumber,
      invoiceHash,
      ksefNumber: ksefNumberOf(ksefNumber),
      status: { code: read.code, description: read.description, details: read.details },
      originalKsefNumber: ksefNumberOf(more?.originalKsefNumber) ?? named?.ksefNumber,
      originalSessionReferenceNumber:
        referenceOf(more?.originalSessionReferenceNumber) ?? named?.sessionReferenceNumber,
    };
  });
/**
 * An entry of a KSeF invoice list. An entry that cannot be read is left out, so that it does not hide the other
 * invoices.
 */
const listedInvoice = z
  .object({
    referenceNumber: reference,
    invoiceHash: z.string().length(44),
    ksefNumber: text.nullish().catch(undefined),
  })
  .transform(({ ksefNumber, ...entry }): ListedInvoice => ({ ...entry, ksefNumber: ksefNumberOf(ksefNumber) }));
export const invoicesAnswer = z.object({
  continuationToken: z
    .string()
    .regex(/^[\x21-\x7E]{0,8000}$/)
    .nullish(),
  invoices: z
    .array(z.unknown())
    .max(10_000)
    .transform((rows) => rows.flatMap((row) => listedInvoice.safeParse(row).data ?? [])),
});
export const sessionAnswer = z.object({
  status,
  validUntil: time.nullish(),
  upo: z.object({ pages: z.array(z.object({ referenceNumber: reference })).max(1_000) }).nullish(),
});
export const sessionsAnswer = z.object({ sessions: z.array(z.object({ referenceNumber: reference })) });
export const metadataAnswer = z.object({
  invoices: z
    .array(z.object({ ksefNumber: text, invoiceNumber: text, invoiceHash: z.string().length(44) }))
    .max(10_000),
});

/** Schema of a time in a KSeF response. The time is kept as text, because a `Date` would truncate its digits. */
const instant = z
  .string()
  .max(64)
  .regex(/^\d{4}-\d{2}-\d{2}T[\d:.]+(?:Z|[+-]\d{2}:\d{2})$/)
  .refine((value) => !Number.isNaN(Date.parse(value)));
const hash = z.string().regex(/^[A-Za-z0-9+/]{43}=$/);
const part = z
  .object({
    ordinalNumber: z.int().min(1),
    method: z.literal('GET'),
    url: z.url().max(4_096),
    partSize: z.int().min(1),
    partHash: hash,
    encryptedPartSize: z.int().min(1),
    encryptedPartHash: hash,
  })
  .transform(({ ordinalNumber, url, partSize, partHash, encryptedPartSize, encryptedPartHash }) => ({
    ordinalNumber,
    url,
    size: partSize,
    hash: partHash,
    encryptedSize: encryptedPartSize,
    encryptedHash: encryptedPartHash,
  }));
export const startExportAnswer = z.object({ referenceNumber: reference });
export const exportStatusAnswer = z
  .object({
    status,
    package: z
      .object({
        parts: z.array(part).max(1_000),
        isTruncated: z.boolean(),
        lastPermanentStorageDate: instant.nullish(),
        permanentStorageHwmDate: instant.nullish(),
      })
      .nullish(),
  })
  .refine(({ status: { code }, package: made }) => code !== 200 || (made ?? undefined) !== undefined)
  .refine(
    ({ package: made }) => made?.isTruncated !== true || (made.lastPermanentStorageDate ?? undefined) !== undefined,
  )
  .transform(({ status: read, package: made }): ExportStatus => ({
    status: read,
    package:
      made === null || made === undefined
        ? undefined
        : {
            parts: made.parts,
            isTruncated: made.isTruncated,
            lastStoredAt: made.lastPermanentStorageDate ?? undefined,
            highWaterMark: made.permanentStorageHwmDate ?? undefined,
          },
  }));
/** Content of `_metadata.json` in a KSeF invoice package, which lists its invoices. */
export const packageListing = z.object({
  invoices: z.array(z.object({ ksefNumber: z.string().max(64), invoiceHash: hash })),
});

const windows = z
  .object({ perSecond: z.int().min(1), perMinute: z.int().min(1), perHour: z.int().min(1) })
  .transform(({ perSecond, perMinute, perHour }) => [perSecond, perMinute, perHour] as const);
export const limitsAnswer = z.object({
  onlineSession: windows,
  // KSeF versions before 2.8.0 do not send the limit for closing a session.
  onlineSessionClose: windows.nullish(),
  invoiceSend: windows,
  invoiceStatus: windows,
  sessionList: windows,
  sessionInvoiceList: windows,
  sessionMisc: windows,
  invoiceMetadata: windows,
  invoiceExport: windows.nullish(),
  invoiceExportStatus: windows.nullish(),
  invoiceDownload: windows.nullish(),
});

export const contextLimitsAnswer = z.object({
  onlineSession: z.object({ maxInvoiceSizeInMB: z.int().min(0).max(1_000_000), maxInvoices: z.int().min(0) }),
});

function ksefNumberOf(value: string | null | undefined): string | undefined {
  return typeof value === 'string' && isKsefNumber(value) ? value : undefined;
}

function referenceOf(value: string | null | undefined): string | undefined {
  return reference.safeParse(value).data;
}
