/** The kind of a field: what its value must be, and how it is stored. */
export interface Kind<T = unknown> {
  /** A sentence; undefined when nothing is wrong with the value, which then is a `T`. */
  readonly faultOf: (value: unknown) => string | undefined;
  /** The value as it is stored. */
  normalise(value: T): T;
  /** Prepares a value before it is checked; returns undefined if nothing was given. Absent if the value itself is checked. */
  readonly given?: (value: unknown) => unknown;
  /** The sentence where a required value is missing. `Required.` when absent. */
  readonly missing?: string;
  /** The value is a list of these. */
  readonly each?: Group;
  /** The form of the value, and of a missing one, in a message. Absent if a message has the value itself. */
  readonly inMessage?: Coding<T>;
}

/** A value under the types of generated code. */
export interface Coding<T> {
  to(value: T | undefined): unknown;
  from(sent: never): T | undefined;
}

/** A field with one value. */
export interface Leaf {
  readonly kind: Kind;
  readonly isOptional: boolean;
  /** Absent where the kind says all. */
  readonly description: string | undefined;
  /** True if a message distinguishes an empty text from a missing one; `isOptional` by default. */
  readonly hasPresence?: boolean;
  /** Its name in a message where that does not follow from its own. */
  readonly wireName?: string;
  /** The form of the field in a row of a scan. Absent if rows cannot state it. */
  readonly row?: RowField;
}

/** The differences of a field in a row of a scan from the canonical invoice. */
export interface RowField {
  readonly name: string;
  readonly kind?: Kind;
  readonly isOptional?: true;
  readonly description?: string;
}

/** An object with fields. */
export interface Group<M extends Members = Members> {
  readonly members: M;
  readonly isOptional: boolean;
  readonly description: string;
  readonly rule?: Rule;
  /** The object as it is stored, of its checked fields. */
  readonly normalise?: (values: Values) => Values;
  /** The rule as JSON Schema, as far as it can be expressed. */
  readonly published?: Readonly<Record<string, unknown>>;
}

export interface Members {
  readonly [name: string]: Leaf | Group;
}

/**
 * A rule about several fields of an object. Checked even when some of them are wrong, so that no fault hides another.
 * @param values the fields that were given, as they are stored; undefined where one is wrong
 */
export type Rule = (values: Values, report: Report) => void;
export type Values = Readonly<Record<string, unknown>>;
/** @param name the wrong field; empty for the object itself */
export type Report = (name: string, message: string) => void;

type Value<F> = F extends { members: infer M } ? Declared<M> : F extends { kind: Kind<infer T> } ? T : never;
/** The object that members declare. */
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

/** A member under its public name and under that of generated code. */
interface Entry {
  readonly name: string;
  readonly wireName: string;
  readonly member: Leaf | Group;
}

const entries = new WeakMap<Group, readonly Entry[]>();

/** The members in their order. Listed once for each group: thousands of rows are read by one. */
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

/** `purchase_order_ref` is `purchaseOrderRef`, as the generated code writes it. */
function wireNameOf(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** An empty text in a message is how a field without presence is absent. */
export function isAbsent(value: unknown, member: Leaf | Group): boolean {
  return value === '' && !isGroup(member) && !(member.hasPresence ?? member.isOptional);
}
