import { fail } from './errors.js';
import { compileExpression, type Evaluate } from './expression.js';
import { compileFilter } from './query.js';
import { assign, copyOf, hasOperators, isDoc, isSet, kindOf, show, type Doc } from './values.js';

/** What happens to one field; a branch says it for the fields below. */
type Rule =
  | { readonly kind: 'include' }
  | { readonly kind: 'exclude' }
  | { readonly kind: 'compute'; readonly evaluate: Evaluate }
  | { readonly kind: 'slice' | 'choose'; readonly reshape: (value: unknown) => unknown }
  | Branch;
interface Branch {
  readonly kind: 'branch';
  readonly rules: Map<string, Rule>;
}

export type Project = (doc: Doc) => Doc;

/**
 * The projection of `find` and `findAndModify`: fields in or out, `$slice`, `$elemMatch` and computed fields.
 * `undefined` for an empty one: the document goes out as stored.
 */
export const compileFindProjection = (spec: Doc): Project | undefined =>
  Object.keys(spec).length === 0 ? undefined : compile(spec, { hasArrayOperators: true, isAddingFields: false });

/** The `$project` stage: fields in or out, and computed fields. */
export function compileProjectStage(spec: Doc): Project {
  if (Object.keys(spec).length === 0) {
    fail('BadValue', 'Invalid $project :: projection specification must have at least one field');
  }
  return compile(spec, { hasArrayOperators: false, isAddingFields: false });
}

/** The `$addFields` and `$set` stages: all fields stay, each value is an expression. */
export const compileAddFieldsStage = (spec: Doc): Project =>
  compile(spec, { hasArrayOperators: false, isAddingFields: true });

interface Dialect {
  readonly hasArrayOperators: boolean;
  readonly isAddingFields: boolean;
}

function compile(spec: Doc, dialect: Dialect): Project {
  const root: Branch = { kind: 'branch', rules: new Map() };
  for (const [path, value] of Object.entries(spec)) addRules(root, path, value, dialect);
  const keepsOthers = dialect.isAddingFields || !isInclusion(root);
  if (!dialect.isAddingFields && !keepsOthers && !root.rules.has('_id')) root.rules.set('_id', { kind: 'include' });
  return (doc) => projectDoc(doc, root, doc, keepsOthers);
}

function addRules(root: Branch, path: string, value: unknown, dialect: Dialect): void {
  if (isDoc(value) && Object.keys(value).length > 0 && !hasOperators(value)) {
    for (const [key, inner] of Object.entries(value)) addRules(root, `${path}.${key}`, inner, dialect);
    return;
  }
  const parts = path.split('.');
  if (parts.some((part) => part === '' || part.startsWith('$'))) {
    fail('FailedToParse', `The projected path '${path}' is not supported: it has an empty or a $ part`);
  }
  let branch = root;
  const last = parts.pop() ?? '';
  for (const part of parts) {
    const next = branch.rules.get(part) ?? { kind: 'branch', rules: new Map<string, Rule>() };
    if (next.kind !== 'branch') fail('Location31249', `Path collision at ${path}`);
    branch.rules.set(part, next);
    branch = next;
  }
  if (branch.rules.has(last)) fail('Location31249', `Path collision at ${path}`);
  branch.rules.set(last, ruleOf(value, dialect));
}

function ruleOf(value: unknown, { hasArrayOperators, isAddingFields }: Dialect): Rule {
  const kind = kindOf(value);
  const isFlag = kind === 'bool' || kind === 'number' || kind === 'long';
  if (isFlag && !isAddingFields) return isSet(value) && Number(value) !== 0 ? { kind: 'include' } : { kind: 'exclude' };
  if (hasArrayOperators && hasOperators(value)) {
    if ('$slice' in value) return { kind: 'slice', reshape: compileSlice(value['$slice']) };
    if ('$elemMatch' in value) return { kind: 'choose', reshape: compileElementChoice(value['$elemMatch']) };
  }
  return { kind: 'compute', evaluate: compileExpression(value) };
}

