import { fail } from './errors.js';
import { assign, hasOperators, isDoc, isSet, kindOf, show, type Doc } from './values.js';

/** The rule of one field; a branch has rules for the fields below. */
type Rule = 'include' | 'exclude' | Branch;
type Branch = Map<string, Rule>;

type Project = (doc: Doc) => Doc;

/**
 * The projection of `find` and `findAndModify`: fields in or out. `undefined` for an empty one: the document is sent as
 * stored.
 */
export function compileProjection(spec: Doc): Project | undefined {
  if (Object.keys(spec).length === 0) return undefined;
  const root: Branch = new Map();
  for (const [path, value] of Object.entries(spec)) addRules(root, path, value);
  const keepsOthers = !isInclusion(root);
  if (!keepsOthers && !root.has('_id')) root.set('_id', 'include');
  return (doc) => projectDoc(doc, root, keepsOthers);
}

function addRules(root: Branch, path: string, value: unknown): void {
  if (isDoc(value) && Object.keys(value).length > 0 && !hasOperators(value)) {
    for (const [key, inner] of Object.entries(value)) addRules(root, `${path}.${key}`, inner);
    return;
  }
  const parts = path.split('.');
  if (parts.some((part) => part === '' || part.startsWith('$'))) {
    fail('FailedToParse', `The projected path '${path}' is not supported: it has an empty or a $ part`);
  }
  let branch = root;
  const last = parts.pop() ?? '';
  for (const part of parts) {
    const next = branch.get(part) ?? new Map<string, Rule>();
    if (typeof next === 'string') fail('Location31249', `Path collision at ${path}`);
    branch.set(part, next);
    branch = next;
  }
  if (branch.has(last)) fail('Location31249', `Path collision at ${path}`);
  branch.set(last, ruleOf(value));
}

function ruleOf(value: unknown): Rule {
  if (!['bool', 'number', 'long'].includes(kindOf(value))) {
    fail('BadValue', `A projection takes 1 or 0, not ${show(value)}: computed fields are not supported`);
  }
  return isSet(value) && Number(value) !== 0 ? 'include' : 'exclude';
}

/** `_id` may be left out of an inclusion; otherwise inclusion and exclusion do not mix. */
function isInclusion(root: Branch): boolean {
  const kinds = new Set<Rule>();
  const collect = (branch: Branch): void => {
    for (const [key, rule] of branch) {
      if (typeof rule !== 'string') collect(rule);
      else if (branch !== root || key !== '_id' || root.size === 1) kinds.add(rule);
    }
  };
  collect(root);
  if (kinds.size > 1) {
    // The first field decides the kind of the projection.
    if ([...kinds][0] === 'exclude') fail('Location31253', 'Cannot do inclusion in exclusion projection');
    fail('Location31254', 'Cannot do exclusion in inclusion projection');
  }
  return kinds.has('include');
}

function projectDoc(doc: Doc, branch: Branch, keepsOthers: boolean): Doc {
  const result: Doc = {};
  for (const key of Object.keys(doc)) {
    const rule = branch.get(key);
    const value = rule ? applyRule(doc[key], rule, keepsOthers) : keepsOthers ? doc[key] : undefined;
    if (value !== undefined) assign(result, key, value);
  }
  return result;
}

function applyRule(value: unknown, rule: Rule, keepsOthers: boolean): unknown {
  if (rule === 'include') return value;
  if (rule === 'exclude') return undefined;
  if (isDoc(value)) return projectDoc(value, rule, keepsOthers);
  if (!Array.isArray(value)) return keepsOthers ? value : undefined;
  return value.map((element) => applyRule(element, rule, keepsOthers)).filter((element) => element !== undefined);
}
