import { createHash } from 'node:crypto';
import { DomainError } from '@invoicecontrol/errors';
import type { DocumentMediaType } from '@invoicecontrol/extraction/media-type';
import type { RenderingOutcome, RenderingTarget } from '@invoicecontrol/extraction/rendering/rendering';
import type { Clock } from '@invoicecontrol/runtime/clock';
import { documentRendered } from '../telemetry.js';
import type { UploadReader } from './read-uploads.js';
import type { NewRendering, RenderingStore, StoredRendering } from './renderings.js';
import type { ContentStore, StoredUpload } from './uploads.js';

/**
 * Version of the program that renders pages and views of documents. Pictures and views that an earlier version rendered
 * are no longer used.
 */
const RENDERING_VERSION = 2;

interface RenderingRequest {
  /**
   * Organization that owns the document to render. Waiting documents of the organization with the fewest documents in
   * progress are processed first.
   */
  readonly organizationId: string;
  /** Size of the document to render, in bytes. */
  readonly byteSize: number;
  readonly task: { readonly mediaType: DocumentMediaType; readonly target: RenderingTarget };
  /** Returns the bytes of the document to render, from the beginning on each call. */
  bytes(): AsyncIterable<Uint8Array>;
}

/** Draws the pages of documents, or their HTML views, in separate processes. */
export interface DocumentRenderer {
  /**
   * Renders a page or the view of a document.
   * @param store stores the picture or view; the process that rendered it starts no other work until it is stored
   * @throws DomainError unavailable if too many documents are waiting
   */
  render<S>(request: RenderingRequest, store: (outcome: RenderingOutcome) => Promise<S>): Promise<S>;
}

interface Deps {
  readonly reader: Pick<UploadReader, 'stored'>;
  readonly contents: Pick<ContentStore, 'read'>;
  readonly documents: DocumentRenderer;
  readonly renderings: RenderingStore;
  readonly clock: Clock;
}

interface Input {
  readonly organizationId: string;
  readonly uploadId: string;
  readonly target: RenderingTarget;
}

/** A picture or view of a document, or the reason why the document has no picture or view. */
export type Shown =
  | { readonly rendering: StoredRendering }
  | { readonly missing: 'PAGE'; readonly pages: number }
  | { readonly missing: 'VIEW' };

/**
 * Finds a rendering of a document in the cache, or creates and stores it. Concurrent requests in this process for the
 * same rendering share the work.
 * @throws DomainError not_found, unprocessable for a document that cannot be rendered, unavailable if too many
 *   documents are waiting
 */
export type RenderDocument = (input: Input) => Promise<Shown>;

export const renderDocument = ({ reader, contents, documents, renderings, clock }: Deps): RenderDocument => {
  const underWay = new Map<string, Promise<Shown>>();

  const store = async (upload: StoredUpload, key: string, outcome: RenderingOutcome): Promise<Shown> => {
    if ('missing' in outcome) return outcome;
    const made: NewRendering = {
      key,
      organizationId: upload.organizationId,
      uploadId: upload.uploadId,
      createdAt: clock.now(),
    };
    if ('failure' in outcome) {
      await renderings.storeFailure(made, outcome.failure);
      throw refused(outcome.failure);
    }
    const { content, mediaType } = outcome.rendering;
    const sha256 = createHash('sha256').update(content).digest('hex');
    return { rendering: await renderings.store(made, { mediaType, sha256, content }) };
  };

  const render = async (upload: StoredUpload, key: string, target: RenderingTarget): Promise<Shown> => {
    const { organizationId, content } = upload;
    const cached = await renderings.find(organizationId, key, clock.now());
    if (cached !== undefined && 'failure' in cached) throw refused(cached.failure);
    if (cached !== undefined) return cached;
    const startedAt = performance.now();
    let ended = 'FAILED';
    try {
      const task = { mediaType: content.mediaType as DocumentMediaType, target };
      const bytes = () => contents.read(content.fileId);
      return await documents.render({ organizationId, byteSize: upload.byteSize, task, bytes }, async (outcome) => {
        ended = 'failure' in outcome ? outcome.failure.reason : 'missing' in outcome ? 'MISSING' : 'RENDERED';
        return store(upload, key, outcome);
      });
    } finally {
      documentRendered(target.kind, ended, (performance.now() - startedAt) / 1_000);
    }
  };

  return async ({ organizationId, uploadId, target }) => {
    const upload = await reader.stored(organizationId, uploadId);
    const key = keyOf(upload, target);
    const running = underWay.get(key) ?? render(upload, key, target);
    underWay.set(key, running);
    try {
      return await running;
    } finally {
      underWay.delete(key);
    }
  };
};

function keyOf({ uploadId }: StoredUpload, target: RenderingTarget): string {
  return `${uploadId}:${RENDERING_VERSION}:${nameOf(target)}`;
}

function nameOf(target: RenderingTarget): string {
  switch (target.kind) {
    case 'PAGE':
      return `page:${target.page}:${target.width}`;
    case 'WORDS':
      return `words:${target.page}`;
    case 'VIEW':
      return 'view';
  }
}

function refused({ message }: { readonly message: string }): DomainError {
  return new DomainError('unprocessable', message);
}
