// Runs `npm run check -- regular-expressions`: every regular expression in the repository must match in linear time or
// be listed as an exception with a reason. With a pattern that is not linear, one header or one line of a document
// could block a whole process (ADR 0099). `node tools/check-regular-expressions.mjs --list` prints the exceptions;
// `--root DIR` checks another directory.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { RegExpParser, visitRegExpAST } from '@eslint-community/regexpp';
import { parseSync } from 'oxc-parser';
// This build of the regular expression checker needs no native programs and no Java, which would only make the start
// slower.
import recheck from 'recheck/lib/browser.js';

/**
 * Time limit for the analysis of one regular expression. A pattern is reported if its analysis takes longer. The
 * analysis of each current pattern takes a second or two.
 */
const ANALYSIS_MS_MAX = 30_000;
const UNANALYSED = 'not analysed';
/**
 * If recheck cannot prove that a regular expression is linear, it searches for strings that make the pattern slow. The
 * search is limited by steps, because a time limit would make any pattern suspicious on a busy machine. More than five
 * iterations find no more strings and take three times as long.
 */
const SEARCH = { maxIteration: 5, incubationTimeout: null, attackTimeout: null, seedingTimeout: null };
/**
 * A regular expression whose repetitions all have an upper bound counts as linear when it can match in at most this
 * number of ways at one position.
 */
const WAYS_MAX = 20_000;
const VERDICTS_FILE = '.cache/regular-expressions.json';
/**
 * Version of the check of regular expressions, which is part of each cache key. Raise it when the rules below change.
 */
const RULES = 'recheck 4.5.0, 3';
const EXCEPTIONS_FILE = 'tools/regular-expression-exceptions.json';

const home = fileURLToPath(new URL('..', import.meta.url));
const { values: options } = parseArgs({
  options: { list: { type: 'boolean', default: false }, root: { type: 'string', default: home } },
});
const exceptions = JSON.parse(readFileSync(join(options.root, EXCEPTIONS_FILE), 'utf8'));
if (options.list) printExceptions();
else check();

function printExceptions() {
  console.log('Files whose regular expressions are not checked:');
  for (const { files, reason } of exceptions.files) console.log(`  ${files}\n      ${reason}`);
  console.log('Regular expressions that the check lets pass:');
  for (const { file, pattern, reason } of exceptions.patterns) console.log(`  ${file}: ${pattern}\n      ${reason}`);
}

function check() {
  const unchecked = exceptions.files.map(({ files }) => new RegExp(files, 'u'));
  const files = sourceFiles();
  const found = files.filter((file) => !unchecked.some((pattern) => pattern.test(file))).flatMap(expressionsIn);
  const problems = [];
  const used = new Set();
  const judge = openJudge();
  for (const expression of found) {
    const exception = exceptions.patterns.find(
      ({ file, pattern }) => file === expression.file && pattern === expression.text,
    );
    if (exception !== undefined) used.add(exception);
    else {
      const complaint = judge.complaintAbout(expression);
      if (complaint !== undefined)
        problems.push(`${expression.file}:${expression.line}: ${complaint}: ${expression.text}`);
    }
  }
  judge.close();
  for (const exception of exceptions.patterns) {
    if (!used.has(exception)) {
      problems.push(`${EXCEPTIONS_FILE}: nothing in ${exception.file} is ${exception.pattern}: remove the exception`);
    }
  }
  for (const [index, pattern] of unchecked.entries()) {
    if (!files.some((file) => pattern.test(file))) {
      problems.push(`${EXCEPTIONS_FILE}: no file is called ${exceptions.files[index].files}: remove the exception`);
    }
  }
  for (const problem of problems) console.log(problem);
  console.log(
    `${found.length} regular expressions, ${exceptions.patterns.length} exceptions, ${problems.length} problems`,
  );
  if (problems.length > 0) process.exitCode = 1;
}

function sourceFiles() {
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '.'], {
    cwd: options.root,
    encoding: 'utf8',
  });
  return listed.split('\n').filter((file) => /\.(?:[cm]?js|ts)$/.test(file));
}

/**
 * Returns the regular expression literals of a file and the arguments of RegExp. `pattern` is undefined when the
 * pattern is known only at run time.
 */
function expressionsIn(file) {
  let source;
  try {
    source = readFileSync(join(options.root, file), 'utf8');
  } catch (error) {
    // The checked source file may not exist, because git also lists deleted files whose deletion is not committed yet.
    if (error.code === 'ENOENT') return [];
    throw error;
  }
  const { program } = parseSync(file, source);
  const constants = constantsOf(program);
  const found = [];
  walk(program, (node) => {
    const at = () => ({ file, line: source.slice(0, node.start).split('\n').length });
    if (node.type === 'Literal' && node.regex) {
      found.push({ ...at(), text: source.slice(node.start, node.end), ...node.regex });
    }
    if ((node.type === 'NewExpression' || node.type === 'CallExpression') && node.callee.name === 'RegExp') {
      const [pattern, flags] = node.arguments;
      const text = source.slice(node.start, node.end).replaceAll(/\s+/g, ' ');
      found.push({ ...at(), text, pattern: textOf(pattern, constants), flags: textOf(flags, constants) ?? '' });
    }
  });
  return found;
}

/** Returns the constants at the top level of a source file, by name. */
function constantsOf({ body }) {
  const declarations = body
    .map((statement) => statement.declaration ?? statement)
    .filter(({ type, kind }) => type === 'VariableDeclaration' && kind === 'const')
    .flatMap(({ declarations }) => declarations);
  return new Map(declarations.map(({ id, init }) => [id.name, init]));
}

