import type { Row } from '../call.js';
import type { Entity, FieldType } from './entities.js';

/** Error with which the simulated Business Central refuses a query (400). */
export class QueryRefusal extends Error {}

type Predicate = (row: Row) => boolean;
type Comparison = 'eq' | 'ne' | 'gt' | 'ge' | 'lt' | 'le';
interface Parsed {
  readonly matches: Predicate;
  /** Names of the fields that a Business Central filter compares. An `or` over two fields is refused. */
  readonly fields: ReadonlySet<string>;
}
interface Literal {
  readonly type: FieldType | 'null';
  readonly value: unknown;
}

const TOKEN = /\s*(?:(\(|\)|,)|'((?:[^']|'')*)'|([^\s(),']+))/y;
const comparisons: ReadonlySet<string> = new Set<Comparison>(['eq', 'ne', 'gt', 'ge', 'lt', 'le']);

/**
 * Parses a `$filter` of Business Central with comparisons joined by `and` and `or`.
 * @throws QueryRefusal
 */
export function readFilter(text: string, entity: Entity, { allowsIn }: { readonly allowsIn: boolean }): Predicate {
  const tokens = tokenize(text);
  let at = 0;
  const next = (): Token => {
    const token = tokens[at];
    if (token === undefined) throw new QueryRefusal(`Syntax error at position ${text.length} in '${text}'.`);
    at += 1;
    return token;
  };
  const isNext = (word: string): boolean => tokens[at]?.kind === 'word' && tokens[at]?.text === word;

  const readOr = (): Parsed => {
    let left = readAnd();
    while (isNext('or')) {
      at += 1;
      const right = readAnd();
      const fields = new Set([...left.fields, ...right.fields]);
      if (fields.size > 1) {
        throw new QueryRefusal(
          'The filter expression is invalid: an OR operator over two different fields is not supported.',
        );
      }
      const first = left.matches;
      left = { matches: (row) => first(row) || right.matches(row), fields };
    }
    return left;
  };
  const readAnd = (): Parsed => {
    let left = readTerm();
    while (isNext('and')) {
      at += 1;
      const right = readTerm();
      const first = left.matches;
      left = { matches: (row) => first(row) && right.matches(row), fields: new Set([...left.fields, ...right.fields]) };
    }
    return left;
  };
  const expect = (text: string): void => {
    const token = next();
    if (token.kind !== 'mark' || token.text !== text) throw new QueryRefusal(`'${text}' expected in the filter.`);
  };
  const readTerm = (): Parsed => {
    const token = next();
    if (token.kind === 'mark' && token.text === '(') {
      const inner = readOr();
      expect(')');
      return inner;
    }
    const name = token.text;
    const type = entity.fields[name];
    if (token.kind !== 'word' || type === undefined) throw unknownProperty(name, entity);
    const operator = next().text;
    const fields = new Set([name]);
    if (operator === 'in') {
      if (!allowsIn) throw new QueryRefusal("The operator 'in' is not supported by this schema version.");
      expect('(');
      const values: Literal[] = [];
      for (;;) {
        values.push(readLiteral(next()));
        const { text: mark } = next();
        if (mark === ')') break;
        if (mark !== ',') throw new QueryRefusal("',' or ')' expected in the filter.");
      }
      for (const literal of values) requireType(name, type, literal, 'In');
      return { matches: (row) => values.some(({ value }) => compare(row[name], value, type) === 0), fields };
    }
    if (!comparisons.has(operator)) throw new QueryRefusal(`Syntax error at '${operator}' in '${text}'.`);
    const literal = readLiteral(next());
    requireType(name, type, literal, operator);
    return { matches: (row) => isTrue(operator as Comparison, compare(row[name], literal.value, type)), fields };
  };

  const filter = readOr();
  if (at < tokens.length) throw new QueryRefusal(`Syntax error at '${tokens[at]?.text}' in '${text}'.`);
  return filter.matches;
}

export function unknownProperty(name: string, { type }: Entity): QueryRefusal {
  return new QueryRefusal(`Could not find a property named '${name}' on type '${type}'.`);
}

export function compare(left: unknown, right: unknown, type: FieldType): number {
  if (type === 'number') return Number(left) - Number(right);
  if (type === 'dateTime') return Date.parse(String(left)) - Date.parse(String(right));
  // The simulated Business Central compares GUIDs and texts without regard to case, as the database does.
  const [first, second] = [String(left).toLowerCase(), String(right).toLowerCase()];
  return first < second ? -1 : first > second ? 1 : 0;
}

interface Token {
  readonly kind: 'mark' | 'text' | 'word';
  readonly text: string;
}

function tokenize(text: string): readonly Token[] {
  const tokens: Token[] = [];
  const trimmed = text.trimEnd();
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < trimmed.length) {
    const match = TOKEN.exec(trimmed);
    if (match === null) throw new QueryRefusal(`Syntax error in '${text}'.`);
    const [, mark, quoted, word] = match;
    if (mark !== undefined) tokens.push({ kind: 'mark', text: mark });
    else if (quoted !== undefined) tokens.push({ kind: 'text', text: quoted.replaceAll("''", "'") });
    else tokens.push({ kind: 'word', text: word ?? '' });
  }
  return tokens;
}

function readLiteral({ kind, text }: Token): Literal {
  if (kind === 'text') return { type: 'string', value: text };
  if (text === 'null') return { type: 'null', value: '' };
  if (text === 'true' || text === 'false') return { type: 'boolean', value: text === 'true' };
  if (/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)) return { type: 'guid', value: text };
  if (/^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)$/.test(text)) {
    return { type: 'dateTime', value: text };
  }
  if (/^\d{4}-\d\d-\d\d$/.test(text)) return { type: 'date', value: text };
  if (/^-?\d+(?:\.\d+)?$/.test(text)) return { type: 'number', value: Number(text) };
  throw new QueryRefusal(`Syntax error at '${text}' in the filter.`);
}

function requireType(name: string, type: FieldType, literal: Literal, operator: string): void {
  if (type === 'enum') {
    if (literal.type !== 'string') throw incompatible('Enum', literal.type, operator);
    // The blank option of a Business Central enum has no name that a filter could use.
    if (literal.value === '' || literal.value === ' ' || literal.value === '_x0020_') {
      throw new QueryRefusal(
        `The filter value of '${name}' is not valid: an option without a name cannot be compared.`,
      );
    }
    return;
  }
  if (literal.type !== type) throw incompatible(type, literal.type, operator);
}

function incompatible(field: string, literal: string, operator: string): QueryRefusal {
  return new QueryRefusal(
    'A binary operator with incompatible types was detected. Found operand types ' +
      `'Edm.${field}' and 'Edm.${literal}' for operator kind '${operator}'.`,
  );
}

function isTrue(operator: Comparison, order: number): boolean {
  switch (operator) {
    case 'eq':
      return order === 0;
    case 'ne':
      return order !== 0;
    case 'gt':
      return order > 0;
    case 'ge':
      return order >= 0;
    case 'lt':
      return order < 0;
    case 'le':
      return order <= 0;
  }
}
