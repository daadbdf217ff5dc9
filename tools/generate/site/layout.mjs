// Builds the frame of every page of the documentation site: header with search, menu, contents and the links to the
// previous and the next page.
import { escapeHtml } from './markdown.mjs';

/**
 * Returns a documentation page as complete HTML, with the menu of the site and the contents of the page.
 * @param {{ path: string, title: string, html: string, sections: import('./markdown.mjs').Section[], source?: string }} page
 * @param {{ menu: { title: string, pages: { path: string, title: string, children?: { path: string, title: string }[] }[] }[], assets: (name: string) => string }} site
 */
export function layout(page, { menu, assets }) {
  const flat = menu.flatMap(({ pages }) => pages.flatMap((entry) => [entry, ...(entry.children ?? [])]));
  const at = flat.findIndex(({ path }) => path === page.path);
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(page.title)} · Invoice control</title>
<link rel="icon" type="image/svg+xml" href="${assets('icon.svg')}">
<link rel="stylesheet" href="${assets('site.css')}">
<script src="${assets('theme.js')}"></script>
<script type="module" src="${assets('site.js')}" data-search="${assets('minisearch.js')}" data-index="${assets('search-index.json')}"></script>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header>
<a class="home" href="/docs">Invoice control</a>
<search hidden><input type="search" id="search" placeholder="Search" aria-label="Search the documentation" autocomplete="off" spellcheck="false" aria-controls="results"><div id="results" role="region" aria-label="Search results" aria-live="polite" hidden></div></search>
<button type="button" id="theme" hidden>Dark</button>
<a class="to-menu" href="#menu">Menu</a>
</header>
<div class="frame">
<main id="content" tabindex="-1">
${page.html}
<footer>
${neighbour(flat[at - 1], 'Previous')}${neighbour(flat[at + 1], 'Next')}${
    page.source === undefined ? '' : `<a href="${page.source}" type="text/markdown">Markdown</a>`
  }
</footer>
</main>
${contents(page.sections)}
<nav id="menu" aria-label="Pages">
${menu.map((section) => menuSection(section, page.path)).join('\n')}
</nav>
</div>
</body>
</html>
`;
}

function neighbour(entry, label) {
  return entry === undefined ? '' : `<a href="${entry.path}">${label}: ${escapeHtml(entry.title)}</a>`;
}

function contents(sections) {
  const shown = sections.filter(({ level }) => level === 2);
  if (shown.length < 2) return '';
  const items = shown.map(({ id, title }) => `<li><a href="#${id}">${escapeHtml(title)}</a></li>`).join('');
  return `<nav class="contents" aria-label="On this page"><h2>On this page</h2><ul>${items}</ul></nav>`;
}

function menuSection({ title, pages }, current) {
  return `<h2>${escapeHtml(title)}</h2><ul>${pages.map((entry) => menuEntry(entry, current)).join('')}</ul>`;
}

function menuEntry({ path, title, children = [] }, current) {
  const isOpen = path === current || children.some((child) => child.path === current);
  const below =
    isOpen && children.length > 0 ? `<ul>${children.map((child) => menuEntry(child, current)).join('')}</ul>` : '';
  const mark = path === current ? ' aria-current="page"' : '';
  return `<li><a href="${path}"${mark}>${escapeHtml(title)}</a>${below}</li>`;
}
