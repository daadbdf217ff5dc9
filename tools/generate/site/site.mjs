// Writes the documentation site to services/gateway/gen/site, from where the gateway serves it: HTML pages from the
// Markdown of this repository and from openapi.json, with their styles, scripts and search index, all compressed.
// tools/setup.mjs runs this program when an input changed, and the container image contains its result.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import MiniSearch from 'minisearch';
import { layout } from './layout.mjs';
import { block, escapeHtml, headingLink, renderMarkdown } from './markdown.mjs';
import { downloads, pictures, receivers, sections } from './pages.mjs';
import { EVENTS_TAG, referencePages } from './reference.mjs';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const output = join(root, 'services/gateway/gen/site');
const require = createRequire(import.meta.url);
const HTML = 'text/html; charset=utf-8';
const SCRIPT = 'text/javascript; charset=utf-8';
const STYLE = 'text/css; charset=utf-8';
const JSON_TYPE = 'application/json; charset=utf-8';

const listed = sections.flatMap(({ pages }) => pages);
/** Addresses of the served documents by their path in the repository. */
const addresses = new Map([
  ...listed.filter(({ file }) => file !== undefined).map(({ file, path }) => [file, path]),
  ...[...downloads, ...pictures].map(({ file, path }) => [file, path]),
  ...receivers.map(({ file, id }) => [file, `/docs/guides/receivers#${id}`]),
  ['docs/events.md', '/docs/events'],
]);

const api = JSON.parse(readFileSync(join(root, 'services/gateway/openapi.json'), 'utf8'));
// The introduction of openapi.json links the addresses with `.md`, which readers of the description can open.
const reference = referencePages(api, (target) => {
  const [path, anchor] = target.split('#');
  const page = path.endsWith('.md') ? path.slice(0, -'.md'.length) : path;
  return anchor === undefined ? page : `${page}#${anchor}`;
});
const pages = listed.flatMap((page) => {
  if (page.kind === 'api') return reference.pages.filter(({ path }) => path.startsWith('/docs/api'));
  if (page.kind === 'events') return reference.pages.filter(({ path }) => path === page.path);
  if (page.kind === 'receivers') return [receiversPage(page)];
  return [markdownPage(page)];
});

const menu = sections.map(({ title, pages: entries }) => ({
  title,
  pages: entries.map(({ path, title: name, kind }) => ({
    path,
    title: name,
    ...(kind === 'api' ? { children: reference.children } : {}),
  })),
}));

const here = (name) => readFileSync(new URL(`assets/${name}`, import.meta.url));
const swagger = (name) => readFileSync(join(dirname(require.resolve('swagger-ui-dist/package.json')), name));
const assets = [
  { name: 'site.css', type: STYLE, bytes: here('site.css') },
  { name: 'theme.js', type: SCRIPT, bytes: here('theme.js') },
  { name: 'site.js', type: SCRIPT, bytes: here('site.js') },
  { name: 'console.js', type: SCRIPT, bytes: here('console.js') },
  { name: 'icon.svg', type: 'image/svg+xml', bytes: here('icon.svg') },
  { name: 'minisearch.js', type: SCRIPT, bytes: readFileSync(fileURLToPath(import.meta.resolve('minisearch'))) },
  { name: 'search-index.json', type: JSON_TYPE, bytes: Buffer.from(JSON.stringify(searchIndex(pages))) },
  { name: 'swagger-ui-bundle.js', type: SCRIPT, bytes: swagger('swagger-ui-bundle.js') },
  { name: 'swagger-ui.css', type: STYLE, bytes: swagger('swagger-ui.css') },
].map((asset) => ({ ...asset, path: `/docs/${digest(asset.bytes)}/${asset.name}`, isImmutable: true }));
const assetPath = (name) => {
  const asset = assets.find((candidate) => candidate.name === name);
  if (asset === undefined) throw new Error(`The site has no file ${name}.`);
  return asset.path;
};

write([
  ...assets,
  ...pages.map((page) => ({
    path: page.path,
    type: HTML,
    bytes: Buffer.from(layout(page, { menu, assets: assetPath })),
  })),
  { path: '/docs/console', type: HTML, bytes: Buffer.from(consolePage()) },
  ...listed
    .filter(({ file }) => file !== undefined)
    .map(({ path, file }) => ({
      path: sourceOf(path),
      type: 'text/markdown; charset=utf-8',
      bytes: Buffer.from(withServedLinks(file)),
      page: path,
    })),
  ...[...downloads, ...pictures].map(({ path, file, type }) => ({ path, type, bytes: readFileSync(join(root, file)) })),
  { path: '/openapi-without-webhooks.json', type: JSON_TYPE, bytes: Buffer.from(JSON.stringify(withoutWebhooks(api))) },
  ...receivers.map(({ path, file }) => ({
    path,
    type: 'text/plain; charset=utf-8',
    bytes: readFileSync(join(root, file)),
  })),
]);

