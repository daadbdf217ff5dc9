import type { Kind } from './kinds.js';

/** A field with one value. */
export interface Leaf {
  readonly kind: Kind;
  readonly isOptional: boolean;
  /** Absent where the kind says all. */
  readonly description: string | undefined;
  /** How a row of a scan has it; absent: rows cannot state it. */
  readonly row?: RowField;
}

/** What a row of a scan says otherwise than the canonical invoice does. */
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
  /** JSON Schema that says of the rule what can be said. */
  readonly published?: Readonly<Record<string, unknown>>;
}

export interface Members {
  readonly [name: string]: Leaf | Group;
}

/**
 * A rule about several fields of an object. It is asked also when some of them are wrong, so that no fault hides another.
 * @param given what was sent
 * @param read the fields that nothing is wrong with, as they are stored
 */
export type Rule = (given: Given, read: Given, report: Report) => void;
export type Given = Readonly<Record<string, unknown>>;
/** @param name the wrong field; empty: the object itself */
export type Report = (name: string, message: string) => void;

type Value<F> = F extends { members: infer M } ? Values<M> : F extends { kind: Kind<infer T> } ? T : never;
/** The object that members declare. */
export type Values<M> = {
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
