// Checks the documents as part of `npm test`. Every relative link must lead to a file, and to a heading if it names
// one. Every section that a comment or a document cites must exist, such as "detection reference, section 5" or
// "specification 2.2", and so must the paths and npm scripts that documents name. Every decision record must have a
// status and be listed in docs/adr/README.md.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
process.chdir(root);

/** Names under which comments and documents cite the reference pages. */
const cited = {
  specification: 'docs/specification.md',
  architecture: 'docs/architecture.md',
  'HTTP and security reference': 'docs/reference/http-and-security.md',
  'detection reference': 'docs/reference/detection.md',
  'currencies reference': 'docs/reference/currencies.md',
  'billing reference': 'docs/reference/billing.md',
  'KSeF reference': 'docs/reference/ksef.md',
  'stack reference': 'docs/reference/stack.md',
  'webhooks-and-events': 'docs/reference/webhooks-and-events.md',
};
const number = '\\d+(?:\\.\\d+)*';
const citation = new RegExp(
  `\\b(${Object.keys(cited).join('|')})(?:\\)|\\]\\([^)]*\\))?,? (?:sections? )?(${number}(?:(?:, | and | to )${number})*)`,
  'gi',
);

const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { encoding: 'utf8' });
const files = listed
  .split('\n')
  .filter((path) => /\.(md|ts|mjs|proto|ya?ml)$|Dockerfile$/.test(path) && existsSync(path));
const headings = new Map();
const faults = [];
for (const path of files) {
  const text = readFileSync(path, 'utf8');
  if (path.endsWith('.md')) {
    checkLinks(path, withoutCode(text));
    checkPaths(path, withoutCode(text));
    checkScripts(path, text);
    checkDecision(path, text);
  }
  checkCitations(path, text);
}
for (const fault of faults) console.error(fault);
process.exitCode = faults.length > 0 ? 1 : 0;

function checkLinks(path, text) {
  for (const [, target] of text.matchAll(/\]\(([^)\s]+)\)/g)) {
    if (/^[a-z]+:/.test(target)) continue;
    const [file, anchor] = target.split('#');
    const aim = file === '' ? path : relative('.', join(dirname(path), file));
    if (!existsSync(aim)) faults.push(`${path}: the link ${target} has no target`);
    else if (anchor !== undefined && !headingsOf(aim).some((heading) => slug(heading) === anchor)) {
      faults.push(`${path}: ${aim} has no heading #${anchor}`);
    }
  }
}

/**
 * Checks a path that a document names in code marks, from the root of the repository. Placeholders and patterns are
 * ignored, and so are build results, which a clone does not contain.
 */
function checkPaths(path, text) {
  if (isHistory(path)) return;
  for (const [, named] of text.matchAll(/`((?:docs|k8s|packages|proto|services|simulators|tests|tools)\/[\w./-]+)`/g)) {
    // `tally` is the example service in the guide that explains how to add a service.
    if (/\/(?:dist|gen|node_modules|tally.*)(?:\/|$)/.test(named)) continue;
    if (!existsSync(named) && !existsSync(`${named}.ts`) && !isEntry(named))
      faults.push(`${path}: there is no ${named}`);
  }
}

/**
 * Checks whether a path that a document names is an entry point of a package, such as `packages/runtime/mongo/audit`.
 */
function isEntry(named) {
  const [root, name, ...rest] = named.split('/');
  return (
    existsSync(`${[root, name, 'src', ...rest].join('/')}.ts`) || existsSync([root, name, 'src', ...rest].join('/'))
  );
}

function checkScripts(path, text) {
  if (isHistory(path)) return;
  for (const [, name, workspace] of text.matchAll(/npm run (?:--silent )?([\w:-]+)(?: -w ([\w/-]+))?/g)) {
    const { scripts = {} } = JSON.parse(readFileSync(join(workspace ?? '.', 'package.json'), 'utf8'));
    if (scripts[name] === undefined) faults.push(`${path}: there is no npm script ${name}`);
  }
}

/** Decision records are not checked for existing paths, because they describe the state at the time of the decision. */
function isHistory(path) {
  return path.startsWith('docs/adr/');
}

function checkDecision(path, text) {
  const [, file, id] = /^docs\/adr\/((\d{4})-.*)$/.exec(path) ?? [];
  if (id === undefined) return;
  const [, title, status] = /^# \d{4}\. (.+)\n\nStatus: (.+)\n/.exec(text) ?? [];
  if (title === undefined || !text.startsWith(`# ${id}. `)) {
    faults.push(`${path}: it begins with "# ${id}. Title" and a line "Status: ..."`);
  } else if (!/^(?:proposed|accepted|superseded by \[ADR \d{4}\]\(.+\))(?:\. .+\.)?$/.test(status)) {
    faults.push(`${path}: the status is proposed, accepted or superseded by [ADR ...](...)`);
  } else if (!readFileSync('docs/adr/README.md', 'utf8').includes(`- [${id}](${file}) ${title}\n`)) {
    faults.push(`${path}: docs/adr/README.md does not list it under its title`);
  }
}

/** Checks the citations of document sections in a text. A citation may be broken over two lines of a comment. */
function checkCitations(path, text) {
  const joined = text.replaceAll(/\n\s*(?:\*|\/\/|#)? */g, ' ');
  for (const [whole, name, numbers] of joined.matchAll(citation)) {
    const page = cited[Object.keys(cited).find((known) => known.toLowerCase() === name.toLowerCase())];
    for (const section of numbers.split(/, | and | to /)) {
      if (!hasSection(page, section)) faults.push(`${path}: "${whole}": ${page} has no section ${section}`);
    }
  }
}

/** Checks whether a document has a section: `5`, `7.1`, or a numbered rule such as `0.3`. */
function hasSection(page, section) {
  const isHeading = (wanted) =>
    headingsOf(page).some((heading) => heading.startsWith(`${wanted} `) || heading.startsWith(`${wanted}. `));
  if (isHeading(section)) return true;
  const [, parent, rule] = /^(.*)\.(\d+)$/.exec(section) ?? [];
  return parent !== undefined && isHeading(parent) && new RegExp(`^${rule}\\. `, 'm').test(readFileSync(page, 'utf8'));
}

function headingsOf(path) {
  if (!headings.has(path)) {
    const text = withoutCode(readFileSync(path, 'utf8'));
    headings.set(
      path,
      [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading]) => heading),
    );
  }
  return headings.get(path);
}

function withoutCode(text) {
  return text.replaceAll(/^```[\s\S]*?^```/gm, '');
}

/** Returns the anchor that GitHub gives a heading. */
function slug(heading) {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}
