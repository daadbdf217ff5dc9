import { enumName } from '@invoicecontrol/contracts/enum-name';
import type { Declared, Group, Kind } from '@invoicecontrol/invoice/declaration';
import { isCalendarDate } from '@invoicecontrol/values/calendar-date';
import { invoiceCurrency } from '@invoicecontrol/values/currency';
import { isDecimalAmount } from '@invoicecontrol/values/decimal-amount';
import { cleanLine, faultOfLine } from '@invoicecontrol/values/readable-text';
import { isLongerThan } from '@invoicecontrol/values/text-length';
import { parseUrl } from '@invoicecontrol/values/url';
import { hasVisibleText } from '@invoicecontrol/values/visible-text';
import { readAmount } from './amount-of-erp.js';
import type { Sign } from './amount-of-erp.js';

/**
 * Describes a kind of field in an ERP record, such as a text or a day. `faultOf` returns undefined for a value that may
 * be stored, and otherwise the fault, as the end of a sentence that begins with the name of the field. `taken` returns
 * the kind for values that come from an ERP, which are made readable before they are checked.
 */
export interface RecordKind<T = unknown> extends Kind<T> {
  /**
   * Returns the kind of a value from an ERP, with faults that begin with the name of the field.
   * @param subject the name of the field at the beginning of a sentence, such as `The document number`
   */
  readonly taken: (subject: string) => Kind<T>;
}

/**
 * Maximum lengths of a text in an ERP record. No value longer than `stored` is stored. A value that comes from an ERP
 * is refused if it is longer than `taken`.
 */
interface Bounds {
  readonly stored: number;
  readonly taken: number;
}

const MISSING = 'is missing.';
/** The characters NUL and unpaired surrogates in a text, which databases and JSON parsers treat differently. */
const UNSTORABLE = /[\0\p{Surrogate}]/u;
const URL_LENGTH: Bounds = { stored: 2_000, taken: 2_048 };

/** Maximum number of characters of an id that an ERP gives a record. */
export const ID_LENGTH_MAX = 200;
export const TEXT_LENGTH_MAX = 1_000;

/**
 * The id of a record in its ERP. The id is never cleaned, because a changed id would name another record. The length of
 * the id is counted in UTF-16 units.
 */
export const id: RecordKind<string> = {
  faultOf: faultOfText(ID_LENGTH_MAX),
  normalise: asItIs,
  taken: (subject) =>
    exact(subject, (value) => {
      if (value.length > ID_LENGTH_MAX) return `${subject} has more than ${ID_LENGTH_MAX} characters.`;
      return faultOfLine(value) === undefined ? undefined : `${subject} has invisible characters.`;
    }),
};

/**
 * An id in an ERP record that people also write, such as the number of a vendor. Invisible characters are removed from
 * such an id before it is checked.
 */
export const writtenId: RecordKind<string> = {
  ...id,
  taken: (subject) => cleaned(subject, (value) => id.taken(subject).faultOf(value)),
};

/**
 * A text of an ERP record that people read. Values from an ERP are made readable, and values from other callers are
 * refused if they are not readable.
 */
export const text = textOf({ stored: TEXT_LENGTH_MAX, taken: TEXT_LENGTH_MAX });
/** A text of an ERP record as the ERP prints it. A text without a visible character is stored as an empty text. */
export const printedText: RecordKind<string> = {
  ...text,
  taken(subject) {
    const taken = text.taken(subject);
    return { ...taken, given: (value) => taken.given?.(value) ?? '' };
  },
};
/** A field with the number of a bill, an order or a vendor. ERP records are looked up by such numbers. */
export const lookupText = textOf({ stored: ID_LENGTH_MAX, taken: TEXT_LENGTH_MAX });

function textOf(lengthMax: Bounds): RecordKind<string> {
  return {
    faultOf: faultOfText(lengthMax.stored),
    normalise: asItIs,
    taken: (subject) =>
      cleaned(subject, (value) =>
        isLongerThan(value, lengthMax.taken) ? `${subject} has more than ${lengthMax.taken} characters.` : undefined,
      ),
  };
}

/** Makes a text field of an ERP record required: it must contain a visible character. */
export function visible(kind: RecordKind<string>): RecordKind<string> {
  const visibly = (inner: Kind<string>, missing: string): Kind<string> => ({
    ...inner,
    missing,
    faultOf: (value) => (typeof value === 'string' && !hasVisibleText(value) ? missing : inner.faultOf(value)),
  });
  return {
    ...kind,
    ...visibly(kind, MISSING),
    taken: (subject) => visibly(kind.taken(subject), `${subject} ${MISSING}`),
  };
}

