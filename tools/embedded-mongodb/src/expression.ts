import { fail } from './errors.js';
import { add, isNumeric, multiply, negate, type Numeric } from './numbers.js';
import { encode, compareEncoded } from './order.js';
import { fieldOf, isDoc, isSet, kindOf, show, type Doc } from './values.js';

/** A compiled aggregation expression: `undefined` means that there is no value (a missing field). */
export type Evaluate = (root: Doc) => unknown;

/**
 * Compiles an aggregation expression: a field path, a literal, or one of {@link OPERATORS}.
 * @throws MongoError BadValue for any other operator. Add one when the product needs it, with a test.
 */
export function compileExpression(expression: unknown): Evaluate {
  if (typeof expression === 'string' && expression.startsWith('$')) return compileReference(expression);
  if (Array.isArray(expression)) {
    const items = expression.map(compileExpression);
    return (root) => items.map((item) => item(root) ?? null);
  }
  if (!isDoc(expression)) return () => expression;
  const [name] = Object.keys(expression);
  if (name?.startsWith('$')) return compileOperator(name, expression);
  const fields = Object.entries(expression).map(([key, value]) => [key, compileExpression(value)] as const);
  return (root) => {
    const values = fields.map(([key, evaluate]) => [key, evaluate(root)] as const);
    return Object.fromEntries(values.filter(([, value]) => value !== undefined));
  };
}

function compileReference(reference: string): Evaluate {
  if (!reference.startsWith('$$')) return pathReader(reference.slice(1));
  const [variable = '', ...rest] = reference.slice(2).split('.');
  if (variable === 'NOW' && rest.length === 0) {
    const now = new Date();
    return () => now;
  }
  if (variable === 'ROOT') return rest.length === 0 ? (root) => root : pathReader(rest.join('.'));
  return fail('BadValue', `Use of undefined or unsupported variable: ${variable} (supported: ROOT, NOW)`);
}

/** Unlike a query, an expression maps over arrays and never takes a number for a place in one. */
function pathReader(path: string): Evaluate {
  const parts = path.split('.');
  if (parts.includes('')) fail('BadValue', `FieldPath '${path}' must not have empty parts`);
  return (root) => readPath(root, parts, 0);
}

function readPath(value: unknown, parts: readonly string[], depth: number): unknown {
  const part = parts[depth];
  if (part === undefined) return value;
  if (Array.isArray(value)) {
    return value.map((element) => readPath(element, parts, depth)).filter((element) => element !== undefined);
  }
  return isDoc(value) ? readPath(fieldOf(value, part), parts, depth + 1) : undefined;
}

function compileOperator(name: string, expression: Doc): Evaluate {
  if (Object.keys(expression).length !== 1) fail('BadValue', `An expression takes one operator: ${show(expression)}`);
  const operand = expression[name];
  if (name === '$literal') return () => operand;
  if (name === '$cond') return compileCondition(operand);
  const operator = Object.hasOwn(OPERATORS, name) ? OPERATORS[name] : undefined;
  if (!operator) fail('BadValue', `Unrecognized or unsupported expression '${name}'`);
  const list = Array.isArray(operand) ? operand : [operand];
  const [least, most] = operator.arity;
  if (list.length < least || list.length > most) {
    fail('BadValue', `Expression ${name} takes ${least === most ? least : `${least} to ${most}`} arguments`);
  }
  const evaluators = list.map(compileExpression);
  return (root) => operator.apply(evaluators.map((evaluate) => evaluate(root)));
}

function compileCondition(operand: unknown): Evaluate {
  const parts = Array.isArray(operand)
    ? operand
    : isDoc(operand)
      ? [operand['if'], operand['then'], operand['else']]
      : [];
  if (parts.length !== 3) fail('BadValue', '$cond takes if, then and else');
  const [test, yes, no] = parts.map(compileExpression) as [Evaluate, Evaluate, Evaluate];
  return (root) => (isSet(test(root)) ? yes(root) : no(root));
}

interface Operator {
  readonly arity: readonly [least: number, most: number];
  readonly apply: (args: readonly unknown[]) => unknown;
}

const ANY = Number.POSITIVE_INFINITY;
const isNullish = (value: unknown): boolean => value === null || value === undefined;

/** In expressions a missing value sorts below null; in queries the two are one. */
const order = (left: unknown, right: unknown): number => {
  if (left === undefined || right === undefined) return left === right ? 0 : left === undefined ? -1 : 1;
  return compareEncoded(encode(left), encode(right));
};
const comparison = (accepts: (order: number) => boolean): Operator => ({
  arity: [2, 2],
  apply: ([left, right]) => accepts(order(left, right)),
});

const numeric = (value: unknown, operator: string): Numeric =>
  isNumeric(value) ? value : fail('TypeMismatch', `${operator} only supports numeric types, not ${kindOf(value)}`);

/** Null in, null out. */
const arithmetic = (name: string, combine: (left: Numeric, right: Numeric) => Numeric): Operator['apply'] => {
  return (args) => {
    if (args.some(isNullish)) return null;
    return args.map((value) => numeric(value, name)).reduce(combine);
  };
};

/** The expressions in use, and nothing else. */
const OPERATORS: Readonly<Record<string, Operator>> = {
  $eq: comparison((sign) => sign === 0),
  $ne: comparison((sign) => sign !== 0),
  $gt: comparison((sign) => sign > 0),
  $gte: comparison((sign) => sign >= 0),
  $lt: comparison((sign) => sign < 0),
  $lte: comparison((sign) => sign <= 0),
  $cmp: { arity: [2, 2], apply: ([left, right]) => order(left, right) },
  $and: { arity: [0, ANY], apply: (args) => args.every(isSet) },
  $or: { arity: [0, ANY], apply: (args) => args.some(isSet) },
  $not: { arity: [1, 1], apply: ([value]) => !isSet(value) },
  $ifNull: { arity: [2, ANY], apply: (args) => args.find((value) => !isNullish(value)) ?? args.at(-1) },
  $add: { arity: [1, ANY], apply: arithmetic('$add', add) },
  $subtract: { arity: [2, 2], apply: arithmetic('$subtract', (left, right) => add(left, negate(right))) },
  $multiply: { arity: [1, ANY], apply: arithmetic('$multiply', multiply) },
  $size: {
    arity: [1, 1],
    apply: ([list]) => (Array.isArray(list) ? list.length : fail('BadValue', 'The argument to $size must be an array')),
  },
  $in: {
    arity: [2, 2],
    apply: ([value, list]) =>
      Array.isArray(list)
        ? list.some((item) => order(item, value) === 0)
        : fail('BadValue', '$in requires an array as a second argument'),
  },
  $arrayElemAt: {
    arity: [2, 2],
    apply: ([list, place]) => {
      if (isNullish(list) || isNullish(place)) return null;
      if (!Array.isArray(list)) fail('BadValue', "$arrayElemAt's first argument must be an array");
      return list.at(Number(place));
    },
  },
  $concat: {
    arity: [1, ANY],
    apply: (args) => {
      if (args.some(isNullish)) return null;
      return args
        .map((text) => (typeof text === 'string' ? text : fail('BadValue', '$concat only supports strings')))
        .join('');
    },
  },
};
