// Runs `npm run check -- words`: comments must begin as sentences, and texts must avoid words that readers would have
// to look up (CONTRIBUTING.md). `node tools/check-words.mjs packages/engine` checks one directory, `--root DIR` checks
// another repository.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { parseSync } from 'oxc-parser';

/** Beginnings of comments that are noun clauses or fragments, so that readers have to guess their subjects. */
const FRAGMENTS = [
  /^(?:What|Whatever|Whether|How|Of|Who|Whom|Whose|Whoever|Where|Wherever|Which|Whichever|Why)\b/,
  /^(?:As|At|By|For|From|In|Of|On|Since|To|Under|Until|With|Without|Within) (?:what|whom|which|whose|how|when|where|who)\b/i,
  /^(?:Absent|Empty|False|Null|True|Undefined|\d+): /,
  /^(?:After|At|Before|By|For|From|In|On|Since|To|Under|Until|With|Without|Within)(?: [^\s.:;,]+){1,4}[.;](?:\s|$)/,
  // A sentence such as `When two arrive at once, one wins.` has a main clause after the comma; `When the key was
  // created.` has none.
  /^(?:As|When)\b[^,]*?(?:[.:;](?:\s|$)|$)/,
];
const SENTENCE = 'begin with a sentence ("Tells whether ...", "True when ...", "Time when ...", "Limits on ...")';

/** Unusual or translated words, each with its replacement. A phrase may be broken over two lines of a comment. */
const WORDS = [
  [/\banew\b/gi, 'again'],
  [/\bmeanwhile\b/gi, 'in the meantime, or "while ..."'],
  // SELDOM in capital letters is accepted, because it is the name of a relation in the evidence of a finding.
  [/(?<!-)\b[Ss]eldom\b/g, 'rarely'],
  [/\bof\W+old\b(?!\s+\w)/gi, 'old, or name the time'],
  [/\bwhoever\b/gi, 'a caller who, the caller, or anyone who'],
  [/\bis\W+there\W+already\b/gi, 'already exists'],
  [/\ba\W+person\W+has\W+to\b/gi, 'someone must, or requires a review'],
];

/**
 * Files in which words are not checked. Decision records, the specification and most references stay as they were
 * agreed. proto/google and proto/grpc are copies. The other files quote wrong wording.
 */
const UNCHECKED =
  /^docs\/(?:adr\/|specification|reference\/(?!erp-answers|ksef-answers|metrics|changed-documents))|^proto\/g|\/fixtures\/|^tools\/check-words|^tests\/architecture\/words/;

const home = fileURLToPath(new URL('..', import.meta.url));
const { values: options, positionals } = parseArgs({
  options: { root: { type: 'string', default: home } },
  allowPositionals: true,
});
process.chdir(options.root);
const faults = sourceFiles(positionals.length > 0 ? positionals : ['.']).flatMap(faultsIn);
for (const fault of faults) console.log(fault);
process.exitCode = faults.length > 0 ? 1 : 0;

function sourceFiles(directories) {
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', ...directories]);
  return listed
    .toString()
    .split('\n')
    .filter((file) => /\.(?:ts|mjs|proto|ya?ml|md)$/.test(file) && existsSync(file))
    .filter((file) => !UNCHECKED.test(file));
}

function faultsIn(file) {
  const source = readFileSync(file, 'utf8');
  const lineAt = (offset) => source.slice(0, offset).split('\n').length;
  const fragments = commentsIn(file, source)
    .filter(({ text }) => FRAGMENTS.some((pattern) => pattern.test(text)))
    .map(({ text, start }) => `${file}:${lineAt(start)}: "${text.slice(0, 40)}": ${SENTENCE}`);
  const words = WORDS.flatMap(([word, better]) =>
    [...source.matchAll(word)].map(({ 0: found, index }) => {
      const text = found.replaceAll(/\W+/g, ' ');
      return `${file}:${lineAt(index)}: "${text}": write ${better}`;
    }),
  );
  return [...fragments, ...words];
}

/** Returns the comments with the offset of their start. Comments on consecutive lines count as one comment. */
function commentsIn(file, source) {
  const lines = /\.(?:ts|mjs)$/.test(file) ? parseSync(file, source).comments : markedLines(file, source);
  const comments = [];
  let previous;
  for (const { type, value, start, end } of lines) {
    const goesOn =
      previous?.type === 'Line' && previous.isAlone && /^\n[ \t]*$/.test(source.slice(previous.end, start));
    const text = value
      .replace(/^\*/, '')
      .replaceAll(/\s*\n\s*\*? ?/g, ' ')
      .trim();
    if (type === 'Line' && goesOn) comments.at(-1).text += ` ${text}`;
    else comments.push({ text, start });
    const lineStart = source.lastIndexOf('\n', start - 1) + 1;
    previous = { type, end, isAlone: source.slice(lineStart, start).trim() === '' };
  }
  return comments;
}

/**
 * Returns the comments of files that are not parsed as code. Such a comment begins a line or follows code on the same
 * line.
 */
function markedLines(file, source) {
  if (file.endsWith('.md')) return [];
  const marked = file.endsWith('.proto') ? /(?<=^|[;{,]) *\/\/(.*)$/gm : /(?<=^|\s)#(.*)$/gm;
  return [...source.matchAll(marked)].map(({ 0: whole, 1: value, index }) => {
    const end = index + whole.length;
    return { type: 'Line', value, start: end - whole.trimStart().length, end };
  });
}