/**
 * A required id of an ERP record. If an ERP sends a value that consists only of invisible characters, the fault names
 * these characters. If another caller sends such a value, the fault says that the id is missing.
 */
export const visibleId: RecordKind<string> = { ...visible(id), taken: id.taken };

/**
 * URL of the page of a record in its ERP, which people see as a link. Only https is allowed, because a link with
 * another scheme could run a script in the browser.
 */
export const url: RecordKind<string> = {
  faultOf: (value) =>
    faultOfText(URL_LENGTH.stored)(value) ?? (isLink(value) ? undefined : 'is not an http or https address.'),
  normalise: asItIs,
  taken: (subject) => ({
    ...exact(subject, (value) => {
      const isShort = value.length <= URL_LENGTH.taken;
      return isShort && isLink(value) && faultOfLine(value) === undefined ? undefined : `${subject} is not a link.`;
    }),
    given: asItIs,
  }),
};

/**
 * Declares a field of an ERP record that holds a day.
 * @param missing the sentence for an ERP that does not state the day
 */
export function day(missing?: string): RecordKind<string> {
  return {
    faultOf: (value) => (isCalendarDate(value as string) ? undefined : 'is not a day written YYYY-MM-DD.'),
    normalise: asItIs,
    missing: MISSING,
    taken: (subject) =>
      cleaned(subject, (value) => (isCalendarDate(value) ? undefined : `${subject} is not a date.`), missing),
  };
}

/** A field of an ERP record that holds a point in time with millisecond precision. */
export const time: RecordKind<Date> = {
  ...ofContract(),
  taken: (subject) => ({
    ...ofContract<Date>(),
    faultOf: (value) => (Number.isNaN((value as Date).getTime()) ? `${subject} is not a time.` : undefined),
  }),
};

const NO_CURRENCY = 'The currency is not an ISO 4217 currency code.';

/** A field of an ERP record with an ISO 4217 currency code, converted to upper case. */
export const currency: RecordKind<string> = {
  faultOf(value) {
    const read = invoiceCurrency(value as string, undefined);
    return 'refusal' in read ? read.refusal : undefined;
  },
  normalise: asItIs,
  taken: (subject) => ({
    ...cleaned(
      subject,
      (value) => ('refusal' in invoiceCurrency(value, undefined) ? NO_CURRENCY : undefined),
      NO_CURRENCY,
    ),
    normalise: (value) => value.toUpperCase(),
  }),
};

/**
 * A decimal amount of an ERP record with at most six decimals. If the ERP sent no more than six, all digits are kept as
 * sent.
 */
export function amount(sign?: Sign): RecordKind<string> {
  const faultOf = (value: string): string | undefined => {
    const read = readAmount(value, sign);
    return 'fault' in read ? read.fault : undefined;
  };
  return {
    faultOf: (value) =>
      isDecimalAmount(value as string)
        ? undefined
        : 'is not a decimal amount of at most 15 digits before and 6 after the point.',
    normalise: asItIs,
    taken: (subject) => ({
      ...cleaned(subject, faultOf, faultOf('')),
      normalise(value) {
        const read = readAmount(value, sign);
        return 'fault' in read ? value : read.amount;
      },
    }),
  };
}

/** A boolean field of an ERP record, which is false if the gRPC message does not contain it. */
export const flag: RecordKind<boolean> = {
  ...ofContract<boolean>(),
  inMessage: { to: (value) => value ?? false, from: (sent: boolean) => sent },
  taken: () => flag,
};

/** Kind of a boolean field of an ERP record that is undefined if the ERP does not state its value. */
export const knownFlag: RecordKind<boolean> = { ...ofContract<boolean>(), taken: () => knownFlag };

type WireEnum = Parameters<typeof enumName>[0];

/** A field of an ERP record that holds the name of an enum value of the gRPC contract. */
export function oneOf<E extends WireEnum>(of: E): RecordKind<ReturnType<typeof enumName<E>>> {
  const kind: RecordKind<ReturnType<typeof enumName<E>>> = {
    ...ofContract<ReturnType<typeof enumName<E>>>(),
    inMessage: {
      to: (name) => (name === undefined ? of.UNSPECIFIED : of[name]),
      from: (sent: E[keyof E]) => (sent === of.UNSPECIFIED ? undefined : enumName(of, sent)),
    },
    taken: () => kind,
  };
  return kind;
}

