import { dueWork } from '@invoicecontrol/runtime/due-work';
import type { Decisions } from '../decisions/compose.js';
import type { Foundation, RoomParts } from '../foundation.js';
import type { Reading } from '../reading/compose.js';
import type { Records } from '../records/compose.js';
import { uploadAnalyzer } from './application/analyze-upload.js';
import { uploadReader } from './application/read-uploads.js';
import { uploadWorker } from './application/upload-worker.js';
import { uploadAnalysisService } from './transport/grpc/uploads.js';

/** Composes the decision on an invoice that is read from an uploaded document. */
export function composeUploads(
  { audit, usage, tenants, clock, logger, onStop }: Foundation,
  rooms: { records: Records; reading: Reading; decisions: Decisions },
): RoomParts {
  const {
    records: { uploads, invoices, suppliers },
    reading: { documents },
    decisions: { decider, reader },
  } = rooms;
  const due = dueWork(clock);
  const worker = uploadWorker({
    uploads,
    onDue: due.note,
    invoices,
    suppliers,
    documents,
    usage,
    tenants,
    decider,
    clock,
    logger,
  });
  onStop('work on uploads', () => worker.stop());
  return {
    rpcGroups: [
      uploadAnalysisService({
        analyzer: uploadAnalyzer({ uploads, invoices, documents, worker, usage, tenants, clock }),
        reader: uploadReader({ uploads, invoices, reader, audit, clock }),
        invoices: reader,
      }),
    ],
    jobs: [{ name: 'sweep of uploads', ...due.schedule, run: () => worker.sweep() }],
  };
}
