/** The kind of an invoice field: the values that it accepts, and how they are stored. */
export interface Kind<T = unknown> {
  /** Returns a sentence about the fault of an invoice field, or undefined if the value is valid. */
  readonly faultOf: (value: unknown) => string | undefined;
  /** Converts a valid value of the invoice field to its stored form. */
  normalise(value: T): T;
  /**
   * Prepares the value of an invoice field before it is checked, or returns undefined if nothing was given. Absent if
   * the value is checked as it is.
   */
  readonly given?: (value: unknown) => unknown;
  /** Error message for a required invoice field that is missing. The default is `Required.` */
  readonly missing?: string;
  /** Declaration of the entries, if the invoice field is a list. */
  readonly each?: Group;
  /**
   * Converts the value of an invoice field to its form in a gRPC message and back, also if the value is missing. Absent
   * if the message contains the value in the same form.
   */
  readonly inMessage?: Coding<T>;
}

/** Functions that convert a field of the invoice to the types of the generated gRPC code and back. */
export interface Coding<T> {
  to(value: T | undefined): unknown;
  from(sent: never): T | undefined;
}

/** Declaration of an invoice field that has one value. */
export interface Leaf {
  readonly kind: Kind;
  readonly isOptional: boolean;
  /** Description of the invoice field. Absent if the description of its kind is sufficient. */
  readonly description: string | undefined;
  /**
   * True if a gRPC message distinguishes an empty text from a missing one. By default it does for optional fields
   * (`isOptional`).
   */
  readonly hasPresence?: boolean;
  /** Name of the field in a gRPC message, if it cannot be derived from the name of the invoice field. */
  readonly wireName?: string;
  /** Form of the field in a row of a history scan. Absent if rows cannot state the field. */
  readonly row?: RowField;
}

/** The ways in which a field in a row of a history scan differs from the same field of the canonical invoice. */
export interface RowField {
  readonly name: string;
  readonly kind?: Kind;
  readonly isOptional?: true;
  readonly description?: string;
}

/** Declaration of an object within the invoice, with the declarations of the object's fields. */
export interface Group<M extends Members = Members> {
  readonly members: M;
  readonly isOptional: boolean;
  readonly description: string;
  readonly rule?: Rule;
  /** Converts the checked fields of a group of invoice fields to the stored object. */
  readonly normalise?: (values: Values) => Values;
  /** JSON Schema of `rule`, which relates fields of the group to each other, as far as JSON Schema can express it. */
  readonly published?: Readonly<Record<string, unknown>>;
}

export interface Members {
  readonly [name: string]: Leaf | Group;
}

/**
 * A rule about several fields of an object in the invoice. The rule is checked even if some fields are wrong, so that
 * all faults are reported together.
 * @param values the given fields in their stored form; a wrong field is undefined
 */
export type Rule = (values: Values, report: Report) => void;
export type Values = Readonly<Record<string, unknown>>;
/**
 * Function that reports an invalid field of an invoice.
 * @param name the wrong field, or an empty text for the object itself
 */
export type Report = (name: string, message: string) => void;

type Value<F> = F extends { members: infer M } ? Declared<M> : F extends { kind: Kind<infer T> } ? T : never;
/** Type of the object that has the declared invoice fields. */
export type Declared<M> = {
  readonly [K in keyof M as M[K] extends { isOptional: true } ? never : K]: Value<M[K]>;
} & { readonly [K in keyof M as M[K] extends { isOptional: true } ? K : never]?: Value<M[K]> };

export function required<T>(kind: Kind<T>, description: string | undefined, row?: RowField) {
  return { kind, isOptional: false, description, ...(row === undefined ? {} : { row }) } as const;
}

export function optional<T>(kind: Kind<T>, description: string, row?: RowField) {
  return { kind, isOptional: true, description, ...(row === undefined ? {} : { row }) } as const;
}

export function isGroup(member: Leaf | Group): member is Group {
  return 'members' in member;
}

/** A declared invoice field with its public name and its name in generated code. */
interface Entry {
  readonly name: string;
  readonly wireName: string;
  readonly member: Leaf | Group;
}

const entries = new WeakMap<Group, readonly Entry[]>();

/**
 * Returns the declared invoice fields of a group in order. The list is created once for each group, because it is used
 * for thousands of rows.
 */
export function entriesOf(group: Group): readonly Entry[] {
  let listed = entries.get(group);
  if (listed === undefined) {
    listed = Object.entries(group.members).map(([name, member]) => ({
      name,
      wireName: (isGroup(member) ? undefined : member.wireName) ?? wireNameOf(name),
      member,
    }));
    entries.set(group, listed);
  }
  return listed;
}

/**
 * Converts the name of an invoice field such as `purchase_order_ref` to `purchaseOrderRef`, as in the generated code.
 */
function wireNameOf(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** An empty text in a gRPC message counts as absent if the message does not show whether the field was set. */
export function isAbsent(value: unknown, member: Leaf | Group): boolean {
  return value === '' && !isGroup(member) && !(member.hasPresence ?? member.isOptional);
}
