import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Express } from 'express';
import { CACHE_CONTROL, isKnown } from '../response/etag.js';
import { onlyGet } from '../response/only-get.js';
import { EVENTS_TAG } from './openapi.js';

/**
 * Content security policy of the API page, which allows it to run its own scripts and to call only this origin. The
 * library of the page sets element styles.
 */
const CONTENT_SECURITY_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
  "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Cache header for a file whose path changes with its content. */
const FOREVER = 'public, max-age=31536000, immutable';

const START = `window.ui = SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#api',
  validatorUrl: null,
  deepLinking: true,
  persistAuthorization: false,
  presets: [SwaggerUIBundle.presets.apis],
});
`;

const pageOf = (pathOf: (name: string) => string): string => `<!DOCTYPE html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Invoice control API</title>
    <link rel="icon" type="image/png" href="${pathOf('favicon-32x32.png')}">
    <link rel="stylesheet" href="${pathOf('swagger-ui.css')}">
  </head>
  <body>
    <div id="api"></div>
    <script src="${pathOf('swagger-ui-bundle.js')}"></script>
    <script src="${pathOf('start.js')}"></script>
  </body>
</html>
`;

const root = new URL('../../../../../', import.meta.url);

/** Pages to which the introduction and the guides link, by file name. */
const PAGES: ReadonlyMap<string, string> = new Map([
  ['docs/guides/first-integration.md', '/docs/guides/first-integration.md'],
  ['docs/guides/scanning-history.md', '/docs/guides/scanning-history.md'],
  ['docs/guides/checking-a-payment-run.md', '/docs/guides/checking-a-payment-run.md'],
  ['docs/guides/reviewing-findings.md', '/docs/guides/reviewing-findings.md'],
  ['docs/guides/uploading-documents.md', '/docs/guides/uploading-documents.md'],
  ['docs/guides/connecting-an-erp.md', '/docs/guides/connecting-an-erp.md'],
  ['docs/guides/submitting-to-ksef.md', '/docs/guides/submitting-to-ksef.md'],
  ['docs/guides/receiving-from-ksef.md', '/docs/guides/receiving-from-ksef.md'],
  ['docs/specification.md', '/docs/specification.md'],
  ['docs/findings.md', '/docs/findings.md'],
  ['docs/reference/detection.md', '/docs/reference/detection.md'],
  ['packages/client/README.md', '/docs/client.md'],
  ['packages/client/postman-collection.json', '/docs/postman-collection.json'],
]);

interface File {
  readonly path: string;
  readonly type: string;
  readonly bytes: Buffer;
  readonly cacheControl: string;
}

/**
 * Serves `/docs` (to which `/` redirects), `/openapi.json`, the guides and the pages to which they link. The API page
 * comes from the installed package, and nothing is loaded from elsewhere.
 */
export function apiPage(app: Express, openApi: string): void {
  const require = createRequire(import.meta.url);
  const packageFolder = dirname(require.resolve('swagger-ui-dist/package.json'));
  const assets = [
    { name: 'start.js', type: 'text/javascript; charset=utf-8', bytes: Buffer.from(START) },
    ...[
      { name: 'swagger-ui-bundle.js', type: 'text/javascript; charset=utf-8' },
      { name: 'swagger-ui.css', type: 'text/css; charset=utf-8' },
      { name: 'favicon-32x32.png', type: 'image/png' },
    ].map(({ name, type }) => ({ name, type, bytes: readFileSync(join(packageFolder, name)) })),
  ].map((asset) => ({ ...asset, path: `/docs/${digest(asset.bytes)}/${asset.name}`, cacheControl: FOREVER }));
  const page = pageOf((name) => assets.find((asset) => asset.name === name)?.path ?? '');
  const asked = [
    { path: '/openapi.json', type: 'application/json; charset=utf-8', bytes: Buffer.from(openApi) },
    {
      path: '/openapi-without-webhooks.json',
      type: 'application/json; charset=utf-8',
      bytes: Buffer.from(withoutWebhooks(openApi)),
    },
    { path: '/docs', type: 'text/html; charset=utf-8', bytes: Buffer.from(page) },
    ...[...PAGES].map(([file, path]) =>
      file.endsWith('.json')
        ? { path, type: 'application/json; charset=utf-8', bytes: readFileSync(new URL(file, root)) }
        : { path, type: 'text/plain; charset=utf-8', bytes: Buffer.from(withServedLinks(file)) },
    ),
  ].map((file) => ({ ...file, cacheControl: CACHE_CONTROL }));
  for (const file of [...assets, ...asked]) serve(app, file);
  onlyGet(app, '/', (_request, response) => {
    response.statusCode = 302;
    response.setHeader('Location', '/docs');
    response.end();
  });
}

/**
 * Returns the description without the requests that receivers get, from which some generators make calls that do not
 * compile. The schemas of the events stay.
 */
function withoutWebhooks(openApi: string): string {
  const { webhooks: _, tags, ...document } = JSON.parse(openApi) as { webhooks?: unknown; tags?: { name: string }[] };
  return JSON.stringify({ ...document, tags: tags?.filter(({ name }) => name !== EVENTS_TAG.name) });
}

/**
 * Reads a page and changes its links to the served pages. A link to a page that only the repository contains is
 * replaced by its text.
 */
function withServedLinks(file: string): string {
  const text = readFileSync(new URL(file, root), 'utf8');
  return text.replaceAll(/\[([^[\]]+)\]\(([\w./-]+(?:#[\w-]*)?)\)/g, (_, words: string, target: string) => {
    const { pathname, hash } = new URL(target, `file:///${file}`);
    const path = PAGES.get(pathname.slice(1));
    return path === undefined ? words : `[${words}](${path}${hash})`;
  });
}

/**
 * Registers a route that serves one file of the API page. The file is compressed at the first request, because most
 * gateways never receive one.
 */
function serve(app: Express, { path, type, bytes, cacheControl }: File): void {
  const etag = digest(bytes);
  let compressed: Buffer | undefined;
  onlyGet(app, path, (request, response) => {
    const isCompressed = request.acceptsEncodings('gzip') === 'gzip' && type !== 'image/png';
    const variant = isCompressed ? `"${etag}-gzip"` : `"${etag}"`;
    if (path.startsWith('/docs')) response.setHeader('Content-Security-Policy', CONTENT_SECURITY_POLICY);
    response.setHeader('Cache-Control', cacheControl);
    response.setHeader('ETag', variant);
    response.setHeader('Vary', 'Accept-Encoding');
    if (isKnown(variant, request.headers['if-none-match'])) {
      response.statusCode = 304;
      response.end();
      return;
    }
    const sent = isCompressed ? (compressed ??= gzipSync(bytes)) : bytes;
    if (isCompressed) response.setHeader('Content-Encoding', 'gzip');
    response.setHeader('Content-Type', type);
    response.setHeader('Content-Length', sent.length);
    response.end(sent);
  });
}

function digest(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('base64url').slice(0, 22);
}
