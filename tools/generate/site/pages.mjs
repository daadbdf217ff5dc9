// The pages of the documentation site, in the order of its menu. A page is written in Markdown somewhere in the
// repository, or made from openapi.json. `path` is its address, and `file` its Markdown, which is also served under the
// address with `.md` appended.
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/**
 * A page of the documentation site.
 * @typedef {{ path: string, title: string, file?: string, kind?: 'api' | 'events' | 'receivers' }} Page
 */

/**
 * Sections of the menu of the documentation site, with their pages.
 * @type {{ title: string, pages: Page[] }[]}
 */
export const sections = [
  {
    title: 'Start',
    pages: [
      { path: '/docs', title: 'Overview', file: 'docs/overview.md' },
      { path: '/docs/guides/first-integration', title: 'First integration', file: 'docs/guides/first-integration.md' },
      { path: '/docs/concepts', title: 'Concepts', file: 'docs/concepts.md' },
    ],
  },
  {
    title: 'Guides',
    pages: [
      guide('trying-with-test-keys', 'Trying with test keys'),
      guide('uploading-documents', 'Uploading documents'),
      guide('scanning-history', 'Scanning history'),
      guide('checking-a-payment-run', 'Checking a payment run'),
      guide('using-the-app', 'Using the app'),
      guide('receiving-webhooks', 'Receiving webhooks'),
      { path: '/docs/guides/receivers', title: 'Receivers in five languages', kind: 'receivers' },
      guide('reviewing-findings', 'Reviewing findings'),
      guide('verifying-accounts', 'Verifying accounts'),
      guide('connecting-an-erp', 'Connecting an ERP'),
      guide('submitting-to-ksef', 'Submitting to KSeF'),
      guide('receiving-from-ksef', 'Receiving from KSeF'),
      guide('buying-a-plan', 'Buying a plan'),
      guide('taking-your-data', 'Taking your data'),
    ],
  },
  {
    title: 'Programs',
    pages: [
      { path: '/docs/client', title: 'TypeScript client', file: 'packages/client/README.md' },
      { path: '/docs/python', title: 'Python client', file: 'clients/python/README.md' },
      guide('generating-clients', 'Generating clients'),
      { path: '/docs/cli', title: 'Command line', file: 'packages/cli/README.md' },
    ],
  },
  {
    title: 'Reference',
    pages: [
      { path: '/docs/api', title: 'API', kind: 'api' },
      { path: '/docs/events', title: 'Events', kind: 'events' },
      { path: '/docs/errors', title: 'Errors', file: 'docs/errors.md' },
      { path: '/docs/findings', title: 'Findings', file: 'docs/findings.md' },
      { path: '/docs/reference/detection', title: 'Detection rules', file: 'docs/reference/detection.md' },
      { path: '/docs/how-well-it-works', title: 'How well it works', file: 'docs/how-well-it-works.md' },
      { path: '/docs/specification', title: 'Specification', file: 'docs/specification.md' },
    ],
  },
  {
    title: 'Changes',
    pages: [
      { path: '/docs/changelog', title: 'Changelog', file: 'docs/changelog.md' },
      { path: '/docs/versioning', title: 'Versioning policy', file: 'docs/versioning.md' },
    ],
  },
];

/** Files of the documentation site that are served unchanged, beside the pages. */
export const downloads = [
  {
    path: '/docs/postman-collection.json',
    file: 'packages/client/postman-collection.json',
    type: 'application/json; charset=utf-8',
  },
];

const PICTURES = 'guides/pictures';

/** The pictures that the guides show. */
export const pictures = readdirSync(fileURLToPath(new URL(`../../../docs/${PICTURES}`, import.meta.url))).map(
  (name) => ({
    path: `/docs/${PICTURES}/${name}`,
    file: `docs/${PICTURES}/${name}`,
    type: 'image/webp',
  }),
);

export const receivers = ['receiver.ts', 'receiver.py', 'receiver.go', 'receiver.php', 'Receiver.java'].map((name) => ({
  id: name.toLowerCase().replace('.', ''),
  name,
  file: `docs/guides/receivers/${name}`,
  path: `/docs/guides/receivers/${name}`,
}));

function guide(name, title) {
  return { path: `/docs/guides/${name}`, title, file: `docs/guides/${name}.md` };
}
