import { events } from '@invoicecontrol/contracts/events';
import { stuckCounters } from '@invoicecontrol/metering/stuck-counters';
import { usageCounters } from '@invoicecontrol/metering/usage';
import { usageData } from '@invoicecontrol/metering/usage-data';
import { USAGE_NOTICES, usageNotices } from '@invoicecontrol/metering/usage-notices';
import { usageReconciliation } from '@invoicecontrol/metering/usage-reconciliation';
import { usageService } from '@invoicecontrol/metering/usage-service';
import { archiveService } from '@invoicecontrol/retention/archive-service';
import { AUDIT_LINES, auditBuffer } from '@invoicecontrol/retention/audit';
import { ownedDocuments } from '@invoicecontrol/retention/tenant-data';
import { startTenantService } from '@invoicecontrol/retention/tenant-service';
import type { TenantConnections, TenantParts } from '@invoicecontrol/retention/tenant-service';
import { LARGE_MESSAGE_BYTES_MAX } from '@invoicecontrol/runtime/grpc/message-size';
import type { RunningService } from '@invoicecontrol/runtime/process';
import { handler } from '@invoicecontrol/runtime/service-shell';
import type { StartOverrides } from '@invoicecontrol/runtime/service-shell';
import { describeStoredFa3 } from './application/describe-fa3.js';
import { extractDocument } from './application/extract-document.js';
import { findContact } from './application/find-contact.js';
import { keepUpload } from './application/keep-upload.js';
import { uploadReader } from './application/read-uploads.js';
import { authorizeUpload, receiveUpload, UPLOAD_BYTES_METER } from './application/receive-upload.js';
import { renderDocument } from './application/render-document.js';
import { reserveUpload } from './application/reserve-upload.js';
import { storeChannelDocument } from './application/store-channel-document.js';
import { stuckUploads, sweepUploads } from './application/sweep-uploads.js';
import { configSchema } from './config.js';
import type { Config } from './config.js';
import { confines } from './extraction/confinement.js';
import { extractionPool } from './extraction/pool.js';
import { contentStore } from './storage/contents.js';
import { createExtractionIndexes, extractionStore } from './storage/extractions.js';
import type { ExtractionDocument } from './storage/extractions.js';
import { createRenderingIndexes, renderingStore, renderingsWithFiles } from './storage/renderings.js';
import type { RenderingDocument } from './storage/renderings.js';
import { archivedUploads, createUploadIndexes, uploadStore, uploadsWithContents } from './storage/uploads.js';
import type { UploadDocument } from './storage/uploads.js';
import { reportWaiting } from './telemetry.js';
import { documentService } from './transport/grpc/documents.js';
import { uploadService } from './transport/grpc/uploads.js';

/** Interval in milliseconds at which each replica searches for data left by interrupted uploads. */
const SWEEP_EACH_MS = 30_000;
/** Interval at which each replica removes expired document renderings. */
const SWEEP_RENDERINGS_EACH_MS = 60_000;
/**
 * Interval in milliseconds at which audit events about reading of documents are published. A process that is killed
 * loses the events of this period.
 */
const AUDIT_EACH_MS = 1_000;
const MIB = 1024 * 1024;

/** Starts the documents service. Resolves when it accepts calls. */
export function startService(config: Config, overrides?: StartOverrides): Promise<RunningService> {
  return startTenantService(
    {
      name: 'documents',
      schema: configSchema,
      config,
      callsEndMsMax: 20_000,
      // The message size limit is high, because the text that is read from a long invoice has many lines.
      messageBytesMax: LARGE_MESSAGE_BYTES_MAX,
      compose: (connections) => compose(config, connections),
    },
    overrides,
  );
}

