// Renders Markdown to HTML, with headings that can be linked, highlighted code and links between the served pages.
import hljs from 'highlight.js/lib/common';
import MarkdownIt from 'markdown-it';

/**
 * A heading of a page of the documentation site, with the words below it.
 * @typedef {{ id: string, level: number, title: string, text: string }} Section
 */

const LANGUAGES = { sh: 'bash', js: 'javascript', ts: 'typescript', py: 'python' };

/**
 * Renders a Markdown document as HTML and lists its sections.
 * @param {string} text the Markdown
 * @param {(target: string) => string | undefined} resolve returns the address of a relative link, or undefined if the
 *   page that it names is not served. Then only the words of the link are shown.
 * @returns {{ html: string, sections: Section[] }}
 */
export function renderMarkdown(text, resolve) {
  const markdown = new MarkdownIt({ html: false, linkify: false, typographer: false });
  const tokens = markdown.parse(text, {});
  const sections = [];
  const idOf = uniqueIds();
  tokens.forEach((token, index) => {
    if (token.type === 'heading_open') {
      const title = plain(tokens[index + 1]);
      const id = idOf(title);
      token.attrSet('id', id);
      sections.push({ id, level: Number(token.tag.slice(1)), title, text: '' });
    } else if (token.type === 'th_open' || token.type === 'td_open') {
      // The content security policy of the documentation site forbids styles in a page.
      const isRight = token.attrGet('style') === 'text-align:right';
      token.attrs = isRight ? [['class', 'right']] : null;
    } else if (token.type === 'inline') {
      relink(token, resolve);
      const section = sections.at(-1);
      if (section !== undefined && tokens[index - 1]?.type !== 'heading_open') section.text += ` ${plain(token)}`;
    }
  });
  const { rules } = markdown.renderer;
  rules.fence = (all, index) => block(all[index].content, all[index].info.trim());
  rules.code_block = (all, index) => block(all[index].content, '');
  rules.table_open = () => '<div class="table" tabindex="0" role="group" aria-label="Table"><table>';
  rules.table_close = () => '</table></div>';
  rules.heading_close = (all, index) => {
    const open = all[index - 2];
    const id = open.attrGet('id');
    return `${open.tag === 'h1' ? '' : headingLink(id)}</${open.tag}>\n`;
  };
  return { html: markdown.renderer.render(tokens, markdown.options, {}), sections };
}

/** Renders one line of Markdown, such as a description in openapi.json. */
export function renderInline(text, resolve) {
  const markdown = new MarkdownIt({ html: false });
  const [token] = markdown.parseInline(text, {});
  relink(token, resolve);
  return markdown.renderer.render([token], markdown.options, {});
}

/** Returns the HTML of the link `#`, which is shown at the end of a heading and leads to this heading. */
export function headingLink(id) {
  return ` <a class="anchor" href="#${id}" aria-label="Link to this section">#</a>`;
}

/** Returns the HTML of a block of code, to which a script of the page adds a copy button. */
export function block(code, language) {
  if (language === 'mermaid') return sequence(code);
  const name = LANGUAGES[language] ?? language;
  const html = hljs.getLanguage(name) ? hljs.highlight(code, { language: name }).value : escapeHtml(code);
  const label = language === '' ? 'Example' : `Example in ${language}`;
  return `<div class="code"><pre tabindex="0" role="group" aria-label="${escapeHtml(label)}"><code>${html}</code></pre></div>\n`;
}

/**
 * Returns a sequence diagram as a list of its messages, which every screen can show. A renderer of diagrams would draw
 * a picture with inline styles, which the policy of the site forbids.
 */
function sequence(code) {
  const [kind, ...lines] = code
    .trim()
    .split('\n')
    .map((line) => line.trim());
  if (kind !== 'sequenceDiagram') throw new Error(`A diagram of the kind ${kind} cannot be shown: only sequences can.`);
  const names = new Map();
  const items = [];
  for (const line of lines) {
    const participant = /^participant (\w+) as (.+)$/.exec(line);
    const message = /^(\w+)-+[>)]+(\w+): (.+)$/.exec(line);
    const note = /^Note over [\w,]+: (.+)$/.exec(line);
    if (participant !== null) names.set(participant[1], participant[2]);
    else if (message !== null) {
      const [from, to] = [message[1], message[2]].map((name) => escapeHtml(names.get(name) ?? name));
      const way = from === to ? from : `${from} <span aria-label="to">→</span> ${to}`;
      items.push(`<li><b>${way}</b>: ${escapeHtml(message[3])}</li>`);
    } else if (note !== null) items.push(`<li>${escapeHtml(note[1])}</li>`);
    else throw new Error(`The line "${line}" of a sequence diagram cannot be shown.`);
  }
  return `<ol class="sequence">${items.join('')}</ol>\n`;
}

/** Changes the links of one Markdown block to the served addresses, and removes links that lead to no served page. */
function relink(inline, resolve) {
  const dropped = [];
  for (const token of inline.children ?? []) {
    if (token.type === 'link_open') {
      const target = resolve(token.attrGet('href') ?? '');
      if (target !== undefined) token.attrSet('href', target);
      dropped.push(target === undefined);
      if (target === undefined) token.hidden = true;
    } else if (token.type === 'link_close' && dropped.pop() === true) token.hidden = true;
    else if (token.type === 'image') token.attrSet('src', served(token.attrGet('src'), resolve));
  }
  inline.children = inline.children?.filter((token) => !(token.hidden && token.type.startsWith('link_'))) ?? null;
}

/** Returns the address of a picture. A page without its picture would mislead, so each picture must be served. */
function served(source, resolve) {
  const address = resolve(source);
  if (address === undefined) throw new Error(`The picture ${source} is not served.`);
  return address;
}

/** Returns the text of a Markdown block without formatting characters. */
function plain(inline) {
  return (inline.children ?? [])
    .map((token) => (token.type === 'softbreak' || token.type === 'hardbreak' ? ' ' : token.content))
    .join('');
}

/** Returns a function that gives each heading of a documentation page the anchor that GitHub gives it. */
export function uniqueIds() {
  const used = new Map();
  return (title) => {
    const slug = title
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-');
    const count = used.get(slug) ?? 0;
    used.set(slug, count + 1);
    return count === 0 ? slug : `${slug}-${count}`;
  };
}

/**
 * Replaces the characters of a text that have a meaning in HTML.
 * @param {string} text
 */
export function escapeHtml(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