function compileSlice(operand: unknown): (value: unknown) => unknown {
  const [first, second] = Array.isArray(operand) ? operand : [operand, undefined];
  if (typeof first !== 'number' || (second !== undefined && typeof second !== 'number')) {
    fail('BadValue', `$slice takes a number or [skip, limit], not ${show(operand)}`);
  }
  return (value) => {
    if (!Array.isArray(value)) return value;
    if (second === undefined) return first < 0 ? value.slice(first) : value.slice(0, first);
    const from = first < 0 ? Math.max(value.length + first, 0) : first;
    return value.slice(from, from + second);
  };
}

/** The first matching element, alone in an array; no field where none matches. */
function compileElementChoice(operand: unknown): (value: unknown) => unknown {
  const matches = compileFilter({ element: { $elemMatch: operand } });
  return (value) => {
    const chosen = Array.isArray(value) ? value.find((element) => matches({ element: [element] })) : undefined;
    return chosen === undefined ? undefined : [chosen];
  };
}

/** `_id` may be left out of an inclusion; otherwise inclusion and exclusion do not mix. */
function isInclusion(root: Branch): boolean {
  const kinds = new Set<Rule['kind']>();
  const collect = (branch: Branch): void => {
    for (const [key, rule] of branch.rules) {
      if (rule.kind === 'branch') collect(rule);
      else if (branch !== root || key !== '_id' || root.rules.size === 1) kinds.add(rule.kind);
    }
  };
  collect(root);
  const isExcluding = kinds.has('exclude');
  const isIncluding = kinds.has('include') || kinds.has('compute') || (kinds.has('choose') && !isExcluding);
  if (isIncluding && isExcluding) {
    // What comes first decides what the projection was meant to be.
    if ([...kinds][0] === 'exclude') fail('Location31253', 'Cannot do inclusion in exclusion projection');
    fail('Location31254', 'Cannot do exclusion in inclusion projection');
  }
  return isIncluding;
}

function projectDoc(doc: Doc, branch: Branch, root: Doc, keepsOthers: boolean): Doc {
  const result: Doc = {};
  for (const key of Object.keys(doc)) {
    const rule = branch.rules.get(key);
    const value = rule ? applyRule(doc[key], rule, root, keepsOthers) : keepsOthers ? doc[key] : undefined;
    if (value !== undefined) assign(result, key, value);
  }
  for (const [key, rule] of branch.rules) {
    if (Object.hasOwn(doc, key)) continue;
    const value = createField(rule, root);
    if (value !== undefined) assign(result, key, value);
  }
  return result;
}

function applyRule(value: unknown, rule: Rule, root: Doc, keepsOthers: boolean): unknown {
  switch (rule.kind) {
    case 'include':
      return value;
    case 'exclude':
      return undefined;
    case 'compute':
      return copyOf(rule.evaluate(root));
    case 'slice':
    case 'choose':
      return rule.reshape(value);
    case 'branch':
      if (isDoc(value)) return projectDoc(value, rule, root, keepsOthers);
      if (Array.isArray(value)) {
        const elements = value.map((element) => applyRule(element, rule, root, keepsOthers));
        return elements.filter((element) => element !== undefined);
      }
      return createField(rule, root) ?? (keepsOthers ? value : undefined);
  }
}

/** Only computed fields come into being where the document has none. */
function createField(rule: Rule, root: Doc): unknown {
  if (rule.kind === 'compute') return copyOf(rule.evaluate(root));
  if (rule.kind !== 'branch') return undefined;
  const created: Doc = {};
  for (const [key, inner] of rule.rules) {
    const value = createField(inner, root);
    if (value !== undefined) assign(created, key, value);
  }
  return Object.keys(created).length > 0 ? created : undefined;
}