/**
 * A field of an ERP record that holds a list with a maximum number of entries. A longer list is refused with a sentence
 * that states the maximum.
 */
interface ListBounds extends Bounds {
  readonly storedFault: (count: number, max: number) => string;
  readonly takenFault: (max: number) => string;
}

/**
 * A field with a list of texts that name other ERP records. Empty texts are left out.
 * @param words the name of one entry in sentences for people
 */
export function texts(kind: RecordKind<string>, words: string, bounds: ListBounds): RecordKind<readonly string[]> {
  const takenOne = kind.taken(`The ${words}`);
  return {
    faultOf: (values) => faultOfCount(bounds, values) ?? firstFault(values, kind),
    normalise: asItIs,
    inMessage: { to: (values) => [...(values ?? [])], from: (sent: readonly string[]) => sent.filter(isNotEmpty) },
    taken: () => ({
      given: (values) =>
        Array.isArray(values) ? values.map((value) => takenOne.given?.(value)).filter(isStated) : values,
      faultOf: (values) => faultOfTakenCount(bounds, values) ?? firstFault(values, takenOne),
      normalise: asItIs,
    }),
  };
}

/** Declares a field that is a list of objects within an ERP record. */
export function listOf<G extends Group>(
  each: G,
  bounds: ListBounds,
  asTaken: (group: G) => Group,
): RecordKind<readonly Declared<G['members']>[]> {
  return {
    faultOf: (values) => faultOfCount(bounds, values),
    normalise: asItIs,
    each,
    taken: () => ({ faultOf: (values) => faultOfTakenCount(bounds, values), normalise: asItIs, each: asTaken(each) }),
  };
}

function faultOfCount({ stored, storedFault }: ListBounds, values: unknown): string | undefined {
  const { length } = values as readonly unknown[];
  return length > stored ? storedFault(length, stored) : undefined;
}

function faultOfTakenCount({ taken, takenFault }: ListBounds, values: unknown): string | undefined {
  return (values as readonly unknown[]).length > taken ? takenFault(taken) : undefined;
}

function firstFault(values: unknown, kind: Kind<string>): string | undefined {
  for (const value of values as readonly unknown[]) {
    const fault = kind.faultOf(value);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function faultOfText(lengthMax: number): (value: unknown) => string | undefined {
  return (value) => {
    const text = value as string;
    return isLongerThan(text, lengthMax) ? `has more than ${lengthMax} characters.` : faultOfLine(text);
  };
}

/** Returns the text of an ERP record as one line that people can read, or undefined if no visible character is left. */
function cleaned(subject: string, faultOf: (text: string) => string | undefined, missing?: string): Kind<string> {
  return takenText(subject, faultOf, missing, (value) => cleanLine(value, Infinity));
}

function exact(subject: string, faultOf: (text: string) => string | undefined): Kind<string> {
  return takenText(subject, faultOf, undefined, asItIs);
}

function takenText(
  subject: string,
  faultOf: (text: string) => string | undefined,
  missing = `${subject} ${MISSING}`,
  made: (text: string) => string,
): Kind<string> {
  return {
    given(value) {
      if (typeof value !== 'string' || UNSTORABLE.test(value)) return value;
      const text = made(value);
      return text === '' ? undefined : text;
    },
    missing,
    faultOf(value) {
      if (typeof value !== 'string') return missing;
      if (UNSTORABLE.test(value)) {
        return 'A field contains a character that cannot be stored (NUL, or half of a surrogate pair).';
      }
      return faultOf(value);
    },
    normalise: asItIs,
  };
}

/**
 * Returns the kind of a field that is not checked, because the types of the gRPC contract already guarantee its value.
 */
function ofContract<T>(): Kind<T> {
  return { faultOf: () => undefined, normalise: asItIs, missing: MISSING };
}

function isLink(value: unknown): boolean {
  return /^https?:\/\//.test(value as string) && parseUrl(value as string) !== undefined;
}

function isNotEmpty(value: string): boolean {
  return value !== '';
}

function isStated(value: unknown): boolean {
  return value !== undefined;
}

function asItIs<T>(value: T): T {
  return value;
}
