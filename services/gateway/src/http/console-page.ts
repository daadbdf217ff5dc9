import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Express, Request, Response } from 'express';
import { onlyGet } from './response/only-get.js';
import { HttpRefusal } from './response/refusal.js';

/** Folder that contains the built web application. */
export const BUILT_CONSOLE = fileURLToPath(new URL('../../../../console/dist/app', import.meta.url));

/** Path of the web application. All other paths below `/app` are pages, which the application itself shows. */
const PATH = '/app';
/** Folder that contains those files of the web application whose names change with their contents. */
const ASSETS = 'assets';

/**
 * Content security policy of the web application. It allows the files of the application and calls to this origin. It
 * forbids inline code, everything from other origins, and text that is executed as a script.
 */
const CONTENT_SECURITY_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; font-src 'self'; " +
  "connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; " +
  "require-trusted-types-for 'script'; trusted-types 'none'";

const HEADERS: Readonly<Record<string, string>> = {
  'Content-Security-Policy': CONTENT_SECURITY_POLICY,
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), microphone=(), geolocation=(), payment=()',
  Vary: 'Accept-Encoding',
};

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** A file of the web application, with the compressed form that the build created. */
interface File {
  readonly type: string;
  readonly bytes: Buffer;
  readonly compressed: Buffer | undefined;
}

/**
 * Serves the web application from memory. Files with hashed names are cached forever, and the page itself is requested
 * again each time, so that the browser shows a new release at the next load.
 */
export function consolePage(app: Express, folder: string): void {
  const files = readFiles(folder);
  const page = files.get('index.html');
  const answer = (request: Request, response: Response): void => {
    if (page === undefined) {
      throw new HttpRefusal(
        404,
        'The web application is not built. Run `npm run build` in the repository, or set CONSOLE=off.',
        {},
        'NOT_FOUND',
      );
    }
    const name = request.path.slice(PATH.length + 1);
    const isAsset = name.startsWith(`${ASSETS}/`);
    const file = isAsset ? files.get(name) : page;
    if (file === undefined) {
      throw new HttpRefusal(404, 'This file of the web application does not exist. Reload the page.', {}, 'NOT_FOUND');
    }
    send(request, response, file, isAsset ? 'public, max-age=31536000, immutable' : 'no-cache');
  };
  onlyGet(app, PATH, answer);
  onlyGet(app, `${PATH}/*page`, answer);
  onlyGet(app, `${PATH}/`, answer);
}

function send(request: Request, response: Response, file: File, cacheControl: string): void {
  const { type, bytes, compressed } = file;
  const isCompressed = compressed !== undefined && request.acceptsEncodings('br') === 'br';
  const sent = isCompressed ? compressed : bytes;
  for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value);
  response.setHeader('Cache-Control', cacheControl);
  response.setHeader('Content-Type', type);
  response.setHeader('Content-Length', sent.length);
  if (isCompressed) response.setHeader('Content-Encoding', 'br');
  response.end(sent);
}

/**
 * Reads the built files of the web application by their paths. If the application was not built, the result is empty.
 */
function readFiles(folder: string): ReadonlyMap<string, File> {
  if (!existsSync(join(folder, 'index.html'))) return new Map();
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const read = (name: string): Buffer | undefined =>
    names.includes(name) ? readFileSync(join(folder, name)) : undefined;
  return new Map(
    names.flatMap((name) => {
      const type = TYPES[extname(name)];
      const bytes = type === undefined ? undefined : read(name);
      if (type === undefined || bytes === undefined) return [];
      return [[name.split(sep).join('/'), { type, bytes, compressed: read(`${name}.br`) }] as const];
    }),
  );
}