async function compose(
  config: Config,
  { db, clock, logger, openOutbox, onStop }: TenantConnections,
): Promise<TenantParts> {
  const uploadCollection = db.collection<UploadDocument>('uploads');
  const extractionCollection = db.collection<ExtractionDocument>('extractions');
  await Promise.all([createUploadIndexes(uploadCollection), createExtractionIndexes(extractionCollection)]);
  const outbox = await openOutbox([AUDIT_LINES, USAGE_NOTICES]);
  const audit = await auditBuffer(events.documentsAuditRecorded, { db, outbox, clock, logger });
  onStop('audit lines', () => audit.flush());

  const sweepTimes = { sweepMs: config.UPLOAD_SWEEP_SECONDS * 1_000, unusedMs: config.UPLOAD_UNUSED_SECONDS * 1_000 };
  const ttlMs = config.UPLOAD_TTL_SECONDS * 1_000;
  const uploads = uploadStore(uploadCollection, clock, sweepTimes);
  const contents = contentStore(db, 'contents');
  const renderingCollection = db.collection<RenderingDocument>('renderings');
  await createRenderingIndexes(renderingCollection);
  const renderingFiles = contentStore(db, 'renderings');
  const renderings = renderingStore(renderingCollection, renderingFiles);
  const usage = usageCounters(
    db,
    clock,
    await usageNotices(events.documentsUsageReached, { db, outbox, clock, logger }),
  );
  onStop('usage', () => usage.close());
  const reader = uploadReader({ uploads, contents, audit });
  const extractions = extractionStore(extractionCollection);
  const pool = extractionPool({
    children: config.EXTRACTION_CHILDREN,
    limits: {
      timeMs: config.EXTRACTION_SECONDS * 1_000,
      recognitionMs: config.EXTRACTION_OCR_SECONDS * 1_000,
      memoryBytes: config.EXTRACTION_MEMORY_MB * MIB,
    },
    rulesDir: config.RULES_DIR,
    isConfined: await confines(config.EXTRACTION_CONFINEMENT, logger),
    logger,
  });
  onStop('extraction', () => pool.close());
  onStop(
    'metrics',
    reportWaiting(() => pool.waiting),
  );
  return {
    rpcGroups: [
      uploadService({
        reserve: reserveUpload({ uploads, usage, clock, ttlMs }),
        authorize: authorizeUpload({ uploads }),
        receive: receiveUpload({ uploads, contents, usage, clock, logger }),
        keep: keepUpload({ uploads, clock, unusedMs: sweepTimes.unusedMs }),
        storeOfChannel: storeChannelDocument({ uploads, contents, usage, clock, logger, ttlMs }),
        reader,
      }),
      documentService({
        reader,
        describeFa3: describeStoredFa3({ reader, documents: pool }),
        findContact: findContact({ reader, documents: pool }),
        confirmations: pool,
        clock,
        extract: extractDocument({ reader, uploads, contents, documents: pool, extractions, clock }),
        render: renderDocument({ reader, contents, documents: pool, renderings, clock }),
        renderings,
      }),
      archiveService({ uploads: archivedUploads(uploadCollection) }),
      usageService(
        {
          monthly: {
            [UPLOAD_BYTES_METER]: (organizationId, month) =>
              usage.used({ organizationId, month, meter: UPLOAD_BYTES_METER }),
          },
        },
        clock,
      ),
    ],
    eventHandlers: [
      // Upload tokens work without an API key, so the upload reservations of a deleted organization are ended.
      handler(events.organizationDeleted, async ({ organizationId, eventTime = clock.now() }) => {
        await uploads.expireOf(organizationId, eventTime);
        await renderings.removeOf(organizationId);
      }),
    ],
    tenantData: [
      uploadsWithContents(uploadCollection, contents, clock),
      ownedDocuments(extractionCollection),
      renderingsWithFiles(renderingCollection, renderingFiles, clock),
      ...usageData(db),
    ],
    stuckWork: [stuckUploads({ uploads }), stuckCounters(db, 'documents')],
    jobs: [
      { name: 'sweep of uploads', pauseMs: SWEEP_EACH_MS, run: sweepUploads({ uploads, contents, clock, logger }) },
      {
        name: 'sweep of renderings',
        pauseMs: SWEEP_RENDERINGS_EACH_MS,
        run: () => renderings.removeExpired(clock.now()),
      },
      { name: 'flush of audit lines', pauseMs: AUDIT_EACH_MS, run: () => audit.flush() },
      await usageReconciliation({ db, clock, logger, marks: { [UPLOAD_BYTES_METER]: uploads.countedBytes } }),
    ],
  };
}