function markdownPage({ path, title, file }) {
  const { html, sections: found } = renderMarkdown(readFileSync(join(root, file), 'utf8'), (target) =>
    resolveLink(file, target),
  );
  return { path, title, html, sections: found, source: sourceOf(path) };
}

/** Returns the address under which the Markdown of a documentation page is served. */
function sourceOf(path) {
  return path === '/docs' ? '/docs/overview.md' : `${path}.md`;
}

function receiversPage({ path, title }) {
  const found = receivers.map(({ id, name, file, path: raw }) => ({
    id,
    name,
    raw,
    code: readFileSync(join(root, file), 'utf8'),
  }));
  const html = [
    `<h1 id="receivers">${escapeHtml(title)}</h1>`,
    '<p>Each file is a whole receiver: it verifies the signature and the time of a webhook, recognizes repeated events and answers in time. <a href="/docs/guides/receiving-webhooks">Receiving webhooks</a> says how to start it.</p>',
    ...found.map(
      ({ id, name, raw, code }) =>
        `<h2 id="${id}">${name}${headingLink(id)}</h2><p><a href="${raw}">The file alone</a></p>${block(code, name.split('.')[1])}`,
    ),
  ].join('\n');
  const headings = found.map(({ id, name, code }) => ({ id, level: 2, title: name, text: code.slice(0, 400) }));
  return { path, title, html, sections: [{ id: 'receivers', level: 1, title, text: '' }, ...headings] };
}

/**
 * Returns the address on the documentation site of a link in a file of the repository, or undefined if its target is
 * not served.
 */
function resolveLink(file, target) {
  if (/^(?:[a-z]+:|#)/.test(target)) return target;
  const { pathname, hash } = new URL(target, `file:///${file}`);
  const address = addresses.get(pathname.slice(1));
  return address === undefined ? undefined : address.includes('#') ? address : `${address}${hash}`;
}

/**
 * Returns the Markdown of a documentation page with links to the served Markdown. A link to a file that is not served
 * is replaced by its text.
 */
function withServedLinks(file) {
  const text = readFileSync(join(root, file), 'utf8');
  return text.replaceAll(/\[([^[\]]+)\]\(([\w./-]+(?:#[\w-]*)?)\)/g, (_, words, target) => {
    const { pathname, hash } = new URL(target, `file:///${file}`);
    const name = pathname.slice(1);
    const receiver = receivers.find((candidate) => candidate.file === name);
    if (receiver !== undefined) return `[${words}](${receiver.path})`;
    const address = addresses.get(name);
    if (address === undefined) return words;
    return listed.some((page) => page.file === name)
      ? `[${words}](${sourceOf(address)}${hash})`
      : `[${words}](${address})`;
  });
}

/** Returns the search index of all documentation sections, which the script of the site searches in the browser. */
function searchIndex(all) {
  const index = new MiniSearch({ idField: 'id', fields: ['title', 'text'], storeFields: ['title', 'page'] });
  const seen = new Set();
  for (const { path, title: page, sections: found } of all) {
    for (const { id, level, title, text } of found) {
      const address = level === 1 ? path : `${path}#${id}`;
      if (seen.has(address)) throw new Error(`Two sections have the address ${address}.`);
      seen.add(address);
      index.add({ id: address, title, page, text });
    }
  }
  return index;
}

/**
 * Returns the API description without the webhook requests to receivers, from which some generators make code that does
 * not compile. The schemas of the events stay.
 */
function withoutWebhooks({ webhooks: _, tags, ...document }) {
  return { ...document, tags: tags.filter(({ name }) => name !== EVENTS_TAG) };
}

function consolePage() {
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Console · Invoice control</title>
<link rel="icon" type="image/svg+xml" href="${assetPath('icon.svg')}">
<link rel="stylesheet" href="${assetPath('swagger-ui.css')}">
</head>
<body>
<p><a href="/docs/api">Back to the reference</a></p>
<div id="api"></div>
<script src="${assetPath('swagger-ui-bundle.js')}"></script>
<script src="${assetPath('console.js')}"></script>
</body>
</html>
`;
}

/** Writes the compressed files of the documentation site, and the index that the gateway reads first. */
function write(files) {
  const paths = new Set();
  rmSync(output, { recursive: true, force: true });
  mkdirSync(output, { recursive: true });
  const entries = files.map(({ path, type, bytes, isImmutable = false, page }) => {
    if (paths.has(path)) throw new Error(`Two files have the address ${path}.`);
    paths.add(path);
    const etag = digest(bytes);
    writeFileSync(join(output, `${etag}.gz`), gzipSync(bytes, { level: 9 }));
    return { path, type, etag, isImmutable, ...(page === undefined ? {} : { page }) };
  });
  writeFileSync(join(output, 'index.json'), JSON.stringify(entries, null, 1));
}

function digest(bytes) {
  return createHash('sha256').update(bytes).digest('base64url').slice(0, 22);
}