/** Returns the text of a JavaScript expression if it is known without running the code. */
function textOf(node, constants) {
  switch (node?.type) {
    case 'Literal':
      return typeof node.value === 'string' ? node.value : undefined;
    case 'Identifier':
      return textOf(constants.get(node.name), constants);
    case 'BinaryExpression':
      return joined([textOf(node.left, constants), textOf(node.right, constants)]);
    case 'TemplateLiteral':
      return joined(
        node.quasis.flatMap(({ value }, index) => [
          value.cooked,
          index < node.expressions.length ? textOf(node.expressions[index], constants) : '',
        ]),
      );
    case 'MemberExpression':
      return node.property.name === 'source' ? constants.get(node.object.name)?.regex?.pattern : undefined;
    default:
      return undefined;
  }
}

function joined(texts) {
  return texts.includes(undefined) ? undefined : texts.join('');
}

function walk(node, visit) {
  if (typeof node?.type === 'string') visit(node);
  for (const value of Object.values(node)) if (typeof value === 'object' && value !== null) walk(value, visit);
}

/**
 * Analyzes regular expressions and stores the results, because the analysis of a few hundred patterns takes some
 * seconds.
 */
function openJudge() {
  const file = join(home, VERDICTS_FILE);
  let verdicts = {};
  try {
    verdicts = JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    // The cache does not exist or is incomplete, so every pattern is analyzed.
  }
  const seen = {};
  const verdictOn = (pattern, flags) => {
    const key = `${RULES}: /${pattern}/${flags}`;
    seen[key] ??= verdicts[key] ?? analyse(pattern, flags);
    return seen[key];
  };
  const analyse = (pattern, flags) => {
    const ast = new RegExpParser().parsePattern(pattern, 0, pattern.length, { unicode: /[uv]/.test(flags) });
    if (waysOf(ast) <= WAYS_MAX) return 'linear';
    const { status, complexity, error } = recheck.checkSync(pattern, flags, { timeout: ANALYSIS_MS_MAX, ...SEARCH });
    if (status === 'safe') return 'linear';
    return status === 'unknown' ? `${UNANALYSED} (${error.kind})` : complexity.summary;
  };
  return {
    complaintAbout({ pattern, flags }) {
      if (pattern === undefined) return 'a pattern that is made of something else than constants';
      const verdict = verdictOn(pattern, flags);
      if (verdict !== 'linear') return verdict;
      if (!flags.includes('g')) return undefined;
      // The code searches for all matches of the regular expression, so text that a failed attempt has read is read
      // again by the next attempt.
      const part = droppableParts(pattern, flags).find((raw) => verdictOn(raw, flags) !== 'linear');
      return part === undefined ? undefined : `${verdictOn(part, flags)} when all matches are looked for, by /${part}/`;
    },
    close() {
      mkdirSync(dirname(file), { recursive: true });
      const partial = `${file}.${process.pid}`;
      // An analysis of a regular expression that timed out on a busy machine may succeed the next time, so its result
      // is not stored.
      const kept = Object.entries({ ...verdicts, ...seen }).filter(([, verdict]) => !verdict.startsWith(UNANALYSED));
      writeFileSync(partial, JSON.stringify(Object.fromEntries(kept)));
      renameSync(partial, file);
    },
  };
}

/**
 * Returns the maximum number of ways in which a regular expression matches at one position; Infinity with a repetition
 * that has no upper bound.
 */
function waysOf(node) {
  switch (node.type) {
    case 'Pattern':
    case 'Group':
    case 'CapturingGroup':
      return sum(node.alternatives.map(waysOf));
    case 'Assertion':
      return node.kind === 'lookahead' || node.kind === 'lookbehind' ? 1 + sum(node.alternatives.map(waysOf)) : 1;
    case 'Alternative':
      return node.elements.map(waysOf).reduce((product, ways) => product * ways, 1);
    case 'Quantifier': {
      if (node.max === Infinity) return Infinity;
      const each = waysOf(node.element);
      let all = 0;
      for (let count = node.min; count <= node.max && all <= WAYS_MAX; count += 1) all += Math.max(1, each ** count);
      return all;
    }
    default:
      return 1;
  }
}

function sum(values) {
  return values.reduce((total, value) => total + value, 0);
}

/**
 * Returns the parts of a regular expression without which it can match: alternatives, and what a quantifier makes
 * optional.
 */
function droppableParts(pattern, flags) {
  const parts = new Set();
  const ast = new RegExpParser().parsePattern(pattern, 0, pattern.length, { unicode: /[uv]/.test(flags) });
  const add = ({ raw }) => {
    if (raw !== pattern && !/\\[1-9k]/.test(raw)) parts.add(raw);
  };
  visitRegExpAST(ast, {
    onQuantifierEnter: ({ element, min, max }) => {
      if (element.type.endsWith('Group') && (min === 0 || max > min)) element.alternatives.forEach(add);
    },
    onPatternEnter: ({ alternatives }) => {
      if (alternatives.length > 1) alternatives.forEach(add);
    },
    onGroupEnter: ({ alternatives }) => {
      if (alternatives.length > 1) alternatives.forEach(add);
    },
    onCapturingGroupEnter: ({ alternatives }) => {
      if (alternatives.length > 1) alternatives.forEach(add);
    },
  });
  return [...parts];
}
