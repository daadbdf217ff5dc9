import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Express } from 'express';
import { onlyGet } from './only-get.js';

/** The page runs its own scripts, talks to this origin and nobody else; its library styles elements directly. */
const CONTENT_SECURITY_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
  "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const PAGE = `<!DOCTYPE html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Invoice control API</title>
    <link rel="icon" type="image/png" href="/docs/favicon-32x32.png">
    <link rel="stylesheet" href="/docs/swagger-ui.css">
  </head>
  <body>
    <div id="api"></div>
    <script src="/docs/swagger-ui-bundle.js"></script>
    <script src="/docs/start.js"></script>
  </body>
</html>
`;

const START = `window.ui = SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#api',
  validatorUrl: null,
  deepLinking: true,
  persistAuthorization: false,
  presets: [SwaggerUIBundle.presets.apis],
});
`;

/** `/openapi.json` and `/docs`: the API page comes from the installed package, nothing is loaded from elsewhere. */
export function apiPage(app: Express, openApi: string): void {
  const require = createRequire(import.meta.url);
  const assets = dirname(require.resolve('swagger-ui-dist/package.json'));
  const files = [
    { path: '/openapi.json', type: 'application/json; charset=utf-8', bytes: Buffer.from(openApi) },
    { path: '/docs', type: 'text/html; charset=utf-8', bytes: Buffer.from(PAGE) },
    { path: '/docs/start.js', type: 'text/javascript; charset=utf-8', bytes: Buffer.from(START) },
    ...[
      { name: 'swagger-ui-bundle.js', type: 'text/javascript; charset=utf-8' },
      { name: 'swagger-ui.css', type: 'text/css; charset=utf-8' },
      { name: 'favicon-32x32.png', type: 'image/png' },
    ].map(({ name, type }) => ({ path: `/docs/${name}`, type, bytes: readFileSync(join(assets, name)) })),
  ];
  for (const { path, type, bytes } of files) {
    onlyGet(app, path, (_request, response) => {
      if (path.startsWith('/docs')) response.setHeader('Content-Security-Policy', CONTENT_SECURITY_POLICY);
      response.setHeader('Content-Type', type);
      response.setHeader('Content-Length', bytes.length);
      response.end(bytes);
    });
  }
}
