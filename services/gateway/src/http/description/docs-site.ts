import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { Express, Request, Response } from 'express';
import { CACHE_CONTROL, isKnown } from '../response/etag.js';
import { onlyGet, refuseOtherMethods } from '../response/only-get.js';
import { requestState } from '../response/request-state.js';

/** Content security policy of the documentation site: its own scripts and styles, and calls to this origin only. */
const CONTENT_SECURITY_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Cache header for a file of the documentation site whose path changes with its content. */
const FOREVER = 'public, max-age=31536000, immutable';

/** The directory with the documentation site that tools/generate/site writes at build time. */
const directory = new URL('../../../gen/site/', import.meta.url);

/** A file of the documentation site, as index.json of the site lists it. */
interface Entry {
  readonly path: string;
  readonly type: string;
  readonly etag: string;
  /** True if the path of the documentation file changes with its content. */
  readonly isImmutable: boolean;
  /** Page of the documentation site that shows the content of the Markdown file to people. */
  readonly page?: string;
}

interface File extends Omit<Entry, 'isImmutable'> {
  readonly compressed: Buffer;
  /**
   * The documentation file for callers that cannot read gzip. The file is decompressed when the first such caller asks
   * for it, because most gateways have no such caller.
   */
  plain?: Buffer;
  readonly cacheControl: string;
  /** The name of the documentation file in logs and metrics. */
  readonly route: string;
}

/**
 * Serves the documentation site below `/docs` (to which `/` redirects) and `/openapi.json` from memory. The site was
 * written and compressed when the product was built, and nothing is loaded from elsewhere.
 */
export function docsSite(app: Express, openApi: string): void {
  const files = new Map(readSite().map((file) => [file.path, file]));
  files.set('/openapi.json', describedBy('/openapi.json', openApi));
  // One route serves all files of the documentation, because each further route of Express would be compared with the
  // path of every API request.
  app.use((request, response, next) => {
    const file = files.get(request.path);
    const trimmed = request.path.replace(/\/$/, '');
    if (file !== undefined) {
      requestState(response).route = file.route;
      refuseOtherMethods(request);
      send(file, request, response);
    } else if (trimmed !== request.path && files.has(trimmed)) {
      redirect(response, trimmed);
    } else next();
  });
  onlyGet(app, '/', (_request, response) => redirect(response, '/docs'));
}

function readSite(): File[] {
  const entries = JSON.parse(readFileSync(new URL('index.json', directory), 'utf8')) as Entry[];
  return entries.map(({ isImmutable, ...entry }) => ({
    ...entry,
    compressed: readFileSync(new URL(`${entry.etag}.gz`, directory)),
    cacheControl: isImmutable ? FOREVER : CACHE_CONTROL,
    route: isImmutable ? '/docs/{asset}' : entry.path,
  }));
}

function describedBy(path: string, text: string): File {
  return {
    path,
    type: 'application/json; charset=utf-8',
    etag: createHash('sha256').update(text).digest('base64url').slice(0, 22),
    compressed: gzipSync(text),
    cacheControl: CACHE_CONTROL,
    route: path,
  };
}

/**
 * Sends a file of the documentation. A browser that opens the address of a Markdown file is redirected to the page that
 * shows its content.
 */
function send(file: File, request: Request, response: Response): void {
  response.setHeader('Vary', file.page === undefined ? 'Accept-Encoding' : 'Accept, Accept-Encoding');
  if (file.page !== undefined && request.accepts(['text/markdown', 'text/plain', 'text/html']) === 'text/html') {
    redirect(response, file.page);
    return;
  }
  const isCompressed = request.acceptsEncodings('gzip') === 'gzip';
  const variant = isCompressed ? `"${file.etag}-gzip"` : `"${file.etag}"`;
  if (file.path.startsWith('/docs')) response.setHeader('Content-Security-Policy', CONTENT_SECURITY_POLICY);
  response.setHeader('Cache-Control', file.cacheControl);
  response.setHeader('ETag', variant);
  if (isKnown(variant, request.headers['if-none-match'])) {
    response.statusCode = 304;
    response.end();
    return;
  }
  const sent = isCompressed ? file.compressed : (file.plain ??= gunzipSync(file.compressed));
  if (isCompressed) response.setHeader('Content-Encoding', 'gzip');
  response.setHeader('Content-Type', file.type);
  response.setHeader('Content-Length', sent.length);
  response.end(sent);
}

function redirect(response: Response, location: string): void {
  response.statusCode = 302;
  response.setHeader('Location', location);
  response.end();
}
