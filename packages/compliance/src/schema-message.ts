import { usualName } from './element.js';

/** Maximum number of characters of a value that a message quotes. */
const VALUE_LENGTH_MAX = 60;
/** Maximum number of elements or values that a message lists as expected. */
const EXPECTED_MAX = 10;

/**
 * Returns the built-in type of XML Schema, such as `decimal`, that a type restricts. A type without a name is given as
 * the name of its element after `element `.
 */
export type BuiltInTypeOf = (type: string) => string | undefined;

/**
 * Turns a validation message of libxml2 into a sentence that says what the document has and what the schema expects. If
 * libxml2 sends a message of an unknown kind, the sentence only names the element.
 */
export function explainSchemaError(message: string, builtInTypeOf: BuiltInTypeOf): string {
  const head = HEAD.exec(message);
  if (head === null) return 'The document does not follow the schema.';
  const [start, element = '', attribute] = head;
  const subject: Subject = { element, name: nameOf(element), attribute: attribute && attributeName(attribute) };
  const rest = message.slice(start.length).trim();
  for (const { parts, explain } of kinds) {
    const values = valuesBetween(rest, parts);
    if (values !== undefined) return explain(subject, values, builtInTypeOf);
  }
  return `${subject.name} does not follow the schema.`;
}

/** The beginning of each message: the element, the attribute if it has the fault, and the name of the broken facet. */
const HEAD = /^Element '([^']*)'(?:, attribute '([^']*)')?: (?:\[facet '\w+'\] )?/;

interface Subject {
  /** Name of the element as libxml2 writes it, such as `{urn:x}Fa`. */
  readonly element: string;
  readonly name: string;
  readonly attribute: string | undefined;
}

interface MessageKind {
  /** Fixed texts of the message. Between two of them stands a value. */
  readonly parts: readonly string[];
  readonly explain: (subject: Subject, values: readonly string[], builtInTypeOf: BuiltInTypeOf) => string;
}

/** Messages of libxml2 about documents (`xmlschemas.c`). The first kind that fits is used. */
const kinds: readonly MessageKind[] = [
  kind(['This element is not expected.'], (subject) => unexpected(subject, 'allows no further element')),
  kind(['This element is not expected. Expected is ( ', ' ).'], explainUnexpected),
  kind(['This element is not expected. Expected is one of ( ', ' ).'], explainUnexpected),
  kind(['Missing child element(s). Expected is ( ', ' ).'], explainIncomplete),
  kind(['Missing child element(s). Expected is one of ( ', ' ).'], explainIncomplete),
  kind(
    ['No matching global declaration available for the validation root.'],
    ({ name }) => `The document begins with ${name}, which the schema does not define.`,
  ),
  ...contents([
    [
      "Character content other than whitespace is not allowed because the content type is 'element-only'.",
      onlyElements,
    ],
    ['Character content is not allowed, because the content type is empty.', mustBeEmpty('text')],
    ['Element content is not allowed, because the content type is empty.', mustBeEmpty('elements')],
    ['Element content is not allowed, because the content type is a simple type definition.', onlyValue],
    ['Element content is not allowed, because the type definition is simple.', onlyValue],
    [
      "Neither character nor element content is allowed because the element is 'nilled'.",
      (name) => `${name} has a value, although its attribute xsi:nil says that it has none.`,
    ],
    [
      "The element is not 'nillable'.",
      (name) => `${name} has the attribute xsi:nil, but the schema does not allow it to be without a value.`,
    ],
  ]),
  kind(
    ["The attribute '", "' is required but missing."],
    ({ name }, [attribute = '']) =>
      `${name} has no attribute ${attributeName(attribute)}, but the schema requires one.`,
  ),
  kind(
    ["The attribute '", "' is not allowed."],
    ({ name }, [attribute = '']) =>
      `${name} has the attribute ${attributeName(attribute)}, which the schema does not allow.`,
  ),
  kind(
    ["The QName value '", "' of the xsi:type attribute does not resolve to a type definition."],
    ({ name }, [type = '']) =>
      `The attribute xsi:type of ${name} names the type ${nameOf(type)}, which the schema does not define.`,
  ),
  kind(
    [
      "The type definition '",
      "', specified by xsi:type, is blocked or not validly derived from the type definition of the element declaration.",
    ],
    ({ name }, [type = '']) =>
      `The attribute xsi:type of ${name} names the type ${nameOf(type)}, which the schema does not allow here.`,
  ),
  kind(["The value '", "' does not match the fixed value constraint '", "'."], explainFixed),
  kind(["The actual value '", "' does not match the fixed value constraint '", "'."], explainFixed),
  kind(["The value '", "' is not an element of the set {'", "'}."], (subject, [value = '', set = '']) => {
    const allowed = set.split("', '").map((one) => quoted(one));
    return found(subject, value, `allows only ${anyOf(allowed, 'values')}`);
  }),
  kind(["The value '", "' is not accepted by the pattern '", "'."], (subject, [value = '', pattern = '']) =>
    found(subject, value, `requires the pattern ${pattern}`),
  ),
  ...lengths([
    ["'; this underruns the allowed minimum length of '", 'requires at least'],
    ["'; this exceeds the allowed maximum length of '", 'allows at most'],
    ["'; this differs from the allowed length of '", 'requires'],
  ]),
  ...bounds([
    ["' is less than the minimum value allowed ('", "').", 'of at least'],
    ["' is greater than the maximum value allowed ('", "').", 'of at most'],
    ["' must be greater than '", "'.", 'above'],
    ["' must be less than '", "'.", 'below'],
  ]),
  kind(["The value '", "' has more digits than are allowed ('", "')."], (subject, [value = '', digits = '']) =>
    found(subject, value, `allows at most ${counted(digits, 'digit')}`),
  ),
  kind(
    ["The value '", "' has more fractional digits than are allowed ('", "')."],
    (subject, [value = '', digits = '']) => found(subject, value, `allows at most ${counted(digits, 'decimal place')}`),
  ),
  kind(["'", "' is not a valid value of the atomic type '", "'."], (subject, [value = '', type = ''], builtInTypeOf) =>
    explainType(subject, value, type.startsWith('xs:') ? type.slice('xs:'.length) : builtInTypeOf(type)),
  ),
  kind(["'", "' is not a valid value of the local atomic type."], (subject, [value = ''], builtInTypeOf) =>
    explainType(
      subject,
      value,
      subject.attribute === undefined ? builtInTypeOf(`element ${subject.element}`) : undefined,
    ),
  ),
  // Values of a union or a list.
  kind(["'", "' is not a valid value of the ", '.'], (subject, [value = '']) => notAllowed(subject, value)),
];

/** Requirements of the built-in types of XML Schema in words. Types that accept every text are not listed. */
const forms: Readonly<Record<string, string>> = {
  decimal: 'a decimal number with a point as decimal mark',
  integer: 'a whole number',
  int: 'a whole number',
  byte: 'a whole number from -128 to 127',
  nonNegativeInteger: 'a whole number that is not negative',
  boolean: 'true or false',
  date: 'a date in the form YYYY-MM-DD',
  dateTime: 'a date and time in the form YYYY-MM-DDThh:mm:ss',
  gYear: 'a year in the form YYYY',
  base64Binary: 'content encoded in Base64',
};

function kind(parts: MessageKind['parts'], explain: MessageKind['explain']): MessageKind {
  return { parts, explain };
}

function contents(texts: readonly (readonly [part: string, explain: (name: string) => string])[]): MessageKind[] {
  return texts.map(([part, explain]) => kind([part], ({ name }) => explain(name)));
}

function lengths(texts: readonly (readonly [middle: string, rule: string])[]): MessageKind[] {
  return texts.map(([middle, rule]) =>
    kind(["The value has a length of '", middle, "'."], (subject, [length = '', limit = '']) => {
      const has = length === '0' ? 'is empty' : `has ${counted(length, 'character')}`;
      return `${nounOf(subject)} ${has}, but the schema ${rule} ${counted(limit, 'character')}.`;
    }),
  );
}

function bounds(texts: readonly (readonly [middle: string, end: string, rule: string])[]): MessageKind[] {
  return texts.map(([middle, end, rule]) =>
    kind(["The value '", middle, end], (subject, [value = '', bound = '']) =>
      found(subject, value, `requires a value ${rule} ${quoted(bound)}`),
    ),
  );
}

/**
 * Returns the values between the fixed texts of a message, or undefined if the message is of another kind. The last
 * occurrence of each fixed text counts, because values come from the document and may contain the same text.
 */
function valuesBetween(text: string, [first = '', ...others]: readonly string[]): readonly string[] | undefined {
  const last = others.at(-1);
  if (last === undefined) return text === first ? [] : undefined;
  if (!text.startsWith(first) || !text.endsWith(last)) return undefined;
  const values: string[] = [];
  let end = text.length - last.length;
  for (const part of others.slice(0, -1).toReversed()) {
    const at = text.lastIndexOf(part, end - part.length);
    if (at < first.length) return undefined;
    values.unshift(text.slice(at + part.length, end));
    end = at;
  }
  return end < first.length ? undefined : [text.slice(first.length, end), ...values];
}

function explainUnexpected(subject: Subject, [expected = '']: readonly string[]): string {
  const names = expected.split(', ');
  const { localName, namespace } = partsOf(subject.element);
  const namesake = names.map(partsOf).find((one) => one.localName === localName);
  if (namesake !== undefined && namesake.namespace !== namespace) {
    const has = namespace === '' ? 'no namespace' : `the namespace ${namespace}`;
    return `${localName} has ${has}, but the schema expects ${namesake.namespace || 'none'}.`;
  }
  return unexpected(subject, `expects ${anyOf(names.map(nameOf), 'elements')}`);
}

function unexpected({ name }: Subject, rule: string): string {
  return `The document has ${name} where the schema ${rule}.`;
}

function explainIncomplete({ name }: Subject, [expected = '']: readonly string[]): string {
  return `${name} is incomplete: the schema expects ${anyOf(expected.split(', ').map(nameOf), 'elements')} next.`;
}

function onlyElements(name: string): string {
  return `${name} has text, but the schema allows only elements in it.`;
}

function onlyValue(name: string): string {
  return `${name} has elements, but the schema allows only a value in it.`;
}

function mustBeEmpty(content: string): (name: string) => string {
  return (name) => `${name} has ${content}, but the schema requires it to be empty.`;
}

function explainFixed(subject: Subject, [value = '', fixed = '']: readonly string[]): string {
  return found(subject, value, `requires ${quoted(fixed)}`);
}

function found(subject: Subject, value: string, rule: string): string {
  return `${nounOf(subject)} is ${stated(value)}, but the schema ${rule}.`;
}

function explainType(subject: Subject, value: string, builtIn: string | undefined): string {
  const form = builtIn === undefined ? undefined : forms[builtIn];
  return form === undefined ? notAllowed(subject, value) : found(subject, value, `requires ${form}`);
}

function notAllowed(subject: Subject, value: string): string {
  return `${nounOf(subject)} is ${stated(value)}, which is not a value that the schema allows.`;
}

function nounOf({ name, attribute }: Subject): string {
  return attribute === undefined ? name : `The attribute ${attribute} of ${name}`;
}

function stated(value: string): string {
  return value.trim() === '' ? 'empty' : quoted(value);
}

function quoted(value: string): string {
  const characters = [
    ...value
      .slice(0, VALUE_LENGTH_MAX * 4)
      .trim()
      .replace(/\s+/g, ' '),
  ];
  const isCut = characters.length > VALUE_LENGTH_MAX;
  return `"${characters.slice(0, VALUE_LENGTH_MAX).join('')}${isCut ? '…' : ''}"`;
}

function anyOf(texts: readonly string[], noun: string): string {
  if (texts.length === 1) return texts.join('');
  const shown = texts.length > EXPECTED_MAX ? texts.slice(0, EXPECTED_MAX - 1) : texts.slice(0, -1);
  const last = texts.length > EXPECTED_MAX ? `${texts.length - shown.length} other ${noun}` : (texts.at(-1) ?? '');
  return `${shown.join(', ')} or ${last}`;
}

function counted(count: string, noun: string): string {
  return `${count} ${noun}${count === '1' ? '' : 's'}`;
}

/** Splits a name as libxml2 writes it, such as `{urn:x}Fa`. */
function partsOf(name: string): { readonly namespace: string; readonly localName: string } {
  const end = name.lastIndexOf('}');
  return { namespace: end < 0 ? '' : name.slice(1, end), localName: name.slice(end + 1) };
}

function nameOf(name: string): string {
  const { namespace, localName } = partsOf(name);
  return usualName(namespace, localName);
}

const XSI = 'http://www.w3.org/2001/XMLSchema-instance';

function attributeName(name: string): string {
  const { namespace, localName } = partsOf(name);
  return namespace === XSI ? `xsi:${localName}` : localName;
}
